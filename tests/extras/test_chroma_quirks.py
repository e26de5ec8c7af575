"""Where Chroma differs from what a store promises, in the folder and at the server alike."""

import math
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.filters import (
    MAX_FILTER_DEPTH,
    MAX_FILTER_TERMS,
    AllOf,
    AnyOf,
    Compare,
    Filter,
    Not,
    OneOf,
    check_filter,
)
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.chroma.store import ChromaStore
from sourcebook.testing.points import EAST, INDEX, NORTH, SPEC, filled, names, point, query
from tests.extras.chroma_stores import folder_store, server_store


@pytest.fixture(params=["folder", "server"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ChromaStore]:
    if request.param == "folder":
        async with folder_store(tmp_path / "chroma") as store:
            yield store
    else:
        url: str = request.getfixturevalue("chroma_url")
        async with server_store(url, f"test-{uuid4().hex}") as store:
            yield store


async def test_more_points_than_chroma_takes_at_once_are_written(store: ChromaStore) -> None:
    await filled(store, *(point(n, metadata={"n": n}) for n in range(6_000)))
    assert await store.count(INDEX) == 6_000
    last = await store.search(INDEX, query(filter_=Compare("n", "gte", 5_998)))
    assert sorted(names(last)) == ["5998", "5999"]


async def test_points_that_the_graph_loses_sight_of_are_found(store: ChromaStore) -> None:
    same = [point(n, EAST, {"odd": n % 2 == 1}) for n in range(6_000)]
    await filled(store, *same, point("far", NORTH))
    assert len(await store.search(INDEX, query(EAST, 10_000))) == 6_001
    odd = await store.search(INDEX, query(NORTH, 10_000, OneOf("odd", (True,))))
    assert len(odd) == 3_000
    assert all(hit.score == pytest.approx(0.0, abs=1e-6) for hit in odd)


async def test_the_deepest_filter_that_is_allowed_passes(store: ChromaStore) -> None:
    await filled(store, point("a", metadata={"tier": 1}), point("b", metadata={"tier": 2}))
    deep: Filter = OneOf("tier", (1,))
    for level in range(MAX_FILTER_DEPTH):
        deep = AllOf((deep, Not(OneOf("x", (level,))))) if level % 2 else AnyOf((deep,))
    assert names(await store.search(INDEX, query(filter_=check_filter(deep)))) == ["a"]


async def test_the_longest_filter_that_is_allowed_passes(store: ChromaStore) -> None:
    await filled(store, point("a", metadata={"tier": 7}), point("b", metadata={"tier": -1}))
    long = check_filter(OneOf("tier", tuple(range(MAX_FILTER_TERMS))))
    assert names(await store.search(INDEX, query(filter_=long))) == ["a"]
    assert names(await store.search(INDEX, query(filter_=Not(long)))) == ["b"]


async def test_neighbouring_numbers_are_told_apart(store: ChromaStore) -> None:
    numbers = [0.1, 1 / 3, 1e300, 5e-324, 123456789.123456789, math.pi * 1e-200, 2.0**53]
    nearby = [math.nextafter(number, math.inf) for number in numbers]
    await filled(
        store,
        *(point(f"low {n}", metadata={"x": value}) for n, value in enumerate(numbers)),
        *(point(f"high {n}", metadata={"x": value}) for n, value in enumerate(nearby)),
    )
    for n, value in enumerate(numbers):
        exactly = await store.search(INDEX, query(filter_=OneOf("x", (value,))))
        assert names(exactly) == [f"low {n}"]
        between = AllOf((Compare("x", "gt", value), Compare("x", "lte", nearby[n])))
        assert names(await store.search(INDEX, query(filter_=between))) == [f"high {n}"]


async def test_a_long_text_is_still_told_from_one_that_begins_like_it(store: ChromaStore) -> None:
    long = "x" * 20_000
    await filled(store, point("a", metadata={"t": long}), point("b", metadata={"t": long + "y"}))
    assert names(await store.search(INDEX, query(filter_=OneOf("t", (long,))))) == ["a"]
    assert names(await store.search(INDEX, query(filter_=Not(OneOf("t", (long,)))))) == ["b"]


@pytest.mark.parametrize("bad", ["", "../up", "a/b", "a b", ".hidden", "x" * 65, "é", "a\n", "a-"])
async def test_an_index_id_that_is_no_safe_name_is_refused(store: ChromaStore, bad: str) -> None:
    with pytest.raises(RetrievalUnavailable, match="not valid"):
        await store.create(IndexSpec(bad, 3))
    with pytest.raises(RetrievalUnavailable, match="There is no index"):
        await store.count(bad)
    await store.drop(bad)
    assert await store.indexes() == set()


async def test_an_index_that_was_dropped_and_created_elsewhere_is_found_again(
    store: ChromaStore,
) -> None:
    await filled(store, point("a"))
    other = ChromaStore(store._chroma, store._namespace)
    await other.drop(INDEX)
    await other.create(SPEC)
    assert await store.count(INDEX) == 0
    await store.upsert(INDEX, [point("b")])
    assert names(await other.search(INDEX, query())) == ["b"]


async def test_namespaces_do_not_see_each_other(store: ChromaStore) -> None:
    inner = ChromaStore(store._chroma, f"{store._namespace}-inner")
    await filled(store, point("a"))
    await filled(inner, point("b"))
    assert await store.indexes() == {INDEX}
    assert await inner.indexes() == {INDEX}
    with pytest.raises(RetrievalUnavailable, match="did not create"):
        await store.count(f"inner-{INDEX}")
    await inner.drop(INDEX)
    assert names(await store.search(INDEX, query())) == ["a"]


async def test_a_namespace_that_cannot_begin_a_name_is_refused(store: ChromaStore) -> None:
    with pytest.raises(ConfigurationError, match="a b"):
        ChromaStore(store._chroma, "a b")
