"""A mirror that followed a history finds what one finds that was built afterwards."""

import asyncio
import json
import random
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk, Document
from sourcebook.core.filters import Compare
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, SparseVector, TermMatches
from sourcebook.core.writes import ChunkVersion, DocumentVersion, Write
from sourcebook.ingestion.upkeep.sweeper import GRACE_PERIOD_S, Sweeper
from sourcebook.providers.vector_stores.mirror import arrays
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from tests.chaos import LONG, dice
from tests.contract.mirrored_store import MODEL, WrittenTerms
from tests.fakes import FakeClock
from tests.ledgers import open_copied_ledger

HISTORIES = 2_000 if LONG else 100
STEPS = 8
DOCUMENTS = "abcdef"
DIMENSIONS = 4


@dataclass
class World:
    """A collection, the ledger that has it, and a mirror of it."""

    ledger: Ledger
    clock: FakeClock
    chance: random.Random
    store: MirrorStore = field(init=False)
    collection: Collection = field(init=False)

    def __post_init__(self) -> None:
        self.store = MirrorStore(self.ledger.mirrors, WrittenTerms())
        generation = Generation(uuid.uuid4().hex, "minilm", MODEL, DIMENSIONS)
        self.collection = Collection(uuid.uuid4().hex, uuid.uuid4().hex, {}, generation)

    @property
    def index_id(self) -> str:
        return self.collection.generation.index_id

    async def write(self) -> None:
        """Give some documents new versions."""
        names = self.chance.sample(DOCUMENTS, self.chance.randint(1, 3))
        versions = [self._version(name) for name in names]
        vectors = {
            chunk.text_hash: tuple(self.vector() for _ in range(chunk.vectors))
            for version in versions
            for chunk in version.chunks
        }
        await self.ledger.vectors.remember(MODEL, vectors)
        write = Write(
            uuid.uuid4().hex, self.collection.id, self.index_id, tuple(versions), announced=False
        )
        await self.ledger.documents.commit(write)

    async def delete(self) -> None:
        """Delete some documents, which may not exist."""
        await self.ledger.documents.delete(
            self.collection.id, self.chance.sample(DOCUMENTS, self.chance.randint(1, 3))
        )

    async def sweep(self) -> None:
        """Let time pass and forget the dead."""
        self.clock.now_s += 2 * GRACE_PERIOD_S
        await Sweeper(self.ledger, self.store, now_s=self.clock).sweep()

    async def look(self) -> None:
        """Let the mirror catch up."""
        await self.found_by(self.store, await self.revision())

    async def revision(self) -> int:
        found = await self.ledger.collections.by_id(self.collection.id)
        assert found is not None
        return found.revision

    async def found_by(self, store: MirrorStore, revision: int) -> list[object]:
        """What some questions find at a revision."""
        sparse = SparseVector((1, 2, 3), (1.0, 1.0, 1.0))
        east = IndexQuery((1.0, 0.0, 0.0, 0.0), 5, sparse=sparse, revision=revision)
        low = IndexQuery(
            (0.0, 1.0, 1.0, 0.0), 100, Compare("tier", "lt", 2), sparse, revision=revision
        )
        return [_plain(await store.match(self.index_id, query)) for query in (east, low)]

    def vector(self) -> list[float]:
        return [self.chance.uniform(-1, 1) for _ in range(DIMENSIONS)]

    def _version(self, name: str) -> DocumentVersion:
        version = uuid.uuid4().hex
        about = {"tier": self.chance.randint(1, 3)}
        chunks = tuple(
            self._chunk(name, version, number, about) for number in range(self.chance.randint(1, 3))
        )
        return DocumentVersion(Document(name, name, about), version, "hash", chunks)

    def _chunk(self, name: str, version: str, number: int, about: dict[str, int]) -> ChunkVersion:
        terms = [(term, 1.0) for term in (1, 2, 3) if self.chance.random() < 0.5]
        text = json.dumps({"terms": terms, "of": [name, version, number]})
        chunk = Chunk(str(uuid.uuid4()), name, number, text, {**about})
        return ChunkVersion(chunk, version, uuid.uuid4().hex, self.chance.randint(1, 2))


def _plain(found: TermMatches) -> object:
    """What was found, without an order among equals."""
    places = {point.ref.id: (point.ref.chunk_id, point.ref.ordinal) for point in found.nearest}
    return (
        {(*places[point.ref.id], round(point.score, 5)) for point in found.nearest},
        {(*places[id_], round(score, 4)) for id_, score in found.scores.items()},
        found.is_everything,
    )


@pytest.fixture
async def world_ledger(in_memory: Path, clock: FakeClock) -> AsyncIterator[Ledger]:
    async with open_copied_ledger(in_memory / "ledger.db", now_s=clock) as ledger:
        yield ledger


async def test_a_mirror_that_followed_finds_what_a_new_one_does(
    world_ledger: Ledger, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So that few dead are dropped, too.
    monkeypatch.setattr(arrays, "MIN_DROPPED", 3)
    for seed in range(HISTORIES):
        world = World(world_ledger, clock, dice(seed))
        await world_ledger.collections.create(world.collection)
        steps = (world.write, world.write, world.delete, world.sweep, world.look)
        for _ in range(STEPS):
            await world.chance.choice(steps)()
        revision = await world.revision()
        fresh = MirrorStore(world_ledger.mirrors, WrittenTerms())
        followed = await world.found_by(world.store, revision)
        assert followed == await world.found_by(fresh, revision), f"seed {seed}"


async def test_a_reader_keeps_its_revision_while_all_documents_change(
    world_ledger: Ledger, clock: FakeClock
) -> None:
    world = World(world_ledger, clock, dice(1))
    await world_ledger.collections.create(world.collection)
    for _ in range(5):
        await world.write()
    revision = await world.revision()
    before = await world.found_by(world.store, revision)
    for _ in range(30):
        await world.write()
        await world.delete()
        await world.look()

    assert await world.found_by(world.store, revision) == before
    late = MirrorStore(world_ledger.mirrors, WrittenTerms())
    assert await world.found_by(late, revision) == before


async def test_questions_that_come_together_find_what_each_finds_alone(
    world_ledger: Ledger, clock: FakeClock
) -> None:
    world = World(world_ledger, clock, dice(2))
    await world_ledger.collections.create(world.collection)
    for _ in range(6):
        await world.write()
    revision = await world.revision()
    alone = await world.found_by(world.store, revision)
    writer = asyncio.create_task(world.write())

    together = await asyncio.gather(*(world.found_by(world.store, revision) for _ in range(40)))

    await writer
    assert together == [alone] * 40
