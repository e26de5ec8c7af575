"""Ingestion in this process: everything that the service does, without HTTP."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bench.book_servers import EVERY_PAGE
from sourcebook.core.documents import TokenSpans
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.health import ServiceHealth
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.core.ports import Embedder, JobLedger
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.ingestion.job_runner import LEASE_S, JobRunner
from sourcebook.service.config.data_folder import make_data_folder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.ingestion import assemble_book, book_config
from sourcebook.service.wiring.models import bundled_entries, open_model
from sourcebook.service.wiring.storage import open_storage


class RecordingEmbedder:
    """Wraps an embedder and records the texts that it embeds as documents."""

    def __init__(self, inner: Embedder) -> None:
        self.id = inner.id
        self.name = inner.name
        self.dimensions = inner.dimensions
        self.max_tokens = inner.max_tokens
        self.revision = inner.revision
        self.texts: list[str] = []
        self._inner = inner

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        self.texts += texts
        return await self._inner.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        return await self._inner.embed_query(text)

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        return await self._inner.tokenize(texts)

    async def check(self) -> ServiceHealth:
        return await self._inner.check()


class InProcessIngestion:
    """Runs ingestion jobs one at a time; each folder is a separate book."""

    def __init__(self, jobs: JobLedger, runner: JobRunner, embedder: RecordingEmbedder) -> None:
        self.embedder = embedder
        self._jobs = jobs
        self._runner = runner

    async def ingest(self, folder: str) -> IngestJob:
        """Run a job; an error unless it completes."""
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
async def open_ingestion(books: Path, data: Path) -> AsyncIterator[InProcessIngestion]:
    """Open it for the folders below `books`, with the bundled model and its files in `data`."""
    settings = load_settings(data_dir=data, docs_path=books, book_patterns=EVERY_PAGE)
    folder = make_data_folder(data)
    async with (
        open_model(settings, bundled_entries()[0], folder) as model,
        open_storage(settings, folder) as storage,
    ):
        embedder = RecordingEmbedder(model)
        models = EmbeddingModels([embedder])
        config = book_config(settings, folder)
        book = assemble_book(storage.ledger, storage.store, models, config)
        yield InProcessIngestion(storage.ledger.jobs, book.runner, embedder)
