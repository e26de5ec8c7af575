"""Serves with several processes on one port: starts them, starts again what ends, stops all.

Each process listens on a socket of its own, among which the kernel shares out connections: with one
socket for all, the first process to wake would take every connection that waits.
"""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from sourcebook.core.errors import ConfigurationError

log = logging.getLogger(__name__)

# Tells a process of a worker its number and its socket.
WORKER = "SOURCEBOOK_WORKER"
# Where the library of the metrics has its processes count together; it looks when it is imported.
METRICS = "PROMETHEUS_MULTIPROC_DIR"
# A process that ends by itself so soon has never served: started again, it would end again.
MIN_LIFE_S = 10.0
RESTART_INTERVAL_S = 1.0
STOP_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Worker:
    """Which of several processes this one is, and the socket that it was given."""

    number: int
    listener: socket.socket

    @property
    def is_first(self) -> bool:
        return self.number == 0


def this_worker() -> Worker | None:
    """Return which worker this process is; None if it was not started as one."""
    given = os.environ.pop(WORKER, None)
    if given is None:
        return None
    number, _, descriptor = given.partition(":")
    return Worker(int(number), socket.socket(fileno=int(descriptor)))


async def parent_ends() -> None:
    """Return when the process that started this worker is gone: then its pipe ends."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())


def shared_listeners(first: socket.socket, count: int) -> list[socket.socket]:
    """Return as many sockets for the address that `first` is bound to, which is closed."""
    address, family = first.getsockname(), first.family
    first.close()
    if not sys.platform.startswith("linux"):
        # Elsewhere the last one would get every connection.
        return [_bound(family, address)] * count
    return [_bound(family, address) for _ in range(count)]


def run_workers(command: Sequence[str], listeners: Sequence[socket.socket]) -> int:
    """Run a worker for each socket until a signal comes; return the exit code for all of them.

    A worker that ends or is killed is started again, unless it gave up at its start: then all end.
    """
    stopping: list[int] = []
    with ExitStack() as stack:
        counts = stack.enter_context(tempfile.TemporaryDirectory(prefix="sourcebook-metrics-"))
        for name in (signal.SIGTERM, signal.SIGINT):
            before = signal.signal(name, lambda number, _: stopping.append(number))
            stack.callback(signal.signal, name, before)
        running = [_Process(command, counts, *one) for one in enumerate(listeners)]
        stack.callback(_stop, running)
        while not stopping:
            time.sleep(0.1)
            for process in running:
                code = process.exit_code
                if code is None:
                    continue
                if code >= 0 and process.lived_s < MIN_LIFE_S and not stopping:
                    return code or 1
                if process.lived_s > RESTART_INTERVAL_S and not stopping:
                    log.error("worker_ended", extra={"worker": process.number, "exit_code": code})
                    process.start()
        return 0


class _Process:
    """The process of one worker. Its standard input ends when this process does."""

    def __init__(
        self, command: Sequence[str], counts: str, number: int, listener: socket.socket
    ) -> None:
        self.number = number
        self._counts = counts
        self._command = command
        self._listener = listener
        self.start()

    def start(self) -> None:
        descriptor = self._listener.fileno()
        self._started_s = time.monotonic()
        self.child = subprocess.Popen(  # noqa: S603 - our own command line, once more
            self._command,
            stdin=subprocess.PIPE,
            pass_fds=[descriptor],
            env={
                **os.environ,
                WORKER: f"{self.number}:{descriptor}",
                METRICS: self._counts,
            },
        )

    @property
    def exit_code(self) -> int | None:
        return self.child.poll()

    @property
    def lived_s(self) -> float:
        return time.monotonic() - self._started_s


def _stop(running: Sequence[_Process]) -> None:
    for process in running:
        with suppress(ProcessLookupError):
            process.child.terminate()
    deadline_s = time.monotonic() + STOP_TIMEOUT_S
    for process in running:
        try:
            process.child.wait(max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.child.kill()
            process.child.wait()


def _bound(family: int, address: tuple[str, int]) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise ConfigurationError(f"Cannot listen on {address}: {error.strerror}") from None
    listener.setblocking(False)
    return listener
