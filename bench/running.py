"""Running processes for as long as a block lasts, and looking at them."""

import os
import re
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PEERS = Path(__file__).parent / "peers"
PEER_BIN = ROOT / ".venv-bench" / "bin"
STOP_TIMEOUT_S = 30
# Nothing is fetched and nothing is told while measuring.
QUIET = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "TOKENIZERS_PARALLELISM": "true"}


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


def memory_mb(pid: int) -> float:
    """The resident memory of a process, as the kernel counts it."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
