"""Generates HTTP load: concurrent clients of one loopback server, in a separate process.

Reads one JSON line (`Load`) from standard input and writes one (`Loaded`) to standard output.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

import uvloop

REQUEST_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Load:
    """Bodies to post, each once, over `clients` connections that stay open."""

    url: str
    clients: int
    bodies: list[str]


@dataclass(frozen=True, slots=True)
class Loaded:
    """How long each request took, and all of them together."""

    seconds: float
    latencies_ms: list[float]
    failures: int


async def put_load(load: Load) -> Loaded:
    """Post all bodies; each client takes the next one as soon as it has a reply."""
    bodies = iter(load.bodies)
    latencies_ms: list[float] = []
    started_s = time.perf_counter()
    statuses = await asyncio.gather(
        *(_client(load.url, bodies, latencies_ms) for _ in range(load.clients))
    )
    return Loaded(time.perf_counter() - started_s, latencies_ms, sum(statuses))


async def _client(url: str, bodies: Iterator[str], latencies_ms: list[float]) -> int:
    at = urlsplit(url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    failures = 0
    for body in bodies:
        started_s = time.perf_counter()
        writer.write(_request(at.path, at.netloc, body.encode()))
        status = await asyncio.wait_for(_status(reader), REQUEST_TIMEOUT_S)
        latencies_ms.append((time.perf_counter() - started_s) * 1000)
        failures += status != 200
    writer.close()
    return failures


def _request(path: str, host: str, body: bytes) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _status(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0]
    await reader.readexactly(int(length))
    return int(head.split(b" ", 2)[1])


if __name__ == "__main__":
    given = Load(**json.loads(sys.stdin.readline()))
    print(json.dumps(asdict(uvloop.run(put_load(given)))))
