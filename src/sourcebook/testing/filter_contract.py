"""Contract of a vector store: with the ledger's data, a filter finds exactly what it says.

A store may let more pass, never less: whatever it finds is compared with the ledger once more. A
store that lets nothing else pass sets `filters_are_exact` in its tests.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk
from sourcebook.core.filters import AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import Metadata, scalars
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import PointRef
from sourcebook.search.live_index import LiveIndex
from sourcebook.testing.filter_examples import CASES, DOCUMENTS, filters, metadata
from sourcebook.testing.points import (
    DIMENSIONS,
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

MAX_DOCUMENTS = 12
# So many that a search looks deeper, rather than at those alone that are live.
COUNT = 1_000_000
MIN_EXAMPLES = 200
EXAMPLE_TIMEOUT_S = 60


class FilterContract:
    """Every kind of filter by example, and all of them by property-based tests."""

    filters_are_exact: ClassVar[bool] = False

    async def test_a_filter_finds_exactly_what_it_should(self, store: VectorStore) -> None:
        # All cases in one store: none of them writes, and filling it takes longer than asking.
        await filled(store, *(point(name, metadata=fields) for name, fields in DOCUMENTS.items()))
        found = {name: sorted(await live(store, DOCUMENTS, filter_)) for name, filter_, _ in CASES}
        assert found == {name: sorted(expected.split()) for name, _, expected in CASES}

    async def test_a_filter_finds_the_few_that_pass_among_many_that_are_nearer(
        self, store: VectorStore
    ) -> None:
        near: dict[str, Metadata] = {str(n): {"kind": "other", "tier": 3} for n in range(300)}
        documents = {**near, "far": {"kind": "mine"}}
        points = [point(name, EAST, fields) for name, fields in near.items()]
        await filled(store, *points, point("far", NORTH, documents["far"]))
        for filter_ in (
            OneOf("kind", ("mine",)),
            Not(OneOf("kind", ("other",))),
            Not(Compare("tier", "gt", 2)),
            Not(AnyOf((Compare("tier", "gt", 2), OneOf("tier", (1, "x"))))),
        ):
            assert await live(store, documents, filter_, limit=1) == {"far"}, filter_

    async def test_a_filter_sees_the_metadata_of_a_replaced_point(self, store: VectorStore) -> None:
        await filled(store, point("a", metadata={"tier": 1, "tags": ["x"], "draft": True}))
        now: dict[str, Metadata] = {"a": {"tier": "1"}}
        await store.upsert(INDEX, [point("a", metadata=now["a"])])
        gone = AnyOf((OneOf("tier", (1,)), OneOf("tags", ("x",)), Compare("tier", "gt", 0)))
        for filter_ in (gone, Not(gone), OneOf("tier", ("1",)), Not(OneOf("draft", (True,)))):
            assert await live(store, now, filter_) == passing(now, filter_), filter_

    async def test_every_filter_agrees_with_its_meaning(self, store: VectorStore) -> None:
        await store.create(SPEC)
        loop = asyncio.get_running_loop()

        def finish(work: Coroutine[object, object, None]) -> None:
            asyncio.run_coroutine_threadsafe(work, loop).result(EXAMPLE_TIMEOUT_S)

        # A profile may ask for more examples, never for fewer.
        examples = max(MIN_EXAMPLES, settings.default.max_examples if settings.default else 0)

        @settings(max_examples=examples, deadline=None, suppress_health_check=[*HealthCheck])
        @given(
            st.lists(metadata(), min_size=1, max_size=MAX_DOCUMENTS),
            st.lists(filters(), min_size=1, max_size=8),
        )
        def agrees(documents: list[Metadata], wanted: list[Filter]) -> None:
            asked = [*wanted, *about(documents[0])]
            finish(check_agreement(store, documents, asked, exact=self.filters_are_exact))

        # Hypothesis is not async: it runs in a thread and hands its examples to this loop.
        await asyncio.to_thread(agrees)


def about(document: Metadata) -> Iterator[Filter]:
    """Yield filters on the texts that a document has: those drawn seldom meet one in a list."""
    for field, value, listed in scalars(document):
        if listed and isinstance(value, str):
            yield OneOf(field, (value,))
            yield Not(OneOf(field, (value,)))


async def check_agreement(
    store: VectorStore, documents: Sequence[Metadata], wanted: Sequence[Filter], *, exact: bool
) -> None:
    """Fill the index with exactly these documents and compare what each filter finds."""
    if await store.count(INDEX) > len(documents):
        await store.delete(INDEX, [point_id(n) for n in range(len(documents), MAX_DOCUMENTS)])
    await store.upsert(INDEX, [point(n, metadata=fields) for n, fields in enumerate(documents)])
    named = {str(n): fields for n, fields in enumerate(documents)}
    for filter_ in wanted:
        assert await live(store, named, filter_) == passing(named, filter_), filter_
        if exact:
            found = names(await store.search(INDEX, query(filter_=filter_)))
            assert set(found) == passing(named, filter_), filter_


def passing(documents: Mapping[str, Metadata], filter_: Filter) -> set[str]:
    """Return the names of the documents that a filter means."""
    return {name for name, fields in documents.items() if filter_.matches(fields)}


async def live(
    store: VectorStore, documents: Mapping[str, Metadata], filter_: Filter, limit: int = 100
) -> set[str]:
    """Search the store as the service does, with a ledger that holds these documents."""
    generation = Generation(INDEX, "minilm", "revision", DIMENSIONS)
    collection = Collection("books", "books", {}, generation, count=COUNT)
    index = LiveIndex(cast(Ledger, _Ledger(documents)), store, collection)
    hits, _ = await index.nearest(EAST, limit, filter_)
    return {hit.chunk.text for hit in hits}


class _Ledger:
    """A ledger as far as a search reads it: the chunks of points that are named after them."""

    def __init__(self, documents: Mapping[str, Metadata]) -> None:
        self.documents = self
        self._chunks = {
            point(name).ref.chunk_id: Chunk(name, name, 0, name, metadata)
            for name, metadata in documents.items()
        }

    async def chunks_at(
        self, collection_id: str, revision: int, refs: Iterable[PointRef]
    ) -> dict[tuple[str, str], Chunk]:
        return {(ref.chunk_id, ref.version): self._chunks[ref.chunk_id] for ref in refs}
