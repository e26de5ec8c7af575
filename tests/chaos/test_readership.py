"""The readers themselves: they must find out every naive run, and accuse no sound one."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import MODES, IngestJob, IngestMode, JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import Embedding, Point
from sourcebook.ingestion.book.layout_choice import LayoutSettings
from sourcebook.ingestion.book.run import BookRun, OpenBook
from sourcebook.ingestion.book.writer import WriteTarget
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.job_runner import JobReport, JobRunner
from sourcebook.providers.sources.folder import FolderSource
from sourcebook.service.wiring.ingestion import BookConfig, BookParts, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import BookRules
from tests.chaos.manuscript import BOOK, LASTING, Manuscript
from tests.chaos.naive import VISIBLY_NAIVE
from tests.chaos.readership import Reader, broken_links, fits
from tests.conftest import open_client
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

Pause = Callable[[], Awaitable[None]]


class PausingEmbedder(FakeEmbedder):
    """Lets somebody read before it embeds."""

    pause: Pause | None = None

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        if self.pause is not None:
            await self.pause()
        return await super().embed_documents(texts)


class PausingStore(MemoryStore):
    """Lets somebody read before points are written."""

    pause: Pause | None = None

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        if self.pause is not None:
            await self.pause()
        await super().upsert(index_id, points)


class RecreatesInPlace(BookRun):
    """Drops everything first, as one would do at first."""

    async def _recreate(
        self, job: IngestJob, book: OpenBook, live: Collection, report: JobReport
    ) -> None:
        embedder = self._collection._models.wanted(live)
        await Ingestor(self._ledger, self._writer._store, self._collection._models).empty(live.name)
        fresh = await self._ledger.collections.get(live.name)
        incremental = replace(job, request=replace(job.request, mode="full"))
        await self._update(incremental, book, WriteTarget(fresh, embedder, job.fence), report)


class Stage:
    """A book, its index, and a reader who reads in the middle of every write."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.book = Manuscript(folder / "docs", seed=7)
        self.ledger = ledger
        self.store = PausingStore()
        self.embedder = PausingEmbedder("minilm")
        self.models = EmbeddingModels([self.embedder])
        self.source = FolderSource(self.book.root)
        config = BookConfig(rules=BookRules(BOOK), source=self.source)
        self.parts: BookParts = assemble_book(ledger, self.store, self.models, config)
        use_cases = build_use_cases(Storage(ledger, self.store), self.models, None, self.parts)
        self.client: httpx2.AsyncClient = open_client(use_cases)
        self.reader = Reader(self.book)

    def book_run(self, kind: type[BookRun] = BookRun) -> BookRun:
        return kind(
            self.ledger,
            self.store,
            self.parts.book_collection,
            lambda _: self.source,
            LayoutSettings(),
        )

    async def ingest(self, book_run: BookRun, mode: IngestMode = "incremental") -> None:
        await self.ledger.jobs.enqueue(JobRequest(BOOK, mode, force=True))
        job = await self.ledger.jobs.claim(30.0)
        assert job is not None
        await JobRunner(self.ledger.jobs, book_run).run(job)
        assert (await self.ledger.jobs.get(job.id)).status == "completed"

    async def read(self) -> None:
        await self.reader.read_all(self.client)

    async def read_during(self, book_run: BookRun, mode: IngestMode) -> list[str]:
        """Index a first version, change every lasting file, and read while that is indexed."""
        self.book.begin()
        await self.ingest(self.book_run())
        await self.read()
        for path in LASTING:
            self.book.write(path)
        self.store.pause = self.embedder.pause = self.read
        await self.ingest(book_run, mode)
        self.store.pause = self.embedder.pause = None
        await self.read()
        return self.reader.problems


@pytest.fixture
def stage(tmp_path: Path, ledger: Ledger) -> Stage:
    return Stage(tmp_path, ledger)


@pytest.mark.parametrize("mode", MODES)
async def test_a_sound_run_is_not_accused(stage: Stage, mode: IngestMode) -> None:
    assert await stage.read_during(stage.book_run(), mode) == []
    assert stage.reader.lessons_read > 3 * len(LASTING)


@pytest.mark.parametrize("writer", VISIBLY_NAIVE, ids=lambda kind: kind.__name__)
async def test_a_naive_writer_is_found_out(stage: Stage, writer: type[ChunkWriter]) -> None:
    book_run = stage.book_run()
    book_run._writer = writer(stage.ledger, stage.store)

    problems = await stage.read_during(book_run, "incremental")

    assert any("nothing was found" in problem for problem in problems)


async def test_a_recreation_in_place_is_found_out(stage: Stage) -> None:
    problems = await stage.read_during(stage.book_run(RecreatesInPlace), "recreate")

    assert any("nothing was found" in problem for problem in problems)


def chain(*texts: str) -> list[dict[str, Any]]:
    """Chunks of a text that begin right behind one another."""
    ids = [None, *(f"chunk-{n}" for n in range(len(texts))), None]
    starts = [len(FRONT) + sum(len(text) for text in texts[:n]) for n in range(len(texts))]
    return [
        {
            "chunk_id": ids[n + 1],
            "prev_chunk_id": ids[n],
            "next_chunk_id": ids[n + 2],
            "chunk_index": n,
            "total_chunks": len(texts),
            "text": text,
            "start": starts[n],
            "end": starts[n] + len(text),
            "hardware_tier": 2,
        }
        for n, text in enumerate(texts)
    ]


FRONT = "---\ntitle: A\nhardware_tier: 2\n---\n"
TEXT = FRONT + "one two three"


def test_a_whole_chain_is_right() -> None:
    assert broken_links(chain("one ", "two ", "three")) == []
    assert fits(chain("one ", "two ", "three"), TEXT)


@pytest.mark.parametrize(
    ("at", "field", "value"),
    [
        (0, "prev_chunk_id", "chunk-9"),
        (1, "prev_chunk_id", None),
        (1, "next_chunk_id", "chunk-1"),
        (1, "next_chunk_id", None),
        (2, "next_chunk_id", "chunk-0"),
        (1, "chunk_index", 2),
        (1, "total_chunks", 4),
        (2, "chunk_id", "chunk-0"),
    ],
)
def test_a_broken_chain_is_told(at: int, field: str, value: object) -> None:
    chunks = chain("one ", "two ", "three")
    chunks[at][field] = value

    assert broken_links(chunks)


def test_a_chunk_that_is_missing_twice_or_of_another_version_fits_no_text() -> None:
    chunks = chain("one ", "two ", "three")

    assert not fits(chunks[:2], TEXT)
    assert broken_links(chunks[:2])
    assert broken_links([*chunks, chunks[2]])
    assert not fits(chunks, TEXT.replace("two", "TWO"))
    assert not fits(chunks, TEXT.replace("tier: 2", "tier: 3"))
