"""A small world with a past, in process, whose ledger can be closed and opened again."""

import copy
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from tests.chaos.checker import Observed, Seen, contradictions, states
from tests.chaos.faults import Faults, faulty_embedder, faulty_ledger, faulty_store
from tests.chaos.history import DocumentId, History, State
from tests.fakes import FakeClock, FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.memory_store import MemoryStore

ALL = 1_000
LONG_TEXT = "one two three four five six seven eight nine ten"


@dataclass(frozen=True)
class Parts:
    """What use cases are made of."""

    ledger: Ledger
    store: VectorStore
    embedder: Embedder
    clock: FakeClock

    @property
    def models(self) -> EmbeddingModels:
        """The one embedder as the loaded models."""
        return EmbeddingModels([self.embedder])

    @property
    def ingestor(self) -> Ingestor:
        """Ours."""
        return Ingestor(self.ledger, self.store, self.models)

    @property
    def catalog(self) -> Catalog:
        """The catalog of the world's collections."""
        return Catalog(self.ledger, self.store, self.models)

    def with_faults(self, faults: Faults) -> "Parts":
        """The same parts; faults may strike their calls."""
        ledger = faulty_ledger(self.ledger, faults)
        mirrored = isinstance(self.store, MirrorStore)
        return Parts(
            ledger,
            faulty_store(mirror_of(ledger) if mirrored else self.store, faults),
            faulty_embedder(self.embedder, faults),
            self.clock,
        )


def mirror_of(ledger: Ledger) -> MirrorStore:
    return MirrorStore(ledger.mirrors, Bm25Encoder())


class World:
    """The disk that survives a crash (ledger file and store), and what runs on it.

    Without a store of its own, the index mirrors the ledger.
    """

    def __init__(self, ledger_file: Path, store: MemoryStore | None, clock: FakeClock) -> None:
        self._ledger_file = ledger_file
        self._store = store
        self._clock = clock
        self._stack = AsyncExitStack()
        self.history = History()
        self.parts: Parts

    async def start(self) -> None:
        """Open everything, as a new process would."""
        opening = open_copied_ledger(self._ledger_file, now_s=self._clock)
        ledger = await self._stack.enter_async_context(opening)
        store = mirror_of(ledger) if self._store is None else self._store
        self.parts = Parts(ledger, store, FakeEmbedder("minilm", max_tokens=4), self._clock)

    async def stop(self) -> None:
        """Let go of the ledger."""
        await self._stack.aclose()

    async def violations(self) -> list[str]:
        """Everything that is wrong: with the index, within a collection, or against the past."""
        findings = await Verifier(self.parts.ledger, self.parts.store).verify()
        said = [f"verify: {found}" for found in findings if not found.clean]
        observed = await self.observe()
        for each in observed:
            said += contradictions(each)
        return said + self.history.violations(states(observed))

    async def observe(self) -> list[Observed]:
        """What a reader of every collection sees."""
        return [await self._observe(c.name) for c in await self.parts.catalog.all()]

    async def leftovers(self) -> list[str]:
        """Dead points and indexes that nobody will clear away."""
        parts = self.parts
        findings = await Verifier(parts.ledger, parts.store).verify()
        known = {c.generation.index_id for c in await parts.catalog.all()}
        unknown = await parts.store.indexes() - known
        return [f"{f.collection}: {f.awaiting} dead points" for f in findings if f.awaiting] + [
            f"index {index_id} belongs to nobody" for index_id in unknown
        ]

    async def _observe(self, name: str) -> Observed:
        parts = self.parts
        count = (await parts.catalog.get(name)).count
        page = await parts.catalog.documents(name, EVERYTHING, ALL, 0)
        searcher = Searcher(parts.ledger, parts.store, parts.models)
        found = await searcher.search(name, "words", ALL)
        return Observed(
            collection=name,
            count=count,
            total=page.total,
            documents=tuple(Seen(d.id, d.text, d.metadata) for d in page.documents),
            hits=tuple(
                Seen(h.chunk.document_id, h.chunk.text, h.chunk.metadata) for h in found.hits
            ),
        )


class Template:
    """A world made once and copied for every test."""

    def __init__(self, folder: Path, store: MemoryStore | None) -> None:
        self._folder = folder
        self._store = store
        self._states: Mapping[DocumentId, State] = {}
        self._copies = 0

    async def make(self) -> None:
        """Fill it: live documents, dead versions, a retired index, a write that never finished."""
        world = World(self._folder / "ledger.db", self._store, FakeClock())
        await world.start()
        parts = world.parts
        for name in ("robotics", "biology"):
            await parts.catalog.create(name, {}, "minilm")
            await parts.ingestor.add(name, [Document(id_, f"words {id_}", {}) for id_ in "abz"])
        await parts.ingestor.empty("robotics")
        await parts.ingestor.add("robotics", [document(id_, "old") for id_ in "ab"])
        await parts.ingestor.add("robotics", [document(id_, 1) for id_ in "abc"])
        await parts.ingestor.delete("biology", ["z"])
        index_id = (await parts.catalog.get("biology")).generation.index_id
        await parts.ledger.documents.announce("crashed-write", index_id, ["no-such-point"])
        self._states = states(await world.observe())
        await world.stop()

    @asynccontextmanager
    async def copied(self, folder: Path) -> AsyncIterator[World]:
        """A world like it, whose past is known."""
        self._copies += 1
        ledger_file = folder / f"ledger-{self._copies}.db"
        shutil.copyfile(self._folder / "ledger.db", ledger_file)
        world = World(ledger_file, copy.deepcopy(self._store), FakeClock())
        await world.start()
        world.history.settle(self._states)
        try:
            yield world
        finally:
            await world.stop()


def document(id_: str, version: object) -> Document:
    """A version of a document; it needs several points."""
    return Document(id_, f"words {id_} {LONG_TEXT} version {version}", {"version": str(version)})


def state(id_: str, version: object) -> str:
    """The state of a document in that version."""
    given = document(id_, version)
    return Seen(id_, given.text, given.metadata).state
