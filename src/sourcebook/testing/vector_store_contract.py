"""Contract of the VectorStore port: a store inherits the tests and supplies one fixture.

    class TestMyStore(VectorStoreContract):
        @pytest.fixture
        async def store(self) -> AsyncIterator[VectorStore]:
            async with MyStore(...) as store:
                yield store

The fixture yields a store without indexes. Tests run with pytest-asyncio in auto mode.
"""

import asyncio
import math
from array import array

import pytest

from sourcebook.core.errors import RetrievalUnavailable, Unavailable
from sourcebook.core.filters import OneOf
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import IndexQuery, IndexSpec, PointRef, SparseVector
from sourcebook.testing.filter_contract import FilterContract
from sourcebook.testing.points import (
    EAST,
    INDEX,
    NORTH,
    SPEC,
    UP,
    filled,
    names,
    point,
    point_id,
    query,
)

__all__ = ["FilterContract", "VectorStoreContract"]


class IndexContract:
    """Indexes come and go by name; an unknown one is an error that names it."""

    async def test_a_new_store_has_no_indexes(self, store: VectorStore) -> None:
        assert await store.indexes() == set()

    async def test_a_created_index_is_listed_and_empty(self, store: VectorStore) -> None:
        await store.create(SPEC)
        assert await store.indexes() == {INDEX}
        assert await store.count(INDEX) == 0
        assert await store.search(INDEX, query()) == []

    async def test_creating_again_with_the_same_spec_keeps_the_points(
        self, store: VectorStore
    ) -> None:
        await filled(store, point("a"))
        await store.create(SPEC)
        assert await store.count(INDEX) == 1

    async def test_creating_again_with_other_dimensions_is_refused(
        self, store: VectorStore
    ) -> None:
        await store.create(SPEC)
        with pytest.raises(RetrievalUnavailable, match=INDEX):
            await store.create(IndexSpec(INDEX, 7))

    async def test_a_dropped_index_is_gone(self, store: VectorStore) -> None:
        await filled(store, point("a"))
        await store.drop(INDEX)
        assert await store.indexes() == set()

    async def test_dropping_an_unknown_index_does_nothing(self, store: VectorStore) -> None:
        await store.drop("never-created")
        await store.drop("../never-created")

    async def test_an_index_created_again_after_a_drop_is_empty(self, store: VectorStore) -> None:
        await filled(store, point("a"))
        await store.drop(INDEX)
        await store.create(IndexSpec(INDEX, 2))
        assert await store.count(INDEX) == 0

    async def test_indexes_do_not_see_each_others_points(self, store: VectorStore) -> None:
        await filled(store, point("a"))
        await store.create(IndexSpec("other", 2))
        await store.upsert("other", [point("b", (1.0, 0.0))])
        assert names(await store.search(INDEX, query())) == ["a"]
        assert names(await store.search("other", query((1.0, 0.0)))) == ["b"]

    async def test_searching_an_unknown_index_names_it(self, store: VectorStore) -> None:
        with pytest.raises(RetrievalUnavailable, match="never-created"):
            await store.search("never-created", query())

    async def test_writing_to_an_unknown_index_names_it(self, store: VectorStore) -> None:
        with pytest.raises(RetrievalUnavailable, match="never-created"):
            await store.upsert("never-created", [point("a")])

    async def test_deleting_from_an_unknown_index_names_it(self, store: VectorStore) -> None:
        with pytest.raises(RetrievalUnavailable, match="never-created"):
            await store.delete("never-created", [point_id("a")])

    async def test_counting_an_unknown_index_names_it(self, store: VectorStore) -> None:
        with pytest.raises(RetrievalUnavailable, match="never-created"):
            await store.count("never-created")

    async def test_scanning_an_unknown_index_names_it(self, store: VectorStore) -> None:
        with pytest.raises(RetrievalUnavailable, match="never-created"):
            _ = [page async for page in store.scan("never-created")]

    async def test_an_open_store_is_up(self, store: VectorStore) -> None:
        assert (await store.check()).status == "up"


