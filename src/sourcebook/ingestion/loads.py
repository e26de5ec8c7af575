"""Large loads of posted documents: recorded as a job, and put into the inbox a few at a time."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TypeAlias

from sourcebook.core.errors import (
    EmbeddingFailed,
    LeaseLost,
    NotFound,
    RateLimited,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.jobs import Fence, IngestJob, ItemResult, LoadItem, LoadTally, Outcome
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import JobLedger
from sourcebook.core.postings import Posting, Receipt
from sourcebook.core.refusals import PoisonText
from sourcebook.ingestion.inbox import Inbox
from sourcebook.ingestion.patience import Patience
from sourcebook.ingestion.reporting import Cancelled, Report

Results: TypeAlias = Sequence[Receipt | SourcebookError]

AT_ONCE = 20


class Loads:
    """Records loads and tells how far they are."""

    def __init__(self, jobs: JobLedger, wake: Callable[[], None]) -> None:
        self._jobs = jobs
        self._wake = wake

    async def order(self, postings: Sequence[Posting]) -> IngestJob:
        """Record a load. It is durable when this returns, and begins soon."""
        job = await self._jobs.enqueue_load([_as_item(posting) for posting in postings])
        self._wake()
        return job

    async def status(self, job_id: int) -> tuple[IngestJob, LoadTally]:
        """A load and how far it is; NotFound if there is none of that number."""
        job = await self._jobs.get(job_id)
        if job.kind != "documents":
            raise NotFound(f"Job {job_id} not found")
        return job, await self._jobs.tally(job_id)


class LoadRun:
    """Does the work of a load. What is stored stays stored, however it ends."""

    def __init__(self, jobs: JobLedger, inbox: Inbox, patience: Patience | None = None) -> None:
        self._jobs = jobs
        self._inbox = inbox
        self._patience = patience or Patience()

    async def run(self, job: IngestJob, report: Report) -> Outcome:
        """Put every item that nothing has become of yet."""
        tally = await self._jobs.tally(job.id)
        report.progress = replace(report.progress, files_found=tally.total)
        try:
            while items := await self._jobs.unsettled(job.id, AT_ONCE):
                report.at(str(items[0].document.get("path")))
                await self._put(job, items, report)
        except LeaseLost:
            raise
        except Cancelled:
            return Outcome("cancelled", error="Cancelled on request")
        except SourcebookError as error:
            tally = await self._jobs.tally(job.id)
            left = tally.total - tally.settled
            message = f"{error.message}. {left} documents were not taken in; post them again"
            return Outcome("partial" if tally.settled else "failed", error=message)
        failed = (await self._jobs.tally(job.id)).by_status.get("failed", 0)
        return Outcome("partial" if failed else "completed")

    async def _put(self, job: IngestJob, items: Sequence[LoadItem], report: Report) -> None:
        postings = [_as_posting(item.document) for item in items]
        results = await self._patiently_put(postings, job.fence)
        outage = _outage(results)
        settled = {
            item.position: _result(result)
            for item, result in zip(items, results, strict=True)
            if outage is None or not isinstance(result, Unavailable)
        }
        await self._jobs.settle(job.fence, settled)
        receipts = [result for result in results if isinstance(result, Receipt)]
        report.add(
            files_processed=len(receipts),
            files_failed=len(settled) - len(receipts),
            chunks_created=sum(receipt.chunk_count for receipt in receipts),
        )
        if outage is not None:
            raise outage

    async def _patiently_put(self, postings: Sequence[Posting], fence: Fence) -> Results:
        async def put() -> Results:
            results = await self._inbox.put_all(postings, fence)
            for result in results:
                if isinstance(result, RateLimited):
                    raise result
            return results

        # What was stored before the wait is unchanged after it.
        return await self._patience.call(put)


def _outage(results: Results) -> SourcebookError | None:
    """Why nothing could be stored, if that is no fault of the documents: they stay unsettled."""
    failures = [result for result in results if isinstance(result, SourcebookError)]
    outages = [
        failure
        for failure in failures
        if isinstance(failure, Unavailable) and not isinstance(failure, PoisonText)
    ]
    if all(isinstance(outage, EmbeddingFailed) for outage in outages):
        # The embedder refuses some texts and takes others; it is away if it takes none.
        return outages[0] if outages and len(failures) == len(results) else None
    return outages[0]


def _as_item(posting: Posting) -> Metadata:
    return {**asdict(posting), "tags": list(posting.tags)}


def _as_posting(item: Metadata) -> Posting:
    tags, metadata, hash_ = item.get("tags"), item.get("metadata"), item.get("hash")
    return Posting(
        source=str(item["source"]),
        path=str(item["path"]),
        title=str(item["title"]),
        text=str(item["text"]),
        hash=hash_ if isinstance(hash_, str) else None,
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def _result(result: Receipt | SourcebookError) -> ItemResult:
    if isinstance(result, SourcebookError):
        return ItemResult("failed", message=result.message)
    return ItemResult(result.status, result.document_id, result.chunk_count)
