"""What the embedded store promises beyond the contract: its files survive restarts and crashes."""

import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import AllOf, Compare, Filter, OneOf
from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.qdrant_edge.folder import IndexFolder
from sourcebook.providers.vector_stores.qdrant_edge.store import QdrantEdgeStore
from sourcebook.testing.filter_contract import check_agreement, check_matches
from sourcebook.testing.filter_examples import filters, metadata
from sourcebook.testing.points import INDEX, SPEC, filled, names, point, query
from tests.memory_folder import memory_folder

BATCH = 300

WRITER = f"""
import asyncio, sys
from pathlib import Path
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.qdrant_edge.store import QdrantEdgeStore
from sourcebook.testing.points import point

async def write():
    async with QdrantEdgeStore(Path(sys.argv[1])) as store:
        await store.create(IndexSpec("written", 64))
        for batch in range(10_000):
            points = [point((batch, n), [1.0] * 64, version=str(batch)) for n in range({BATCH})]
            await store.upsert("written", points)
            print("written", flush=True)

asyncio.run(write())
"""

CREATOR = """
import asyncio, sys
from pathlib import Path
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.qdrant_edge.store import QdrantEdgeStore

async def create():
    async with QdrantEdgeStore(Path(sys.argv[1])) as store:
        for n in range(10_000):
            await store.create(IndexSpec(f"index-{n}", 3))
            print("created", flush=True)
            await store.drop(f"index-{n - 1}")

asyncio.run(create())
"""


def kill_after(lines: int, script: str, root: Path) -> None:
    """Run a script and kill it while it works on what follows so many lines of output."""
    command = [sys.executable, "-c", script, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.kill()


async def test_points_survive_closing_and_opening(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path) as store:
        await filled(store, point("a", metadata={"tier": 1}), point("b", metadata={"tier": 2}))
    async with QdrantEdgeStore(tmp_path) as store:
        assert await store.indexes() == {INDEX}
        assert await store.count(INDEX) == 2
        [hit] = await store.search(INDEX, query(filter_=OneOf("tier", (2,))))
        assert hit.ref == point("b").ref
        await store.create(SPEC)


@pytest.mark.parametrize("acknowledged", [1, 3, 6])
async def test_a_killed_writer_leaves_whole_batches_and_all_acknowledged_ones(
    tmp_path: Path, acknowledged: int
) -> None:
    kill_after(acknowledged, WRITER, tmp_path)
    async with QdrantEdgeStore(tmp_path) as store:
        versions = Counter([ref.version async for page in store.scan("written") for ref in page])
        assert set(versions.values()) == {BATCH}
        assert versions.keys() >= {str(batch) for batch in range(acknowledged)}
        assert await store.count("written") == versions.total()


@pytest.mark.parametrize("created", [1, 4])
async def test_a_process_killed_while_creating_leaves_only_usable_indexes(
    tmp_path: Path, created: int
) -> None:
    kill_after(created, CREATOR, tmp_path)
    async with QdrantEdgeStore(tmp_path) as store:
        listed = await store.indexes()
        assert f"index-{created - 1}" in listed
        assert [await store.count(index_id) for index_id in listed] == [0] * len(listed)
        assert (await store.check()).status == "up"


async def test_a_creation_that_fails_leaves_nothing(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path) as store:
        with pytest.raises(RetrievalUnavailable, match="'flat'"):
            await store.create(IndexSpec("flat", 0))
        assert await store.indexes() == set()
    assert _entries(tmp_path) == []


async def test_what_a_crash_left_half_created_is_not_listed_and_is_cleared(tmp_path: Path) -> None:
    (tmp_path / ".passing-1" / "segments").mkdir(parents=True)
    async with QdrantEdgeStore(tmp_path) as store:
        assert await store.indexes() == set()
    assert _entries(tmp_path) == []


async def test_a_damaged_index_does_not_stop_the_others(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path) as store:
        await filled(store, point("a"))
        await store.create(IndexSpec("damaged", 3))
    (tmp_path / "damaged" / "edge_config.json").unlink()
    async with QdrantEdgeStore(tmp_path) as store:
        assert names(await store.search(INDEX, query())) == ["a"]
        assert (await store.check()).status == "degraded"
        with pytest.raises(RetrievalUnavailable, match="'damaged' is damaged"):
            await store.count("damaged")
        await store.drop("damaged")
        await store.create(IndexSpec("damaged", 3))
        assert await store.count("damaged") == 0


async def test_a_second_opening_is_refused(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path) as store:
        await filled(store, point("a"))
        with pytest.raises(RetrievalUnavailable, match="in use by another process"):
            await QdrantEdgeStore(tmp_path).__aenter__()
        assert await store.count(INDEX) == 1


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path) as store:
        await store.create(SPEC)
    assert (await store.check()).status == "down"
    with pytest.raises(RetrievalUnavailable, match="not open"):
        await store.count(INDEX)


