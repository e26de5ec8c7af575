"""Points are written with the terms of their chunks, whoever writes them."""

from collections.abc import Sequence
from typing import cast

import pytest

from sourcebook.core.documents import Chunk
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import IndexQuery, Point, PointRef
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.testing.points import EAST, INDEX, NORTH, SPEC
from tests.memory_store import MemoryStore

ENCODER = Bm25Encoder()


def points(text: str, **metadata: str) -> list[Point]:
    """Return the two points of a chunk."""
    chunk = Chunk("c", "d", 0, text, metadata)
    return [
        Point(PointRef(id_, "c", "d", "v1", "digest", ordinal=n), metadata, dense, chunk=chunk)
        for n, (id_, dense) in enumerate(zip(point_ids("c", "v1", 2), (EAST, NORTH), strict=True))
    ]


async def scores(store: VectorStore, question: str) -> list[str]:
    query = IndexQuery(EAST, 10, sparse=ENCODER.query(question).vector)
    return list((await store.match(INDEX, query)).scores)


async def test_the_first_point_of_a_chunk_has_the_terms_of_all_of_it() -> None:
    store = TermIndexingStore(MemoryStore(), ENCODER)
    await store.create(SPEC)
    await store.upsert(INDEX, points("a robot arm", lesson_title="The Gripper"))
    first = [point_ids("c", "v1", 2)[0]]
    assert await scores(store, "robot") == first
    assert await scores(store, "gripper") == first
    assert await scores(store, "leg") == []


async def test_an_index_with_the_words_of_another_language_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = MemoryStore()
    german = TermIndexingStore(store, Bm25Encoder("german"))
    await german.create(SPEC)
    await german.upsert(INDEX, points("ein Arm"))
    await scores(german, "Arm")
    assert caplog.messages == []
    english = TermIndexingStore(store, ENCODER)
    await scores(english, "arm")
    await scores(english, "arm")
    assert caplog.messages == ["index_has_other_terms"]


class _VectorsOnly:
    """Stands for a store of another package, which declares no abilities."""

    def __init__(self) -> None:
        self.written: list[Point] = []

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        self.written += points


async def test_a_store_that_declares_nothing_gets_no_terms() -> None:
    inner = _VectorsOnly()
    store = TermIndexingStore(cast(VectorStore, inner), ENCODER)
    await store.upsert(INDEX, points("a robot arm"))
    assert (store.finds_terms, store.reads_ledger) == (False, False)
    assert [(point.sparse, point.ref.terms) for point in inner.written] == [(None, "")] * 2
