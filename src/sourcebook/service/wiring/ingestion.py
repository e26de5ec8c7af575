"""Wires the use cases that fill the index: the book, posted documents, and reindexing."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from sourcebook.core.book_source import BookSource
from sourcebook.core.collections import Collection
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ConfigurationError, InvalidInput, SourceUnavailable
from sourcebook.core.filters import EVERYTHING, OneOf
from sourcebook.core.hardware_tiers import MIN_TIER
from sourcebook.core.jobs import IngestJob, JobRequest, Outcome, Trigger
from sourcebook.core.lesson_links import lesson_url
from sourcebook.core.meters import Meter
from sourcebook.core.ports import FileConversion, Ledger, VectorStore
from sourcebook.core.text import shorten
from sourcebook.core.uploads import PagePictures
from sourcebook.core.vectors import Vector
from sourcebook.ingestion.book.collection import BookCollection
from sourcebook.ingestion.book.jobs import BookJobs
from sourcebook.ingestion.book.layout_choice import LayoutSettings, check_patterns
from sourcebook.ingestion.book.run import BookRun
from sourcebook.ingestion.book.uploads import BookUploads
from sourcebook.ingestion.job_runner import JobHandler, JobReport, JobRunner
from sourcebook.ingestion.lazy_collection import LazyCollection
from sourcebook.ingestion.posted.bulk_import import BulkImportRun, BulkImports
from sourcebook.ingestion.posted.inbox import Inbox
from sourcebook.ingestion.reindex.jobs import ReindexJobs
from sourcebook.ingestion.reindex.run import ReindexRun
from sourcebook.ingestion.self_test.run import MAX_PROBES, SelfTestedRun, SelfTester
from sourcebook.providers.free_memory import release_free_memory
from sourcebook.providers.sources.git.url import parse_git_url
from sourcebook.providers.sources.uploads import UploadFolder
from sourcebook.providers.sources.website.options import is_web_address
from sourcebook.search.default_books import SAMPLE_BOOK_ID, DefaultBooks
from sourcebook.search.live_index import LiveIndex
from sourcebook.search.searcher import Searcher
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.conversion import wire_conversion, wire_page_pictures
from sourcebook.service.wiring.websites import Websites
from sourcebook.surfaces.use_cases import BookRules, WebhookRules

DEFAULT_DOCUMENTS_COLLECTION = "documents"
_DOCUMENTS_METADATA = {"description": "Documents that were posted to /api/rag/ingest"}
_BOOK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True)
class BookConfig:
    """What the settings say about the book.

    `folder` is the book's own, if it comes from one. Requests may name folders below `roots`, and
    with `local_folders` any folder, if they come from this machine. They may name any website that
    `websites` can reach; `site` is the book's own, if it comes from one. Unless books are `listed`,
    visitors' questions go to those alone that they know of.
    """

    rules: BookRules = field(default_factory=lambda: BookRules(book_id="book"))
    source: BookSource | None = None
    folder: Path | None = None
    roots: tuple[Path, ...] = ()
    local_folders: bool = True
    site: str | None = None
    websites: Websites | None = None
    layout: LayoutSettings = field(default_factory=LayoutSettings)
    unreadable_tier: int = MIN_TIER
    collection: str = "book"
    conversion: FileConversion | None = None
    uploads: UploadFolder | None = None
    page_pictures: PagePictures | None = None
    reconcile_every_s: float = 0.0
    max_probes: int = MAX_PROBES
    listed: bool = True


@dataclass(frozen=True, slots=True)
class BookParts:
    """The use cases of the book, and the runner of its jobs."""

    rules: BookRules
    collection: str
    default_books: DefaultBooks
    book_jobs: BookJobs
    book_collection: BookCollection
    runner: JobRunner
    uploads: BookUploads


def book_config(settings: Settings, folder: DataFolder) -> BookConfig:
    """Read the settings; ConfigurationError if they contradict each other."""
    if not _BOOK_ID.fullmatch(settings.book_id):
        raise ConfigurationError(
            f"BOOK_ID {shorten(settings.book_id, 60)!r} is not valid: use letters, digits, dots,"
            " dashes and underscores"
        )
    lesson_url(settings.frontend_base_url, "")  # refuses what is no web address
    conversion = wire_conversion(settings)
    websites = Websites.of(settings, folder)
    source = _source(settings, folder, conversion, websites)
    has_source = source is not None
    return BookConfig(
        rules=BookRules(
            settings.book_id,
            settings.frontend_base_url,
            _webhook_rules(settings),
            has_source,
            alone=settings.book_id_told,
        ),
        source=source,
        folder=None if settings.docs_path is None else _resolved(settings.docs_path),
        roots=_roots(settings),
        site=settings.docs_site,
        websites=websites,
        layout=LayoutSettings(
            settings.book_patterns, settings.book_exclude, settings.module_aliases
        ),
        unreadable_tier=settings.unreadable_tier,
        collection=settings.book_collection,
        conversion=conversion,
        uploads=UploadFolder(folder.uploads),
        page_pictures=wire_page_pictures(settings),
        reconcile_every_s=_reconcile_every_s(settings),
        max_probes=settings.max_probes,
    )


def _reconcile_every_s(settings: Settings) -> float:
    # Asking a website for hundreds of pages every few minutes would be a nuisance.
    if settings.docs_site is not None and settings.reconcile_minutes:
        return settings.site_refresh_hours * 3_600
    return settings.reconcile_minutes * 60


def _webhook_rules(settings: Settings) -> WebhookRules | None:
    secret = settings.github_webhook_secret
    if secret is None:
        return None
    repository = settings.github_webhook_repository
    if repository is None and settings.docs_repository is not None:
        repository = parse_git_url(settings.docs_repository.get_secret_value()).full_name
    return WebhookRules(secret.get_secret_value().encode(), settings.docs_branch, repository)


def assemble_book(
    ledger: Ledger,
    store: VectorStore,
    models: EmbeddingModels,
    config: BookConfig,
    meter: Meter | None = None,
    *,
    searcher: Searcher | None = None,
) -> BookParts:
    """Build the use cases of the book. Its self-tests ask `searcher`; without one it has none."""
    sources = _Sources(config)
    book_collection = BookCollection(ledger, store, models, config.collection)
    book_run = BookRun(
        ledger,
        store,
        book_collection,
        sources,
        config.layout,
        conversion=config.conversion,
        unreadable_tier=config.unreadable_tier,
    )
    tested_run = _self_tested(book_run, ledger, searcher, config)
    runner = JobRunner(ledger.jobs, MemoryReleasingRun(tested_run), "book", meter)
    book_jobs = BookJobs(ledger.jobs, book_run, sources.accept, runner.wake)
    # Somebody who says where the own book is does not mean the sample, also while it is empty.
    sample_id = SAMPLE_BOOK_ID if config.source is None else None
    default_books = DefaultBooks(
        ledger,
        config.collection,
        config.rules.book_id,
        sample_id,
        alone=config.rules.alone,
        listed=config.listed,
    )
    uploads = BookUploads(
        config.uploads,
        book_jobs,
        ledger.books,
        config.collection,
        configured=None if config.source is None else config.rules.book_id,
        pictures=config.page_pictures,
    )
    return BookParts(
        config.rules, config.collection, default_books, book_jobs, book_collection, runner, uploads
    )


def _self_tested(
    book_run: BookRun, ledger: Ledger, searcher: Searcher | None, config: BookConfig
) -> JobHandler:
    """Test the book after its runs, unless the settings say that nothing is asked."""
    if searcher is None or not config.max_probes:
        return book_run

    async def find_lessons(book_id: str, question: str, limit: int) -> Sequence[str]:
        of_book = OneOf("book_id", (book_id,))
        found = await searcher.search(config.collection, question, limit, of_book)
        return [hit.chunk.document_id for hit in found.hits]

    tester = SelfTester(ledger, config.collection, find_lessons, max_probes=config.max_probes)
    return SelfTestedRun(book_run, tester)


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """The use cases of posted documents, and the runner of bulk imports."""

    collection: str
    inbox: Inbox
    bulk_imports: BulkImports
    runner: JobRunner


def assemble_documents(
    ledger: Ledger,
    store: VectorStore,
    models: EmbeddingModels,
    collection: str = DEFAULT_DOCUMENTS_COLLECTION,
    meter: Meter | None = None,
) -> DocumentParts:
    """Build the use cases of posted documents."""
    inbox = Inbox(
        ledger, store, LazyCollection(ledger, store, models, collection, _DOCUMENTS_METADATA)
    )
    run = MemoryReleasingRun(BulkImportRun(ledger.jobs, inbox))
    runner = JobRunner(ledger.jobs, run, "documents", meter)
    return DocumentParts(collection, inbox, BulkImports(ledger.jobs, runner.wake), runner)


@dataclass(frozen=True, slots=True)
class ReindexParts:
    """The use case of reindexing, and the runner of its jobs."""

    jobs: ReindexJobs
    runner: JobRunner


def assemble_reindexing(
    ledger: Ledger, store: VectorStore, models: EmbeddingModels, meter: Meter | None = None
) -> ReindexParts:
    """Build the use case of reindexing."""

    async def nearest(collection: Collection, vector: Vector, limit: int) -> Sequence[str]:
        hits, _ = await LiveIndex(ledger, store, collection).nearest(vector, limit, EVERYTHING)
        return [hit.chunk.id for hit in hits]

    run = MemoryReleasingRun(ReindexRun(ledger, store, models, nearest))
    runner = JobRunner(ledger.jobs, run, "reindex", meter)
    return ReindexParts(ReindexJobs(ledger, models, runner.wake), runner)


class MemoryReleasingRun:
    """Wraps the handler of a job, and releases free memory to the system when a job ends.

    Measured: after a book of 1,672 pages the allocator kept 60 MB of free memory, spread over the
    heaps of many threads. By itself it gives back only what is free at the end of a heap.
    """

    def __init__(self, inner: JobHandler) -> None:
        self._inner = inner

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Run the job, then release memory."""
        outcome = await self._inner.run(job, report)
        await asyncio.to_thread(release_free_memory)
        return outcome


