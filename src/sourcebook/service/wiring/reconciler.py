"""Reindexes the book when it has changed, also after pushes without a webhook."""

import logging

from sourcebook.core.errors import SourcebookError
from sourcebook.core.jobs import JobRequest
from sourcebook.ingestion.book.jobs import BookJobs
from sourcebook.ingestion.book.run import Preview

log = logging.getLogger(__name__)


class Reconciler:
    """Submits a job when the book differs from its index."""

    def __init__(self, book_jobs: BookJobs, book_id: str) -> None:
        self._book_jobs = book_jobs
        self._book_id = book_id
        self._tried: frozenset[str] = frozenset()

    async def look(self) -> None:
        """Compare once."""
        request = JobRequest(self._book_id, trigger="reconcile")
        try:
            preview = await self._book_jobs.preview(request)
            if await self._is_worth_a_run(preview):
                self._tried = _differences(preview)
                await self._book_jobs.submit(request)
        except SourcebookError as error:
            log.warning("reconcile_failed", extra={"book": self._book_id, "reason": error.message})
        except Exception:
            # The edge of a background task: the next look must come all the same.
            log.exception("reconcile_crashed", extra={"book": self._book_id})

    async def _is_worth_a_run(self, preview: Preview) -> bool:
        differences = _differences(preview)
        if not differences and not preview.changes.files:
            # A book without a file: one run says so, with what it looked for.
            return not await self._last_run_failed()
        if not differences:
            return await self._is_of_another_commit(preview)
        # A file that cannot be read as text stays different; trying it again changes nothing.
        if not differences <= self._tried:
            return True
        return not await self._last_run_did_all_it_could(preview)

    async def _is_of_another_commit(self, preview: Preview) -> bool:
        latest = await self._book_jobs.latest_indexed(self._book_id)
        return latest is not None and latest.commit != preview.found.listing.commit

    async def _last_run_failed(self) -> bool:
        latest = await self._book_jobs.recent(1, self._book_id)
        return bool(latest) and latest[0].status == "failed"

    async def _last_run_did_all_it_could(self, preview: Preview) -> bool:
        latest = await self._book_jobs.recent(1, self._book_id)
        if not latest or not latest[0].finished or latest[0].progress.files_left:
            return False
        # What failed before it came to the files may go well now; too many deletions never do.
        return latest[0].status != "failed" or preview.changes.alarming


def _differences(preview: Preview) -> frozenset[str]:
    changes = preview.changes
    files = {f"{file.path} {file.fingerprint}" for file in (*changes.new, *changes.modified)}
    return frozenset(files | {f"- {header.id}" for header in changes.deleted})
