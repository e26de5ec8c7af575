"""A lost ledger is restored from the index: the same answers, and nothing is embedded again."""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import httpx2
import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client.models import PointStruct

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document, DocumentHeader, Links, WholeDocument
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger, ReadableStore
from sourcebook.core.vectors import IndexSpec, Point
from sourcebook.ingestion.chunk_writer import points_of_chunk
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.catalog import update_catalog
from sourcebook.ingestion.upkeep.orphaned_indexes import OrphanedIndexes
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
from sourcebook.ingestion.upkeep.repairer import Repairer
from sourcebook.ingestion.upkeep.restorer import (
    INDEX_GONE,
    INDEX_OUTDATED,
    Restoration,
    Restored,
    Restorer,
)
from sourcebook.ingestion.upkeep.sweeper import Sweeper
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import index_terms
from sourcebook.providers.vector_stores.qdrant.connection import connected
from sourcebook.providers.vector_stores.qdrant.ownership import our_collection
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings
from sourcebook.providers.vector_stores.qdrant.store import QdrantStore
from sourcebook.search.catalog import Catalog
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import BookRules
from sourcebook.testing.ledger_values import chain_of, chunks_of, put, with_chunks
from tests.books import ARMS, BOOK, ROS, MemorySource, lesson_text
from tests.conftest import open_client
from tests.fakes import FakeClock, FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.qdrant_server import make_typed_index, qdrant_server

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")

INSTALLATION = "1a2b3c4d5e6f"
NAMESPACE = f"sourcebook-{INSTALLATION}"
ODD = {"tier": 1.5, "text": "theirs", "n": 10**30, "list": [1, "a", None], "o": {"k": [0.1]}}
TEXT = "A robot has joints.\n\n" * 60 + "\n\n  \nThe end."

NewLedger = Callable[[], AbstractAsyncContextManager[Ledger]]


@pytest.fixture
async def client() -> AsyncIterator[AsyncQdrantClient]:
    client = AsyncQdrantClient(":memory:")
    yield client
    await client.close()


@pytest.fixture
def store(client: AsyncQdrantClient) -> ReadableStore:
    return QdrantStore(client, NAMESPACE)


@pytest.fixture
def new_ledger(tmp_path: Path, clock: FakeClock) -> NewLedger:
    return lambda: open_copied_ledger(tmp_path / "new-ledger.db", now_s=clock)


@pytest.fixture
def source() -> MemorySource:
    source = MemorySource()
    source.write(ROS, lesson_text("Topics", "Publishers", "Subscribers", "Services", tier=1))
    source.write(ARMS, lesson_text("Arms", "Joints", "Grippers", tier=3))
    return source


class Service:
    """The HTTP service over a ledger and a store, with a book whose jobs run when told to."""

    def __init__(
        self, ledger: Ledger, store: ReadableStore, models: EmbeddingModels, source: MemorySource
    ) -> None:
        config = BookConfig(rules=BookRules(BOOK), source=source, collection="book")
        self.ledger = ledger
        self.parts = assemble_book(ledger, store, models, config)
        self.use_cases = build_use_cases(Storage(ledger, store), models, None, book=self.parts)

    async def ingest(self) -> int:
        """Index the book; how many files that took."""
        await self.parts.book_jobs.submit(JobRequest(BOOK))
        job = await self.ledger.jobs.claim(30.0)
        assert job is not None
        await self.parts.runner.run(job)
        return (await self.ledger.jobs.get(job.id)).progress.files_processed

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx2.AsyncClient]:
        async with open_client(self.use_cases) as client:
            yield client


async def fill(service: Service) -> None:
    """A book, a collection with odd metadata and a long text, and posted documents."""
    await service.ingest()
    async with service.client() as client:
        new = {"name": "parts", "embedding_model": "minilm", "metadata": {"owner": {"a": 0.1}}}
        long_text = "gripper " * 600  # three vectors
        documents = [
            {"id": "b", "text": "joints of a robot", "metadata": ODD},
            {"id": "a", "text": long_text},
        ]
        posting = {"source": "wiki", "path": "/a", "title": "A", "text": TEXT, "tags": ["x"]}
        replies = [
            await client.post("/collections", json=new),
            await client.post("/collections/parts/documents", json={"documents": documents}),
            await client.post("/api/rag/ingest", json=posting),
            await client.post("/api/rag/ingest", json={**posting, "path": "/b", "text": "Arms."}),
        ]
    assert [reply.status_code for reply in replies] == [200] * 4


