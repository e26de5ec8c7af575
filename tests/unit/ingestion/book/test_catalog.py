"""Deleting a book: in batches, beside other books, and after an interruption."""

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, NotFound, RetrievalUnavailable
from sourcebook.core.jobs import Fence, JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.book import catalog as module
from sourcebook.ingestion.book.catalog import BookCatalog
from sourcebook.ingestion.upkeep.sweeper import Sweeper
from sourcebook.providers.storage.ledger.documents import SqlDocuments
from tests.books import BOOK, BookWorld, lesson_text
from tests.memory_store import MemoryStore

OTHER = "rovers"
FILES = 7


@pytest.fixture
async def world(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> BookWorld:
    """Two books in one collection."""
    world = BookWorld(ledger, store, models)
    for number in range(FILES):
        path = f"module-1-ros2/chapter-1-nodes/{number:02}-lesson.md"
        world.source.write(path, lesson_text(f"Lesson {number}", "Arms", "Legs"))
    await world.ingest()
    await world.ingest(book_id=OTHER)
    return world


@pytest.fixture
def books(world: BookWorld) -> BookCatalog:
    return BookCatalog(world.ledger, world.collection_name)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DELETE_BATCH", 2)


async def test_other_books_stay(world: BookWorld, books: BookCatalog) -> None:
    deleted = await books.delete(BOOK)

    assert (deleted.files, deleted.chunks) == (FILES, 2 * FILES)
    assert await world.paths(BOOK) == set()
    assert len(await world.paths(OTHER)) == FILES
    assert [book.id for book in await books.all()] == [OTHER]


async def test_readers_who_began_before_read_on(world: BookWorld, books: BookCatalog) -> None:
    before = await world.collection()
    whole = await world.lesson("module-1-ros2/chapter-1-nodes/00-lesson.md")
    assert whole is not None
    points = await world.store.count(before.generation.index_id)

    await books.delete(BOOK)

    # Their points stay for a grace period; then they are swept.
    assert await world.store.count(before.generation.index_id) == points
    await Sweeper(world.ledger, world.store).sweep_all()
    assert await world.store.count(before.generation.index_id) == points // 2


async def test_an_interrupted_deletion_leaves_whole_documents_and_can_be_repeated(
    world: BookWorld, books: BookCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    delete = SqlDocuments.delete

    async def failing(
        self: SqlDocuments, collection_id: str, ids: list[str], fence: Fence | None = None
    ) -> int:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise RetrievalUnavailable("The process ends here")
        return await delete(self, collection_id, ids, fence)

    monkeypatch.setattr(SqlDocuments, "delete", failing)
    with pytest.raises(RetrievalUnavailable):
        await books.delete(BOOK)

    left = await books.get(BOOK)
    assert (left.files, left.chunks) == (FILES - 4, 2 * (FILES - 4))
    assert (await books.delete(BOOK)).files == FILES - 4
    with pytest.raises(NotFound):
        await books.get(BOOK)


async def test_a_job_that_begins_meanwhile_stops_the_deletion(
    world: BookWorld, books: BookCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete = SqlDocuments.delete

    async def triggering(
        self: SqlDocuments, collection_id: str, ids: list[str], fence: Fence | None = None
    ) -> int:
        await world.ledger.jobs.enqueue(JobRequest(BOOK))
        return await delete(self, collection_id, ids, fence)

    monkeypatch.setattr(SqlDocuments, "delete", triggering)

    with pytest.raises(Conflict, match="is queued"):
        await books.delete(BOOK)

    assert (await books.get(BOOK)).files == FILES - 2


async def test_a_book_of_another_collection_is_not_known(world: BookWorld) -> None:
    with pytest.raises(NotFound, match=r"Book 'robots' not found. Indexed: \[\]"):
        await BookCatalog(world.ledger, "elsewhere").get("robots")
