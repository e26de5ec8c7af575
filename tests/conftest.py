"""Fixtures that most tests build on: a real ledger, an in-memory index, fake models."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from hypothesis import settings

from sourcebook.answering import evidence_judge
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.search import searcher
from sourcebook.service.config.settings import PLATFORM_PORT, Settings
from sourcebook.service.http.app import create_app
from sourcebook.service.logging import StandardError
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeClock, FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.memory_folder import keep_test_folders_in_memory, memory_folder
from tests.memory_store import MemoryStore
from tests.postgres import postgres_server, spare_the_disk
from tests.shared_certificates import share_certificates
from tests.skips import pytest_configure  # noqa: F401 - a hook
from tests.statement_cache import share_statements

keep_test_folders_in_memory()
# A machine that has much to do makes no example wrong.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")


def pytest_collection_finish() -> None:
    """Leave out of every later garbage collection what collecting the tests has made."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests must not see the environment or the `.env` of whoever runs them."""
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.validation_alias), raising=False)
    for name in ("SOURCEBOOK_CONFIG", PLATFORM_PORT):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session", autouse=True)
def _questions_have_time() -> None:
    """On a machine full of tests, reading and spelling may take longer than a question waits."""
    evidence_judge.READING_TIMEOUT_S = 60.0
    searcher.SPELLING_TIMEOUT_S = 60.0


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """A command that runs in this process sets up logging; the next test must not see that."""
    root = logging.getLogger()
    level = root.level
    yield
    root.setLevel(level)
    root.handlers[:] = [one for one in root.handlers if not isinstance(one, StandardError)]


@pytest.fixture(scope="session", autouse=True)
def _made_once_for_all_tests() -> None:
    share_statements()
    share_certificates()


@contextmanager
def _folder_for_postgres() -> Iterator[Path]:
    # Not below pytest's own folder: the next pytest closes that to the user Postgres runs as.
    with memory_folder() as folder:
        yield folder


@pytest.fixture
def postgres_folder() -> Iterator[Path]:
    """For a test that starts and stops a Postgres of its own."""
    with _folder_for_postgres() as folder:
        yield folder


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with _folder_for_postgres() as folder, postgres_server(folder) as url:
        # On a thread of its own: an async fixture may ask for the server.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, spare_the_disk(url)).result()
        yield url


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder that is quick to write to."""
    with memory_folder() as folder:
        yield folder


@pytest.fixture
async def ledger(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Ledger]:
    async with open_copied_ledger(tmp_path / "ledger.db", now_s=clock) as ledger:
        yield ledger


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder("minilm")


@pytest.fixture
def models(embedder: FakeEmbedder) -> EmbeddingModels:
    return EmbeddingModels([embedder, FakeEmbedder("mxbai-large", dimensions=96, revision="big")])


@pytest.fixture
def use_cases(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> UseCases:
    return build_use_cases(Storage(ledger, store), models, reranker=None)


@pytest.fixture
async def client(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases) as client:
        yield client


def open_client(
    use_cases: UseCases, key: bytes | None = None, admin: bytes | None = None
) -> httpx2.AsyncClient:
    """A client of an app around these use cases. A crash inside shows as a 500, as it would.

    `key` guards writes, `admin` administration: without one, nobody can administer.
    """
    app = create_app(
        use_cases,
        AccessRule(key),
        origins=["http://localhost:3000"],
        admin=None if admin is None else AccessRule(admin),
    )
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    return httpx2.AsyncClient(transport=transport, base_url="http://localhost")
