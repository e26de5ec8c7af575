"""Runs the servers that are measured: `sourcebook serve` and `chroma run`."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.processes import PEER_BIN, Memory, free_port, memory, running

START_TIMEOUT_S = 120
REQUEST_TIMEOUT_S = 600


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is ready."""

    url: str
    pid: int

    def post(self, path: str, body: object, headers: Mapping[str, str] | None = None) -> Any:
        """Post JSON and return the JSON reply; an error unless it succeeds."""
        json_too = {"Content-Type": "application/json", **(headers or {})}
        return self._ask(path, json.dumps(body).encode(), json_too)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Any:
        """Return the JSON at a path; an error unless it succeeds."""
        return self._ask(path, None, headers or {})

    def _ask(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        request = urllib.request.Request(  # noqa: S310 - a loopback address
            self.url + path, body, dict(headers)
        )
        with urllib.request.urlopen(request, timeout=REQUEST_TIMEOUT_S) as reply:  # noqa: S310
            return json.load(reply)

    @property
    def memory(self) -> Memory:
        return memory(self.pid)


@contextmanager
def sourcebook(folder: Path, module: str = "sourcebook", **environment: str) -> Iterator[Server]:
    """Run `sourcebook serve` with the bundled model, its data in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "embeddings.yml"
    config.write_text("embeddings:\n  - {id: minilm, path: 'bundled:all-MiniLM-L6-v2'}\n")
    command = [sys.executable, "-m", module, "serve", "--data-dir", str(folder / "data")]
    command += ["--embeddings-config", str(config)]
    with serving(command, folder, "/livez", **environment) as server:
        yield server


@contextmanager
def chroma(folder: Path) -> Iterator[Server]:
    """Run `chroma run`, its data in the folder."""
    command = [str(PEER_BIN / "chroma"), "run", "--path", str(folder / "chroma")]
    folder.mkdir(parents=True, exist_ok=True)
    with serving([*command, "--host", "127.0.0.1"], folder, "/api/v2/heartbeat") as server:
        yield server


@contextmanager
def serving(
    command: Sequence[str], folder: Path, alive: str, **environment: str
) -> Iterator[Server]:
    """Run a command that serves on the `--port` it is given, once its `alive` path answers."""
    port = free_port()
    command = [*command, "--port", str(port)]
    with (
        (folder / "server.log").open("w", encoding="utf-8") as log,
        running(command, environment, stdout=log, stderr=log) as process,
    ):
        server = Server(f"http://127.0.0.1:{port}", process.pid)
        _wait_for(process, server.url + alive)
        yield server


def _wait_for(process: "subprocess.Popen[str]", url: str) -> None:
    end_s = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end_s and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - a loopback address
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.01)
    raise RuntimeError(f"{process.args!r} did not start; its output is in server.log")
