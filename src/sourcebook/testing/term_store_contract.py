"""Contract of a vector store that `finds_terms`, which inherits it too.

class TestMyStore(VectorStoreContract, TermStoreContract):
    ...  # the fixture of VectorStoreContract
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sourcebook.core.errors import RetrievalUnavailable, Unavailable
from sourcebook.core.filters import EVERYTHING, Filter, Not, OneOf
from sourcebook.core.metadata import Metadata
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import (
    IndexQuery,
    Point,
    PointRef,
    SparseVector,
    TermMatches,
    Vector,
)
from sourcebook.testing.points import EAST, INDEX, NORTH, UP, filled, names, point

HAMMER, NAIL, SAW = 7, 11, 2**32 - 1


def with_terms(
    name: str,
    terms: Mapping[int, float],
    *vectors: Vector,
    metadata: Metadata | None = None,
) -> list[Point]:
    """Return the points of a chunk with a vector each; the first has the terms of all of it."""
    chunk_id, dense = f"chunk-{name}", vectors or (EAST,)
    sparse = SparseVector(tuple(terms), tuple(terms.values()))
    return [
        Point(
            PointRef(id_, chunk_id, f"document-{name}", "v1", f"digest-{name}", terms="bm25"),
            metadata or {},
            vector,
            sparse if number == 0 else None,
            vectors=len(dense),
        )
        for number, (id_, vector) in enumerate(
            zip(point_ids(chunk_id, "v1", len(dense)), dense, strict=True)
        )
    ]


async def matched(
    store: VectorStore,
    *terms: int,
    dense: Vector = EAST,
    limit: int = 100,
    filter_: Filter = EVERYTHING,
    among: frozenset[str] = frozenset(),
    by_terms_alone: bool = False,
) -> TermMatches:
    assert store.finds_terms
    wanted = SparseVector(terms, (1.0,) * len(terms))
    query = IndexQuery(dense, limit, filter_, wanted, among=among, by_terms_alone=by_terms_alone)
    return await store.match(INDEX, query)


def by_terms(found: TermMatches) -> list[str]:
    """Return the names of the chunks that were found by their terms, best first."""
    refs = {point.ref.id: point for point in found.nearest}
    return names([refs[id_] for id_ in found.scores])


class TermStoreContract:
    """Rare terms count more, filters hold, and every match comes with its cosine."""

    async def test_a_chunk_with_the_term_is_found_however_far_its_vector(
        self, store: VectorStore
    ) -> None:
        near = [p for n in range(5) for p in with_terms(f"near-{n}", {NAIL: 1.0}, EAST)]
        await filled(store, *near, *with_terms("far", {HAMMER: 1.0}, NORTH))
        found = await matched(store, HAMMER, limit=2)
        assert by_terms(found) == ["far"]
        assert len(found.nearest) == 3

    async def test_only_the_points_asked_for_are_looked_at(self, store: VectorStore) -> None:
        points = {
            name: with_terms(name, {HAMMER: 1.0}, metadata={"odd": name in "ac"}) for name in "abcd"
        }
        await filled(store, *(one for some in points.values() for one in some))
        among = frozenset(points[name][0].ref.id for name in "ab")

        found = await matched(store, HAMMER, limit=2, among=among)
        odd = await matched(store, HAMMER, filter_=OneOf("odd", (True,)), among=among)

        assert sorted(by_terms(found)) == ["a", "b"]
        assert sorted(names(found.nearest)) == ["a", "b"]
        assert (by_terms(odd), names(odd.nearest)) == (["a"], ["a"])

    async def test_a_sparse_vector_that_does_not_fit_together_keeps_the_batch_out(
        self, store: VectorStore
    ) -> None:
        await filled(store)
        for bad in (SparseVector((1,), (0.1, 0.2)), SparseVector((1, 1), (0.1, 0.2))):
            with pytest.raises(Unavailable):
                await store.upsert(INDEX, [point("good"), point("bad", sparse=bad)])
        assert await store.count(INDEX) == 0

    async def test_by_terms_alone_only_chunks_with_a_term_are_found(
        self, store: VectorStore
    ) -> None:
        near = with_terms("near", {NAIL: 1.0}, EAST)
        far = with_terms("far", {HAMMER: 1.0}, NORTH, (1.0, 1.0, 0.0))
        await filled(store, *near, *far)

        found = await matched(store, HAMMER, limit=5, by_terms_alone=True)
        cut = await matched(store, NAIL, HAMMER, limit=1, by_terms_alone=True)

        assert by_terms(found) == ["far"]
        scores = sorted(point.score for point in found.nearest)
        assert scores == pytest.approx([0.0, 0.5**0.5], abs=1e-6)
        assert (found.is_everything, cut.is_everything) == (True, False)

    async def test_every_match_has_the_cosines_of_all_its_points(self, store: VectorStore) -> None:
        await filled(
            store,
            *with_terms("near", {NAIL: 1.0}, EAST),
            *with_terms("far", {HAMMER: 1.0}, NORTH, (1.0, 1.0, 0.0)),
        )
        found = await matched(store, HAMMER, limit=1)
        far = [point for point in found.nearest if point.ref.chunk_id == "chunk-far"]
        assert sorted(point.score for point in far) == pytest.approx([0.0, 0.5**0.5], abs=1e-6)
        assert next(iter(found.scores)) == point_ids("chunk-far", "v1", 2)[0]

    async def test_a_rare_term_counts_more_than_a_frequent_one(self, store: VectorStore) -> None:
        frequent = [p for n in range(8) for p in with_terms(f"frequent-{n}", {NAIL: 1.0})]
        await filled(store, *frequent, *with_terms("rare", {HAMMER: 1.0}))
        assert by_terms(await matched(store, NAIL, HAMMER))[0] == "rare"

    async def test_weights_add_up_over_terms(self, store: VectorStore) -> None:
        await filled(
            store,
            *with_terms("one", {HAMMER: 1.0}),
            *with_terms("both", {HAMMER: 1.0, SAW: 1.0}),
            *with_terms("other", {NAIL: 1.0}),
        )
        found = await matched(store, HAMMER, SAW)
        assert by_terms(found) == ["both", "one"]
        assert list(found.scores.values()) == sorted(found.scores.values(), reverse=True)

    async def test_the_score_is_bm25_with_the_inverse_frequency(self, store: VectorStore) -> None:
        await filled(
            store,
            *with_terms("a", {HAMMER: 2.0}),
            *with_terms("b", {NAIL: 1.0}),
            *with_terms("c", {NAIL: 1.0}),
        )
        found = await matched(store, HAMMER)
        # ln(1 + (3 - 1 + 0.5) / (1 + 0.5)) times the weight
        assert list(found.scores.values()) == pytest.approx([2 * 0.98083], abs=1e-4)

    async def test_what_does_not_pass_the_filter_is_not_found_by_its_terms(
        self, store: VectorStore
    ) -> None:
        await filled(
            store,
            *with_terms("open", {HAMMER: 1.0}, NORTH, metadata={"tier": "one"}),
            *with_terms("closed", {HAMMER: 5.0}, NORTH, UP, metadata={"tier": "two"}),
        )
        found = await matched(store, HAMMER, filter_=OneOf("tier", ("one",)))
        assert {*names(found.nearest)} == {"open"}
        assert by_terms(found) == ["open"]

    async def test_nothing_passes_a_filter_on_a_field_that_no_point_has(
        self, store: VectorStore
    ) -> None:
        await filled(store, *with_terms("a", {HAMMER: 1.0}))
        assert not (await matched(store, HAMMER, filter_=OneOf("absent", ("x",)))).nearest
        assert by_terms(await matched(store, HAMMER, filter_=Not(OneOf("absent", ("x",))))) == ["a"]

    async def test_terms_that_no_point_has_find_nothing(self, store: VectorStore) -> None:
        await filled(store, *with_terms("a", {HAMMER: 1.0}), *with_terms("b", {NAIL: 1.0}, NORTH))
        found = await matched(store, SAW)
        assert found.scores == {}
        assert names(found.nearest) == ["a", "b"]

    async def test_without_terms_the_nearest_are_found(self, store: VectorStore) -> None:
        await filled(store, *with_terms("a", {HAMMER: 1.0}))
        assert names((await matched(store)).nearest) == ["a"]

    async def test_points_without_terms_are_found_by_their_vectors(
        self, store: VectorStore
    ) -> None:
        (bare,) = with_terms("bare", {})
        await filled(store, replace(bare, sparse=None), *with_terms("a", {HAMMER: 1.0}, NORTH))
        found = await matched(store, HAMMER)
        assert names(found.nearest)[0] == "bare"
        assert by_terms(found) == ["a"]

    async def test_a_deleted_point_is_not_found_by_its_terms(self, store: VectorStore) -> None:
        points = with_terms("a", {HAMMER: 1.0})
        await filled(store, *points, *with_terms("b", {HAMMER: 1.0}))
        await store.delete(INDEX, [point.ref.id for point in points])
        assert by_terms(await matched(store, HAMMER)) == ["b"]

    async def test_a_replaced_point_has_the_new_terms_only(self, store: VectorStore) -> None:
        await filled(store, *with_terms("a", {HAMMER: 1.0}))
        await store.upsert(INDEX, with_terms("a", {SAW: 1.0}))
        assert by_terms(await matched(store, HAMMER)) == []
        assert by_terms(await matched(store, SAW)) == ["a"]

    async def test_a_search_says_whether_a_deeper_one_could_find_more(
        self, store: VectorStore
    ) -> None:
        await filled(store, *[p for n in range(3) for p in with_terms(str(n), {HAMMER: 1.0})])
        assert not (await matched(store, HAMMER, limit=3)).is_everything
        assert (await matched(store, HAMMER, limit=4)).is_everything

    async def test_matches_are_compared_with_the_nearest_point_of_the_context(
        self, store: VectorStore
    ) -> None:
        before = [*with_terms("a", {NAIL: 1.0}, NORTH), *with_terms("b", {NAIL: 1.0}, UP)]
        between = with_terms("between", {HAMMER: 1.0}, (3.0, 4.0, 0.0))
        await filled(store, *before, *between, *with_terms("east", {HAMMER: 1.0}, EAST))
        context = tuple(point.ref.id for point in before)
        wanted = IndexQuery(EAST, 2, sparse=SparseVector((HAMMER,), (1.0,)), context=context)
        found = await store.match(INDEX, wanted)
        nearness = {name: found.context[p.ref.id] for p in found.nearest for name in names([p])}
        assert nearness == {
            "east": pytest.approx(0.0, abs=1e-6),
            "between": pytest.approx(0.8, abs=1e-6),
        }

    async def test_points_of_the_context_that_are_gone_are_ignored(
        self, store: VectorStore
    ) -> None:
        await filled(store, *with_terms("a", {HAMMER: 1.0}))
        gone = tuple(point.ref.id for point in with_terms("gone", {}))
        found = await store.match(INDEX, IndexQuery(EAST, 5, context=gone))
        assert (names(found.nearest), found.context) == (["a"], {})
        assert (await store.match(INDEX, IndexQuery(EAST, 5))).context == {}

    async def test_scans_tell_which_encoder_wrote_the_terms(self, store: VectorStore) -> None:
        await filled(store, *with_terms("a", {HAMMER: 1.0}, EAST, NORTH))
        refs = [ref async for batch in store.scan(INDEX) for ref in batch]
        assert [ref.terms for ref in refs] == ["bm25", "bm25"]

    async def test_matching_in_an_unknown_index_names_it(self, store: VectorStore) -> None:
        with pytest.raises(RetrievalUnavailable, match="never-created"):
            await store.match("never-created", IndexQuery(EAST, 5))

    async def test_matches_are_those_of_a_plain_calculation(self, store: VectorStore) -> None:
        chunks = {
            f"{number}": {term: 1.0 + number / 7 for term in (HAMMER, NAIL, SAW) if number % term}
            for number in range(1, 23)
        }
        await filled(store, *[p for name, terms in chunks.items() for p in with_terms(name, terms)])
        found = await matched(store, HAMMER, SAW, limit=30)
        expected = {name for name, terms in chunks.items() if HAMMER in terms or SAW in terms}
        assert {*by_terms(found)} == expected
