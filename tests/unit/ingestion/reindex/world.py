"""A filled collection, and two models that it can be embedded with."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestJob
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import Embedding, Point
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.reindex.jobs import ReindexJobs
from sourcebook.ingestion.upkeep.sweeper import ABANDONED_AFTER_S, Sweeper
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from sourcebook.service.wiring.ingestion import assemble_reindexing
from tests.contract.lease_contract import claimed
from tests.fakes import FakeClock, FakeEmbedder
from tests.memory_store import MemoryStore

NAME = "robotics"
LONG = "one two three four five six seven eight nine ten"
TEXTS = {"a": "words of a", "b": "words of b", "c": f"words of c {LONG}"}
Hook = Callable[[], Awaitable[None]]


class HookedEmbedder(FakeEmbedder):
    """Lets something happen before it embeds its next batch."""

    hook: Hook | None = None

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        hook, self.hook = self.hook, None
        if hook is not None:
            await hook()
        return await super().embed_documents(texts)


class HookedStore:
    """Lets something happen after its next upsert."""

    hook: Hook | None = None

    def __init__(self, inner: MemoryStore) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        await self._inner.upsert(index_id, points)
        hook, self.hook = self.hook, None
        if hook is not None:
            await hook()


@dataclass
class World:
    """A filled collection, the models around it, and the hands that change it."""

    ledger: Ledger
    store: MemoryStore
    clock: FakeClock
    old: HookedEmbedder
    new: HookedEmbedder

    @property
    def models(self) -> EmbeddingModels:
        return EmbeddingModels([self.old, self.new])

    @property
    def ingestor(self) -> Ingestor:
        return Ingestor(self.ledger, self.store, self.models)

    @property
    def catalog(self) -> Catalog:
        return Catalog(self.ledger, self.store, self.models)

    @property
    def jobs(self) -> ReindexJobs:
        return ReindexJobs(self.ledger, self.models, lambda: None)

    async def put(self, **texts: str) -> None:
        await self.ingestor.add(NAME, [Document(id_, text, {}) for id_, text in texts.items()])

    async def collection(self) -> Collection:
        return await self.ledger.collections.get(NAME)

    async def run(self, models: EmbeddingModels | None = None) -> IngestJob:
        """Work off the job that waits."""
        job = await claimed(self.ledger, "reindex")
        parts = assemble_reindexing(self.ledger, self.store, models or self.models)
        await parts.runner.run(job)
        return await self.ledger.jobs.get(job.id)

    async def change(self) -> IngestJob:
        """Order a change to the new model, and do it."""
        assert await self.jobs.submit(NAME, self.new.id) is not None
        return await self.run()

    async def back(self) -> IngestJob:
        await self.jobs.roll_back(NAME)
        return await self.run()

    async def seen(self, models: EmbeddingModels | None = None) -> dict[str, str]:
        """What a reader finds."""
        searcher = Searcher(self.ledger, self.store, models or self.models)
        hits = (await searcher.search(NAME, "words", 100)).hits
        found = {hit.chunk.document_id: hit.chunk.text for hit in hits}
        assert len(found) == len(hits)
        return found

    async def check(self, **texts: str) -> None:
        """Readers find this, and the index is what the ledger says, also after a sweep."""
        assert await self.seen() == texts
        await self.check_index()
        self.clock.now_s += ABANDONED_AFTER_S
        await Sweeper(self.ledger, self.store, self.clock).sweep()
        await self.check_index(awaiting=0)
        assert await self.seen() == texts

    async def check_index(self, awaiting: int | None = None) -> None:
        (found,) = await Verifier(self.ledger, self.store).verify()
        assert found.clean, found
        assert awaiting is None or found.awaiting == awaiting

    async def indexes(self) -> set[str]:
        """What the collection has and keeps."""
        collection = await self.collection()
        kept = {collection.previous.index_id} if collection.previous else set()
        return {collection.generation.index_id} | kept


def two_models(dimensions: int = 64) -> tuple[HookedEmbedder, HookedEmbedder]:
    """The old one and the new one, which reads fewer words at once."""
    old = HookedEmbedder("minilm", max_tokens=6)
    return old, HookedEmbedder("newer", dimensions=dimensions, revision="rev-2", max_tokens=4)


async def make_world(
    ledger: Ledger, store: MemoryStore, clock: FakeClock, *, dimensions: int = 64
) -> World:
    """One whose collection is filled with the old model."""
    world = World(ledger, store, clock, *two_models(dimensions))
    await world.catalog.create(NAME, {"about": "robots"}, "minilm")
    await world.put(**TEXTS)
    return world
