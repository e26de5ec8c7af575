"""Runs processes during a block and reads their memory."""

import os
import re
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PEERS = Path(__file__).parent / "peers"
PEER_BIN = ROOT / ".venv-bench" / "bin"
STOP_TIMEOUT_S = 30
# Nothing is fetched and nothing is told while measuring.
QUIET = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "TOKENIZERS_PARALLELISM": "true"}
_KILOBYTES = re.compile(r"^(\w+):\s+(\d+) kB$", re.MULTILINE)


@contextmanager
def running(
    command: Sequence[str], extra: dict[str, str] | None = None, **streams: Any
) -> Iterator["subprocess.Popen[str]"]:
    """Run a command until the end of the block; nothing is left running."""
    environment = {**os.environ, **QUIET, **(extra or {})}
    with subprocess.Popen(  # noqa: S603 - commands of this module
        command, text=True, cwd=ROOT, env=environment, **streams
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()


@dataclass(frozen=True, slots=True)
class Memory:
    """The resident memory of a process, as the kernel counts it.

    `anonymous_mb` is what the process has for itself. The rest are pages of files, the index's
    among them; the kernel takes those back when it needs the room.
    """

    resident_mb: float
    anonymous_mb: float
    peak_mb: float


def memory(pid: int) -> Memory:
    """Return the memory of a process, now and at its peak."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    kilobytes = {name: int(value) for name, value in _KILOBYTES.findall(status)}
    resident, anonymous, peak = (kilobytes[name] / 1024 for name in ("VmRSS", "RssAnon", "VmHWM"))
    return Memory(resident, anonymous, peak)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
