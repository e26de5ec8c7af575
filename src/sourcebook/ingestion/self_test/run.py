"""Tests a book after each run that changed it: do searches still find its lessons?"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.book_source import OTHER_PATHS, FileProblem
from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader, chunk_count
from sourcebook.core.errors import LeaseLost, SourcebookError
from sourcebook.core.filters import OneOf
from sourcebook.core.jobs import IngestJob, Outcome
from sourcebook.core.ports import Ledger
from sourcebook.core.self_tests import Check, Probe, SelfTest
from sourcebook.ingestion.job_runner import JobHandler, JobReport
from sourcebook.ingestion.self_test.questions import questions_about
from sourcebook.ingestion.self_test.selection import (
    LessonQuestions,
    book_state,
    choose_probes,
    lessons_to_ask,
)

log = logging.getLogger(__name__)

# (book id, question, how many) -> the lessons of the best hits.
FindLessons: TypeAlias = Callable[[str, str, int], Awaitable[Sequence[str]]]

MAX_PROBES = 200
# A lesson counts as found if it is among so many hits.
DEPTH = 5
TIMEOUT_S = 10.0
# Few: readers' questions wait for the same model.
BATCH = 8


@dataclass(frozen=True, slots=True)
class _Tried:
    """The probes after a test; `note` says why some are unchecked, `failed` that it should not."""

    probes: tuple[Probe, ...]
    note: str | None = None
    failed: bool = False


class SelfTester:
    """Asks a book the questions that its lessons answer, and keeps what became of them."""

    def __init__(
        self,
        ledger: Ledger,
        collection_name: str,
        find: FindLessons,
        *,
        max_probes: int = MAX_PROBES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._ledger = ledger
        self._name = collection_name
        self._find = find
        self._max_probes = max_probes
        self._timeout_s = timeout_s

    async def test(self, job: IngestJob, commit: str | None, report: JobReport) -> None:
        """Test the book, unless it is as the latest test saw it, and keep the result.

        What that one left unchecked is checked now.
        """
        book_id = job.request.book_id
        collection = await self._ledger.collections.get(self._name)
        lessons = await self._lessons(collection, book_id)
        state = book_state(collection, lessons, self._max_probes)
        before = await self._ledger.self_tests.get(self._name, book_id)
        if before is None or before.book_state != state:
            known = () if before is None else before.probes
            probes = await self._choose(collection, lessons, known)
        elif before.finished:
            return
        else:
            probes = before.probes
        check = Check(time.time(), commit)
        tried = await self._try(book_id, probes, check, report)
        test = SelfTest(self._name, book_id, state, check, tried.probes, tried.note)
        await self._ledger.self_tests.put(test, job.fence)
        log.info("self_test_finished", extra=_described(job, test))
        if tried.failed:
            report.warn([problem(tried.note)])

    async def _lessons(self, collection: Collection, book_id: str) -> list[DocumentHeader]:
        """Return the files of the book that have text."""
        headers = await self._ledger.documents.headers(collection.id, OneOf("book_id", (book_id,)))
        return [
            header
            for header in headers
            if "fingerprint" in header.metadata and chunk_count(header.metadata)
        ]

    async def _choose(
        self, collection: Collection, lessons: Sequence[DocumentHeader], known: Sequence[Probe]
    ) -> tuple[Probe, ...]:
        found: list[LessonQuestions] = []
        for header in lessons_to_ask(lessons, known, self._max_probes):
            whole = await self._ledger.documents.whole(collection.id, header.id)
            if whole is not None:
                path = str(header.metadata.get("source_file"))
                found.append(LessonQuestions(header.id, path, questions_about(whole)))
        return choose_probes(found, known, self._max_probes)

    async def _try(
        self, book_id: str, probes: Sequence[Probe], check: Check, report: JobReport
    ) -> _Tried:
        """Try what is unchecked, in batches, until it is done, takes too long, or fails."""
        done = list(probes)
        left = [place for place, probe in enumerate(probes) if not probe.checked]
        try:
            async with asyncio.timeout(self._timeout_s):
                for start in range(0, len(left), BATCH):
                    if report.cancelled:
                        return _Tried(tuple(done), "The job was cancelled")
                    batch = left[start : start + BATCH]
                    asked = [self._is_found(book_id, done[place]) for place in batch]
                    answers = await asyncio.gather(*asked, return_exceptions=True)
                    for place, found in zip(batch, answers, strict=True):
                        if isinstance(found, BaseException):
                            raise found
                        done[place] = done[place].tried(check, found=found)
        except TimeoutError:
            return _Tried(tuple(done), f"It took longer than {self._timeout_s:g} s")
        except SourcebookError as error:
            return _Tried(tuple(done), error.message, failed=True)
        return _Tried(tuple(done))

    async def _is_found(self, book_id: str, probe: Probe) -> bool:
        return probe.document_id in await self._find(book_id, probe.question, DEPTH)


class SelfTestedRun:
    """Wraps the handler of book jobs, and tests the book when a run has ended well.

    However the test ends, the run has done its work: a test that fails is a warning.
    """

    def __init__(self, inner: JobHandler, tester: SelfTester) -> None:
        self._inner = inner
        self._tester = tester

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Run the job, then the test."""
        outcome = await self._inner.run(job, report)
        if outcome.status in {"completed", "partial"}:
            await self._test(job, outcome.commit, report)
        return outcome

    async def _test(self, job: IngestJob, commit: str | None, report: JobReport) -> None:
        try:
            await self._tester.test(job, commit, report)
        except LeaseLost:
            raise
        except SourcebookError as error:
            report.warn([problem(error.message)])
        except Exception:
            # The edge of the test: the book is indexed, so the job must not fail for it.
            log.exception("self_test_crashed", extra={"job": job.id})
            report.warn([problem("An internal error; the log of the service has more")])


def problem(reason: str | None) -> FileProblem:
    """Return the warning of a test that failed; it is about no file."""
    return FileProblem(OTHER_PATHS, f"The self-test could not be finished: {reason}")


def _described(job: IngestJob, test: SelfTest) -> dict[str, int]:
    counts = test.report().counts
    return {"job": job.id, **{f"probes_{state}": count for state, count in counts.items()}}
