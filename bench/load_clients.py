"""Starts load generators and latency probes, each in its own process."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from bench.http_load import Load, Loaded
from bench.processes import ROOT, STOP_TIMEOUT_S, running

LOAD_TIMEOUT_S = 600


def put_load(url: str, clients: int, bodies: Sequence[object]) -> Loaded:
    """Post every body once, from clients in a separate process."""
    load = Load(url, clients, [json.dumps(body) for body in bodies])
    done = subprocess.run(
        [sys.executable, "-m", "bench.http_load"],
        input=json.dumps(asdict(load)) + "\n",
        capture_output=True,
        text=True,
        timeout=LOAD_TIMEOUT_S,
        check=True,
        cwd=ROOT,
    )
    return Loaded(**json.loads(done.stdout))


@contextmanager
def probing(url: str) -> Iterator[list[float]]:
    """Request a path during the block; afterwards the list holds the latencies in ms."""
    latencies_ms: list[float] = []
    command = [sys.executable, "-m", "bench.latency_probe", url]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield latencies_ms
        said, _ = process.communicate(timeout=STOP_TIMEOUT_S)
        latencies_ms += json.loads(said)
