"""Points are written with the terms of their chunks, whoever writes them."""

import pytest
from qdrant_client import AsyncQdrantClient

from sourcebook.core.documents import Chunk
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import ReadableStore, TermStore, VectorStore
from sourcebook.core.vectors import IndexQuery, Point, PointContent, PointRef
from sourcebook.core.writes import ChunkVersion
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import index_terms
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.providers.vector_stores.qdrant.store import QdrantStore
from sourcebook.testing.points import EAST, INDEX, NORTH, SPEC
from tests.qdrant_memory import one_at_a_time

ENCODER = Bm25Encoder()


def points(text: str, **metadata: str) -> list[Point]:
    """Return the two points of a chunk."""
    chunk = Chunk("c", "d", 0, text, metadata)
    version = ChunkVersion(chunk, "v1", "hash", 2)
    return [
        Point(
            PointRef(id_, "c", "d", "v1", "digest"), metadata, dense, None, PointContent(version, n)
        )
        for n, (id_, dense) in enumerate(zip(point_ids("c", "v1", 2), (EAST, NORTH), strict=True))
    ]


async def scores(store: VectorStore, question: str) -> list[str]:
    assert isinstance(store, TermStore)
    query = IndexQuery(EAST, 10, sparse=ENCODER.query(question).vector)
    return list((await store.match(INDEX, query)).scores)


async def test_the_first_point_of_a_chunk_has_the_terms_of_all_of_it() -> None:
    store = index_terms(MemoryStore(), ENCODER)
    await store.create(SPEC)
    await store.upsert(INDEX, points("a robot arm", lesson_title="The Gripper"))
    first = [point_ids("c", "v1", 2)[0]]
    assert await scores(store, "robot") == first
    assert await scores(store, "gripper") == first
    assert await scores(store, "leg") == []


async def test_terms_of_another_encoder_make_a_point_outdated() -> None:
    store = MemoryStore()
    german = index_terms(store, Bm25Encoder("german"))
    await german.create(SPEC)
    await german.upsert(INDEX, points("ein Arm"))
    english = index_terms(store, ENCODER)
    assert [r.outdated async for some in german.scan(INDEX) for r in some] == [False, False]
    assert [r.outdated async for some in english.scan(INDEX) for r in some] == [True, True]


class _VectorsOnly:
    """Stands for a store that knows no terms."""


def test_a_store_that_knows_no_terms_is_left_as_it_is() -> None:
    store: VectorStore = _VectorsOnly()  # type: ignore[assignment]
    assert index_terms(store, ENCODER) is store


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
async def test_a_store_that_others_can_read_stays_one() -> None:
    client = AsyncQdrantClient(":memory:")
    store = index_terms(QdrantStore(one_at_a_time(client), "sourcebook-test"), ENCODER)
    assert isinstance(store, ReadableStore)
    await store.create(SPEC)
    await store.upsert(INDEX, points("a robot arm"))
    assert await scores(store, "robot") == [point_ids("c", "v1", 2)[0]]
    (first, _) = await store.read(INDEX, point_ids("c", "v1", 2))
    assert first.ref.terms == ENCODER.revision
    await client.close()
