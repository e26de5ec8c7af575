"""Contract of the ReadableStore port: what was written can be read back, whole.

    class TestMyStore(ReadableStoreContract):
        @pytest.fixture
        async def store(self) -> AsyncIterator[ReadableStore]:
            async with MyStore(...) as store:
                yield store

The fixture yields a store without indexes, in the namespace `NAMESPACE`.
"""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk, Extent, Links, Span
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import ReadableStore
from sourcebook.core.vectors import DocumentRecord, Point, PointContent
from sourcebook.core.writes import ChunkVersion
from sourcebook.testing.filter_examples import metadata
from sourcebook.testing.points import EAST, INDEX, SPEC, filled, point, point_id

NAMESPACE = "sourcebook-1a2b3c4d5e6f"
OTHER_NAMESPACE = "sourcebook-0f0f0f0f0f0f"
EXAMPLES = 50
EXAMPLE_TIMEOUT_S = 60
ODD: Metadata = {"a": 0.1, "b": [10**30, {"c": None}], "text": "theirs", "名": [True, 1, 1.0]}
RECORD = DocumentRecord(ODD, "hash", ((0, "---\n"), (9, "\n")), 1_000.25, 2_000.5, position=3)


def whole_point(name: object, fields: Metadata, record: DocumentRecord | None = None) -> Point:
    """Return a point with all of its chunk."""
    plain = point(name, EAST, fields)
    chunk = Chunk(
        id=plain.ref.chunk_id,
        document_id=plain.ref.document_id,
        ordinal=2,
        text="Some text,\nof 2 lines 😀",
        metadata=fields,
        extent=Extent((Span(4, 9), Span(12, 30)), 1, 2, overlap=3, span_lines=(1, 2)),
        links=Links("before", None, 3),
    )
    version = ChunkVersion(chunk, plain.ref.version, "text-hash", 2)
    return replace(plain, content=PointContent(version, 1, record))


def described(name: str = "robotics") -> Collection:
    """Return a collection as a catalog has it."""
    generation = Generation("a" * 32, "minilm", "rev-2", 384)
    return Collection(f"id-{name}", name, {**ODD}, generation)


class ReadableStoreContract:
    """Points come back whole, and the catalog says what the collections are."""

    async def test_a_point_is_read_back_as_it_was_written(self, store: ReadableStore) -> None:
        written = whole_point("a", ODD, RECORD)
        await filled(store, written)
        [read] = await store.read(INDEX, [written.ref.id])
        assert [*read.dense] == [*EAST]
        assert replace(read, dense=EAST) == written

    async def test_metadata_are_read_back_exactly(self, store: ReadableStore) -> None:
        await store.create(SPEC)
        loop = asyncio.get_running_loop()

        async def check(fields: Metadata) -> None:
            written = whole_point("a", fields)
            await store.upsert(INDEX, [written])
            [read] = await store.read(INDEX, [written.ref.id])
            assert read.content == written.content
            assert repr(sorted(read.metadata.items())) == repr(sorted(fields.items()))

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[*HealthCheck])
        @given(metadata())
        def holds(fields: Metadata) -> None:
            work = asyncio.run_coroutine_threadsafe(check(fields), loop)
            work.result(EXAMPLE_TIMEOUT_S)

        await asyncio.to_thread(holds)

    async def test_many_points_are_read_and_unknown_ones_left_out(
        self, store: ReadableStore
    ) -> None:
        await filled(store, *(whole_point(n, {}) for n in range(600)))
        ids = [point_id(n) for n in range(601)]
        assert {p.ref.id for p in await store.read(INDEX, ids)} == {*ids[:600]}
        assert await store.read(INDEX, []) == []

    async def test_a_point_without_its_chunk_has_no_content(self, store: ReadableStore) -> None:
        await filled(store, point("a", metadata={"tier": 1}))
        [read] = await store.read(INDEX, [point_id("a")])
        assert (read.content, read.metadata) == (None, {"tier": 1})

    async def test_the_catalog_lists_what_it_was_told_last(self, store: ReadableStore) -> None:
        assert await store.described() == []
        first, second = described("a"), described("b")
        await store.describe([second, first])
        assert await store.described() == [first, second]
        kept = Generation("b" * 32, "older", "rev-1", 3)
        changed = replace(second, metadata={"new": 1}, previous=kept, revision=7, count=9)
        await store.describe([changed])
        assert await store.described() == [replace(changed, revision=0, count=0)]
        await store.describe([])
        assert await store.described() == []

    async def test_the_catalog_is_no_index(self, store: ReadableStore) -> None:
        await store.describe([described()])
        assert await store.indexes() == set()

    async def test_a_store_without_collections_gets_no_catalog(self, store: ReadableStore) -> None:
        await store.describe([])
        assert await store.namespaces() == set()

    @pytest.mark.parametrize("has", ["index", "catalog"])
    async def test_every_installation_on_the_server_is_listed(
        self, store: ReadableStore, has: str
    ) -> None:
        other = store.in_namespace(OTHER_NAMESPACE)
        await other.create(SPEC)
        if has == "index":
            await store.create(SPEC)
        else:
            await store.describe([described()])
        assert await store.namespaces() == {NAMESPACE, OTHER_NAMESPACE}

    async def test_each_installation_sees_its_own(self, store: ReadableStore) -> None:
        other = store.in_namespace(OTHER_NAMESPACE)
        await other.describe([described()])
        await other.create(SPEC)
        assert (await store.described(), await store.indexes()) == ([], set())
        assert (await other.described(), await other.indexes()) == ([described()], {INDEX})
