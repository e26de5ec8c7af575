"""Runs `sourcebook` as a user does: as a process of its own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import httpx2

from tests.e2e import warm

START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 30
Process: TypeAlias = "warm.WarmProcess | subprocess.Popen[bytes]"
# Of these, None leaves a variable out: a command then has the default of a user.
Environment: TypeAlias = Mapping[str, str | None]
WITH_READER: Environment = {"SOURCEBOOK_READER": None}
_READY = re.compile(r"is ready at (http://\S+)")


def run(*arguments: str, cwd: Path, env: Environment | None = None) -> "Done":
    """Run a command to its end."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with start(*arguments, cwd=cwd, env=env, out=out.fileno(), err=err.fileno()) as process:
            try:
                code = process.wait(START_TIMEOUT_S)
            finally:
                process.kill()
        out.seek(0)
        err.seek(0)
        return Done(code, out.read().decode(), err.read().decode())


def start(
    *arguments: str, cwd: Path, env: Environment | None = None, out: int, err: int
) -> Process:
    """Start a command that writes to these file descriptors, without a reader unless `env` has one.

    A reader costs each process seconds of work, which most tests are not about.
    """
    given = {"SOURCEBOOK_READER": "off", **os.environ, **(env or {})}
    environment = {name: value for name, value in given.items() if value is not None}
    if env and "PYTHONPATH" in env:  # read only when an interpreter starts
        command = [sys.executable, "-m", "sourcebook", *arguments]
        return subprocess.Popen(command, stdout=out, stderr=err, cwd=cwd, env=environment)
    return warm.start(arguments, cwd, environment, out, err)


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


class Server:
    """A server process and a client of it."""

    def __init__(self, process: Process, url: str, said: str) -> None:
        self.process = process
        self.url = url
        self.said = said
        self.client = httpx2.Client(base_url=url, timeout=30)

    def post(self, path: str, body: object) -> Any:
        """The JSON reply to a request that must succeed."""
        reply = self.client.post(path, json=body)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def get(self, path: str) -> Any:
        """The JSON reply to a request that must succeed."""
        reply = self.client.get(path)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_TIMEOUT_S)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.process.kill()
        self.process.wait(STOP_TIMEOUT_S)


@contextmanager
def serving(*arguments: str, cwd: Path, env: Environment | None = None) -> Iterator[Server]:
    """Run a command that serves, once it is ready, on a free port."""
    arguments = (*arguments, "--port", "0")
    with (
        (cwd / "server.log").open("w+", encoding="utf-8") as log,
        start(*arguments, cwd=cwd, env=env, out=log.fileno(), err=log.fileno()) as process,
    ):
        try:
            url, said = _wait_until_ready(process, cwd / "server.log")
            server = Server(process, url, said)
            with server.client:
                yield server
        finally:
            process.kill()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def write_config(folder: Path, **models: str) -> str:
    """An embeddings config in the folder; its path."""
    entries = [{"id": id_, "path": path} for id_, path in models.items()]
    path = folder / "embeddings.yml"
    path.write_text(json.dumps({"embeddings": entries}))
    return str(path)


def _wait_until_ready(process: Process, log: Path) -> tuple[str, str]:
    end_s = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end_s and process.poll() is None:
        said = log.read_text("utf-8")
        ready = _READY.search(said)
        if ready and _answers(ready[1]):
            # Read again: more was said by the time it answered.
            return ready[1], log.read_text("utf-8")
        time.sleep(0.05)
    raise AssertionError(f"The server did not start: {log.read_text('utf-8')}")


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/livez", timeout=5).status_code == 200
    except httpx2.HTTPError:
        return False