async def answers(service: Service) -> list[object]:
    """What the clients of all contracts get."""
    async with service.client() as client:
        found = (await client.post("/search", json={"query": "Publishers word3"})).json()
        hit = found["results"][0]
        read = [
            await client.get(f"/lesson/{hit['parent_doc_id']}"),
            await client.get(f"/context/{hit['next_chunk_id']}?prev=1&next=1"),
            await client.post("/search", json={"query": "Joints word", "hardware_tier": 1}),
            await client.post("/query", json={"query": "robot joints", "collection": "parts"}),
            await client.post(
                "/query",
                json={"query": "x", "collection": "parts", "where": {"tier": {"$gte": 1.5}}},
            ),
            await client.get("/collections"),
            await client.get("/collections/parts/documents"),
            await client.post("/api/rag/search", json={"query": "robot joints"}),
        ]
    assert all(reply.status_code == 200 for reply in read), [reply.text for reply in read]
    return [found, *(reply.json() for reply in read)]


async def contents(ledger: Ledger) -> Mapping[str, list[WholeDocument | None]]:
    """Every document with its chunks, in the order in which they came, by collection."""
    return {
        collection.name: [
            await ledger.documents.whole(collection.id, header.id)
            for header in await ledger.documents.headers(collection.id, EVERYTHING)
        ]
        for collection in await ledger.collections.all()
    }


def described(collection: Collection) -> Collection:
    return replace(collection, revision=0)


@pytest.mark.spec("002 FR-009")
async def test_a_restored_ledger_gives_the_same_answers_and_embeds_nothing(
    ledger: Ledger,
    store: ReadableStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
    source: MemorySource,
    new_ledger: NewLedger,
) -> None:
    lost = Service(ledger, store, models, source)
    await fill(lost)
    await update_catalog(ledger.collections, store)
    before, texts = await answers(lost), await contents(ledger)
    collections = [*map(described, await ledger.collections.all())]
    embedder.batches.clear()

    async with new_ledger() as fresh:
        restored = await Restorer(fresh, store).restore(INSTALLATION)

        service = Service(fresh, store, models, source)
        assert [
            (r.collection, r.documents, r.unreadable, r.left_over) for r in restored.collections
        ] == [
            ("book", 2, (), 0),
            ("documents", 2, (), 0),
            ("parts", 2, (), 0),
        ]
        assert (await fresh.installation(), await service.ingest()) == (INSTALLATION, 0)
        assert [*map(described, await fresh.collections.all())] == collections
        assert await contents(fresh) == texts
        assert await answers(service) == before
        assert all(found.clean for found in await Verifier(fresh, store).verify())
        await Rebuilder(fresh, store).rebuild(await fresh.collections.get("parts"))
        assert await answers(service) == before
    assert embedder.batches == []


async def test_restored_documents_keep_their_times_versions_and_order(
    ledger: Ledger,
    store: ReadableStore,
    models: EmbeddingModels,
    clock: FakeClock,
    new_ledger: NewLedger,
) -> None:
    collection = await Catalog(ledger, store, models).create("parts", {}, "minilm")
    ingestor = Ingestor(ledger, store, models)
    for ids in ("dc", "ba"):
        await ingestor.add("parts", [Document(id_, f"text of {id_}", {}) for id_ in ids])
        clock.now_s += 10
    await ingestor.add("parts", [Document("c", "a new text", {})])
    await Rebuilder(ledger, store).rebuild(await ledger.collections.get("parts"))
    await update_catalog(ledger.collections, store)
    clock.now_s += 1_000

    async with new_ledger() as fresh:
        await Restorer(fresh, store).restore(INSTALLATION)
        assert await _headers(fresh, collection) == await _headers(ledger, collection)


async def _headers(ledger: Ledger, collection: Collection) -> list[DocumentHeader]:
    return await ledger.documents.headers(collection.id, EVERYTHING)


@pytest.fixture
async def parts(ledger: Ledger, store: ReadableStore, models: EmbeddingModels) -> Collection:
    await Catalog(ledger, store, models).create("parts", {}, "minilm")
    await Ingestor(ledger, store, models).add("parts", [Document("a", "the old text", {})])
    await update_catalog(ledger.collections, store)
    return await ledger.collections.get("parts")


async def points_in(store: ReadableStore, collection: Collection) -> list[Point]:
    index_id = collection.generation.index_id
    ids = [ref.id async for refs in store.scan(index_id) for ref in refs]
    return await store.read(index_id, ids)


