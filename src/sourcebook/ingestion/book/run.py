"""Runs a book job: brings the index of a book up to date with its files."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from sourcebook.core.book_source import At, BookSource, BookTree, report_nothing
from sourcebook.core.books import KeptLayout
from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader, chunk_count
from sourcebook.core.errors import (
    BookUnreadable,
    InvalidInput,
    LeaseLost,
    ModelChanged,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.hardware_tiers import MIN_TIER
from sourcebook.core.jobs import IngestJob, JobRequest, Outcome, Progress
from sourcebook.core.ports import Embedder, FileConversion, Ledger, VectorStore
from sourcebook.core.text import is_blank
from sourcebook.ingestion.book.changes import Changes, ScannedBook, compare
from sourcebook.ingestion.book.collection import BookCollection
from sourcebook.ingestion.book.guard import refuse_accident
from sourcebook.ingestion.book.layout_choice import ChosenLayout, LayoutSettings, choose_layout
from sourcebook.ingestion.book.lessons import BookFile
from sourcebook.ingestion.book.reader import BookReader, MarkdownOnly
from sourcebook.ingestion.book.writer import BookWriter, WriteTarget
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS, ChunkLimits
from sourcebook.ingestion.job_runner import CANCELLED, JobCancelled, JobReport
from sourcebook.ingestion.overload_retry import OverloadRetry

log = logging.getLogger(__name__)

MAX_EXAMPLES_TRIED = 5

SourceFactory = Callable[[JobRequest], BookSource]


@dataclass(frozen=True, slots=True)
class Example:
    """The text of one page of a website, as it would be indexed."""

    path: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would change, and the files it would warn about; of a website, one page."""

    changes: Changes
    found: ScannedBook
    example: Example | None = None


@dataclass(frozen=True, slots=True)
class OpenBook:
    """A book while its source is open: its files, its layout, and what was kept with it before."""

    tree: BookTree
    chosen: ChosenLayout
    kept: KeptLayout | None

    def compare(self, found: ScannedBook, known: Sequence[DocumentHeader]) -> Changes:
        """Compare the files with the documents of the book."""
        moved = self.kept is not None and self.kept.source != self.tree.listing.source
        return compare(found, known, other_source=moved)


class BookRun:
    """Reads a book from its source and writes what changed into its collection."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        collection: BookCollection,
        sources: SourceFactory,
        layout: LayoutSettings,
        *,
        limits: ChunkLimits = MARKDOWN_LIMITS,
        retry: OverloadRetry | None = None,
        conversion: FileConversion | None = None,
        unreadable_tier: int = MIN_TIER,
    ) -> None:
        self._conversion = conversion or MarkdownOnly()
        self._ledger = ledger
        self._collection = collection
        self._sources = sources
        self._layout = layout
        self._limits = limits
        self._unreadable_tier = unreadable_tier
        self._writer = ChunkWriter(ledger, store)
        self._retry = retry or OverloadRetry()

    async def preview(self, request: JobRequest) -> Preview:
        """Return what a run would do, without changing anything."""
        async with self._opened(request, report_nothing) as book:
            collection, embedder = await self._collection.find_with_model()
            reader = self._reader(book, request.book_id, embedder)
            found = await reader.scan()
            known = await self._collection.headers(collection, request.book_id)
            changes = book.compare(found, known)
            return Preview(changes, found, await _example(reader, changes))

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Run the job. Files that were written stay written, however it ends."""
        try:
            return await self._run_again_if_model_changed(job, report)
        except LeaseLost:
            raise
        except JobCancelled:
            await self._discard_building(job)
            return CANCELLED
        except SourcebookError as error:
            log.warning("ingestion_failed", extra={"job": job.id, "reason": error.message})
            await self._discard_building(job)
            return _ended_by(error, job.request, report)

    async def _run_again_if_model_changed(self, job: IngestJob, report: JobReport) -> Outcome:
        try:
            return await self._run(job, report)
        except ModelChanged:
            # The model is part of every fingerprint, so all of the work begins again.
            report.progress = Progress()
            return await self._run(job, report)

    async def _run(self, job: IngestJob, report: JobReport) -> Outcome:
        request = job.request
        async with self._opened(request, report.at) as book:
            if request.mode == "recreate" and (live := await self._collection.find()) is not None:
                await self._recreate(job, book, live, report)
            else:
                collection, embedder = await self._collection.get_or_create()
                await self._update(job, book, WriteTarget(collection, embedder, job.fence), report)
            commit = book.tree.listing.commit
        return Outcome("partial" if report.progress.files_failed else "completed", commit=commit)

    @asynccontextmanager
    async def _opened(self, request: JobRequest, at: At) -> AsyncIterator[OpenBook]:
        kept = await self._ledger.books.get(self._collection.name, request.book_id)
        async with self._sources(request).open(at) as tree:
            # In a thread: it may look at very many paths.
            chosen = await asyncio.to_thread(
                choose_layout, request, self._layout, kept, tree.listing
            )
            yield OpenBook(tree, chosen, kept)

    async def _update(
        self, job: IngestJob, book: OpenBook, to: WriteTarget, report: JobReport
    ) -> None:
        """Write what changed into the live collection, or everything in mode `full`."""
        reader = self._reader(book, job.request.book_id, to.embedder)
        found = await reader.scan()
        known = await self._collection.headers(to.collection, job.request.book_id)
        changes = book.compare(found, known)
        _check(job.request, book, changes, found, report)
        # Kept first: however the run ends, nobody takes what it wrote for files of another layout.
        await self._keep(book, job)
        full = job.request.mode == "full"
        work = [*changes.new, *changes.modified, *(changes.unchanged if full else ())]
        _announce(report, changes, work)
        await self._write(reader, work, to, report)
        await self._delete(to, changes.deleted, report)
        _count_replaced(report, work, known)

    async def _recreate(
        self, job: IngestJob, book: OpenBook, live: Collection, report: JobReport
    ) -> None:
        """Write everything into a new collection, then put it in place of the live one."""
        book_id = job.request.book_id
        fresh, embedder = await self._collection.begin_rebuild(live, job.building, job.fence)
        reader = self._reader(book, book_id, embedder)
        found = await reader.scan()
        known = await self._collection.headers(live, book_id)
        changes = book.compare(found, known)
        _check(job.request, book, changes, found, report)
        begun = compare(found, await self._collection.headers(fresh, book_id))
        work = [*begun.new, *begun.modified]
        _announce(report, begun, work)
        # Files that an earlier attempt wrote are part of this job's work.
        done = len(begun.unchanged)
        report.add(files_processed=done, files_skipped=-done)
        to = WriteTarget(fresh, embedder, job.fence)
        await self._write(reader, work, to, report)
        await self._delete(to, begun.deleted, report)
        # A file that could not be read or embedded is not gone: its old version comes along.
        gone = {header.id for header in changes.deleted}
        new = {header.id for header in await self._collection.headers(fresh, book_id)}
        kept = {header.id for header in known} - gone - new
        await self._collection.swap_in(to, book_id, kept)
        await self._keep(book, job)
        report.add(
            documents_deleted=len(changes.deleted),
            chunks_deleted=sum(chunk_count(header.metadata) for header in known),
        )

    async def _write(
        self, reader: BookReader, work: Sequence[BookFile], to: WriteTarget, report: JobReport
    ) -> None:
        writer = BookWriter(self._writer, to, self._retry, report)
        await writer.write(reader.lessons(work, report))

    async def _delete(
        self, to: WriteTarget, deleted: Sequence[DocumentHeader], report: JobReport
    ) -> None:
        report.at(None)
        if not deleted:
            return
        ids = [header.id for header in deleted]
        await self._ledger.documents.delete(to.collection.id, ids, to.fence)
        chunks = sum(chunk_count(header.metadata) for header in deleted)
        report.add(documents_deleted=len(ids), chunks_deleted=chunks)

    async def _keep(self, book: OpenBook, job: IngestJob) -> None:
        """Keep the layout with the book, unless that is what is kept."""
        layout = book.chosen.layout
        wanted = KeptLayout(
            collection=self._collection.name,
            book_id=job.request.book_id,
            patterns=layout.patterns,
            exclude=layout.exclude,
            automatic=book.chosen.automatic,
            source=book.tree.listing.source,
            chosen_at_s=time.time(),
        )
        if book.kept is None or replace(wanted, chosen_at_s=book.kept.chosen_at_s) != book.kept:
            await self._ledger.books.put(wanted, job.fence)

    def _reader(self, book: OpenBook, book_id: str, embedder: Embedder) -> BookReader:
        return BookReader(
            book.tree,
            book.chosen.layout,
            book_id,
            embedder,
            limits=self._limits,
            conversion=self._conversion,
            unreadable_tier=self._unreadable_tier,
        )

    async def _discard_building(self, job: IngestJob) -> None:
        current = await self._ledger.jobs.get(job.id)
        await self._collection.discard(current.building)


