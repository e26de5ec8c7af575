"""Ingestion inside this process, with everything that the service has but HTTP."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bench.book_servers import EVERY_PAGE
from sourcebook.core.documents import TokenSpans
from sourcebook.core.health import ServiceHealth
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Embedder, JobLedger
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.ingestion.job_runner import LEASE_S, JobRunner
from sourcebook.service.book import assemble_book, book_config
from sourcebook.service.data_folder import own_data_folder
from sourcebook.service.engine import open_engine
from sourcebook.service.models import bundled_entries, open_model
from sourcebook.service.settings import load_settings


class NotingEmbedder:
    """Wraps an embedder and notes the texts of documents that it was called for."""

    def __init__(self, inner: Embedder) -> None:
        self.id = inner.id
        self.name = inner.name
        self.dimensions = inner.dimensions
        self.max_tokens = inner.max_tokens
        self.revision = inner.revision
        self.texts: list[str] = []
        self._inner = inner

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Note the texts and pass through."""
        self.texts += texts
        return await self._inner.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        """Pass through."""
        return await self._inner.embed_query(text)

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Pass through."""
        return await self._inner.tokenize(texts)

    async def check(self) -> ServiceHealth:
        """As the wrapped embedder does."""
        return await self._inner.check()


class Workshop:
    """Runs jobs one at a time. Every folder is a book of its own."""

    def __init__(self, jobs: JobLedger, runner: JobRunner, embedder: NotingEmbedder) -> None:
        self.embedder = embedder
        self._jobs = jobs
        self._runner = runner

    async def ingest(self, folder: str) -> IngestJob:
        """Do a job; an error unless all of it was done."""
        await self._jobs.enqueue(JobRequest(book_id=folder, docs_path=folder))
        claimed = await self._jobs.claim(LEASE_S)
        if claimed is None:
            raise RuntimeError("The job is gone")
        await self._runner.run(claimed)
        done = await self._jobs.get(claimed.id)
        if done.status != "completed":
            raise RuntimeError(f"The job ended {done.status}: {done.error}")
        return done


@asynccontextmanager
async def open_workshop(books: Path, data: Path) -> AsyncIterator[Workshop]:
    """For the folders below `books`, with the bundled model; the ledger and index are in `data`."""
    settings = load_settings(data_dir=data, docs_path=books, book_patterns=EVERY_PAGE)
    with own_data_folder(data) as folder:
        async with (
            open_model(settings, bundled_entries()[0], folder) as model,
            open_engine(settings, folder) as engine,
        ):
            embedder = NotingEmbedder(model)
            models = EmbeddingModels([embedder])
            config = book_config(settings, folder)
            book = assemble_book(engine.ledger, engine.store, models, config)
            yield Workshop(engine.ledger.jobs, book.runner, embedder)
