"""What the embedded Chroma promises beyond the contract: durability, its lock, no telemetry."""

import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.filters import OneOf
from sourcebook.providers.declaration import Opening
from sourcebook.providers.vector_stores.chroma.client import open_own_folder
from sourcebook.providers.vector_stores.chroma.provider import EMBEDDED
from sourcebook.providers.vector_stores.chroma.settings import ChromaSettings
from sourcebook.providers.vector_stores.chroma.store import ChromaStore
from sourcebook.testing.points import INDEX, SPEC, filled, point, query
from tests.extras.chroma_stores import folder_store

BATCH = 300

OPENER = """
import asyncio, sys
from pathlib import Path
from sourcebook.providers.vector_stores.chroma.client import open_own_folder

async def open_it():
    async with open_own_folder(Path(sys.argv[1])):
        pass

asyncio.run(open_it())
"""

WRITER = f"""
import asyncio, sys
from pathlib import Path
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.chroma.client import open_own_folder
from sourcebook.providers.vector_stores.chroma.store import ChromaStore
from sourcebook.testing.points import point

async def write():
    async with open_own_folder(Path(sys.argv[1])) as client:
        store = ChromaStore(client, "sourcebook")
        await store.create(IndexSpec("written", 8))
        for batch in range(10_000):
            points = [point((batch, n), [1.0] * 8, version=str(batch)) for n in range({BATCH})]
            await store.upsert("written", points)
            print("written", flush=True)

asyncio.run(write())
"""

SILENT = """
import sys
CALLS = {"socket.connect", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen"}
calls = []
sys.addaudithook(lambda event, arguments: calls.append(arguments) if event in CALLS else None)
import asyncio
from pathlib import Path
from sourcebook.providers.vector_stores.chroma.client import open_own_folder
from sourcebook.providers.vector_stores.chroma.store import ChromaStore
from sourcebook.testing.points import filled, point, query

async def work():
    async with open_own_folder(Path(sys.argv[1])) as client:
        store = await filled(ChromaStore(client, "sourcebook"), point("a"))
        assert await store.search("books_v1", query())

asyncio.run(work())
assert calls == [], calls
"""


def kill_after(lines: int, script: str, folder: Path) -> None:
    """Run a script and kill it while it works on what follows so many lines of output."""
    command = [sys.executable, "-c", script, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.kill()


async def test_points_survive_closing_and_opening(tmp_path: Path) -> None:
    async with folder_store(tmp_path) as store:
        await filled(store, point("a", metadata={"tier": 1}), point("b", metadata={"tier": 2}))
    async with folder_store(tmp_path) as store:
        assert await store.indexes() == {INDEX}
        assert await store.count(INDEX) == 2
        [hit] = await store.search(INDEX, query(filter_=OneOf("tier", (2,))))
        assert hit.ref == point("b").ref
        await store.create(SPEC)


@pytest.mark.parametrize("acknowledged", [1, 4])
async def test_a_killed_writer_leaves_whole_batches_and_all_acknowledged_ones(
    tmp_path: Path, acknowledged: int
) -> None:
    kill_after(acknowledged, WRITER, tmp_path)
    async with folder_store(tmp_path) as store:
        versions = Counter([ref.version async for page in store.scan("written") for ref in page])
        assert set(versions.values()) == {BATCH}
        assert versions.keys() >= {str(batch) for batch in range(acknowledged)}
        found = await store.search("written", query([1.0] * 8, 10_000))
        assert len(found) == await store.count("written") == versions.total()


async def test_a_second_opening_is_refused(tmp_path: Path) -> None:
    async with folder_store(tmp_path) as store:
        await filled(store, point("a"))
        with pytest.raises(RetrievalUnavailable, match="in use by another process"):
            await folder_store(tmp_path).__aenter__()
        assert await store.count(INDEX) == 1


async def test_a_second_process_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENER, str(tmp_path)]
    async with folder_store(tmp_path):
        refused = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert refused.returncode != 0
    assert "in use by another process" in refused.stderr
    allowed = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert allowed.returncode == 0, allowed.stderr


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async with folder_store(tmp_path) as store:
        await store.create(SPEC)
    assert (await store.check()).status == "down"
    with pytest.raises(RetrievalUnavailable, match="is closed"):
        await store.count(INDEX)


async def test_errors_show_no_path(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"no database" * 100)
    with pytest.raises(RetrievalUnavailable, match="Chroma failed") as caught:
        await folder_store(tmp_path).__aenter__()
    assert str(tmp_path) not in caught.value.message


def test_it_calls_nobody(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SILENT, str(tmp_path / "chroma")]
    (tmp_path / ".env").write_text("CHROMA_OTEL_COLLECTION_ENDPOINT=http://127.0.0.1:9\n")
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def opening(folder: Path) -> Opening:
    return Opening(id="store", data_dir=folder, models_dir=folder, namespace="here")


async def test_the_provider_keeps_its_folder_inside_the_data_folder(tmp_path: Path) -> None:
    async with EMBEDDED.open(ChromaSettings.model_validate({}), opening(tmp_path)) as store:
        await filled(store, point("a"))
        assert (await store.check()).status == "up"
    assert (tmp_path / "chroma" / "chroma.sqlite3").is_file()


@pytest.mark.parametrize("path", ["../elsewhere", "/elsewhere", ".", "a/../.."])
async def test_the_provider_leaves_the_data_folder_for_nobody(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigurationError, match="outside the data folder"):
        await EMBEDDED.open(ChromaSettings(path=path), opening(tmp_path / "data")).__aenter__()
    assert not (tmp_path / "elsewhere").exists()


async def test_calls_that_take_too_long_are_given_up(tmp_path: Path) -> None:
    async with open_own_folder(tmp_path, timeout_s=1e-6) as client:
        store = ChromaStore(client, "sourcebook")
        with pytest.raises(RetrievalUnavailable, match="took longer"):
            await store.indexes()
        assert (await store.check()).status == "down"
