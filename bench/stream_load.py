"""Generates load of streamed answers: times the first event, the first text and the end of each."""

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import uvloop

REQUEST_TIMEOUT_S = 60
_DATA = b"data: "
_TEXT = b'data: {"type":"chunk"'


@dataclass(frozen=True, slots=True)
class Streamed:
    """How long each answer took to its first event, to its text and its end; and what failed."""

    first_ms: list[float] = field(default_factory=list)
    text_ms: list[float] = field(default_factory=list)
    whole_ms: list[float] = field(default_factory=list)
    failed: list[bytes] = field(default_factory=list)


def put_streams(url: str, clients: int, bodies: Sequence[object]) -> Streamed:
    """Post every body once. Each of the clients takes the next as soon as its answer is over."""
    done = Streamed()
    waiting = iter([json.dumps(body).encode() for body in bodies])
    uvloop.run(_clients(url, clients, waiting, done))
    return done


async def _clients(url: str, clients: int, bodies: Iterator[bytes], done: Streamed) -> None:
    await asyncio.gather(*(_client(url, bodies, done) for _ in range(clients)))


async def _client(url: str, bodies: Iterator[bytes], done: Streamed) -> None:
    for body in bodies:
        async with asyncio.timeout(REQUEST_TIMEOUT_S):
            await _ask(url, body, done)


async def _ask(url: str, body: bytes, done: Streamed) -> None:
    """One answer on a connection of its own; it failed unless its last event is `done`."""
    at = urlsplit(url)
    started_s = time.perf_counter()
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    writer.write(_request(at.path, at.netloc, body))
    first_ms, text_ms, last = None, None, b""
    async for line in reader:
        if line.startswith(_DATA):
            now_ms = (time.perf_counter() - started_s) * 1000
            first_ms = first_ms or now_ms
            text_ms = text_ms or (now_ms if line.startswith(_TEXT) else None)
            last = line
    whole_ms = (time.perf_counter() - started_s) * 1000
    writer.close()
    if (
        first_ms is None
        or text_ms is None
        or json.loads(last.removeprefix(_DATA))["type"] != "done"
    ):
        done.failed.append(last)
        return
    done.first_ms.append(first_ms)
    done.text_ms.append(text_ms)
    done.whole_ms.append(whole_ms)


def _request(path: str, host: str, body: bytes) -> bytes:
    # In HTTP/1.0 a body ends with its connection, so events come as they are, not in chunks.
    head = (
        f"POST {path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
