"""A book in memory and what runs jobs on it: the whole pipeline, without files or models."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sourcebook.core.book_source import (
    At,
    BookTree,
    FileProblem,
    Listing,
    SourceFile,
    report_nothing,
)
from sourcebook.core.collections import Collection
from sourcebook.core.documents import WholeDocument
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import BookUnreadable, SourceUnavailable
from sourcebook.core.filters import OneOf
from sourcebook.core.jobs import IngestJob, IngestMode, JobRequest
from sourcebook.core.ports import FileConversion, Ledger, VectorStore
from sourcebook.ingestion.book.collection import BookCollection
from sourcebook.ingestion.book.layout_choice import LayoutSettings
from sourcebook.ingestion.book.run import BookRun
from sourcebook.ingestion.identity import lesson_id
from sourcebook.ingestion.job_runner import JobReport, JobRunner
from sourcebook.ingestion.overload_retry import OverloadRetry

BOOK = "robots"
ROS = "module-1-ros2/chapter-1-nodes/01-topics.md"
ARMS = "module-1-ros2/chapter-1-nodes/02-arms.md"
WORLDS = "module-2-simulation/chapter-3-worlds/01-worlds.md"
GAZEBO = LayoutSettings(aliases={"simulation": "gazebo"})


@dataclass
class MemorySource:
    """Files that a test can change, hide, or make unreadable."""

    files: dict[str, bytes] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    unseen: tuple[str, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    commit: str | None = None
    away: bool = False
    name: str = "/books/robots"
    single_file: bool = False
    other_files: dict[str, int] = field(default_factory=dict)

    @asynccontextmanager
    async def open(self, at: At = report_nothing) -> AsyncIterator[BookTree]:
        """The files as they are now."""
        if self.away:
            raise SourceUnavailable("The docs folder is not there")
        yield _Tree(dict(self.files), self)

    def write(self, path: str, text: str) -> None:
        """Create or replace a file."""
        self.files[path] = text.encode()


class _Tree:
    def __init__(self, files: Mapping[str, bytes], source: MemorySource) -> None:
        self._files = files
        self._source = source
        self.listing = Listing(
            files=tuple(SourceFile(path, len(content)) for path, content in files.items()),
            problems=source.problems,
            unseen=source.unseen,
            commit=source.commit,
            other_files=source.other_files,
            source=source.name,
            single_file=source.single_file,
        )

    async def read(self, path: str) -> bytes:
        if path in self._source.unreadable:
            raise BookUnreadable("The file cannot be read")
        return self._files[path]


class BookWorld:
    """A book, its collection, and a worker that does one job at a time when told to."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        models: EmbeddingModels,
        *,
        retry: OverloadRetry | None = None,
        collection: str = "book",
        layout: LayoutSettings = GAZEBO,
        conversion: FileConversion | None = None,
    ) -> None:
        self.source = MemorySource()
        self.ledger = ledger
        self.store = store
        self.collection_name = collection
        self.book_collection = BookCollection(ledger, store, models, collection)
        self.book_run = BookRun(
            ledger,
            store,
            self.book_collection,
            lambda _: self.source,
            layout,
            retry=retry,
            conversion=conversion,
        )
        self.runner = JobRunner(ledger.jobs, self.book_run)

    async def ingest(
        self,
        mode: IngestMode = "incremental",
        *,
        force: bool = False,
        book_id: str = BOOK,
        patterns: tuple[str, ...] | None = None,
        exclude: tuple[str, ...] | None = None,
    ) -> IngestJob:
        """Order a job, do it, and tell how it ended."""
        request = JobRequest(book_id, mode, force=force, patterns=patterns, exclude=exclude)
        ordered = await self.ledger.jobs.enqueue(request)
        claimed = await self.ledger.jobs.claim(30.0)
        assert claimed is not None
        assert claimed.id == ordered.id
        await self.runner.run(claimed)
        return await self.ledger.jobs.get(claimed.id)

    async def claim(self, mode: IngestMode = "incremental") -> tuple[IngestJob, JobReport]:
        """A job that somebody has begun."""
        await self.ledger.jobs.enqueue(JobRequest(BOOK, mode))
        job = await self.ledger.jobs.claim(30.0)
        assert job is not None
        return job, JobReport()

    async def collection(self) -> Collection:
        """The live collection."""
        return await self.ledger.collections.get(self.collection_name)

    async def lesson(self, path: str, book_id: str = BOOK) -> WholeDocument | None:
        """What is indexed of a file."""
        collection = await self.collection()
        return await self.ledger.documents.whole(collection.id, lesson_id(book_id, path))

    async def paths(self, book_id: str = BOOK) -> set[str]:
        """The files of which something is indexed."""
        collection = await self.collection()
        headers = await self.ledger.documents.headers(collection.id, OneOf("book_id", (book_id,)))
        return {str(header.metadata["source_file"]) for header in headers}


def lesson_text(title: str, *sections: str, tier: int | None = None) -> str:
    """A lesson with a heading for each section, each long enough to be a chunk of its own."""
    matter = f"---\ntitle: {title}\n" + (f"hardware_tier: {tier}\n" if tier else "") + "---\n\n"
    return matter + "\n".join(
        f"## {section}\n\n" + " ".join(f"{section} word{n}." for n in range(120)) + "\n"
        for section in sections
    )