async def _example(reader: BookReader, changes: Changes) -> Example | None:
    """Return the first page of a website that has a text; new and modified ones come first."""
    for file in (*changes.new, *changes.modified, *changes.unchanged)[:MAX_EXAMPLES_TRIED]:
        if file.url is None:
            return None
        with suppress(BookUnreadable, InvalidInput):
            text = await reader.text(file)
            if not is_blank(text):
                return Example(file.path, file.url, text)
    return None


def _ended_by(error: SourcebookError, request: JobRequest, report: JobReport) -> Outcome:
    """A run that wrote some files before something became unavailable is partly done."""
    done = report.progress.files_processed and request.mode != "recreate"
    if done and isinstance(error, Unavailable):
        left = report.progress.files_left
        return Outcome("partial", error=f"{error.message}. {left} files are left")
    return Outcome("failed", error=error.message)


def _check(
    request: JobRequest, book: OpenBook, changes: Changes, found: ScannedBook, report: JobReport
) -> None:
    """Refuse a run that looks like an accident; what was found is reported anyway."""
    report.warn(found.problems, unnamed=found.unnamed)
    report.progress = replace(
        report.progress,
        files_unmatched=found.unmatched,
        other_files=dict(found.listing.other_files),
    )
    refuse_accident(request, changes, found, book.chosen.layout)


def _announce(report: JobReport, changes: Changes, work: Sequence[BookFile]) -> None:
    # What an earlier attempt of this job indexed is unchanged now; it counts as done, not skipped.
    # Its last report may be older than its last files: what was not skipped then was indexed since.
    told, unreadable = report.progress, len(changes.unreadable)
    before = told.files_processed
    if told.files_found:
        skipped = changes.files - len(work) - unreadable
        before = max(before, skipped - (told.files_skipped - told.files_failed))
    report.progress = replace(
        report.progress,
        files_found=changes.files,
        files_processed=before,
        files_left=len(work),
        files_skipped=max(0, changes.files - len(work) - before),
        files_failed=unreadable,
    )


def _count_replaced(
    report: JobReport, work: Sequence[BookFile], known: Sequence[DocumentHeader]
) -> None:
    written = {file.document_id for file in work}
    replaced = [header for header in known if header.id in written]
    report.add(chunks_deleted=sum(chunk_count(header.metadata) for header in replaced))