async def test_of_two_complete_versions_the_newer_one_is_live(
    store: ReadableStore,
    models: EmbeddingModels,
    ledger: Ledger,
    parts: Collection,
    new_ledger: NewLedger,
) -> None:
    await Ingestor(ledger, store, models).add("parts", [Document("a", "the new text", {})])
    assert await store.count(parts.generation.index_id) == 2  # the old one awaits the sweeper

    async with new_ledger() as fresh:
        restored = await Restorer(fresh, store).restore(INSTALLATION)
        assert restored == Restoration([Restored("parts", documents=1, chunks=1, left_over=1)])
        found = await fresh.documents.get(parts.id, ["a"])
        assert found["a"].text == "the new text"
        assert all(found.clean for found in await Verifier(fresh, store).verify())
        await Sweeper(fresh, store).sweep_all()
        assert await store.count(parts.generation.index_id) == 1


async def test_a_version_that_is_not_complete_never_becomes_live(
    store: ReadableStore, parts: Collection, new_ledger: NewLedger
) -> None:
    [point] = await points_in(store, parts)
    assert point.content is not None
    assert point.content.document is not None
    newer = replace(point.content.document, updated_at_s=9e9)
    half = replace(
        point.content.chunk,
        version="f" * 32,
        chunk=replace(
            point.content.chunk.chunk, links=replace(point.content.chunk.chunk.links, total=2)
        ),
    )
    unfinished = points_of_chunk(half, (point.dense,), {"a": newer})
    other = replace(half, chunk=replace(half.chunk, document_id="b"))
    alone = points_of_chunk(other, (point.dense,))
    await store.upsert(parts.generation.index_id, [*unfinished, *alone])

    async with new_ledger() as fresh:
        restored = await Restorer(fresh, store).restore(INSTALLATION)
        [left] = restored.collections
        assert (left.documents, left.unreadable, left.left_over, left.kept) == (1, ("b",), 0, 1)
        assert (await fresh.documents.get(parts.id, ["a"]))["a"].text == "the old text"


async def test_a_point_that_somebody_changed_is_not_believed(
    store: ReadableStore, parts: Collection, new_ledger: NewLedger
) -> None:
    [point] = await points_in(store, parts)
    assert point.content is not None
    version = point.content.chunk
    forged = replace(version, chunk=replace(version.chunk, text="forged"))
    content = replace(point.content, chunk=forged)
    await store.upsert(parts.generation.index_id, [replace(point, content=content)])

    async with new_ledger() as fresh:
        restored = await Restorer(fresh, store).restore(INSTALLATION)
        assert restored == Restoration([Restored("parts", unreadable=("a",), kept=1)])
        await Sweeper(fresh, store).sweep_all()
        [kept] = await points_in(store, parts)  # it may hold the only copy of something
        assert kept.content == content


@pytest.mark.parametrize("key", ["reviewed", "tier", "book_id", "total_chunks", "prev_chunk_id"])
@pytest.mark.parametrize("change", ["set", "removed"])
async def test_a_key_that_another_tool_set_or_removed_keeps_no_document_from_being_restored(
    ledger: Ledger,
    store: ReadableStore,
    client: AsyncQdrantClient,
    models: EmbeddingModels,
    parts: Collection,
    new_ledger: NewLedger,
    key: str,
    change: str,
) -> None:
    annotated = Document("b", "robot joints", {"tier": 1.5, "book_id": "robots"})
    await Ingestor(ledger, store, models).add("parts", [annotated])
    name = our_collection(NAMESPACE, parts.generation.index_id)
    ids: list[int | str | UUID] = [p.ref.id for p in await points_in(store, parts)]
    if change == "set":
        await client.set_payload(name, {key: 7}, points=ids)
    else:
        await client.delete_payload(name, [key], points=ids)

    async with new_ledger() as fresh:
        assert await Restorer(fresh, store).restore(INSTALLATION) == Restoration(
            [Restored("parts", documents=2, chunks=2)]
        )
        assert await contents(fresh) == await contents(ledger)


