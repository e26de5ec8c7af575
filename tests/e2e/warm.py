"""Forks processes that run `sourcebook` from one that has imported it, which saves seconds each.

What is forked is a process like any other: it has its own environment, folder, output and exit
code, and can be killed. Only the interpreter is not started anew.
"""

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import random
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Self

import sourcebook
from sourcebook.providers.inference.local_models import BUNDLED, BUNDLED_MODEL, EMBEDDER, locate
from sourcebook.providers.inference.weights import hash_weights
from sourcebook.service.http.app import openapi_document

MAX_REQUEST_BYTES = 1_000_000
STOP_TIMEOUT_S = 30
# Imported nowhere at the start of a command, or only for tests.
NOT_PRELOADED = ("sourcebook.testing", "sourcebook.__main__", ".migrations", "_migrations")
# What a server imports when it starts, which none of our modules does at its top.
AT_THE_START = ("alembic.command", "aiosqlite", "uvloop", "uvicorn.lifespan.on")


class WarmProcess:
    """A forked command. It has what the tests use of `subprocess.Popen`."""

    def __init__(self, pid: int, status: IO[bytes]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._status = status

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        self._status.close()

    def _ended(self, timeout_s: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout_s)[0]:
            # Not to the end of the pipe: processes that were forked meanwhile have it open, too.
            self.returncode = int(os.read(self._status.fileno(), 100) or b"-9")
        return self.returncode


def start(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], stdout: int, stderr: int
) -> WarmProcess:
    """Start `sourcebook` with these arguments, writing to these file descriptors."""
    read_end, write_end = os.pipe()
    asked = {"arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}
    control = _forker()
    try:
        socket.send_fds(control, [json.dumps(asked).encode()], [stdout, stderr, write_end])
    finally:
        os.close(write_end)
    return WarmProcess(int(control.recv(100)), os.fdopen(read_end, "rb"))


@cache
def _forker() -> socket.socket:
    """Start the process that forks. It ends with this one, when its socket closes."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * MAX_REQUEST_BYTES)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.warm", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            cwd=Path(__file__).parents[2],
        )
    assert ours.recv(100) == b"warm"

    @atexit.register
    def _close() -> None:
        ours.close()
        process.wait(STOP_TIMEOUT_S)

    return ours


def _fork_for(control: socket.socket) -> None:
    """Fork for every request until the other end closes; report each exit code to its pipe."""
    statuses: dict[int, int] = {}
    awake, waker = socket.socketpair()
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    control.send(b"warm")
    while True:
        ready = select.select([control, awake], [], [])[0]
        if awake in ready:
            awake.recv(1_000)
            _report_ended(statuses)
        if control in ready:
            message, fds, _, _ = socket.recv_fds(control, MAX_REQUEST_BYTES, 3)
            if not message:
                return
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                for held in (control, awake, waker):
                    held.close()
                _run(json.loads(message), fds)
            for fd in fds[:2]:
                os.close(fd)
            statuses[pid] = fds[2]
            control.send(str(pid).encode())


def _report_ended(statuses: dict[int, int]) -> None:
    for pid in list(statuses):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            fd = statuses.pop(pid)
            with contextlib.suppress(BrokenPipeError):
                os.write(fd, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(fd)


def _run(asked: dict[str, object], fds: list[int]) -> None:
    """Become the command. Never returns."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(fds[0], 1)
        os.dup2(fds[1], 2)
        for fd in fds:
            os.close(fd)
        os.chdir(str(asked["cwd"]))
        os.environ.clear()
        os.environ.update(asked["env"])  # type: ignore[call-overload]
        sys.argv = ["sourcebook", *asked["arguments"]]  # type: ignore[misc]
        random.seed()
        from sourcebook.cli.main import main  # noqa: PLC0415

        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - as the interpreter would
        traceback.print_exc()
    finally:
        os._exit(code)


def _preload() -> None:
    for module in pkgutil.walk_packages(sourcebook.__path__, "sourcebook."):
        if not any(part in module.name for part in NOT_PRELOADED):
            with contextlib.suppress(ImportError):  # an SDK that is not installed
                importlib.import_module(module.name)
    for name in AT_THE_START:
        importlib.import_module(name)
    openapi_document()
    # Remembered by every process that is forked.
    hash_weights(locate(BUNDLED + BUNDLED_MODEL, Path(), EMBEDDER).folder)


if __name__ == "__main__":
    _preload()
    _fork_for(socket.socket(fileno=int(sys.argv[1])))
