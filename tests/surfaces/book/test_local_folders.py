"""Who may name a folder outside of the configured ones: an administrator on this machine."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import InvalidInput
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.service.http.app import create_app
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import ClientAddresses, RateLimits
from sourcebook.surfaces.use_cases import UseCases
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import ADMIN, KEY, Library

HERE = "127.0.0.1"
OUTSIDE = "is no folder or file below the configured ones"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A book outside of the configured folders."""
    chapter = tmp_path / "elsewhere" / "module-1-ros2" / "chapter-1-nodes"
    chapter.mkdir(parents=True)
    (chapter / "01-ducks.md").write_text("# Ducks\n\nDucks swim on the pond.\n")
    return tmp_path / "elsewhere"


def client_at(use_cases: UseCases, peer: str, trusted: tuple[str, ...] = ()) -> httpx2.AsyncClient:
    app = create_app(
        use_cases,
        AccessRule(None),
        [],
        admin=AccessRule(KEY.encode()),
        rate_limits=RateLimits(clients=ClientAddresses(trusted)),
    )
    transport = httpx2.ASGITransport(app=app, client=(peer, 50_000))
    return httpx2.AsyncClient(transport=transport, base_url="http://localhost")


@pytest.mark.parametrize("peer", [HERE, "127.8.8.8", "::1", "::ffff:127.0.0.1"])
async def test_an_administrator_on_this_machine_may_name_any_folder_of_it(
    use_cases: UseCases, library: Library, folder: Path, peer: str
) -> None:
    body = {"docs_path": str(folder), "book_id": "ducks"}
    async with client_at(use_cases, peer) as client:
        preview = await client.get("/ingestion/changes", params=body, headers=ADMIN)
        reply = await client.post("/ingestion/trigger", json=body, headers=ADMIN)
        (job,) = await library.work_off()
        found = await client.post("/search", json={"query": "ducks on a pond", "book_id": "ducks"})

    assert (preview.status_code, len(preview.json()["new"])) == (200, 1)
    assert reply.status_code == 202, reply.text
    assert (job.status, job.request.trigger) == ("completed", "local")
    assert found.json()["results"][0]["lesson_title"] == "Ducks"


@pytest.mark.parametrize(
    ("peer", "headers", "trusted"),
    [
        ("192.0.2.1", {}, ()),
        ("10.0.0.2", {}, ()),
        ("", {}, ()),
        (HERE, {"X-Forwarded-For": "203.0.113.5"}, ()),
        (HERE, {"X-Forwarded-For": HERE}, ()),
        (HERE, {"X-Forwarded-Proto": "https"}, ()),
        (HERE, {"Forwarded": "for=127.0.0.1"}, ()),
        (HERE, {"X-Real-IP": HERE}, ()),
        (HERE, {"Via": "1.1 proxy"}, ()),
        (HERE, {}, (HERE,)),
        ("192.0.2.1", {"X-Forwarded-For": HERE}, ("192.0.2.1",)),
    ],
)
async def test_everybody_else_is_bound_to_the_configured_folders(
    use_cases: UseCases,
    ledger: Ledger,
    folder: Path,
    peer: str,
    headers: Mapping[str, str],
    trusted: tuple[str, ...],
) -> None:
    body = {"docs_path": str(folder), "book_id": "ducks"}
    async with client_at(use_cases, peer, trusted) as client:
        reply = await client.post("/ingestion/trigger", json=body, headers={**ADMIN, **headers})
        preview = await client.get("/ingestion/changes", params=body, headers={**ADMIN, **headers})

    assert (reply.status_code, preview.status_code) == (422, 422)
    assert OUTSIDE in reply.json()["detail"]
    assert OUTSIDE in preview.json()["detail"]
    assert await ledger.jobs.recent(1) == []


async def test_without_the_admin_key_nobody_names_a_folder(
    use_cases: UseCases, folder: Path
) -> None:
    async with client_at(use_cases, HERE) as client:
        reply = await client.post("/ingestion/trigger", json={"docs_path": str(folder)})

    assert reply.status_code == 401


async def test_a_folder_that_is_not_there_is_named_in_the_refusal(
    use_cases: UseCases, tmp_path: Path
) -> None:
    async with client_at(use_cases, HERE) as client:
        body = {"docs_path": str(tmp_path / "typo")}
        reply = await client.post("/ingestion/trigger", json=body, headers=ADMIN)

    assert reply.status_code == 422
    assert "typo" in reply.json()["detail"]
    assert "is no folder or file on this machine" in reply.json()["detail"]


async def test_a_job_that_another_machine_may_run_names_no_local_folder(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    folder: Path,
    config: BookConfig,
) -> None:
    parts = assemble_book(ledger, store, models, replace(config, local_folders=False))
    request = JobRequest("ducks", docs_path=str(folder), trigger="local")

    with pytest.raises(InvalidInput, match=OUTSIDE):
        await parts.book_jobs.submit(request)


async def test_the_book_s_own_folder_is_its_own_source_by_any_name(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    folder: Path,
    config: BookConfig,
) -> None:
    parts = assemble_book(ledger, store, models, replace(config, folder=folder))
    book_id = config.rules.book_id
    waiting = await parts.book_jobs.submit(JobRequest(book_id, trigger="webhook"))

    joined = await parts.book_jobs.submit(
        JobRequest(book_id, docs_path=f"{folder}/module-1-ros2/..", trigger="local")
    )

    assert joined.id == waiting.id
    assert joined.request.docs_path is None
