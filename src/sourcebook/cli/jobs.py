"""Waits for a job of the service; Ctrl+C cancels the job, and a second one ends the process."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

from sourcebook.cli.terminal import err
from sourcebook.core.errors import Conflict
from sourcebook.core.jobs import UNFINISHED

POLL_INTERVAL_S = 0.3
# Texts that are being embedded are finished first.
CANCEL_TIMEOUT_S = 60.0


class _HasStatus(Protocol):
    @property
    def status(self) -> str | None: ...


Job = TypeVar("Job", bound=_HasStatus)


class Stop:
    """A request to stop the command, and the signal that it came by."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.signal = signal.SIGINT

    @property
    def requested(self) -> bool:
        return self.event.is_set()

    async def wait(self, timeout_s: float) -> bool:
        """Return whether a stop was requested before the timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self.event.wait()
        return self.requested

    @property
    def exit_code(self) -> int:
        """The exit code that shells give to a command that was interrupted so."""
        return 128 + self.signal


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Turn the first SIGINT or SIGTERM into a request to stop; the second ends the process."""
    loop = asyncio.get_running_loop()
    stop = Stop()

    def request_stop(name: signal.Signals) -> None:
        if stop.requested:
            # At once, as by a crash: the ledger loses nothing, and the next start clears up.
            err.show_cursor(True)
            os._exit(128 + name)
        stop.signal = name
        stop.event.set()

    names = (signal.SIGINT, signal.SIGTERM)
    for name in names:
        loop.add_signal_handler(name, request_stop, name)
    try:
        yield stop
    finally:
        for name in names:
            loop.remove_signal_handler(name)


async def wait_for_job(
    get_job: Callable[[], Awaitable[Job]], show: Callable[[Job], None], stop: Stop
) -> Job | None:
    """Show the job until it ends; None if a stop is requested first."""
    while True:
        job = await get_job()
        show(job)
        if job.status not in UNFINISHED:
            return job
        if await stop.wait(POLL_INTERVAL_S):
            return None


async def cancel_job(
    cancel: Callable[[], Awaitable[None]],
    get_job: Callable[[], Awaitable[Job]],
    timeout_s: float = CANCEL_TIMEOUT_S,
) -> Job:
    """Cancel the job and wait for its end, within a limit."""
    with suppress(Conflict):  # it has ended in this very moment
        await cancel()
    job = await get_job()
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            while job.status in UNFINISHED:
                await asyncio.sleep(POLL_INTERVAL_S)
                job = await get_job()
    return job