class WriteContract:
    """Points are written all or none, replaced by id, and deleted by id."""

    async def test_what_was_written_is_counted(self, store: VectorStore) -> None:
        await filled(store, point("a"), point("b"))
        assert await store.count(INDEX) == 2

    async def test_writing_nothing_changes_nothing(self, store: VectorStore) -> None:
        await filled(store)
        assert await store.count(INDEX) == 0

    async def test_a_point_with_a_known_id_is_replaced(self, store: VectorStore) -> None:
        await filled(store, point("a", EAST, {"tier": 1}))
        await store.upsert(INDEX, [point("a", NORTH, {"module": "x"}, version="v2")])
        [hit] = await store.search(INDEX, query(NORTH))
        assert hit.ref.version == "v2"
        assert hit.score == pytest.approx(1.0, abs=1e-6)
        assert await store.count(INDEX) == 1

    async def test_of_two_points_with_one_id_the_last_stays(self, store: VectorStore) -> None:
        await filled(store, point("a", version="v1"), point("a", version="v2"))
        [hit] = await store.search(INDEX, query())
        assert hit.ref.version == "v2"

    @pytest.mark.parametrize(
        "bad",
        [(1.0, 0.0), (1.0, 0.0, 0.0, 0.0), (), (math.nan, 0.0, 0.0), (math.inf, 0, 0), (0, 0, 0)],
        ids=["short", "long", "empty", "nan", "infinite", "zero"],
    )
    async def test_one_bad_vector_keeps_the_whole_batch_out(
        self, store: VectorStore, bad: tuple[float, ...]
    ) -> None:
        await filled(store, point("old", EAST))
        with pytest.raises(Unavailable):
            await store.upsert(INDEX, [point("new"), point("old", NORTH), point("bad", bad)])
        [hit] = await store.search(INDEX, query(EAST))
        assert hit.ref == point("old").ref
        assert hit.score == pytest.approx(1.0, abs=1e-6)

    async def test_deleted_points_are_gone_and_the_others_stay(self, store: VectorStore) -> None:
        await filled(store, point("a"), point("b"), point("c"))
        await store.delete(INDEX, [point_id("a"), point_id("c")])
        assert names(await store.search(INDEX, query())) == ["b"]
        assert await store.count(INDEX) == 1

    async def test_deleting_unknown_ids_is_ignored(self, store: VectorStore) -> None:
        await filled(store, point("a"))
        await store.delete(INDEX, [point_id("never-written"), point_id("a")])
        await store.delete(INDEX, [point_id("a")])
        await store.delete(INDEX, [])
        assert await store.count(INDEX) == 0

    async def test_a_sparse_vector_is_accepted_beside_the_dense_one(
        self, store: VectorStore
    ) -> None:
        sparse = SparseVector((7, 3, 2**32 - 1), (0.5, 1.25, 2.0))
        await filled(store, point("both", sparse=sparse), point("dense only"))
        assert sorted(names(await store.search(INDEX, query()))) == ["both", "dense only"]

    async def test_a_scan_covers_every_point_once(self, store: VectorStore) -> None:
        written = [point(n) for n in range(2_500)]
        await filled(store, *written)
        pages = [page async for page in store.scan(INDEX)]
        scanned: list[PointRef] = [ref for page in pages for ref in page]
        assert len(scanned) == 2_500
        assert set(scanned) == {p.ref for p in written}
        assert len(pages) > 1

    async def test_a_scan_of_an_empty_index_gives_nothing(self, store: VectorStore) -> None:
        await store.create(SPEC)
        assert [page async for page in store.scan(INDEX)] == []


