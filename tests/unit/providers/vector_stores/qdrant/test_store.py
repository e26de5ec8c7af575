"""What the Qdrant server store promises beyond the contract, against a strict server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from qdrant_client import models

from sourcebook.core.documents import Chunk, Links
from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.filters import AnyOf, Compare, OneOf
from sourcebook.core.indexes import BOOK_FIELDS
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import IndexSpec, Point
from sourcebook.providers.declaration import Opening
from sourcebook.providers.vector_stores.qdrant.connection import connected
from sourcebook.providers.vector_stores.qdrant.provider import PROVIDER
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings
from sourcebook.providers.vector_stores.qdrant.store import QdrantStore
from sourcebook.testing.points import INDEX, SPEC, filled, names, point, query
from tests.qdrant_server import CANARY, QdrantServer, qdrant_server

NAMESPACE = "sourcebook-1a2b3c4d"
COLLECTION = f"{NAMESPACE}.{INDEX}"
SECRET = "the-key-of-the-server"
CLOSED = "http://127.0.0.1:1"


@pytest.fixture
async def server() -> AsyncIterator[QdrantServer]:
    async with qdrant_server() as server:
        yield server


@pytest.fixture
async def store(server: QdrantServer, tmp_path: Path) -> AsyncIterator[VectorStore]:
    async with opened(QdrantSettings(url=server.url), tmp_path) as store:
        yield store


@asynccontextmanager
async def opened(settings: QdrantSettings, folder: Path) -> AsyncIterator[VectorStore]:
    opening = Opening("qdrant", folder, folder, NAMESPACE)
    async with PROVIDER.open(settings, opening) as store:
        yield store


@pytest.mark.spec("002 FR-018")
async def test_payload_indexes_are_there_before_the_first_point(
    server: QdrantServer, store: VectorStore
) -> None:
    await store.create(IndexSpec(INDEX, 3, BOOK_FIELDS))
    indexed = server.indexes[COLLECTION]
    assert indexed["book_id"] == models.KeywordIndexParams(
        type=models.KeywordIndexType.KEYWORD, is_tenant=True
    )
    keyword, integer = models.PayloadSchemaType.KEYWORD, models.PayloadSchemaType.INTEGER
    for name in ("hardware_tier", "chapter", "lesson", "chunk_index"):
        assert indexed[name] == integer
    for name in ("module", "proficiency_level", "layer", "parent_doc_id"):
        assert indexed[name] == keyword
    for name in ("content_hash", "source_file_hash", "document_id", "_sourcebook.keys"):
        assert indexed[name] == keyword
    assert len(indexed) == 13


async def test_a_collection_says_whose_it_is_and_has_both_kinds_of_vectors(
    server: QdrantServer, store: VectorStore
) -> None:
    await store.create(SPEC)
    config = (await server.client.get_collection(COLLECTION)).config
    about = {"namespace": NAMESPACE, "index": INDEX, "dimensions": 3}
    assert config.metadata == {"sourcebook": about}
    assert isinstance(config.params.vectors, dict)
    assert config.params.vectors["dense"].distance == models.Distance.COSINE
    assert config.params.sparse_vectors is not None
    assert config.params.sparse_vectors["sparse"].modifier == models.Modifier.IDF


async def test_creating_again_finishes_what_a_crash_left_half_done(
    server: QdrantServer, store: VectorStore
) -> None:
    await filled(store, point("a", metadata={"module": "intro"}))
    server.indexes[COLLECTION].clear()
    await store.create(IndexSpec(INDEX, 3, BOOK_FIELDS))
    assert {"_sourcebook.keys", "document_id", "module"} <= server.indexes[COLLECTION].keys()
    assert names(await store.search(INDEX, query(filter_=OneOf("module", ("intro",))))) == ["a"]


async def test_creating_again_asks_for_no_index_twice(
    server: QdrantServer, store: VectorStore
) -> None:
    await store.create(SPEC)
    server.calls.clear()
    await store.create(SPEC)
    assert server.calls == ["GET exists", "GET"]


async def test_the_collections_of_others_are_neither_seen_nor_touched(
    server: QdrantServer, store: VectorStore
) -> None:
    plain = models.VectorParams(size=3, distance=models.Distance.COSINE)
    others = ["rag_embedding", "sourcebook.books_v1", f"{NAMESPACE}-2.books_v1", NAMESPACE]
    for name in others:
        await server.client.create_collection(name, vectors_config=plain)
    await store.create(SPEC)
    assert await store.indexes() == {INDEX}
    for name in (INDEX, *others):
        await store.drop(name)
    left = {c.name for c in (await server.client.get_collections()).collections}
    assert left == set(others)


async def test_a_foreign_collection_under_our_name_is_refused(
    server: QdrantServer, store: VectorStore
) -> None:
    plain = models.VectorParams(size=3, distance=models.Distance.COSINE)
    await server.client.create_collection(COLLECTION, vectors_config=plain)
    with pytest.raises(RetrievalUnavailable, match="not made by Sourcebook"):
        await store.create(SPEC)


async def test_a_field_that_no_point_has_is_answered_without_a_search(
    server: QdrantServer, store: VectorStore
) -> None:
    await filled(store, point("a", metadata={"tier": 1}))
    server.calls.clear()
    nowhere = AnyOf((OneOf("unknown", ("x",)), Compare("other", "gt", 1)))
    assert await store.search(INDEX, query(filter_=nowhere)) == []
    assert "POST points/query" not in server.calls


async def test_a_field_is_indexed_when_a_filter_first_names_it(
    server: QdrantServer, store: VectorStore
) -> None:
    await filled(store, point("a", metadata={"tier": 1}))
    for _ in range(2):
        assert names(await store.search(INDEX, query(filter_=Compare("tier", "gte", 1)))) == ["a"]
    assert server.indexes[COLLECTION]["tier"] == models.PayloadSchemaType.FLOAT
    assert server.calls.count("PUT index") == len(server.indexes[COLLECTION])


async def test_no_more_fields_are_indexed_than_allowed(server: QdrantServer) -> None:
    server.strict.enabled = False
    async with connected(QdrantSettings(url=server.url)) as client:
        store = QdrantStore(client, NAMESPACE, max_payload_indexes=3)
        await filled(store, point("a", metadata={"a": 1, "b": 1}))
        for field in "ab":
            found = await store.search(INDEX, query(filter_=Compare(field, "gte", 1)))
            assert names(found) == ["a"]
    expected = {"_sourcebook.keys", "document_id", "a"}
    assert server.indexes[COLLECTION].keys() == expected


async def test_many_points_are_written_in_requests_that_the_server_takes(
    server: QdrantServer, store: VectorStore
) -> None:
    await filled(store, *(point(n) for n in range(250)))
    assert server.calls.count("PUT points") == 3
    assert await store.count(INDEX) == 250


async def test_a_write_that_failed_half_way_can_be_repeated(
    server: QdrantServer, store: VectorStore
) -> None:
    await store.create(SPEC)
    server.refuse_writes_after = 1
    points = [point(n) for n in range(250)]
    with pytest.raises(RetrievalUnavailable, match=INDEX):
        await store.upsert(INDEX, points)
    server.refuse_writes_after = None
    await store.upsert(INDEX, points)
    assert await store.count(INDEX) == 250


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "refused the key"),
        (403, "refused the key"),
        (429, "no more requests"),
        (500, "status 500"),
        (404, f"no index '{INDEX}'"),
    ],
)
async def test_what_the_server_refuses_is_told_in_our_words(
    server: QdrantServer, store: VectorStore, status: int, message: str
) -> None:
    await filled(store, point("a"))
    server.fail_with = status
    with pytest.raises(RetrievalUnavailable, match=message) as caught:
        await store.search(INDEX, query())
    assert CANARY not in caught.value.message
    assert server.url not in caught.value.message
    health = await store.check()
    assert health.status == "down"
    assert CANARY not in (health.message or "")


async def test_a_wrong_key_is_told_and_never_shown(tmp_path: Path) -> None:
    async with qdrant_server(key=SECRET) as server:
        wrong = QdrantSettings(url=server.url, api_key=SecretStr("not-it-at-all"))
        async with opened(wrong, tmp_path) as store:
            health = await store.check()
        assert (health.status, "key" in (health.message or "")) == ("down", True)
        assert "not-it-at-all" not in (health.message or "") + repr(wrong)
        right = QdrantSettings(url=server.url, api_key=SecretStr(SECRET))
        async with opened(right, tmp_path) as store:
            assert (await store.check()).status == "up"


@pytest.mark.parametrize("grpc", [False, True], ids=["rest", "grpc"])
async def test_a_server_that_is_away_keeps_nobody_from_opening_the_store(
    tmp_path: Path, grpc: bool
) -> None:
    away = QdrantSettings(url=CLOSED, grpc=grpc, grpc_port=1, timeout_s=5.0)
    async with opened(away, tmp_path) as store:
        assert (await store.check()).status == "down"
        with pytest.raises(RetrievalUnavailable, match="cannot be reached"):
            await store.count(INDEX)


@pytest.mark.parametrize(
    "reply", ["<html>hello</html>", "{}", "[]", '{"result": 7, "status": "ok", "time": 0.0}']
)
async def test_what_is_no_qdrant_server_is_called_so(
    server: QdrantServer, store: VectorStore, reply: str
) -> None:
    await store.create(SPEC)
    server.reply_with = reply

    health = await store.check()
    with pytest.raises(RetrievalUnavailable, match="is no Qdrant server"):
        await store.search(INDEX, query())
    with pytest.raises(RetrievalUnavailable, match="is no Qdrant server"):
        await store.count(INDEX)
    with pytest.raises(RetrievalUnavailable, match="is no Qdrant server"):
        await store.create(IndexSpec("another", 3))

    assert (health.status, "is no Qdrant server" in (health.message or "")) == ("down", True)


async def test_a_server_that_says_nothing_is_not_waited_for(
    server: QdrantServer, tmp_path: Path
) -> None:
    server.hang = True
    async with opened(QdrantSettings(url=server.url, timeout_s=0.2), tmp_path) as store:
        with pytest.raises(RetrievalUnavailable, match="took too long"):
            await store.indexes()


async def test_a_closed_store_is_down(server: QdrantServer, tmp_path: Path) -> None:
    async with opened(QdrantSettings(url=server.url), tmp_path) as store:
        await store.create(SPEC)
    assert (await store.check()).status == "down"


async def test_a_namespace_that_could_be_mistaken_is_refused(tmp_path: Path) -> None:
    opening = Opening("qdrant", tmp_path, tmp_path, "a.b")
    with pytest.raises(ConfigurationError, match=r"'a\.b'"):
        async with PROVIDER.open(QdrantSettings(url=CLOSED), opening):
            pass


LESSON: Metadata = {
    "book_id": "robots",
    "module": "ros2",
    "chapter": 4,
    "hardware_tier": 2,
    "headings": ["Topics", "Publishers"],
    "rating": 4.5,
}


def of_chunk(
    metadata: Metadata, text: str = "A publisher sends messages.", vector: int = 0
) -> Point:
    plain = point("a", metadata=metadata)
    ref, links = replace(plain.ref, ordinal=vector), Links("before", None, 9)
    chunk = Chunk(ref.chunk_id, ref.document_id, 8, text, metadata, links=links)
    return replace(plain, ref=ref, chunk=chunk)


async def payload_of(server: QdrantServer) -> dict[str, Any]:
    [record], _ = await server.client.scroll(COLLECTION, with_payload=True)
    return record.payload or {}


@pytest.mark.spec("002 FR-009")
async def test_a_point_shows_its_whole_chunk_under_plain_names(
    server: QdrantServer, store: VectorStore
) -> None:
    written = of_chunk(LESSON)
    await filled(store, written)
    payload = await payload_of(server)
    ours = payload.pop("_sourcebook")
    assert ours.keys() == {"chunk_id", "document_id", "version", "digest", "keys"}
    assert ours["keys"] == [*LESSON]
    assert payload == {
        **LESSON,
        "text": "A publisher sends messages.",
        "chunk_id": "chunk-a",
        "document_id": "document-a",
        "prev_chunk_id": "before",
        "next_chunk_id": None,
        "total_chunks": 9,
    }


async def test_the_fields_of_a_book_are_filtered_by_their_plain_names(
    server: QdrantServer, store: VectorStore
) -> None:
    await filled(store, of_chunk(LESSON))
    for filter_ in (OneOf("book_id", ("robots",)), Compare("hardware_tier", "lte", 2)):
        assert names(await store.search(INDEX, query(filter_=filter_))) == ["a"]
    assert await store.search(INDEX, query(filter_=Compare("hardware_tier", "lte", 1))) == []


async def test_metadata_that_are_named_like_our_fields_do_no_harm(
    server: QdrantServer, store: VectorStore
) -> None:
    theirs: Metadata = {"text": "theirs", "_sourcebook": {"chunk_id": 1}, "total_chunks": 3}
    await filled(store, of_chunk(theirs))
    assert (await payload_of(server))["text"] == "A publisher sends messages."
    [hit] = await store.search(INDEX, query(filter_=OneOf("text", ("theirs",))))
    assert hit.ref == point("a").ref


async def test_a_value_that_cannot_be_shown_passes_every_filter_on_its_field(
    server: QdrantServer, store: VectorStore
) -> None:
    odd: Metadata = {"hardware_tier": [1, 4], "module": ["ros2", 7], "large": 2**70}
    await store.create(IndexSpec(INDEX, 3, BOOK_FIELDS))
    await store.upsert(INDEX, [of_chunk(odd), point("b", metadata=LESSON)])
    payload = (await server.client.retrieve(COLLECTION, [point("a").ref.id]))[0].payload or {}
    assert payload.get("hardware_tier") is payload.get("large") is None
    for filter_ in (OneOf("hardware_tier", (4,)), OneOf("module", (7,)), OneOf("large", (2**70,))):
        assert "a" in names(await store.search(INDEX, query(filter_=filter_)))
    assert names(await store.search(INDEX, query(filter_=Compare("hardware_tier", "gt", 2)))) == [
        "a"
    ]


async def test_more_than_the_server_gives_at_once_is_found(
    server: QdrantServer, store: VectorStore
) -> None:
    server.strict.max_query_limit = 40
    await filled(store, *(point(n) for n in range(100)))
    found = await store.search(INDEX, query(limit=90))
    assert len(found) == len(set(names(found))) == 90


async def test_a_long_text_is_stored_with_the_first_of_its_points_only(
    server: QdrantServer, store: VectorStore
) -> None:
    await filled(store, of_chunk({}, "x" * 30_000, vector=1))
    assert "text" not in await payload_of(server)
    await store.upsert(INDEX, [of_chunk({}, "x" * 30_000)])
    assert len((await payload_of(server))["text"]) == 30_000
