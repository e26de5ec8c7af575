"""Runs blocking work that may hang in a thread that is abandoned after a timeout."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def in_daemon_thread(work: Callable[[], T], timeout_s: float) -> T:
    """Run the work in a thread that does not keep the process alive; TimeoutError."""
    result: Future[T] = Future()
    # The caller may give up; the work itself cannot be cancelled.
    result.set_running_or_notify_cancel()

    def run() -> None:
        try:
            value = work()
        except BaseException as error:  # noqa: BLE001 - handed over to whoever waits
            result.set_exception(error)
        else:
            result.set_result(value)

    threading.Thread(target=run, name="may-hang", daemon=True).start()
    return await asyncio.wait_for(asyncio.wrap_future(result), timeout_s)
