"""Runs `chroma run` on a free port of this machine, for as long as a test needs it."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 20


@contextmanager
def running_chroma(folder: Path, port: int | None = None) -> Iterator[str]:
    """The URL of a server that keeps its files in the folder; its output stays in server.log."""
    port = port or free_port()
    chroma = Path(sys.executable).with_name("chroma")
    command = [str(chroma), "run", "--path", str(folder / "data"), "--host", "127.0.0.1"]
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=folder,
            stdout=log,
            stderr=log,
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process, folder / "server.log")
            yield url
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/api/v2/heartbeat", timeout=1):  # noqa: S310
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"The server did not start:\n{log.read_text('utf-8', 'replace')[-4_000:]}")
