"""Which books answer when nobody names one: all, and the sample only while there is no other."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.library import Book
from sourcebook.search.default_books import SAMPLE_BOOK_ID, DefaultBooks
from sourcebook.service.wiring.ingestion import BookConfig, BookParts, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.api_keys import Grant
from sourcebook.surfaces.links import Links
from sourcebook.surfaces.mcp.caller import Caller
from sourcebook.surfaces.mcp.tools import read_lesson
from sourcebook.surfaces.use_cases import BookRules, UseCases
from tests.books import MemorySource
from tests.conftest import open_client
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import ADMIN, KEY

OWN = "book"
DUCKS = "module-1-birds/chapter-1-water/01-ducks.md"
SWIM = "Ducks swim on the pond with their webbed feet."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own" / DUCKS).parent.mkdir(parents=True)
    (tmp_path / "own" / DUCKS).write_text(f"# Ducks\n\n{SWIM}\n")
    return tmp_path / "own"


@pytest.fixture
def parts(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> BookParts:
    """A service that nobody told where a book is, as `quickstart` without DOCS_PATH is."""
    return assemble_book(ledger, store, models, BookConfig())


@pytest.fixture
def use_cases(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, parts: BookParts
) -> UseCases:
    return build_use_cases(Storage(ledger, store), models, reranker=None, book=parts)


@pytest.fixture
async def client(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases, admin=KEY.encode()) as client:
        yield client


async def run_next(ledger: Ledger, parts: BookParts) -> IngestJob:
    job = await ledger.jobs.claim(lease_s=30.0)
    assert job is not None
    await parts.runner.run(job)
    return await ledger.jobs.get(job.id)


async def index_sample(ledger: Ledger, parts: BookParts) -> None:
    await parts.book_jobs.submit(JobRequest(SAMPLE_BOOK_ID))
    assert (await run_next(ledger, parts)).status == "completed"


async def answering_books(client: httpx2.AsyncClient, use_cases: UseCases) -> set[str]:
    """The books that a search, /info, a chat and the library take without a book id."""
    found = (await client.post("/search", json={"query": "ducks that swim on a pond"})).json()
    info = (await client.get("/info")).json()
    chat = (await client.post("/chat", json={"query": SWIM})).json()
    chunks = await Book(use_cases).search("ducks that swim")
    cited = {source["source_file"] == DUCKS for source in chat["sources"]}
    return {
        found["book_id"],
        info["book_id"],
        *(OWN if own else SAMPLE_BOOK_ID for own in cited),
        *(OWN if chunk.source_file == DUCKS else SAMPLE_BOOK_ID for chunk in chunks),
    }


async def test_the_sample_answers_until_there_is_an_own_book(
    client: httpx2.AsyncClient,
    use_cases: UseCases,
    ledger: Ledger,
    parts: BookParts,
    folder: Path,
) -> None:
    await index_sample(ledger, parts)
    before = await answering_books(client, use_cases)

    body = {"docs_path": str(folder)}
    reply = await client.post("/ingestion/trigger", json=body, headers=ADMIN)
    job = await run_next(ledger, parts)
    after = await answering_books(client, use_cases)
    named = {"query": "Wren's knee", "book_id": SAMPLE_BOOK_ID}
    sample = (await client.post("/search", json=named)).json()

    assert before == {SAMPLE_BOOK_ID}
    assert (reply.status_code, job.status, job.request.book_id) == (202, "completed", OWN)
    assert after == {OWN}
    assert sample["results"]


async def test_the_sample_answers_again_when_the_own_book_is_gone(
    client: httpx2.AsyncClient, use_cases: UseCases, ledger: Ledger, parts: BookParts, folder: Path
) -> None:
    await index_sample(ledger, parts)
    await parts.book_jobs.submit(JobRequest(OWN, docs_path=str(folder), trigger="local"))
    await run_next(ledger, parts)
    assert await answering_books(client, use_cases) == {OWN}
    collection = await ledger.collections.get("book")
    (own,) = [header.id for header in await parts.book_collection.headers(collection, OWN)]

    await ledger.documents.delete(collection.id, [own])

    assert await answering_books(client, use_cases) == {SAMPLE_BOOK_ID}


async def test_where_a_book_is_configured_the_sample_never_stands_in_for_it(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, parts: BookParts
) -> None:
    await index_sample(ledger, parts)
    configured = assemble_book(ledger, store, models, BookConfig(source=MemorySource()))

    assert await parts.default_books.ids() == (SAMPLE_BOOK_ID,)
    assert await configured.default_books.ids() == (OWN,)


async def test_without_any_book_the_own_one_is_meant(ledger: Ledger, parts: BookParts) -> None:
    assert await parts.default_books.ids() == (OWN,)


class CountingDocuments:
    """Counts how often documents are asked for."""

    def __init__(self, ledger: Ledger) -> None:
        self.asked = 0
        self.collections, self.books = ledger.collections, ledger.books
        self._documents = ledger.documents

    @property
    def documents(self) -> "CountingDocuments":
        return self

    async def headers(self, *arguments: object, **named: object) -> object:
        self.asked += 1
        return await self._documents.headers(*arguments, **named)  # type: ignore[arg-type]


async def test_the_choice_is_kept_until_something_is_written(
    ledger: Ledger, parts: BookParts
) -> None:
    await index_sample(ledger, parts)
    counting = CountingDocuments(ledger)
    default = DefaultBooks(counting, "book", OWN, SAMPLE_BOOK_ID)  # type: ignore[arg-type]

    first = [await default.ids() for _ in range(3)]
    asked = counting.asked
    await index_sample(ledger, parts)  # unchanged: writes nothing
    again = await default.ids()

    assert {*first, again} == {(SAMPLE_BOOK_ID,)}
    assert (asked, counting.asked) == (2, 2)


async def index_folder(ledger: Ledger, parts: BookParts, book_id: str, folder: Path) -> None:
    request = JobRequest(book_id, docs_path=str(folder), trigger="local")
    await parts.book_jobs.submit(request)
    assert (await run_next(ledger, parts)).status == "completed"


async def test_the_sample_is_never_asked_together_with_other_books(
    ledger: Ledger, parts: BookParts, folder: Path
) -> None:
    await index_sample(ledger, parts)
    for book_id in ("ducks", "birds"):
        await index_folder(ledger, parts, book_id, folder)

    assert await parts.default_books.ids() == ("birds", "ducks")
    assert await parts.default_books.ids_for(None) == ("birds", "ducks")
    assert await parts.default_books.ids_for((SAMPLE_BOOK_ID,)) == (SAMPLE_BOOK_ID,)


async def test_the_own_book_comes_first_and_alone_where_it_is_told(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, parts: BookParts, folder: Path
) -> None:
    for book_id in ("birds", OWN):
        await index_folder(ledger, parts, book_id, folder)
    told = assemble_book(
        ledger, store, models, BookConfig(rules=BookRules("birds", alone=True), listed=False)
    )

    assert await parts.default_books.ids() == (OWN, "birds")
    assert await told.default_books.ids() == await told.default_books.ids_for(None) == ("birds",)
    # A key's own books count, also where the told one is none of them.
    assert await told.default_books.ids_for((OWN,)) == (OWN,)


async def test_unlisted_books_are_never_asked_without_a_name(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, folder: Path
) -> None:
    parts = assemble_book(ledger, store, models, BookConfig(listed=False))
    await index_folder(ledger, parts, "birds", folder)
    alone = await parts.default_books.ids()
    await index_folder(ledger, parts, "ducks", folder)

    assert alone == await parts.default_books.ids() == (OWN,)
    assert await parts.default_books.ids_for(None) == ("birds", "ducks")


async def test_an_agent_is_told_which_books_have_a_lesson_of_one_path(
    ledger: Ledger, use_cases: UseCases, parts: BookParts, folder: Path
) -> None:
    for book_id in ("birds", "ducks"):
        await index_folder(ledger, parts, book_id, folder)
    caller = Caller(None, use_cases, Grant(), Links("http://localhost"))
    bound = Caller(None, use_cases, Grant(books=("ducks", "geese")), Links("http://localhost"))

    with pytest.raises(InvalidInput, match=r"several books: \['birds', 'ducks'\]; name one"):
        await read_lesson(caller, DUCKS, 0, None)
    assert (await read_lesson(caller, DUCKS, 0, "birds")).metadata.book == "birds"
    assert (await read_lesson(bound, DUCKS, 0, None)).metadata.book == "ducks"
    with pytest.raises(NotFound):
        await read_lesson(bound, DUCKS, 0, "birds")
