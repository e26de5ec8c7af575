"""Imports many posted documents as a background job, a small batch at a time."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TypeAlias

from sourcebook.core.errors import (
    EmbeddingFailed,
    LeaseLost,
    NotFound,
    PoisonText,
    RateLimited,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.jobs import Fence, ImportItem, ImportTally, IngestJob, ItemResult, Outcome
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import JobLedger
from sourcebook.core.posted_documents import PostedDocument, PostReceipt
from sourcebook.ingestion.job_runner import CANCELLED, JobCancelled, JobReport
from sourcebook.ingestion.overload_retry import OverloadRetry
from sourcebook.ingestion.posted.inbox import Inbox

Results: TypeAlias = Sequence[PostReceipt | SourcebookError]

BATCH_SIZE = 20


class BulkImports:
    """The queue of bulk imports."""

    def __init__(self, jobs: JobLedger, wake: Callable[[], None]) -> None:
        self._jobs = jobs
        self._wake = wake

    async def submit(self, postings: Sequence[PostedDocument]) -> IngestJob:
        """Enqueue an import. It is durable when this returns, and starts soon."""
        job = await self._jobs.enqueue_import([_as_item(posting) for posting in postings])
        self._wake()
        return job

    async def status(self, job_id: int) -> tuple[IngestJob, ImportTally]:
        """Return an import and its progress; NotFound if there is none of that number."""
        job = await self._jobs.get(job_id)
        if job.kind != "documents":
            raise NotFound(f"Job {job_id} not found")
        return job, await self._jobs.tally(job_id)


class BulkImportRun:
    """Runs a bulk import. Documents that were stored stay stored, however it ends."""

    def __init__(self, jobs: JobLedger, inbox: Inbox, retry: OverloadRetry | None = None) -> None:
        self._jobs = jobs
        self._inbox = inbox
        self._retry = retry or OverloadRetry()

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Put every item that has no result yet."""
        tally = await self._jobs.tally(job.id)
        report.progress = replace(report.progress, files_found=tally.total)
        try:
            while items := await self._jobs.unsettled(job.id, BATCH_SIZE):
                report.at(str(items[0].document.get("path")))
                await self._put(job, items, report)
        except LeaseLost:
            raise
        except JobCancelled:
            return CANCELLED
        except SourcebookError as error:
            tally = await self._jobs.tally(job.id)
            left = tally.total - tally.settled
            message = f"{error.message}. {left} documents were not taken in; post them again"
            return Outcome("partial" if tally.settled else "failed", error=message)
        failed = (await self._jobs.tally(job.id)).by_status.get("failed", 0)
        return Outcome("partial" if failed else "completed")

    async def _put(self, job: IngestJob, items: Sequence[ImportItem], report: JobReport) -> None:
        postings = [_as_posting(item.document) for item in items]
        results = await self._put_with_retry(postings, job.fence)
        outage = _outage(results)
        settled = {
            item.position: _result(result)
            for item, result in zip(items, results, strict=True)
            if outage is None or not isinstance(result, Unavailable)
        }
        await self._jobs.settle(job.fence, settled)
        receipts = [result for result in results if isinstance(result, PostReceipt)]
        report.add(
            files_processed=len(receipts),
            files_failed=len(settled) - len(receipts),
            chunks_created=sum(receipt.chunk_count for receipt in receipts),
        )
        if outage is not None:
            raise outage

    async def _put_with_retry(self, postings: Sequence[PostedDocument], fence: Fence) -> Results:
        async def put() -> Results:
            results = await self._inbox.put_all(postings, fence)
            for result in results:
                if isinstance(result, RateLimited):
                    raise result
            return results

        # Documents stored before the wait are unchanged after it: no work is done twice.
        return await self._retry.call(put)


def _outage(results: Results) -> SourcebookError | None:
    """Return why nothing could be stored, unless the documents themselves are at fault."""
    failures = [result for result in results if isinstance(result, SourcebookError)]
    outages = [
        failure
        for failure in failures
        if isinstance(failure, Unavailable) and not isinstance(failure, PoisonText)
    ]
    if all(isinstance(outage, EmbeddingFailed) for outage in outages):
        # An embedder may refuse single texts; only if it accepts none is it down.
        return outages[0] if outages and len(failures) == len(results) else None
    return outages[0]


def _as_item(posting: PostedDocument) -> Metadata:
    return {**asdict(posting), "tags": list(posting.tags)}


def _as_posting(item: Metadata) -> PostedDocument:
    tags, metadata, hash_ = item.get("tags"), item.get("metadata"), item.get("hash")
    return PostedDocument(
        source=str(item["source"]),
        path=str(item["path"]),
        title=str(item["title"]),
        text=str(item["text"]),
        hash=hash_ if isinstance(hash_, str) else None,
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def _result(result: PostReceipt | SourcebookError) -> ItemResult:
    if isinstance(result, SourcebookError):
        return ItemResult("failed", message=result.message)
    return ItemResult(result.status, result.document_id, result.chunk_count)
