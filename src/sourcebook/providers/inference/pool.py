"""A pool of inference threads that compute queries first and documents in between.

Queries that wait are micro-batched. While queries arrive, only one thread goes on with
bulk work, so that a query never waits for a batch of documents on every thread.
"""

import asyncio
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sourcebook.core.errors import Overloaded, Unavailable
from sourcebook.core.statistics import QueueLength

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_WAITING_QUERIES = 512
MICRO_BATCH = 32
QUIET_INTERVAL_S = 1.0
# Added to the niceness of inference threads. Without it, the event loop waits for a core up to
# 130 ms while documents are embedded.
NICENESS = 5


@dataclass(frozen=True, slots=True)
class InferenceJob(Generic[Item, Result]):
    """Something to compute, and the future that its caller awaits."""

    item: Item
    result: "Future[Result]" = field(default_factory=Future)


class InferencePool(Generic[Item, Result]):
    """One thread for each compute function; a function is called by its own thread only."""

    def __init__(
        self,
        computes: Sequence[Callable[[Sequence[Item]], Sequence[Result]]],
        *,
        micro_batch: int = MICRO_BATCH,
        max_waiting: int = MAX_WAITING_QUERIES,
        quiet_s: float = QUIET_INTERVAL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._micro_batch = micro_batch
        self._max_waiting = max_waiting
        self._quiet_s = quiet_s
        self._clock = clock
        self._queries: deque[InferenceJob[Item, Result]] = deque()
        self._batches: deque[list[InferenceJob[Item, Result]]] = deque()
        self._running = 0
        self._quiet_from = clock()
        self._closed = False
        self._changed = threading.Condition()
        # Few batches are queued at a time, in turns; the callers hold the others.
        self._batches_at_once = 2 * len(computes)
        self._batch_slots = asyncio.Semaphore(self._batches_at_once)
        self._threads = [
            threading.Thread(
                target=self._serve,
                args=(compute, number == 0),
                name=f"inference-{number}",
                # A process that is torn down without closing must still be able to end.
                daemon=True,
            )
            for number, compute in enumerate(computes)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def closed(self) -> bool:
        """True once it takes no more work."""
        return self._closed

    @property
    def queue(self) -> QueueLength:
        """How much waits and runs now."""
        with self._changed:
            documents = sum(len(batch) for batch in self._batches)
            return QueueLength(len(self._queries), documents, self._running)

    async def ask(self, items: Sequence[Item]) -> list[Result]:
        """Compute soon, in a batch with other queries; Overloaded if too many wait already."""
        jobs: list[InferenceJob[Item, Result]] = [InferenceJob(item) for item in items]
        with self._changed:
            self._check_open()
            if len(self._queries) >= self._max_waiting:
                raise Overloaded(
                    f"{len(self._queries)} queries are waiting for the model already;"
                    " try again in a moment"
                )
            self._queries.extend(jobs)
            self._quiet_from = self._clock() + self._quiet_s
            self._changed.notify_all()
        return await _results(jobs)

    async def work(self, batches: Iterable[Sequence[Item]]) -> list[list[Result]]:
        """Compute each batch when there is time; if one fails, the others are cancelled."""
        results: dict[int, list[Result]] = {}
        left = iter(enumerate(batches))

        async def work_on() -> None:
            for number, batch in left:
                results[number] = await self._work_one(batch)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._batches_at_once):
                    group.create_task(work_on())
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [results[number] for number in sorted(results)]

    def close(self) -> None:
        """Refuse what is waiting, finish what is running, and end the threads."""
        with self._changed:
            self._closed = True
            left = [*self._queries, *(job for batch in self._batches for job in batch)]
            self._queries.clear()
            self._batches.clear()
            self._changed.notify_all()
        for job in left:
            if job.result.set_running_or_notify_cancel():
                job.result.set_exception(Unavailable("The model is being closed"))
        for thread in self._threads:
            thread.join()

    async def _work_one(self, batch: Sequence[Item]) -> list[Result]:
        jobs: list[InferenceJob[Item, Result]] = [InferenceJob(item) for item in batch]
        async with self._batch_slots:
            with self._changed:
                self._check_open()
                self._batches.append(jobs)
                self._changed.notify_all()
            return await _results(jobs)

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("The model is closed")

    def _serve(self, compute: Callable[[Sequence[Item]], Sequence[Result]], steady: bool) -> None:
        _lower_priority()
        while (jobs := self._next_jobs(steady)) is not None:
            self._count_running(len(jobs))
            _run(compute, jobs)
            self._count_running(-len(jobs))

    def _count_running(self, more: int) -> None:
        with self._changed:
            self._running += more

    def _next_jobs(self, steady: bool) -> list[InferenceJob[Item, Result]] | None:
        """Wait for work; None when closed. A steady thread also does bulk work during queries."""
        with self._changed:
            while not self._closed:
                if self._queries:
                    return self._pop_queries()
                quiet_in_s = 0.0 if steady else self._quiet_from - self._clock()
                if self._batches and quiet_in_s <= 0:
                    return self._batches.popleft()
                self._changed.wait(quiet_in_s if self._batches else None)
        return None

    def _pop_queries(self) -> list[InferenceJob[Item, Result]]:
        count = min(self._micro_batch, len(self._queries))
        return [self._queries.popleft() for _ in range(count)]


def _lower_priority() -> None:
    """Let other threads of this process go first. Outside Linux it would slow down all of them."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with suppress(OSError):
            nice = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, nice + NICENESS)


async def _results(jobs: Sequence[InferenceJob[Item, Result]]) -> list[Result]:
    return list(await asyncio.gather(*(asyncio.wrap_future(job.result) for job in jobs)))


def _run(
    compute: Callable[[Sequence[Item]], Sequence[Result]],
    jobs: Sequence[InferenceJob[Item, Result]],
) -> None:
    wanted = [job for job in jobs if job.result.set_running_or_notify_cancel()]
    if not wanted:
        return
    try:
        results = compute([job.item for job in wanted])
        answered = list(zip(wanted, results, strict=True))
    except Exception as error:
        log.exception("inference_failed", extra={"items": len(wanted)})
        for job in wanted:
            job.result.set_exception(error)
        return
    for job, result in answered:
        job.result.set_result(result)
