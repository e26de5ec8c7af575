"""One run of a job: makes the index of a book what its files are."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sourcebook.core.books import BookSource, BookTree
from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader, chunk_count
from sourcebook.core.errors import Conflict, LeaseLost, ModelChanged, SourcebookError, Unavailable
from sourcebook.core.jobs import IngestJob, JobRequest, Outcome, Progress
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.ingestion.book_reader import BookReader
from sourcebook.ingestion.book_shelf import BookShelf
from sourcebook.ingestion.book_writer import BookWriter, Target
from sourcebook.ingestion.changes import Changes, Found, compare
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.layout import Layout
from sourcebook.ingestion.lessons import BookFile
from sourcebook.ingestion.patience import Patience
from sourcebook.ingestion.reporting import Cancelled, Report

log = logging.getLogger(__name__)

Sources = Callable[[JobRequest], BookSource]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would do, and what it would warn of."""

    changes: Changes
    found: Found


class BookRun:
    """Reads a book's source and writes what is new into its collection."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        shelf: BookShelf,
        sources: Sources,
        layout: Layout,
        *,
        patience: Patience | None = None,
    ) -> None:
        self._ledger = ledger
        self._shelf = shelf
        self._sources = sources
        self._layout = layout
        self._writer = ChunkWriter(ledger, store)
        self._patience = patience or Patience()

    async def preview(self, request: JobRequest) -> Preview:
        """What a run would do. It changes nothing."""
        async with self._sources(request).open() as tree:
            collection, embedder = await self._shelf.look()
            found = await BookReader(tree, self._layout, request.book_id, embedder).find()
        known = await self._shelf.headers(collection, request.book_id)
        return Preview(compare(found, known), found)

    async def run(self, job: IngestJob, report: Report) -> Outcome:
        """Do the job. What is done stays done, however it ends."""
        try:
            return await self._run_again_if_moved(job, report)
        except LeaseLost:
            raise
        except Cancelled:
            await self._give_up_building(job)
            return Outcome("cancelled", error="Cancelled on request")
        except SourcebookError as error:
            log.warning("ingestion_failed", extra={"job": job.id, "reason": error.message})
            await self._give_up_building(job)
            return _ended_by(error, job.request, report)

    async def _run_again_if_moved(self, job: IngestJob, report: Report) -> Outcome:
        try:
            return await self._run(job, report)
        except ModelChanged:
            # To the new model every file is another one, so that all of the work begins again.
            report.progress = Progress()
            return await self._run(job, report)

    async def _run(self, job: IngestJob, report: Report) -> Outcome:
        request = job.request
        async with self._sources(request).open() as tree:
            if request.mode == "recreate" and (live := await self._shelf.find()) is not None:
                await self._recreate(job, tree, live, report)
            else:
                collection, embedder = await self._shelf.ready()
                await self._update(job, tree, Target(collection, embedder, job.fence), report)
            commit = tree.listing.commit
        return Outcome("partial" if report.progress.files_failed else "completed", commit=commit)

    async def _update(self, job: IngestJob, tree: BookTree, to: Target, report: Report) -> None:
        """Write what changed into the live collection, or everything in mode `full`."""
        reader = BookReader(tree, self._layout, job.request.book_id, to.embedder)
        found = await reader.find()
        known = await self._shelf.headers(to.collection, job.request.book_id)
        changes = compare(found, known)
        _refuse_mass_deletion(job.request, changes)
        full = job.request.mode == "full"
        work = [*changes.new, *changes.modified, *(changes.unchanged if full else ())]
        _announce(report, found, changes, work)
        await self._write(reader, work, to, report)
        await self._delete(to, changes.deleted, report)
        _count_replaced(report, work, known)

    async def _recreate(
        self, job: IngestJob, tree: BookTree, live: Collection, report: Report
    ) -> None:
        """Write everything into a collection beside the live one, then swap them."""
        book_id = job.request.book_id
        fresh, embedder = await self._shelf.begin_anew(live, job.building, job.fence)
        reader = BookReader(tree, self._layout, book_id, embedder)
        found = await reader.find()
        known = await self._shelf.headers(live, book_id)
        changes = compare(found, known)
        _refuse_mass_deletion(job.request, changes)
        begun = compare(found, await self._shelf.headers(fresh, book_id))
        work = [*begun.new, *begun.modified]
        _announce(report, found, begun, work)
        # Files that an earlier attempt wrote are part of this job's work.
        done = len(begun.unchanged)
        report.add(files_processed=done, files_skipped=-done)
        to = Target(fresh, embedder, job.fence)
        await self._write(reader, work, to, report)
        await self._delete(to, begun.deleted, report)
        # A file that could not be read or embedded is not gone: its old version comes along.
        gone = {header.id for header in changes.deleted}
        new = {header.id for header in await self._shelf.headers(fresh, book_id)}
        kept = {header.id for header in known} - gone - new
        await self._shelf.put_in_place(to, book_id, kept)
        report.add(
            documents_deleted=len(changes.deleted),
            chunks_deleted=sum(chunk_count(header.metadata) for header in known),
        )

    async def _write(
        self, reader: BookReader, work: Sequence[BookFile], to: Target, report: Report
    ) -> None:
        writer = BookWriter(self._writer, to, self._patience, report)
        await writer.write(reader.lessons(work, report))

    async def _delete(self, to: Target, deleted: Sequence[DocumentHeader], report: Report) -> None:
        report.at(None)
        if not deleted:
            return
        ids = [header.id for header in deleted]
        await self._ledger.documents.delete(to.collection.id, ids, to.fence)
        chunks = sum(chunk_count(header.metadata) for header in deleted)
        report.add(documents_deleted=len(ids), chunks_deleted=chunks)

    async def _give_up_building(self, job: IngestJob) -> None:
        current = await self._ledger.jobs.get(job.id)
        await self._shelf.discard(current.building)


def _ended_by(error: SourcebookError, request: JobRequest, report: Report) -> Outcome:
    """Files that went live before something became unavailable are a part that is done."""
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


def _announce(report: Report, found: Found, changes: Changes, work: Sequence[BookFile]) -> None:
    report.warn(found.problems)
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
    report: Report, work: Sequence[BookFile], known: Sequence[DocumentHeader]
) -> None:
    written = {file.document_id for file in work}
    replaced = [header for header in known if header.id in written]
    report.add(chunks_deleted=sum(chunk_count(header.metadata) for header in replaced))
