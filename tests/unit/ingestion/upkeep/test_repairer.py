"""Repairing mends the index in place, from the ledger and the remembered vectors alone."""

from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from sqlalchemy import text

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document, Links
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexSpec, Point, PointRef
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.identity import hash_text
from sourcebook.ingestion.upkeep.repairer import Repaired, Repairer
from sourcebook.ingestion.upkeep.verifier import Findings, Verifier
from sourcebook.providers.storage.ledger.sql_ledger import SqlLedger
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from tests.contract.ledger_values import (
    being_built,
    chain_of,
    chunks_of,
    put,
    version_of,
    with_chunks,
)
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

WRONG_VECTOR = [1.0] * 64
UNKNOWN = PointRef("0b8c9b0a-0000-4000-8000-000000000001", "chunk-x", "unknown", "v", "x")


class DamageableStore(MemoryStore):
    """Has indexes that are there and cannot be opened, as after a bad sector."""

    def __init__(self) -> None:
        super().__init__()
        self.damaged: set[str] = set()

    async def drop(self, index_id: str) -> None:
        self.damaged.discard(index_id)
        await super().drop(index_id)

    async def count(self, index_id: str) -> int:
        self._check(index_id)
        return await super().count(index_id)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        self._check(index_id)
        await super().delete(index_id, point_ids)

    def _check(self, index_id: str) -> None:
        if index_id in self.damaged:
            raise RetrievalUnavailable(f"Index {index_id!r} is damaged")


@pytest.fixture
def store() -> DamageableStore:
    return DamageableStore()


@pytest.fixture
async def collection(
    ledger: Ledger, store: DamageableStore, models: EmbeddingModels, embedder: FakeEmbedder
) -> Collection:
    created = await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    documents = [Document(id_, f"words of {id_}", {"id": id_}) for id_ in "abc"]
    await Ingestor(ledger, store, models).add("robotics", documents)
    embedder.failing = True  # a repair embeds nothing
    return created


@pytest.fixture
def index_id(collection: Collection) -> str:
    return collection.generation.index_id


@pytest.fixture
def repairer(ledger: Ledger, store: DamageableStore) -> Repairer:
    return Repairer(ledger, store)


async def verified(ledger: Ledger, store: MemoryStore) -> Findings:
    (findings,) = await Verifier(ledger, store).verify()
    return findings


async def refs(store: MemoryStore, index_id: str) -> dict[str, PointRef]:
    return {ref.document_id: ref async for batch in store.scan(index_id) for ref in batch}


async def test_a_sound_index_needs_no_repair(repairer: Repairer, collection: Collection) -> None:
    assert await repairer.repair() == []


async def test_missing_points_are_written_again(
    ledger: Ledger, store: DamageableStore, repairer: Repairer, index_id: str
) -> None:
    before = await refs(store, index_id)
    await store.delete(index_id, [before["a"].id, before["b"].id])

    repaired = await repairer.repair()

    assert repaired == [Repaired("robotics", written=2, deleted=0, lacking=())]
    assert await refs(store, index_id) == before
    assert (await verified(ledger, store)).clean


async def test_a_repaired_document_is_found_as_before(
    ledger: Ledger,
    store: DamageableStore,
    models: EmbeddingModels,
    embedder: FakeEmbedder,
    repairer: Repairer,
    index_id: str,
) -> None:
    embedder.failing = False
    searcher = Searcher(ledger, store, models)
    before = await searcher.search("robotics", "words of b", 3)
    await store.delete(index_id, [(await refs(store, index_id))["b"].id])

    await repairer.repair()

    after = await searcher.search("robotics", "words of b", 3)
    assert [hit.chunk for hit in after.hits] == [hit.chunk for hit in before.hits]


async def test_points_of_no_document_are_deleted(
    ledger: Ledger, store: DamageableStore, repairer: Repairer, index_id: str
) -> None:
    await store.upsert(index_id, [Point(UNKNOWN, {}, WRONG_VECTOR)])

    repaired = await repairer.repair()

    assert repaired == [Repaired("robotics", written=0, deleted=1, lacking=())]
    assert (await verified(ledger, store)).clean


async def test_points_of_an_old_version_are_deleted(
    ledger: Ledger, store: DamageableStore, repairer: Repairer, index_id: str
) -> None:
    old = replace(UNKNOWN, document_id="a")
    await store.upsert(index_id, [Point(old, {}, WRONG_VECTOR)])

    repaired = await repairer.repair()

    assert repaired == [Repaired("robotics", written=0, deleted=1, lacking=())]
    assert (await verified(ledger, store)).clean


