import asyncio
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from sourcebook.core.errors import Overloaded, Unavailable
from sourcebook.core.statistics import QueueLength
from sourcebook.providers.inference.pool import InferencePool

Pool = InferencePool[str, str]
NEVER_QUIET_S = 1e6


class FakeModel:
    """Shouts. Notes every batch; while its gate is shut, a batch stays inside."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.entered = threading.Semaphore(0)
        self._gate = threading.Event()
        self._gate.set()

    def __call__(self, items: Sequence[str]) -> list[str]:
        self.batches.append(list(items))
        self.entered.release()
        if not self._gate.wait(timeout=30):
            raise TimeoutError("the test never opened the gate")
        if "bad" in items:
            raise ValueError("bad item")
        return [item.upper() for item in items]

    def shut(self) -> None:
        self._gate.clear()

    def open(self) -> None:
        self._gate.set()

    async def wait_until_entered(self) -> None:
        assert await asyncio.to_thread(self.entered.acquire, timeout=30)


@contextmanager
def pool_of(*fakes: FakeModel, **limits: float) -> Iterator[Pool]:
    settings = {"quiet_s": 0.0, **limits}
    pool: Pool = InferencePool(fakes, **settings)  # type: ignore[arg-type]
    try:
        yield pool
    finally:
        for fake in fakes:
            fake.open()
        pool.close()


async def start(pool: Pool, item: str) -> "asyncio.Task[list[str]]":
    """Ask and come back when the question is in the queue."""
    task = asyncio.create_task(pool.ask([item]))
    await asyncio.sleep(0)
    return task


async def start_work(pool: Pool, *batches: list[str]) -> "asyncio.Task[list[list[str]]]":
    task = asyncio.create_task(pool.work(batches))
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def test_results_come_in_the_order_of_the_items() -> None:
    with pool_of(FakeModel(), FakeModel()) as pool:
        assert await pool.ask(["a", "b", "c"]) == ["A", "B", "C"]
        assert await pool.work([["d", "e"], ["f"]]) == [["D", "E"], ["F"]]


async def test_no_work_is_done_at_once() -> None:
    with pool_of(FakeModel()) as pool:
        assert await pool.ask([]) == []
        assert await pool.work([]) == []


async def test_a_query_overtakes_waiting_batches() -> None:
    fake = FakeModel()
    with pool_of(fake) as pool:
        fake.shut()
        work = await start_work(pool, ["first"], ["second"])
        await fake.wait_until_entered()
        query = await start(pool, "query")
        fake.open()
        await asyncio.gather(work, query)
    assert fake.batches == [["first"], ["query"], ["second"]]


async def test_waiting_queries_are_gathered_up_to_the_micro_batch() -> None:
    fake = FakeModel()
    with pool_of(fake, micro_batch=3) as pool:
        fake.shut()
        tasks = [await start(pool, "first")]
        await fake.wait_until_entered()
        tasks += [await start(pool, item) for item in "abcd"]
        fake.open()
        await asyncio.gather(*tasks)
    assert fake.batches == [["first"], ["a", "b", "c"], ["d"]]


async def test_while_queries_come_one_thread_is_kept_free_of_bulk_work() -> None:
    steady, reserved = FakeModel(), FakeModel()
    with pool_of(steady, reserved, quiet_s=NEVER_QUIET_S) as pool:
        await pool.ask(["query"])
        steady.batches.clear()
        reserved.batches.clear()
        await pool.work([["a"], ["b"], ["c"], ["d"]])
    assert steady.batches == [["a"], ["b"], ["c"], ["d"]]
    assert reserved.batches == []


async def test_a_query_is_answered_while_bulk_work_runs() -> None:
    steady, reserved = FakeModel(), FakeModel()
    with pool_of(steady, reserved, quiet_s=NEVER_QUIET_S) as pool:
        await pool.ask(["query"])
        while steady.entered.acquire(blocking=False):
            pass
        steady.shut()
        work = await start_work(pool, ["a"], ["b"])
        await steady.wait_until_entered()
        assert await pool.ask(["another"]) == ["ANOTHER"]
        assert not work.done()
        steady.open()
        await work


async def test_without_queries_all_threads_do_bulk_work() -> None:
    fakes = (FakeModel(), FakeModel())
    with pool_of(*fakes) as pool:
        for fake in fakes:
            fake.shut()
        work = await start_work(pool, ["a"], ["b"])
        for fake in fakes:
            await fake.wait_until_entered()
        for fake in fakes:
            fake.open()
        await work


async def test_bulk_work_comes_back_to_all_threads_when_it_is_quiet_again() -> None:
    now_s = 0.0
    steady, reserved = FakeModel(), FakeModel()
    with pool_of(steady, reserved, quiet_s=1.0, clock=lambda: now_s) as pool:  # type: ignore[arg-type]
        await pool.ask(["query"])
        while steady.entered.acquire(blocking=False) or reserved.entered.acquire(blocking=False):
            pass
        steady.shut()
        reserved.shut()
        now_s = 2.0
        work = await start_work(pool, ["a"], ["b"])
        await steady.wait_until_entered()
        await reserved.wait_until_entered()
        steady.open()
        reserved.open()
        await work


async def test_too_many_waiting_queries_are_refused() -> None:
    fake = FakeModel()
    with pool_of(fake, max_waiting=2) as pool:
        fake.shut()
        tasks = [await start(pool, "first")]
        await fake.wait_until_entered()
        tasks += [await start(pool, item) for item in "ab"]
        with pytest.raises(Overloaded, match="2 queries are waiting"):
            await pool.ask(["c"])
        fake.open()
        assert [await task for task in tasks] == [["FIRST"], ["A"], ["B"]]


async def test_few_batches_are_taken_from_the_caller_at_a_time() -> None:
    taken = []

    def batches() -> Iterator[list[str]]:
        for number in range(50):
            taken.append(number)
            yield [str(number)]

    fake = FakeModel()
    with pool_of(fake) as pool:
        fake.shut()
        work = asyncio.create_task(pool.work(batches()))
        await fake.wait_until_entered()
        assert len(taken) == 2
        fake.open()
        assert await work == [[str(number)] for number in range(50)]


async def test_cancelled_work_stops() -> None:
    fake = FakeModel()
    with pool_of(fake) as pool:
        fake.shut()
        work = await start_work(pool, *([str(number)] for number in range(50)))
        await fake.wait_until_entered()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        fake.open()
        assert await pool.work([["after"]]) == [["AFTER"]]
    assert fake.batches == [["0"], ["after"]]


async def test_two_callers_take_turns_with_their_batches() -> None:
    fake = FakeModel()
    with pool_of(fake) as pool:
        fake.shut()
        long = await start_work(pool, *([f"long {number}"] for number in range(20)))
        await fake.wait_until_entered()
        short = await start_work(pool, ["short"])
        fake.open()
        await asyncio.gather(long, short)
    assert fake.batches.index(["short"]) < 6


async def test_a_failure_reaches_its_caller_and_nobody_else() -> None:
    with pool_of(FakeModel()) as pool:
        with pytest.raises(ValueError, match="bad item"):
            await pool.ask(["bad"])
        with pytest.raises(ValueError, match="bad item"):
            await pool.work([["a"], ["bad"], ["b"]])
        assert await pool.ask(["good"]) == ["GOOD"]


async def test_a_cancelled_query_is_not_computed() -> None:
    fake = FakeModel()
    with pool_of(fake) as pool:
        fake.shut()
        first = await start(pool, "first")
        await fake.wait_until_entered()
        given_up = await start(pool, "given up")
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        fake.open()
        await first
        await pool.ask(["last"])
    assert fake.batches == [["first"], ["last"]]


async def test_closing_refuses_what_waits_and_ends_the_threads() -> None:
    fake = FakeModel()
    with pool_of(fake) as pool:
        fake.shut()
        running = await start(pool, "running")
        await fake.wait_until_entered()
        waiting = await start(pool, "waiting")
        closing = asyncio.create_task(asyncio.to_thread(pool.close))
        with pytest.raises(Unavailable, match="being closed"):
            await waiting
        fake.open()
        await closing
        assert await running == ["RUNNING"]
        with pytest.raises(Unavailable, match="closed"):
            await pool.ask(["late"])
        with pytest.raises(Unavailable, match="closed"):
            await pool.work([["late"]])
        assert not any(thread.name.startswith("inference-") for thread in threading.enumerate())


@pytest.mark.skipif(sys.platform != "linux", reason="Threads have no priority of their own there")
async def test_inference_stands_back_behind_the_event_loop() -> None:
    def niceness_of_this_thread(items: Sequence[str]) -> list[int]:
        return [os.getpriority(os.PRIO_PROCESS, threading.get_native_id())] * len(items)

    ours = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    pool: InferencePool[str, int] = InferencePool([niceness_of_this_thread])
    try:
        assert await pool.ask(["x"]) == [min(19, ours + 5)]
    finally:
        pool.close()


async def test_what_waits_and_what_runs_can_be_counted() -> None:
    fake = FakeModel()
    with pool_of(fake) as pool:
        fake.shut()
        work = await start_work(pool, ["first", "second"], ["third", "fourth", "fifth"])
        await fake.wait_until_entered()
        query = await start(pool, "query")

        assert pool.queue == QueueLength(waiting_queries=1, waiting_documents=3, running=2)
        fake.open()
        await asyncio.gather(work, query)

    assert pool.queue == QueueLength()
