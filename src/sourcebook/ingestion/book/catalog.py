"""The books that are indexed: lists, describes and deletes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sourcebook.core.book_source import OTHER_PATHS, FileProblem
from sourcebook.core.books import KeptLayout
from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentGroup, DocumentHeader
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.filters import Filter, OneOf
from sourcebook.core.jobs import IngestJob, Progress
from sourcebook.core.ports import Ledger
from sourcebook.core.self_tests import SelfTest
from sourcebook.core.text import shorten
from sourcebook.ingestion.identity import lesson_id

BOOK_FIELD, PATH_FIELD = "book_id", "source_file"
# One of a book's jobs may wait and one may run, so one of these has ended, if any has.
LATEST_JOBS = 3
# So many documents go in one commit: others can write in between.
DELETE_BATCH = 200
MAX_LISTED_NAMES = 20


@dataclass(frozen=True, slots=True)
class IndexedBook:
    """What is indexed of a book, the layout of its files, its latest jobs, newest first.

    A list of books leaves out their self-tests.
    """

    id: str
    files: int = 0
    chunks: int = 0
    bytes: int = 0
    updated_at_s: float | None = None
    layout: KeptLayout | None = None
    jobs: tuple[IngestJob, ...] = ()
    self_test: SelfTest | None = None

    @property
    def latest_job(self) -> IngestJob | None:
        return next(iter(self.jobs), None)

    @property
    def latest_report(self) -> Progress:
        """What the latest job that has ended counted."""
        return next((job.progress for job in self.jobs if job.finished), Progress())

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """What the latest job that has ended warned about; of very many, the first."""
        return next((job.warnings for job in self.jobs if job.finished), ())

    @property
    def problem_count(self) -> int:
        """How many problems there are, also those that no job lists."""
        return max(self.latest_report.warning_count, len(self.problems))


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file of a book; without a header nothing of it is indexed. `problems` are messages."""

    path: str
    header: DocumentHeader | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePage:
    """A slice of a book's files, and how many there are in all."""

    files: tuple[IndexedFile, ...]
    total: int


class BookCatalog:
    """Knows the books by what the ledger holds of them."""

    def __init__(self, ledger: Ledger, collection_name: str) -> None:
        self._ledger = ledger
        self._name = collection_name

    async def all(self) -> list[IndexedBook]:
        """Return every book of which something is indexed, kept or under way, by id."""
        groups = {group.value: group for group in await self._groups()}
        layouts = {kept.book_id: kept for kept in await self._ledger.books.all(self._name)}
        waiting = {job.request.book_id for job in await self._ledger.jobs.unfinished()}
        ids = sorted(groups.keys() | layouts.keys() | waiting)
        return [await self._book(id_, groups.get(id_), layouts.get(id_)) for id_ in ids]

    async def get(self, book_id: str) -> IndexedBook:
        """Return the book of that id; NotFound lists the others."""
        group = next(iter(await self._groups(book_id)), None)
        layout = await self._ledger.books.get(self._name, book_id)
        known_of = group or layout or await self._ledger.jobs.unfinished(book_id)
        if not known_of:
            known = [book.id for book in await self.all()]
            listed = f"{known[:MAX_LISTED_NAMES]}{' …' if len(known) > MAX_LISTED_NAMES else ''}"
            raise NotFound(f"Book {shorten(book_id, 60)!r} not found. Indexed: {listed}")
        book = await self._book(book_id, group, layout)
        return replace(book, self_test=await self._ledger.self_tests.get(self._name, book_id))

    async def files(
        self, book_id: str, limit: int, offset: int, *, problems_only: bool = False
    ) -> FilePage:
        """Return files by path, those first of which nothing is indexed."""
        book, collection = await self.get(book_id), await self._collection()
        messages = _messages(book.problems)
        known = await self._headers(collection, book_id, list(messages))
        troubled = [IndexedFile(path, known.get(path), messages[path]) for path in sorted(messages)]
        if problems_only:
            return FilePage(tuple(troubled[offset : offset + limit]), len(troubled))
        absent = [file for file in troubled if file.header is None]
        page = absent[offset : offset + limit]
        if collection is not None and len(page) < limit:
            headers = await self._ledger.documents.headers_by(
                collection.id,
                _of_book(book_id),
                PATH_FIELD,
                limit - len(page),
                max(0, offset - len(absent)),
            )
            page += [_file(header, messages) for header in headers]
        return FilePage(tuple(page), len(absent) + book.files)

    async def delete(self, book_id: str) -> IndexedBook:
        """Delete the documents and the layout of a book; return what there was.

        Conflict if a job of the book has not ended. The documents go in batches, each in one
        step, so that an interrupted deletion leaves whole documents and can be repeated.
        """
        book = await self.get(book_id)
        await self._check_idle(book_id)
        while (collection := await self._collection()) is not None:
            headers = await self._ledger.documents.headers(
                collection.id, _of_book(book_id), DELETE_BATCH
            )
            if not headers:
                break
            # A job may have begun meanwhile, which would index again what is deleted here.
            await self._check_idle(book_id)
            await self._ledger.documents.delete(collection.id, [header.id for header in headers])
        await self._ledger.books.delete(self._name, book_id)
        return book

    async def _check_idle(self, book_id: str) -> None:
        for job in await self._ledger.jobs.unfinished(book_id):
            raise Conflict(
                f"Job {job.id} of book {shorten(book_id, 60)!r} is {job.status}: wait for its end,"
                f" or cancel it with POST /ingestion/cancel/{job.id}. One that was interrupted"
                " goes on when the service or `sourcebook ingest` runs again"
            )

    async def _groups(self, book_id: str | None = None) -> list[DocumentGroup]:
        collection = await self._collection()
        if collection is None:
            return []
        return await self._ledger.documents.groups(collection.id, BOOK_FIELD, book_id)

    async def _book(
        self, book_id: str, group: DocumentGroup | None, layout: KeptLayout | None
    ) -> IndexedBook:
        jobs = tuple(await self._ledger.jobs.recent(LATEST_JOBS, book_id))
        if group is None:
            return IndexedBook(book_id, layout=layout, jobs=jobs)
        return IndexedBook(
            book_id, group.documents, group.chunks, group.bytes, group.updated_at_s, layout, jobs
        )

    async def _headers(
        self, collection: Collection | None, book_id: str, paths: Sequence[str]
    ) -> dict[str, DocumentHeader]:
        """Return the documents of these paths, by path."""
        if collection is None:
            return {}
        ids = {lesson_id(book_id, path): path for path in paths}
        found = await self._ledger.documents.headers_of(collection.id, list(ids))
        return {ids[id_]: header for id_, header in found.items()}

    async def _collection(self) -> Collection | None:
        try:
            return await self._ledger.collections.get(self._name)
        except NotFound:
            return None


def _of_book(book_id: str) -> Filter:
    return OneOf(BOOK_FIELD, (book_id,))


def _messages(problems: Sequence[FileProblem]) -> dict[str, tuple[str, ...]]:
    by_path: dict[str, tuple[str, ...]] = {}
    for problem in (one for one in problems if one.path != OTHER_PATHS):
        by_path[problem.path] = (*by_path.get(problem.path, ()), problem.message)
    return by_path


def _file(header: DocumentHeader, messages: Mapping[str, tuple[str, ...]]) -> IndexedFile:
    path = header.metadata.get(PATH_FIELD)
    name = path if isinstance(path, str) else header.id
    return IndexedFile(name, header, messages.get(name, ()))
