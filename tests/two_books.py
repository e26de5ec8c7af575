"""Two small indexed books behind an app: what a key may read of them is the question."""

from collections.abc import Mapping, Sequence

import httpx2
from fastapi import FastAPI

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.ingestion.identity import lesson_id
from sourcebook.service.http.app import create_app
from sourcebook.service.wiring.ingestion import BookConfig, BookParts, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.admin_key import AccessRule, key_digest
from sourcebook.surfaces.api_keys import ApiKey, ApiKeyRule, Grant
from sourcebook.surfaces.rate_limits import RateLimit, RateLimits
from sourcebook.surfaces.use_cases import BookRules, UseCases
from tests.app_transport import AppTransport
from tests.books import MemorySource
from tests.fakes import FakeReranker

ROBOTS, COOKING = "robots", "cooking"
NODES, ARM, BREAD = "nodes.md", "arm.md", "bread.md"
NODES_ID, ARM_ID = lesson_id(ROBOTS, NODES), lesson_id(ROBOTS, ARM)
NODE = "A node is one process of a robot."
WEIGHT = "The arm of the robot weighs twelve kilograms."
DOUGH = "The dough of the bread rests for two hours."
FILES: Mapping[str, Mapping[str, str]] = {
    ROBOTS: {
        NODES: f"---\ntitle: Nodes\nhardware_tier: 1\n---\n\n# Nodes\n\n{NODE}\n",
        ARM: f"---\ntitle: The arm\nhardware_tier: 4\n---\n\n# The arm\n\n{WEIGHT}\n",
    },
    COOKING: {BREAD: f"---\ntitle: Bread\n---\n\n# Bread\n\n{DOUGH}\n"},
}

EVERYTHING_KEY, KIOSK_KEY = "a-key-for-everything", "a-key-for-the-kiosk"
KEYS: Mapping[str, Grant] = {
    EVERYTHING_KEY: Grant("anna"),
    KIOSK_KEY: Grant("kiosk", books=(ROBOTS,), tier=1),
}


async def two_books(
    ledger: Ledger,
    store: VectorStore,
    models: EmbeddingModels,
    *,
    alone: bool = True,
    listed: bool = True,
) -> UseCases:
    """The use cases over both books; `robots` is the service's own, and `alone` with BOOK_ID."""
    parts = {}
    for book_id, files in FILES.items():
        config = BookConfig(
            rules=BookRules(book_id, alone=alone),
            listed=listed,
            source=MemorySource({path: text.encode() for path, text in files.items()}),
        )
        parts[book_id] = assemble_book(ledger, store, models, config)
        await _index(ledger, parts[book_id], book_id)
    return build_use_cases(Storage(ledger, store), models, FakeReranker(), parts[ROBOTS])


async def _index(ledger: Ledger, parts: BookParts, book_id: str) -> None:
    await parts.book_jobs.submit(JobRequest(book_id))
    while (job := await ledger.jobs.claim(lease_s=30.0)) is not None:
        await parts.runner.run(job)
        assert (await ledger.jobs.get(job.id)).status == "completed"


def keyed_app(
    use_cases: UseCases,
    *,
    required: bool = False,
    lists_sources: bool = True,
    lists_books: bool = True,
) -> FastAPI:
    """An app that knows both keys."""
    keys: Sequence[ApiKey] = [
        ApiKey(key_digest(key.encode()), grant) for key, grant in KEYS.items()
    ]
    return create_app(
        use_cases,
        AccessRule(None),
        [],
        api_keys=ApiKeyRule(keys, required=required),
        lists_sources=lists_sources,
        lists_books=lists_books,
        rate_limits=RateLimits(chats=RateLimit(0)),
    )


def streaming_client(app: FastAPI, key: str | None = None) -> httpx2.AsyncClient:
    """A client that gets streams piece by piece."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx2.AsyncClient(
        transport=AppTransport(app), base_url="http://localhost", headers=headers
    )