class SearchContract:
    """The nearest come first; scores are raw cosines."""

    async def test_the_nearest_come_first(self, store: VectorStore) -> None:
        near, far, opposite = (0.9, 0.1, 0.0), (0.1, 0.9, 0.0), (-1.0, 0.0, 0.0)
        await filled(store, point("far", far), point("opposite", opposite), point("near", near))
        assert names(await store.search(INDEX, query(EAST))) == ["near", "far", "opposite"]

    async def test_the_score_is_the_cosine_of_the_angle(self, store: VectorStore) -> None:
        await filled(store, point("a", (1.0, 1.0, 0.0)))
        [hit] = await store.search(INDEX, query(EAST))
        assert hit.score == pytest.approx(math.cos(math.pi / 4), abs=1e-6)

    async def test_opposite_directions_score_minus_one(self, store: VectorStore) -> None:
        await filled(store, point("a", (-2.0, 0.0, 0.0)))
        [hit] = await store.search(INDEX, query(EAST))
        assert hit.score == pytest.approx(-1.0, abs=1e-6)
        assert hit.score >= -1.0

    async def test_a_right_angle_scores_zero(self, store: VectorStore) -> None:
        await filled(store, point("a", UP))
        [hit] = await store.search(INDEX, query(NORTH))
        assert hit.score == pytest.approx(0.0, abs=1e-6)

    @pytest.mark.parametrize("length", [1e-30, 1e-3, 1e3, 1e30])
    async def test_the_length_of_a_vector_does_not_matter(
        self, store: VectorStore, length: float
    ) -> None:
        await filled(store, point("a", (length, length, 0.0)))
        [hit] = await store.search(INDEX, query((length, 0.0, 0.0)))
        assert hit.score == pytest.approx(math.cos(math.pi / 4), abs=1e-6)

    async def test_a_vector_may_be_any_sequence_of_floats(self, store: VectorStore) -> None:
        await filled(store, point("a", array("f", EAST)), point("b", array("d", NORTH)))
        assert names(await store.search(INDEX, query(array("f", EAST)))) == ["a", "b"]

    async def test_a_score_never_leaves_its_range(self, store: VectorStore) -> None:
        # Single precision puts the cosine of some of these with themselves above one.
        spread = [(math.sin(n), math.cos(2 * n), math.sin(3 * n + 1)) for n in range(100)]
        await filled(store, *(point(n, dense) for n, dense in enumerate(spread)))
        found = [await store.search(INDEX, query(dense)) for dense in spread]
        assert all(-1.0 <= hit.score <= 1.0 for hits in found for hit in hits)

    async def test_a_limit_cuts_the_end_off(self, store: VectorStore) -> None:
        await filled(store, point("a", EAST), point("b", (1.0, 0.5, 0.0)), point("c", NORTH))
        assert names(await store.search(INDEX, query(EAST, limit=2))) == ["a", "b"]

    async def test_a_limit_beyond_the_points_gives_them_all(self, store: VectorStore) -> None:
        await filled(store, point("a"), point("b"))
        assert len(await store.search(INDEX, query(limit=1_000_000))) == 2

    async def test_a_limit_of_none_gives_none(self, store: VectorStore) -> None:
        await filled(store, point("a"))
        assert await store.search(INDEX, query(limit=0)) == []

    async def test_a_hit_says_which_version_of_which_chunk_it_is(self, store: VectorStore) -> None:
        await filled(store, point("a", version="v7"))
        [hit] = await store.search(INDEX, query())
        assert hit.ref == point("a", version="v7").ref

    async def test_the_limit_counts_points_that_pass_the_filter(self, store: VectorStore) -> None:
        near = [point(n, EAST, {"module": "other"}) for n in range(50)]
        await filled(store, *near, point("wanted", NORTH, {"module": "mine"}))
        found = await store.search(INDEX, query(EAST, 1, OneOf("module", ("mine",))))
        assert names(found) == ["wanted"]

    @pytest.mark.parametrize("dense", [(1.0,), (1.0, 0.0, 0.0, 0.0), ()], ids=len)
    async def test_a_query_of_the_wrong_length_is_refused(
        self, store: VectorStore, dense: tuple[float, ...]
    ) -> None:
        await filled(store, point("a"))
        with pytest.raises(RetrievalUnavailable, match="3"):
            await store.search(INDEX, IndexQuery(dense, 5))


class ConcurrencyContract:
    """Callers do not disturb each other."""

    async def test_concurrent_writers_lose_nothing(self, store: VectorStore) -> None:
        await store.create(SPEC)

        async def write(writer: int) -> None:
            for batch in range(5):
                await store.upsert(INDEX, [point((writer, batch, n)) for n in range(20)])

        async def read() -> None:
            for _ in range(20):
                hits = await store.search(INDEX, query(limit=10))
                assert len(hits) <= 10
                await store.count(INDEX)

        await asyncio.gather(*(write(w) for w in range(4)), *(read() for _ in range(4)))
        assert await store.count(INDEX) == 4 * 5 * 20

    async def test_concurrent_writes_and_deletes_end_exactly(self, store: VectorStore) -> None:
        await filled(store, *(point(("old", n)) for n in range(100)))
        await asyncio.gather(
            *(store.upsert(INDEX, [point(("new", n))]) for n in range(30)),
            *(store.delete(INDEX, [point_id(("old", n))]) for n in range(100)),
        )
        assert await store.count(INDEX) == 30

    async def test_creating_the_same_index_at_once_makes_one(self, store: VectorStore) -> None:
        await asyncio.gather(*(store.create(SPEC) for _ in range(5)))
        assert await store.indexes() == {INDEX}

    async def test_a_drop_beside_searches_ends_them_cleanly(self, store: VectorStore) -> None:
        await filled(store, *(point(n) for n in range(200)))

        async def search_until_gone() -> str:
            try:
                while True:
                    await store.search(INDEX, query())
                    await asyncio.sleep(0)
            except RetrievalUnavailable as exc:
                return exc.message

        searches = [asyncio.create_task(search_until_gone()) for _ in range(4)]
        await asyncio.sleep(0)
        await store.drop(INDEX)
        assert all(INDEX in message for message in await asyncio.gather(*searches))
        assert await store.indexes() == set()

    async def test_a_cancelled_search_leaves_the_store_usable(self, store: VectorStore) -> None:
        await filled(store, point("a"))
        search = asyncio.create_task(store.search(INDEX, query()))
        await asyncio.sleep(0)
        search.cancel()
        await asyncio.gather(search, return_exceptions=True)
        assert names(await store.search(INDEX, query())) == ["a"]
        await store.drop(INDEX)


class VectorStoreContract(
    IndexContract, WriteContract, SearchContract, FilterContract, ConcurrencyContract
):
    """Everything that Sourcebook expects of a vector store."""
