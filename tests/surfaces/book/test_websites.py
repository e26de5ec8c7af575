"""A website is a book: named over HTTP, indexed by a job, and cited by its own addresses."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.providers.outbound.destinations import STRANGER, stranger_policy
from sourcebook.providers.sources.website.options import SiteOptions
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book, book_config
from sourcebook.service.wiring.websites import Websites
from tests import document_files
from tests.books import MemorySource
from tests.converters import our_converters
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import ADMIN, BOOK, Library
from tests.website import LOOPBACK, Website, website

INSTALL = "<h1>Install</h1><p>Wren is installed.</p><h2 id='with-pip'>By pip</h2><p>Run pip.</p>"


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with website() as site:
        site.host = LOOPBACK
        site.page("/guide/install", f"<nav>Menu</nav><main>{INSTALL}</main>")
        site.put("/guide/arm.md", "# The arm\n\nThe arm lifts three kilograms.\n", "text/markdown")
        site.page("/", "<h1>Wren</h1><p>Start here.</p>")
        site.put("/llms.txt", f"# Wren\n\n- [Arm]({site.url}/guide/arm.md)\n", "text/plain")
        site.sitemap("/", "/guide/install", "/guide/arm")
        yield site


@pytest.fixture
def config(config: BookConfig, tmp_path: Path) -> BookConfig:
    options = SiteOptions(requests_per_s=8)
    websites = Websites(options, stranger_policy([LOOPBACK]), tmp_path / "sites")
    return replace(config, websites=websites, conversion=our_converters())


async def test_a_website_is_indexed_and_its_pages_are_cited_by_their_addresses_and_headings(
    client: httpx2.AsyncClient, library: Library, site: Website
) -> None:
    body = {"docs_path": f"{site.url}/", "book_id": "wren"}
    preview = await client.get("/ingestion/changes", params=body, headers=ADMIN)
    reply = await client.post("/ingestion/trigger", json=body, headers=ADMIN)
    (job,) = await library.work_off()
    found = await client.post("/search", json={"query": "installed run pip", "book_id": "wren"})

    changes = preview.json()
    assert changes["new"] == ["guide/arm", "guide/install", "index.html"]
    assert changes["example"]["source_url"] == f"{site.url}/guide/arm"
    assert changes["example"]["text"].startswith("# The arm")
    assert (reply.status_code, job.status, job.warnings) == (202, "completed", ())
    results = found.json()["results"]
    urls = {result["lesson_url"] for result in results}
    assert urls == {f"{site.url}/", f"{site.url}/guide/arm", f"{site.url}/guide/install#with-pip"}
    assert not any("Menu" in result["text"] for result in results)


async def test_a_pdf_of_a_website_is_cited_by_its_address_and_page(
    client: httpx2.AsyncClient, library: Library, site: Website
) -> None:
    manual = document_files.pdf([[(12, "Wren.")], [(12, "The battery lasts six hours.")]])
    site.page("/", "<h1>Wren</h1><a href='/manual.pdf'>Its manual</a>")
    site.put("/manual.pdf", manual, "application/pdf")
    await library.parts.book_jobs.submit(JobRequest("wren", docs_path=f"{site.url}/"))
    (job,) = await library.work_off()
    found = await client.post("/search", json={"query": "battery hours", "book_id": "wren"})

    assert (job.status, job.warnings) == ("completed", ())
    (best, *_) = [one for one in found.json()["results"] if "battery" in one["text"]]
    assert best["source_file"] == "manual.pdf"
    assert best["lesson_url"].startswith(f"{site.url}/manual.pdf#page=")


async def test_a_site_that_did_not_change_is_no_work(library: Library, site: Website) -> None:
    request = JobRequest("wren", docs_path=f"{site.url}/")
    await library.parts.book_jobs.submit(request)
    await library.work_off()
    await library.parts.book_jobs.submit(request)
    (job,) = await library.work_off()

    assert (job.status, job.progress.files_processed) == ("completed", 0)
    assert job.progress.files_skipped == 3


async def test_two_books_of_one_site_have_pages_of_their_own(
    library: Library, site: Website
) -> None:
    await library.parts.book_jobs.submit(JobRequest("wren", docs_path=f"{site.url}/"))
    await library.work_off()
    small = JobRequest("small", docs_path=f"{site.url}/#max_pages=1&requests_per_s=8")
    await library.parts.book_jobs.submit(small)
    jobs = await library.work_off()

    assert [job.progress.files_found for job in jobs if job.request.book_id == "small"] == [1]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://user:secret@docs.example/", "credentials"),
        ("https://docs.example/#max_pages=0", "from 1 to 50000"),
        ("https://docs.example/#selector=main[[", "it is not CSS"),
        ("https://docs.example/#pdfs=maybe", "use true or false"),
        ("https://", "no host"),
    ],
)
async def test_an_address_that_cannot_be_read_is_refused_before_a_job_is_made(
    client: httpx2.AsyncClient, library: Library, address: str, reason: str
) -> None:
    body = {"docs_path": address, "book_id": "wren"}
    reply = await client.post("/ingestion/trigger", json=body, headers=ADMIN)

    assert reply.status_code == 422
    assert reason in reply.json()["detail"]
    assert "secret" not in reply.text
    assert await library.work_off() == []


async def test_a_job_for_a_private_site_fails_with_the_setting_that_allows_it(
    config: BookConfig,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    site: Website,
) -> None:
    assert config.websites is not None
    strict = replace(config, websites=replace(config.websites, policy=STRANGER))
    parts = assemble_book(ledger, store, models, strict)
    await parts.book_jobs.submit(JobRequest("wren", docs_path=site.url))
    (job,) = await Library(MemorySource(), parts, ledger).work_off()

    assert job.status == "failed"
    assert "Add the host to SOURCEBOOK_ALLOWED_PRIVATE_HOSTS" in (job.error or "")
    assert site.asked == []


def test_the_book_of_the_settings_may_be_a_website(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, docs_site="https://docs.example", book_id=BOOK)
    config = book_config(settings, DataFolder(tmp_path))

    assert config.rules.has_source
    assert config.site == "https://docs.example"
    assert config.reconcile_every_s == 24 * 3_600
