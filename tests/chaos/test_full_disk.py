"""A disk that takes no more: writes get 503, reads go on, and all is well once there is room."""

import resource
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexSpec, Point
from sourcebook.ingestion.upkeep.verifier import Verifier
from tests.chaos.client import fresh
from tests.e2e.processes import Server, run, serving
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

DOCUMENTS = "/collections/lessons/documents"
CREATE = {"name": "lessons", "embedding_model": "tiny"}
ONLY_LINUX = pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="limits of other processes are Linux's"
)
TMPFS_MIB = 320  # the store wants 256 MiB to be free
WRITES = (
    ("POST", DOCUMENTS, {"documents": [fresh("a"), fresh("new")]}),
    ("DELETE", f"{DOCUMENTS}/all", None),
    ("POST", "/collections", {**CREATE, "name": "other"}),
)


class FullStore(MemoryStore):
    """Takes nothing in while the disk is full."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False

    async def create(self, spec: IndexSpec) -> None:
        self._check()
        await super().create(spec)

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        self._check()
        await super().upsert(index_id, points)

    def _check(self) -> None:
        if self.full:
            raise RetrievalUnavailable("The disk is full")


@pytest.fixture
def store() -> FullStore:
    return FullStore()


@pytest.fixture
def models() -> EmbeddingModels:
    return EmbeddingModels([FakeEmbedder("tiny")])


async def test_a_store_that_takes_no_more_leaves_everything_as_it_was(
    client: httpx2.AsyncClient, store: FullStore, ledger: Ledger
) -> None:
    await client.post("/collections", json=CREATE)
    await client.post(DOCUMENTS, json={"documents": [fresh("a")]})
    before = (await client.get(DOCUMENTS)).json()
    store.full = True

    for method, path, content in WRITES:
        assert (await client.request(method, path, json=content)).status_code == 503
    assert (await client.get(DOCUMENTS)).json() == before
    query = {"collection": "lessons", "query": "a"}
    assert len((await client.post("/query", json=query)).json()["results"]) == 1

    store.full = False
    again = await client.post(DOCUMENTS, json={"documents": [fresh("b")]})
    assert (again.status_code, (await client.get(DOCUMENTS)).json()["total"]) == (200, 2)
    (findings,) = await Verifier(ledger, store).verify()
    assert findings.clean


def assert_writes_fail_and_reads_go_on(server: Server, before: object) -> None:
    for method, path, content in WRITES:
        reply = server.client.request(method, path, json=content)
        assert (reply.status_code, "detail" in reply.json()) == (503, True), (path, reply.text)
    assert server.get(DOCUMENTS) == before
    assert len(server.post("/query", {"collection": "lessons", "query": "a"})["results"]) == 1


def assert_recovered(server: Server) -> None:
    server.post(DOCUMENTS, {"documents": [fresh("a"), fresh("b")]})
    assert server.get(DOCUMENTS)["total"] == 2
    found = server.post("/query", {"collection": "lessons", "query": "b"})["results"]
    assert {hit["id"] for hit in found} == {"a", "b"}


@ONLY_LINUX
def test_files_that_cannot_be_written_cost_the_write_alone(
    tmp_path: Path, serve: tuple[str, ...]
) -> None:
    with serving(*serve, "--data-dir", "data", cwd=tmp_path) as server:
        server.post("/collections", CREATE)
        server.post(DOCUMENTS, {"documents": [fresh("a")]})
        before = server.get(DOCUMENTS)
        pid = server.process.pid

        free = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, free[1]))
        assert_writes_fail_and_reads_go_on(server, before)

        resource.prlimit(pid, resource.RLIMIT_FSIZE, free)
        assert_recovered(server)
        assert server.stop() == 0
    assert run("verify", "--data-dir", "data", cwd=tmp_path).code == 0


def test_a_full_disk_costs_the_write_alone(tmp_path: Path, serve: tuple[str, ...]) -> None:
    with small_disk(tmp_path / "disk") as disk:
        with serving(*serve, "--data-dir", "disk/data", cwd=tmp_path) as server:
            server.post("/collections", CREATE)
            server.post(DOCUMENTS, {"documents": [fresh("a")]})
            before = server.get(DOCUMENTS)

            fill(disk / "filler")
            assert_writes_fail_and_reads_go_on(server, before)

            (disk / "filler").unlink()
            assert_recovered(server)
            assert server.stop() == 0
        verified = run("verify", "--data-dir", "disk/data", cwd=tmp_path)
        assert verified.code == 0, verified.out


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of its own; skips the test where we may not mount one."""
    folder.mkdir()
    if not _ran("mount", "-t", "tmpfs", "-o", f"size={TMPFS_MIB}m", "tmpfs", str(folder)):
        pytest.skip("mounting a file system is not possible here")
    try:
        yield folder
    finally:
        assert _ran("umount", "--lazy", str(folder))


def _ran(command: str, *arguments: str) -> bool:
    program = shutil.which(command)
    if program is None:
        return False
    done = subprocess.run([program, *arguments], capture_output=True, check=False, timeout=10)
    return done.returncode == 0


def fill(path: Path) -> None:
    """Write until not a byte is left."""
    with path.open("wb", buffering=0) as filler:
        for size in (1024 * 1024, 4096, 1):
            try:
                for _ in range(1024 * TMPFS_MIB):
                    filler.write(b"x" * size)
            except OSError:
                continue
