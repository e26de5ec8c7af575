"""Runs scripts in the peers' environment and exchanges JSON lines with them."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from bench.processes import PEER_BIN, PEERS, memory, running


class Peer:
    """A script of the other environment that replies to a JSON line with a JSON line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, **request: object) -> Any:
        """Send a request and return the reply."""
        to, from_ = _pipes(self._process)
        to.write(json.dumps(request) + "\n")
        to.flush()
        reply = from_.readline()
        if not reply:
            raise RuntimeError(f"The peer ended while it was asked to {request.get('do')!r}")
        return json.loads(reply)

    @property
    def memory_mb(self) -> float:
        """The resident memory of the process, as the kernel counts it."""
        return memory(self._process.pid).resident_mb


@contextmanager
def peer(script: str, *arguments: str) -> Iterator[Peer]:
    """Run a peer script until the end of the block."""
    command = [str(PEER_BIN / "python"), str(PEERS / script), *arguments]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        started = Peer(process)
        started.ask(do="nothing")
        yield started


def _pipes(process: "subprocess.Popen[str]") -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("A peer needs pipes")
    return process.stdin, process.stdout
