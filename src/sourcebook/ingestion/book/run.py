"""Runs a book job: brings the index of a book up to date with its files."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sourcebook.core.book_source import BookSource, BookTree
from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader, chunk_count
from sourcebook.core.errors import (
    Conflict,
    LeaseLost,
    ModelChanged,
    NotFound,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.jobs import IngestJob, JobRequest, Outcome, Progress
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.ingestion.book.changes import Changes, ScannedBook, compare
from sourcebook.ingestion.book.collection import BookCollection
from sourcebook.ingestion.book.layout import Layout
from sourcebook.ingestion.book.lessons import BookFile
from sourcebook.ingestion.book.reader import BookReader
from sourcebook.ingestion.book.writer import BookWriter, WriteTarget
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS, ChunkLimits
from sourcebook.ingestion.job_runner import CANCELLED, JobCancelled, JobReport
from sourcebook.ingestion.overload_retry import OverloadRetry

log = logging.getLogger(__name__)

SourceFactory = Callable[[JobRequest], BookSource]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would change, and the files it would warn about."""

    changes: Changes
    found: ScannedBook


class BookRun:
    """Reads a book from its source and writes what changed into its collection."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        collection: BookCollection,
        sources: SourceFactory,
        layout: Layout,
        *,
        limits: ChunkLimits = MARKDOWN_LIMITS,
        retry: OverloadRetry | None = None,
    ) -> None:
        self._ledger = ledger
        self._collection = collection
        self._sources = sources
        self._layout = layout
        self._limits = limits
        self._writer = ChunkWriter(ledger, store)
        self._retry = retry or OverloadRetry()

    async def preview(self, request: JobRequest) -> Preview:
        """Return what a run would do, without changing anything."""
        async with self._sources(request).open() as tree:
            collection, embedder = await self._collection.find_with_model()
            found = await self._reader(tree, request.book_id, embedder).scan()
        known = await self._collection.headers(collection, request.book_id)
        return Preview(compare(found, known), found)

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
        async with self._sources(request).open() as tree:
            if request.mode == "recreate" and (live := await self._collection.find()) is not None:
                await self._recreate(job, tree, live, report)
            else:
                collection, embedder = await self._collection.get_or_create()
                await self._update(job, tree, WriteTarget(collection, embedder, job.fence), report)
            commit = tree.listing.commit
        return Outcome("partial" if report.progress.files_failed else "completed", commit=commit)

    async def _update(
        self, job: IngestJob, tree: BookTree, to: WriteTarget, report: JobReport
    ) -> None:
        """Write what changed into the live collection, or everything in mode `full`."""
        reader = self._reader(tree, job.request.book_id, to.embedder)
        found = await reader.scan()
        known = await self._collection.headers(to.collection, job.request.book_id)
        changes = compare(found, known)
        self._check(job.request, changes, found, report)
        full = job.request.mode == "full"
        work = [*changes.new, *changes.modified, *(changes.unchanged if full else ())]
        _announce(report, changes, work)
        await self._write(reader, work, to, report)
        await self._delete(to, changes.deleted, report)
        _count_replaced(report, work, known)

    async def _recreate(
        self, job: IngestJob, tree: BookTree, live: Collection, report: JobReport
    ) -> None:
        """Write everything into a new collection, then put it in place of the live one."""
        book_id = job.request.book_id
        fresh, embedder = await self._collection.begin_rebuild(live, job.building, job.fence)
        reader = self._reader(tree, book_id, embedder)
        found = await reader.scan()
        known = await self._collection.headers(live, book_id)
        changes = compare(found, known)
        self._check(job.request, changes, found, report)
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

    def _check(
        self, request: JobRequest, changes: Changes, found: ScannedBook, report: JobReport
    ) -> None:
        """Refuse a run that looks like an accident; the files' problems are reported anyway."""
        report.warn(found.problems)
        _refuse_mass_deletion(request, changes)
        # Forced, the last file of a book may go; but where nothing was, nothing is no success.
        if not changes.files and not changes.deleted:
            raise NotFound(_nothing_found(request, found, self._layout))

    def _reader(self, tree: BookTree, book_id: str, embedder: Embedder) -> BookReader:
        return BookReader(tree, self._layout, book_id, embedder, self._limits)

    async def _discard_building(self, job: IngestJob) -> None:
        current = await self._ledger.jobs.get(job.id)
        await self._collection.discard(current.building)


def _ended_by(error: SourcebookError, request: JobRequest, report: JobReport) -> Outcome:
    """A run that wrote some files before something became unavailable is partly done."""
    done = report.progress.files_processed and request.mode != "recreate"
    if done and isinstance(error, Unavailable):
        left = report.progress.files_left
        return Outcome("partial", error=f"{error.message}. {left} files are left")
    return Outcome("failed", error=error.message)


def _refuse_mass_deletion(request: JobRequest, changes: Changes) -> None:
    if changes.alarming and not request.force:
        raise Conflict(
            f"The run would delete {changes.lost} of {changes.known} documents, so it stopped and"
            " deleted nothing. If the files are really gone, run it again with force; else check"
            " that the docs folder is complete"
        )


def _nothing_found(request: JobRequest, found: ScannedBook, layout: Layout) -> str:
    place = "the book's files" if request.docs_path is None else repr(request.docs_path)
    listed = len(found.listing.files)
    there = f"none of the {listed} markdown files fits" if listed else "there is no markdown file"
    return (
        f"No lesson was found in {place}: {there}. Looked for"
        f" {', '.join(map(repr, layout.patterns))}. Check the path, or say with"
        " SOURCEBOOK_BOOK_PATTERNS which files are lessons"
    )


def _announce(report: JobReport, changes: Changes, work: Sequence[BookFile]) -> None:
    # What an earlier attempt of this job indexed is unchanged now; it counts as done, not skipped.
    before = report.progress.files_processed
    unreadable = len(changes.unreadable)
    report.progress = replace(
        report.progress,
        files_found=changes.files,
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