@pytest.mark.parametrize("id_", ["00000000-0000-0000-0000-000000000001", 7])
async def test_a_point_of_another_tool_is_found_by_verify_and_left_alone_by_a_restore(
    ledger: Ledger,
    store: ReadableStore,
    client: AsyncQdrantClient,
    parts: Collection,
    new_ledger: NewLedger,
    id_: int | str,
) -> None:
    theirs = PointStruct(id=id_, vector={"dense": [1.0] * 64}, payload={"hello": 1})
    await client.upsert(our_collection(NAMESPACE, parts.generation.index_id), [theirs])

    [found] = await Verifier(ledger, store).verify()
    assert (found.orphaned, found.missing, found.stale) == ((str(id_),), (), ())
    async with new_ledger() as fresh:
        [restored] = (await Restorer(fresh, store).restore(INSTALLATION)).collections
        assert (restored.documents, restored.unreadable, restored.left_over) == (1, (), 0)
        assert restored.foreign == 1
        await Sweeper(fresh, store).sweep_all()
        assert await store.count(parts.generation.index_id) == 2
    await Repairer(ledger, store).repair()
    assert await store.count(parts.generation.index_id) == 1


async def test_mended_links_are_written_to_the_points_too(
    ledger: Ledger, store: ReadableStore, parts: Collection
) -> None:
    chain = chain_of("chain", "one ", "two")
    head, tail = chunks_of(chain)
    await put(ledger, parts, with_chunks(chain, replace(head, links=Links()), tail))
    await ledger.vectors.remember("rev-1", {"hash": ([1.0] * 64,)})
    await Rebuilder(ledger, store).rebuild(await ledger.collections.get("parts"))

    await Repairer(ledger, store).repair()

    points = await points_in(store, await ledger.collections.get("parts"))
    links = {p.ref.chunk_id: p.content.chunk.chunk.links for p in points if p.content}
    assert links[head.id] == Links(None, tail.id, 2)


