"""An indexed book behind HTTP: everything real but the files and the models."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import BookRules, UseCases, WebhookRules
from tests.books import GAZEBO, MemorySource
from tests.conftest import open_client
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import BASE_URL, BOOK, KEY, LESSONS, SECRET, Library


@pytest.fixture
def config(tmp_path: Path) -> BookConfig:
    roots = tmp_path / "books"
    roots.mkdir()
    return BookConfig(
        rules=BookRules(BOOK, BASE_URL, WebhookRules(SECRET), alone=True),
        source=MemorySource({path: text.encode() for path, text in LESSONS.items()}),
        roots=(roots,),
        layout=GAZEBO,
    )


@pytest.fixture
async def library(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, config: BookConfig
) -> Library:
    parts = assemble_book(ledger, store, models, config)
    assert isinstance(config.source, MemorySource)
    return Library(config.source, parts, ledger)


@pytest.fixture
def use_cases(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, library: Library
) -> UseCases:
    return build_use_cases(Storage(ledger, store), models, reranker=None, book=library.parts)


@pytest.fixture
async def indexed(library: Library) -> Library:
    await library.parts.book_jobs.submit(JobRequest(BOOK))
    (job,) = await library.work_off()
    assert (job.status, job.warnings) == ("completed", ())
    return library


@pytest.fixture
async def client(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases, admin=KEY.encode()) as client:
        yield client


@pytest.fixture
async def deaf(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    """A service that no webhook was configured for."""
    rules = replace(use_cases.book_rules, webhook=None)
    async with open_client(replace(use_cases, book_rules=rules), admin=KEY.encode()) as client:
        yield client


@pytest.fixture
def use_cases_without_a_book(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> UseCases:
    return build_use_cases(Storage(ledger, store), models, reranker=None)