class _Sources:
    """Finds the source of a request: the configured one, or a folder that it may name."""

    def __init__(self, config: BookConfig) -> None:
        self._book_id = config.rules.book_id
        self._source = config.source
        self._own_folder = config.folder
        self._roots = config.roots
        self._local_folders = config.local_folders
        self._conversion = config.conversion
        self._uploads = config.uploads
        self._site = config.site
        self._websites = config.websites

    def __call__(self, request: JobRequest) -> BookSource:
        """Return the source; InvalidInput or SourceUnavailable if there is none."""
        if request.docs_path is not None and is_web_address(request.docs_path):
            return self._website(request, request.docs_path)
        if request.docs_path is not None:
            return _folder(self._named(request, request.docs_path), self._conversion)
        if request.book_id == self._book_id and self._source is not None:
            return self._source
        uploaded = None if self._uploads is None else self._uploads.folder(request.book_id)
        if self._uploads is not None and uploaded is not None:
            return _folder(uploaded, self._conversion, self._uploads.source(request.book_id))
        if request.book_id == SAMPLE_BOOK_ID:
            return _folder(sample_folder(), self._conversion)
        if request.book_id != self._book_id:
            raise InvalidInput(
                f"Book {shorten(request.book_id, 60)!r} has no configured source; this service"
                f" keeps {self._book_id!r}. Give docs_path to index a folder as another book"
            )
        raise SourceUnavailable(
            "No book is configured: set DOCS_PATH to its folder, SOURCEBOOK_DOCS_SITE to its"
            " website, or SOURCEBOOK_DOCS_REPOSITORY to its git repository"
        )

    def accept(self, request: JobRequest) -> JobRequest:
        """Return the request as it is recorded; InvalidInput if no job could fulfil it."""
        if not _BOOK_ID.fullmatch(request.book_id):
            raise InvalidInput(
                f"book_id {shorten(request.book_id, 60)!r} is not valid: use letters, digits,"
                " dots, dashes and underscores"
            )
        check_patterns(request)
        self(request)
        if request.docs_path is None or request.book_id != self._book_id:
            return request
        if not self._is_own(request, request.docs_path):
            return request
        # By whatever name: so it joins a job that waits for the book's own source.
        trigger: Trigger = "api" if request.trigger == "local" else request.trigger
        return replace(request, docs_path=None, trigger=trigger)

    def _is_own(self, request: JobRequest, given: str) -> bool:
        """Return whether the request names the book's own source."""
        if is_web_address(given):
            return given == self._site and request.exclude is None
        return self._named(request, given) == self._own_folder

    def _website(self, request: JobRequest, address: str) -> BookSource:
        if self._websites is None:
            raise InvalidInput("This service reads no websites")
        try:
            return self._websites.source(address, request.book_id, request.exclude)
        except ConfigurationError as error:
            raise InvalidInput(error.message) from error

    def _named(self, request: JobRequest, given: str) -> Path:
        if request.trigger == "local" and self._local_folders and Path(given).is_absolute():
            return _local_folder(given)
        return self._allowed(given)

    def _allowed(self, given: str) -> Path:
        for root in self._roots:
            try:
                path = (root / given).resolve(strict=True)
            except (OSError, ValueError, RuntimeError):
                continue
            if (path.is_dir() or path.is_file()) and path.is_relative_to(root):
                return path
        raise InvalidInput(
            f"docs_path {shorten(given, 120)!r} is no folder or file below the configured ones"
            " (DOCS_PATH, SOURCEBOOK_DOCS_ROOTS)"
        )


