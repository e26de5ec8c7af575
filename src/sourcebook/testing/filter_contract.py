"""Contract of a vector store: a filter finds exactly what `Filter.matches` accepts."""

import asyncio
from collections.abc import Coroutine, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sourcebook.core.filters import EVERYTHING, AllOf, AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import VectorStore
from sourcebook.testing.filter_strategies import filters, metadata
from sourcebook.testing.points import INDEX, SPEC, filled, names, point, point_id, query

MOST_DOCUMENTS = 12
FEWEST_EXAMPLES = 200
EXAMPLE_TIMEOUT_S = 60

DOCUMENTS: dict[str, Metadata] = {
    "one": {"tier": 1, "module": "intro", "tags": ["red", "green"]},
    "two": {"tier": 2.0, "module": "intro", "draft": True},
    "three": {"tier": 3, "module": "advanced", "tags": [1, 2], "draft": False},
    "words": {"tier": "2", "draft": "true", "a.b": "dotted", "名前": "本"},
    "odd": {"tier": None, "module": {"intro": 1}, "tags": [], "draft": 1, "a": {"b": "dotted"}},
    "empty": {},
}

CASES: list[tuple[str, Filter, str]] = [
    ("everything", EVERYTHING, "one two three words odd empty"),
    ("nothing", AnyOf(()), ""),
    ("not nothing", Not(AnyOf(())), "one two three words odd empty"),
    ("not everything", Not(EVERYTHING), ""),
    ("text", OneOf("module", ("intro",)), "one two"),
    ("text of several", OneOf("module", ("intro", "advanced")), "one two three"),
    ("text is case sensitive", OneOf("module", ("Intro",)), ""),
    ("no values", OneOf("module", ()), ""),
    ("not one of no values", Not(OneOf("module", ())), "one two three words odd empty"),
    ("a float finds an integer", OneOf("tier", (1.0,)), "one"),
    ("an integer finds a float", OneOf("tier", (2,)), "two"),
    ("a word is not a number", OneOf("tier", ("2",)), "words"),
    ("values of several types", OneOf("tier", (1, "2")), "one words"),
    ("true", OneOf("draft", (True,)), "two"),
    ("false", OneOf("draft", (False,)), "three"),
    ("one is not true", OneOf("draft", (1,)), "odd"),
    ("the word true is not true", OneOf("draft", ("true",)), "words"),
    ("an element of a list", OneOf("tags", ("green",)), "one"),
    ("a number in a list", OneOf("tags", (2.0,)), "three"),
    ("a list is never smaller", Compare("tags", "lte", 5), ""),
    ("less", Compare("tier", "lt", 2), "one"),
    ("at most", Compare("tier", "lte", 2), "one two"),
    ("more", Compare("tier", "gt", 2), "three"),
    ("at least", Compare("tier", "gte", 2), "two three"),
    ("a boolean is not compared", Compare("draft", "gte", 0), "odd"),
    ("not includes the missing", Not(OneOf("module", ("intro",))), "three words odd empty"),
    ("not more includes the missing", Not(Compare("tier", "gt", 1)), "one words odd empty"),
    ("a key with a dot is no path", OneOf("a.b", ("dotted",)), "words"),
    ("an object matches nothing", OneOf("a", ("dotted",)), ""),
    ("a key in another script", OneOf("名前", ("本",)), "words"),
    ("an unknown field", OneOf("unknown", ("x",)), ""),
    ("any", AnyOf((OneOf("tier", (3,)), OneOf("draft", (True,)))), "two three"),
    ("nested", AllOf((AnyOf((OneOf("tier", (1, 2)),)), Not(OneOf("draft", (True,))))), "one"),
]


class FilterContract:
    """Every kind of filter by example, and all of them by property-based tests."""

    @pytest.mark.parametrize(
        ("filter_", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
    )
    async def test_a_filter_lets_exactly_these_pass(
        self, store: VectorStore, filter_: Filter, expected: str
    ) -> None:
        await filled(store, *(point(name, metadata=fields) for name, fields in DOCUMENTS.items()))
        found = names(await store.search(INDEX, query(filter_=filter_)))
        assert sorted(found) == sorted(expected.split())

    async def test_all_fields_of_a_filter_must_match(self, store: VectorStore) -> None:
        await filled(store, *(point(name, metadata=fields) for name, fields in DOCUMENTS.items()))
        both = AllOf((OneOf("module", ("intro",)), OneOf("tier", (2,))))
        assert names(await store.search(INDEX, query(filter_=both))) == ["two"]

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
        examples = max(FEWEST_EXAMPLES, settings.default.max_examples if settings.default else 0)

        @settings(max_examples=examples, deadline=None, suppress_health_check=[*HealthCheck])
        @given(
            st.lists(metadata(), min_size=1, max_size=MOST_DOCUMENTS),
            st.lists(filters(), min_size=1, max_size=8),
        )
        def agrees(documents: list[Metadata], wanted: list[Filter]) -> None:
            finish(check_agreement(store, documents, wanted))

        # Hypothesis is not async: it runs in a thread and hands its examples to this loop.
        await asyncio.to_thread(agrees)


async def check_agreement(
    store: VectorStore, documents: Sequence[Metadata], wanted: Sequence[Filter]
) -> None:
    """Fill the index with exactly these documents and compare what each filter finds."""
    await store.delete(INDEX, [point_id(n) for n in range(len(documents), MOST_DOCUMENTS)])
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