@pytest.mark.parametrize("bad", ["", "../up", "a/b", "a b", ".hidden", "x" * 65, "é", "a\n"])
async def test_an_index_id_that_is_no_safe_file_name_is_refused(tmp_path: Path, bad: str) -> None:
    async with QdrantEdgeStore(tmp_path / "root") as store:
        with pytest.raises(RetrievalUnavailable, match="not valid"):
            await store.create(IndexSpec(bad, 3))
    assert _entries(tmp_path) == ["root"]


async def test_errors_of_the_engine_show_no_path(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path) as store:
        await store.create(SPEC)
        with pytest.raises(RetrievalUnavailable) as caught:
            await store.delete(INDEX, ["no-uuid"])
    assert str(tmp_path) not in caught.value.message
    assert INDEX in caught.value.message


async def test_fields_that_are_filtered_get_an_index_of_their_kind(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path) as store:
        mixed: list[Metadata] = [{"tier": 1}, {"tier": "1"}, {"tier": True}, {"tier": [1]}]
        await filled(store, *(point(n, metadata=fields) for n, fields in enumerate(mixed)))
        await store.search(INDEX, query(filter_=OneOf("unknown", ("x",))))
        both = AllOf((Compare("tier", "gt", 0), OneOf("tier", ("1", True))))
        await store.search(INDEX, query(filter_=both))
    assert _indexed_keys(tmp_path) == {"n_tier", "s_tier", "b_tier"}


async def test_no_more_fields_are_indexed_than_allowed(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path, max_payload_indexes=2) as store:
        await filled(store, point("a", metadata={"a": 1, "b": 1, "c": 1}))
        for field in "abc":
            found = await store.search(INDEX, query(filter_=Compare(field, "gte", 1)))
            assert names(found) == ["a"]
    assert len(_indexed_keys(tmp_path)) == 2


@settings(max_examples=25, deadline=None)
@given(st.lists(metadata(), min_size=1, max_size=12), st.lists(filters(), min_size=4, max_size=10))
def test_filters_find_the_same_before_and_after_a_restart(
    documents: list[Metadata], wanted: list[Filter]
) -> None:
    async def compare(root: Path) -> None:
        async with QdrantEdgeStore(root) as store:
            await store.create(SPEC)
            await check_agreement(store, documents, wanted)
        async with QdrantEdgeStore(root) as store:
            await check_matches(store, documents, wanted)

    with memory_folder() as root:
        asyncio.run(compare(root))


def _entries(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*")]


def _indexed_keys(root: Path) -> set[str]:
    folder = IndexFolder(root, max_payload_indexes=0)
    folder.open()
    try:
        return folder.get(INDEX).indexed_keys()
    finally:
        folder.close()


async def test_a_disk_that_is_nearly_full_is_not_written_to(tmp_path: Path) -> None:
    async with QdrantEdgeStore(tmp_path / "vectors") as store:
        await store.create(SPEC)
        await store.upsert(INDEX, [point("kept")])

    async with QdrantEdgeStore(tmp_path / "vectors", min_free_bytes=10**18) as store:
        with pytest.raises(RetrievalUnavailable, match="nothing can be written"):
            await store.upsert(INDEX, [point("lost")])
        with pytest.raises(RetrievalUnavailable, match="nothing can be written"):
            await store.create(IndexSpec("another", 3))
        assert await store.count(INDEX) == 1
        assert (await store.check()).status == "degraded"
