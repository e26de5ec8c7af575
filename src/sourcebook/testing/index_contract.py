"""What every vector store promises about its indexes and about writing to them."""

import math

import pytest

from sourcebook.core.errors import RetrievalUnavailable, Unavailable
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import IndexSpec, PointRef, SparseVector
from sourcebook.testing.points import (
    EAST,
    INDEX,
    NORTH,
    SPEC,
    filled,
    names,
    point,
    point_id,
    query,
)


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

    async def test_a_sparse_vector_that_does_not_fit_together_keeps_the_batch_out(
        self, store: VectorStore
    ) -> None:
        await filled(store)
        for bad in (SparseVector((1,), (0.1, 0.2)), SparseVector((1, 1), (0.1, 0.2))):
            with pytest.raises(Unavailable):
                await store.upsert(INDEX, [point("good"), point("bad", sparse=bad)])
        assert await store.count(INDEX) == 0

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