@pytest.mark.parametrize("field", ["version", "digest", "chunk_id", "document_id"])
async def test_points_of_other_content_are_written_as_they_should_be(
    ledger: Ledger, store: DamageableStore, repairer: Repairer, index_id: str, field: str
) -> None:
    before = await refs(store, index_id)
    wrong = PointRef(**{**asdict(before["a"]), field: "other"})
    await store.upsert(index_id, [Point(wrong, {}, WRONG_VECTOR)])

    repaired = await repairer.repair()

    assert repaired == [Repaired("robotics", written=1, deleted=1, lacking=())]
    assert await refs(store, index_id) == before


async def test_dead_points_and_unknown_indexes_are_swept(
    ledger: Ledger,
    store: DamageableStore,
    models: EmbeddingModels,
    repairer: Repairer,
    index_id: str,
) -> None:
    await Ingestor(ledger, store, models).delete("robotics", ["a"])
    await ledger.documents.announce("write", index_id, [UNKNOWN.id])
    await store.upsert(index_id, [Point(UNKNOWN, {}, WRONG_VECTOR)])
    await store.create(IndexSpec("left-over", 3))

    await repairer.repair()

    assert await store.count(index_id) == 2
    assert await store.indexes() == {index_id}
    assert (await verified(ledger, store)).awaiting == 0


@pytest.mark.parametrize("how", ["gone", "damaged"])
async def test_an_index_that_cannot_be_read_is_built_anew(
    ledger: Ledger,
    store: DamageableStore,
    models: EmbeddingModels,
    repairer: Repairer,
    index_id: str,
    how: str,
) -> None:
    await Ingestor(ledger, store, models).delete("robotics", ["a"])
    await ledger.documents.announce("write", index_id, [UNKNOWN.id])
    if how == "gone":
        await store.drop(index_id)
    else:
        store.damaged.add(index_id)

    repaired = await repairer.repair()

    assert repaired == [Repaired("robotics", written=2, deleted=0, lacking=())]
    assert index_id not in await store.indexes()
    findings = await verified(ledger, store)
    assert (findings.clean, findings.chunks, findings.awaiting) == (True, 2, 0)


async def test_links_are_mended_before_anything_else(
    ledger: Ledger, store: DamageableStore, repairer: Repairer, collection: Collection
) -> None:
    version = chain_of("chain", "one ", "two ", "three")
    head, middle, tail = chunks_of(version)
    wrong = with_chunks(version, replace(head, ordinal=2), replace(middle, links=Links()), tail)
    await put(ledger, collection, wrong)
    await ledger.vectors.remember("rev-1", {"hash": (WRONG_VECTOR,)})
    before = await verified(ledger, store)

    repaired = await repairer.repair()

    assert before.broken == tuple(sorted([head.id, middle.id]))
    # All points anew: on a server they show the links of their chunks to other tools.
    assert repaired == [Repaired("robotics", written=6, deleted=0, lacking=(), relinked=2)]
    assert (await verified(ledger, store)).clean
    assert await repairer.repair() == []


async def test_a_collection_that_is_being_built_is_repaired_too(
    ledger: Ledger, store: DamageableStore, repairer: Repairer, collection: Collection
) -> None:
    building = being_built(collection)
    await store.create(IndexSpec(building.generation.index_id, 64))
    await ledger.collections.create(building)
    await ledger.vectors.remember("rev-1", {"hash": (WRONG_VECTOR,)})
    await put(ledger, building, version_of("a"))

    repaired = await repairer.repair()

    assert repaired == [Repaired(building.name, written=1, deleted=0, lacking=())]
    assert all(found.clean for found in await Verifier(ledger, store).verify())


@pytest.mark.parametrize("how", ["points", "index"])
async def test_documents_without_remembered_vectors_are_named(
    ledger: SqlLedger, store: DamageableStore, repairer: Repairer, index_id: str, how: str
) -> None:
    async with ledger.database.writing() as connection:
        forget = text("DELETE FROM embedding_cache WHERE text_hash = :hash")
        await connection.execute(forget, {"hash": hash_text("words of b")})
    if how == "points":
        await store.delete(index_id, [ref.id for ref in (await refs(store, index_id)).values()])
    else:
        await store.drop(index_id)

    repaired = await repairer.repair()

    assert repaired == [Repaired("robotics", written=2, deleted=0, lacking=("b",))]
    assert len((await verified(ledger, store)).missing) == 1