def _source(
    settings: Settings, folder: DataFolder, conversion: FileConversion, websites: Websites
) -> BookSource | None:
    repository = settings.docs_repository
    _check_one_source(settings)
    if settings.docs_site is not None:
        return websites.source(settings.docs_site, settings.book_id)
    if repository is not None:
        # Needs the git library, which a folder does not.
        from sourcebook.providers.sources.git.source import GitSource  # noqa: PLC0415

        return GitSource(
            repository.get_secret_value(),
            settings.docs_branch,
            settings.docs_subfolder,
            folder.repositories,
            conversion=conversion,
        )
    return None if settings.docs_path is None else _folder(settings.docs_path, conversion)


def _check_one_source(settings: Settings) -> None:
    given = {
        "DOCS_PATH": settings.docs_path,
        "SOURCEBOOK_DOCS_REPOSITORY": settings.docs_repository,
        "SOURCEBOOK_DOCS_SITE": settings.docs_site,
    }
    named = [variable for variable, value in given.items() if value is not None]
    if len(named) > 1:
        raise ConfigurationError(
            f"{' and '.join(named)} are both set; a book comes from one of them. The folder inside"
            " a repository is SOURCEBOOK_DOCS_SUBFOLDER"
        )


def _folder(root: Path, conversion: FileConversion | None, name: str | None = None) -> BookSource:
    from sourcebook.providers.sources.folder import FolderSource  # noqa: PLC0415

    return FolderSource(root, conversion=conversion, name=name)


def _local_folder(given: str) -> Path:
    try:
        path = Path(given).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        path = None
    if path is None or not (path.is_dir() or path.is_file()):
        raise InvalidInput(
            f"docs_path {shorten(given, 120)!r} is no folder or file on this machine"
        )
    return path


def sample_folder() -> Path:
    """Return the folder of the sample book."""
    return Path(str(files("sourcebook.samples") / "book"))


def _resolved(root: Path) -> Path:
    return root.expanduser().resolve()


def _roots(settings: Settings) -> tuple[Path, ...]:
    given = [settings.docs_path] if settings.docs_path is not None else []
    return tuple(_resolved(root) for root in [*given, *map(Path, settings.docs_roots)])
