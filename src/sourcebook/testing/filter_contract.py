"""Contract of a vector store: a filter finds exactly what `Filter.matches` accepts."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sourcebook.core.filters import AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import Metadata, scalars
from sourcebook.core.ports import VectorStore
from sourcebook.testing.filter_examples import CASES, DOCUMENTS, filters, metadata
from sourcebook.testing.points import INDEX, SPEC, filled, names, point, point_id, query

MAX_DOCUMENTS = 12
MIN_EXAMPLES = 200
EXAMPLE_TIMEOUT_S = 60


class FilterContract:
    """Every kind of filter by example, and all of them by property-based tests."""

    async def test_a_filter_finds_exactly_what_it_should(self, store: VectorStore) -> None:
        # All cases in one store: none of them writes, and filling it takes longer than asking.
        await filled(store, *(point(name, metadata=fields) for name, fields in DOCUMENTS.items()))
        found = {
            name: sorted(names(await store.search(INDEX, query(filter_=filter_))))
            for name, filter_, _ in CASES
        }
        assert found == {name: sorted(expected.split()) for name, _, expected in CASES}

    async def test_a_filter_sees_the_metadata_of_a_replaced_point(self, store: VectorStore) -> None:
        await filled(store, point("a", metadata={"tier": 1, "tags": ["x"]}))
        assert await store.search(INDEX, query(filter_=OneOf("tags", ("x",))))
        await store.upsert(INDEX, [point("a", metadata={"tier": "1"})])
        gone = AnyOf((OneOf("tier", (1,)), OneOf("tags", ("x",)), Compare("tier", "gt", 0)))
        assert await store.search(INDEX, query(filter_=gone)) == []
        assert len(await store.search(INDEX, query(filter_=OneOf("tier", ("1",))))) == 1

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
            finish(check_agreement(store, documents, asked))

        # Hypothesis is not async: it runs in a thread and hands its examples to this loop.
        await asyncio.to_thread(agrees)


def about(document: Metadata) -> Iterator[Filter]:
    """Yield filters on the texts that a document has: those drawn seldom meet one in a list."""
    for field, value, listed in scalars(document):
        if listed and isinstance(value, str):
            yield OneOf(field, (value,))
            yield Not(OneOf(field, (value,)))


async def check_agreement(
    store: VectorStore, documents: Sequence[Metadata], wanted: Sequence[Filter]
) -> None:
    """Fill the index with exactly these documents and compare what each filter finds."""
    if await store.count(INDEX) > len(documents):
        await store.delete(INDEX, [point_id(n) for n in range(len(documents), MAX_DOCUMENTS)])
    await store.upsert(INDEX, [point(n, metadata=fields) for n, fields in enumerate(documents)])
    await check_matches(store, documents, wanted)


async def check_matches(
    store: VectorStore, documents: Sequence[Metadata], wanted: Sequence[Filter]
) -> None:
    """Compare what each filter finds among documents that are stored already."""
    for filter_ in wanted:
        expected = {str(n) for n, fields in enumerate(documents) if filter_.matches(fields)}
        found = names(await store.search(INDEX, query(filter_=filter_)))
        assert sorted(found) == sorted(expected), filter_