async def test_a_store_that_is_away_is_no_crash_of_the_sweeper(
    ledger: Ledger, store: ReadableStore, parts: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(QdrantSettings(url="http://127.0.0.1:1")) as client:
        await Sweeper(ledger, QdrantStore(client, NAMESPACE)).sweep()
    assert [(r.message, r.exc_info) for r in caplog.records] == [("catalog_not_updated", None)]


async def test_a_catalog_that_cannot_be_written_keeps_nothing_from_being_cleared_or_repaired(
    ledger: Ledger, models: EmbeddingModels, caplog: pytest.LogCaptureFixture
) -> None:
    async with qdrant_server() as server, connected(QdrantSettings(url=server.url)) as client:
        store = QdrantStore(client, NAMESPACE)
        await Catalog(ledger, store, models).create("parts", {}, "minilm")
        await store.create(IndexSpec("unknown", 64))
        server.refuse_writes_after = 0
        for work in (Sweeper(ledger, store).sweep_all, Repairer(ledger, store).repair):
            await work()
        assert "unknown" not in await store.indexes()
        warned = [record for record in caplog.records if record.levelno >= logging.WARNING]
        assert [(r.message, r.exc_info) for r in warned] == [("catalog_not_updated", None)] * 2
        server.refuse_writes_after = None
        await Sweeper(ledger, store).sweep()
        assert [c.name for c in await store.described()] == ["parts"]


async def test_a_ledger_in_use_is_not_overwritten(
    ledger: Ledger, store: ReadableStore, parts: Collection
) -> None:
    before = await ledger.installation()
    with pytest.raises(Conflict, match=r"not empty.*'parts'"):
        await Restorer(ledger, store).restore(INSTALLATION)
    assert await ledger.installation() == before


async def test_a_restore_that_was_interrupted_can_be_repeated(
    store: ReadableStore, parts: Collection, new_ledger: NewLedger
) -> None:
    async with new_ledger() as fresh:
        await Restorer(fresh, store)._restore(parts)  # and then the process ended
        assert await fresh.collections.all() == []
        await Sweeper(fresh, store.in_namespace("sourcebook-ffffffffffff")).sweep_all()

        await Restorer(fresh, store).restore(INSTALLATION)

        assert [c.name for c in await fresh.collections.all(hidden=True)] == ["parts"]
        await Sweeper(fresh, store).sweep_all()
        assert await store.count(parts.generation.index_id) == 1


async def test_what_an_interrupted_restore_could_not_read_is_not_deleted_later(
    store: ReadableStore,
    models: EmbeddingModels,
    ledger: Ledger,
    parts: Collection,
    new_ledger: NewLedger,
) -> None:
    await Ingestor(ledger, store, models).add("parts", [Document("a", "the new text", {})])
    index_id = parts.generation.index_id
    old, new = sorted(await points_in(store, parts), key=_updated_at_s)
    async with new_ledger() as fresh:
        await Restorer(fresh, store)._restore(parts)  # took the old one for left over
        await store.delete(index_id, [new.ref.id])

        await Restorer(fresh, store).restore(INSTALLATION)  # and now it is the newest
        await Sweeper(fresh, store).sweep_all()

        assert [point.ref for point in await points_in(store, parts)] == [old.ref]
        assert all(found.clean for found in await Verifier(fresh, store).verify())


def _updated_at_s(point: Point) -> float:
    assert point.content is not None
    assert point.content.document is not None
    return point.content.document.updated_at_s


async def test_an_index_that_the_catalog_does_not_list_is_told_and_stays(
    ledger: Ledger,
    store: ReadableStore,
    models: EmbeddingModels,
    parts: Collection,
    new_ledger: NewLedger,
    clock: FakeClock,
) -> None:
    late = await Catalog(ledger, store, models).create("late", {}, "minilm")
    await Ingestor(ledger, store, models).add("late", [Document("b", "only here", {})])
    index_id = late.generation.index_id

    async with new_ledger() as fresh:
        restored = await Restorer(fresh, store).restore(INSTALLATION)
        assert (restored.kept_indexes, restored.complete) == ((index_id,), False)
        await Sweeper(fresh, store).sweep_all()
        await Repairer(fresh, store).repair()
        orphaned = OrphanedIndexes(fresh, store, clock)
        assert await orphaned.clear() == []
        clock.now_s += 10_000
        assert await orphaned.clear() == []
    assert await store.count(index_id) == 1


async def test_an_index_that_is_gone_is_told(
    store: ReadableStore, parts: Collection, new_ledger: NewLedger
) -> None:
    await store.drop(parts.generation.index_id)
    async with new_ledger() as fresh:
        before = await fresh.installation()
        restored = await Restorer(fresh, store).restore(INSTALLATION)
        assert restored == Restoration([Restored("parts", problem=INDEX_GONE)])
        assert await fresh.installation() == before  # nothing was restored, so nothing taken over


async def test_without_a_catalog_nothing_can_be_restored(
    ledger: Ledger, store: ReadableStore
) -> None:
    with pytest.raises(NotFound, match=INSTALLATION):
        await Restorer(ledger, store).restore(INSTALLATION)


async def test_an_index_of_an_earlier_release_is_found_outdated_and_repaired(
    ledger: Ledger, models: EmbeddingModels, embedder: FakeEmbedder, tmp_path: Path
) -> None:
    async with qdrant_server() as server, connected(QdrantSettings(url=server.url)) as client:
        store = QdrantStore(client, NAMESPACE)
        collection = await Catalog(ledger, store, models).create("parts", {}, "minilm")
        await store.drop(collection.generation.index_id)
        spec = IndexSpec(collection.generation.index_id, 64)
        await make_typed_index(server, NAMESPACE, spec)
        await Ingestor(ledger, store, models).add("parts", [Document("a", "text", {"tier": 1})])
        embedder.batches.clear()
        await update_catalog(ledger.collections, store)
        async with open_copied_ledger(tmp_path / "other.db") as fresh:
            restored = await Restorer(fresh, store).restore(INSTALLATION)
        assert restored == Restoration([Restored("parts", problem=INDEX_OUTDATED)], (spec.id,))
        [found] = await Verifier(ledger, store).verify()
        assert (len(found.outdated), found.missing, found.stale) == (1, (), ())

        [repaired] = await Repairer(ledger, store).repair()

        assert (repaired.written, repaired.deleted, repaired.lacking) == (1, 0, ())
        assert all(found.clean for found in await Verifier(ledger, store).verify())
        assert spec.id not in await store.indexes()
    assert embedder.batches == []


@pytest.mark.parametrize("has_terms", [True, False])
async def test_a_restored_collection_keeps_its_terms_or_regains_them(
    ledger: Ledger,
    store: ReadableStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
    new_ledger: NewLedger,
    has_terms: bool,
) -> None:
    indexing = index_terms(store, Bm25Encoder())
    writing = indexing if has_terms else store
    await Catalog(ledger, writing, models).create("parts", {}, "minilm")
    await Ingestor(ledger, writing, models).add("parts", [Document("a", "a robot arm", {})])
    await update_catalog(ledger.collections, store)
    embedder.batches.clear()
    async with new_ledger() as fresh:
        assert (await Restorer(fresh, store).restore(INSTALLATION)).complete
        [before] = await Verifier(fresh, indexing).verify()
        await Repairer(fresh, indexing).repair()
        [after] = await Verifier(fresh, indexing).verify()

    assert (len(before.outdated), before.clean) == (0 if has_terms else 1, True)
    assert (after.outdated, after.clean) == ((), True)
    assert embedder.batches == []
