"""What the embedded store promises beyond the contract: its files survive restarts and crashes."""

import asyncio
import fcntl
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import AllOf, Compare, Filter, OneOf
from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.qdrant_edge.folder import LOCK_FILE, IndexFolder
from sourcebook.providers.vector_stores.qdrant_edge.shard import LOG_FILE_BYTES
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
    async with QdrantEdgeStore(Path(sys.argv[1]), max_open_indexes=2) as store:
        for batch in range(10_000):
            index_id = f"written-{{batch % int(sys.argv[2])}}"
            await store.create(IndexSpec(index_id, 64))
            points = [point((batch, n), [1.0] * 64, version=str(batch)) for n in range({BATCH})]
            await store.upsert(index_id, points)
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


def kill_after(lines: int, script: str, root: Path, *arguments: object) -> None:
    """Run a script and kill it while it works on what follows so many lines of output."""
    command = [sys.executable, "-c", script, str(root), *map(str, arguments)]
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


@pytest.mark.parametrize(("acknowledged", "indexes"), [(1, 1), (3, 1), (6, 1), (9, 4)])
async def test_a_killed_writer_leaves_whole_batches_and_all_acknowledged_ones(
    tmp_path: Path, acknowledged: int, indexes: int
) -> None:
    kill_after(acknowledged, WRITER, tmp_path, indexes)
    async with QdrantEdgeStore(tmp_path) as store:
        versions: Counter[str] = Counter()
        for index_id in await store.indexes():
            found = Counter([ref.version async for page in store.scan(index_id) for ref in page])
            assert await store.count(index_id) == found.total()
            versions += found
        assert set(versions.values()) == {BATCH}
        assert versions.keys() >= {str(batch) for batch in range(acknowledged)}


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


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory: these tests need no disk."""
    with memory_folder() as root:
        yield root


async def _store_indexes(root: Path, sizes: dict[str, int]) -> None:
    async with QdrantEdgeStore(root) as store:
        for index_id, size in sizes.items():
            await store.create(IndexSpec(index_id, 3))
            await store.upsert(index_id, [point((index_id, n)) for n in range(size)])


def _is_open(root: Path, index_id: str) -> bool:
    """The engine locks the folder of the log of every index that it has open."""
    log_folder = os.open(root / index_id / "wal", os.O_RDONLY)
    try:
        fcntl.flock(log_folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(log_folder)
    return False


async def test_only_so_many_indexes_are_open_and_every_one_can_be_used(folder: Path) -> None:
    ids = ["a", "b", "c", "d", "e"]
    async with QdrantEdgeStore(folder, max_open_indexes=2) as store:
        for index_id in ids:
            await store.create(IndexSpec(index_id, 3))
            await store.upsert(index_id, [point(index_id)])
        for index_id in ids:
            assert names(await store.search(index_id, query())) == [index_id]
        assert await store.indexes() == set(ids)
        assert [index_id for index_id in ids if _is_open(folder, index_id)] == ["d", "e"]


async def test_many_indexes_used_at_once_all_answer(folder: Path) -> None:
    ids = [f"index-{n}" for n in range(6)]
    await _store_indexes(folder, dict.fromkeys(ids, 2))
    async with QdrantEdgeStore(folder, max_open_indexes=2) as store:
        counts = await asyncio.gather(*(store.count(index_id) for index_id in ids * 3))
    assert counts == [2] * 18


async def test_the_largest_indexes_are_open_from_the_start_and_others_when_used(
    folder: Path,
) -> None:
    await _store_indexes(folder, {"a": 1, "large": 1_000, "z": 1})
    async with QdrantEdgeStore(folder, max_open_indexes=2) as store:
        assert _is_open(folder, "large")
        assert not _is_open(folder, "a")
        assert await store.count("a") == 1
        assert _is_open(folder, "a")


def test_an_index_in_use_stays_open(folder: Path) -> None:
    asyncio.run(_store_indexes(folder, {"a": 1, "b": 2}))
    indexes = IndexFolder(folder, max_payload_indexes=0, max_open=1)
    indexes.open()
    try:
        with indexes.using("a") as first:
            with indexes.using("b") as second:
                assert second.count() == 2
            assert first.count() == 1
            assert _is_open(folder, "a")
    finally:
        indexes.close()


async def test_damage_that_shows_at_first_use_is_told(folder: Path) -> None:
    await _store_indexes(folder, {"a": 1, "damaged": 1})
    async with QdrantEdgeStore(folder, max_open_indexes=1) as store:
        (folder / "damaged" / "edge_config.json").write_text("{}")
        assert await store.damaged() == set()
        with pytest.raises(RetrievalUnavailable, match="'damaged' is damaged"):
            await store.count("damaged")
        assert await store.damaged() == {"damaged"}
        assert await store.count("a") == 1


async def test_the_log_of_an_index_is_small_and_grows_with_a_write(folder: Path) -> None:
    async with QdrantEdgeStore(folder) as store:
        await store.create(IndexSpec(INDEX, 384))
        assert _log_bytes(folder) <= 2 * LOG_FILE_BYTES + 100
        await store.upsert(INDEX, [point(n, [1.0] * 384) for n in range(2_000)])
        assert await store.count(INDEX) == 2_000
        assert _log_bytes(folder) > 2 * LOG_FILE_BYTES + 100


def _log_bytes(root: Path) -> int:
    return sum(path.stat().st_size for path in (root / INDEX / "wal").iterdir())


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
    return [path.name for path in folder.rglob("*") if path.name != LOCK_FILE]


def _indexed_keys(root: Path) -> set[str]:
    folder = IndexFolder(root, max_payload_indexes=0, max_open=1)
    folder.open()
    try:
        with folder.using(INDEX) as index:
            return index.indexed_keys()
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
