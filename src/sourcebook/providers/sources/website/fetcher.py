"""Fetches addresses of a website at a polite pace, within limits on time and size."""

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias

import httpx2

from sourcebook.core.version import installed_version
from sourcebook.providers.outbound.client import Resolve, open_client, resolve_by_system
from sourcebook.providers.outbound.destinations import Policy
from sourcebook.providers.sources.website.addresses import canonical_address
from sourcebook.providers.sources.website.robots import USER_AGENT

REPLY_TIMEOUT_S = 30.0
MAX_PAGE_BYTES = 8 * 1024 * 1024
MAX_REDIRECTS = 5
# A site that asks to wait is asked once more, if it does not ask for long.
DEFAULT_RETRY_S = 5.0
MAX_RETRY_S = 60.0
BUSY = frozenset({429, 503})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"

Sleep: TypeAlias = Callable[[float], Awaitable[None]]


class FetchFailed(Exception):
    """An address could not be fetched; the message says why, as part of a sentence."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a site answered; `address` is where it came from, and `location` leads elsewhere."""

    address: str
    status: int
    headers: Mapping[str, str]
    content: bytes = b""
    location: str | None = None


class Pace:
    """Spaces out requests evenly, however many are waiting."""

    def __init__(
        self,
        interval_s: float,
        sleep: Sleep = asyncio.sleep,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.interval_s = interval_s
        self.sleep = sleep
        self._now_s = now_s
        self._next_s = 0.0

    async def wait(self) -> None:
        """Wait until the next request may go out."""
        now_s = self._now_s()
        begin_s = max(now_s, self._next_s)
        self._next_s = begin_s + self.interval_s
        await self.sleep(begin_s - now_s)


class Fetcher:
    """Fetches addresses; a redirect is told, not followed, unless somebody asks for that."""

    def __init__(self, client: httpx2.AsyncClient, pace: Pace, timeout_s: float) -> None:
        self._client = client
        self.pace = pace
        self._timeout_s = timeout_s

    async def get(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int = MAX_PAGE_BYTES,
    ) -> Reply:
        """Fetch one address; FetchFailed if there is no usable answer."""
        reply = await self._send(address, headers or {}, max_bytes)
        if reply.status in BUSY:
            delay_s = _retry_after_s(reply)
            if delay_s > MAX_RETRY_S:
                raise FetchFailed(f"the site asks to wait {delay_s:.0f} s")
            await self.pace.sleep(delay_s)
            reply = await self._send(address, headers or {}, max_bytes)
        return reply

    async def follow(self, address: str, *, max_bytes: int = MAX_PAGE_BYTES) -> Reply:
        """Fetch an address, following redirects to wherever requests may go."""
        for _ in range(MAX_REDIRECTS + 1):
            reply = await self.get(address, max_bytes=max_bytes)
            if reply.location is None:
                return reply
            address = reply.location
        raise FetchFailed(f"it redirects more than {MAX_REDIRECTS} times")

    async def _send(self, address: str, headers: Mapping[str, str], max_bytes: int) -> Reply:
        await self.pace.wait()
        try:
            async with asyncio.timeout(self._timeout_s):
                async with self._client.stream("GET", address, headers=headers) as response:
                    return await _read(response, address, max_bytes)
        except (TimeoutError, httpx2.TimeoutException):
            raise FetchFailed(f"there was no whole answer within {self._timeout_s:g} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise FetchFailed(str(error) or type(error).__name__) from error


@asynccontextmanager
async def open_fetcher(
    policy: Policy,
    requests_per_s: float,
    resolve: Resolve = resolve_by_system,
    sleep: Sleep = asyncio.sleep,
    timeout_s: float = REPLY_TIMEOUT_S,
) -> AsyncIterator[Fetcher]:
    """Open a fetcher that reaches only what the policy allows."""
    agent = f"{USER_AGENT}/{installed_version()} (indexes documentation)"
    client = open_client(
        timeout_s=timeout_s,
        headers={"User-Agent": agent, "Accept": _ACCEPT},
        policy=policy,
        resolve=resolve,
        compressed=True,
    )
    async with client:
        yield Fetcher(client, Pace(1 / requests_per_s, sleep), timeout_s)


async def _read(response: httpx2.Response, address: str, max_bytes: int) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if response.status_code in REDIRECTS:
        location = canonical_address(headers.get("location", ""), address)
        if location is None or location == address:
            raise FetchFailed("it redirects to itself, or to no web address")
        return Reply(address, response.status_code, headers, location=location)
    if response.status_code != httpx2.codes.OK:
        return Reply(address, response.status_code, headers)
    content = await _content(response, headers.get("content-encoding", ""), max_bytes)
    return Reply(address, response.status_code, headers, content)


async def _content(response: httpx2.Response, encoding: str, max_bytes: int) -> bytes:
    encoding = encoding.strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip"}:
        raise FetchFailed(f"its answer has the encoding {encoding[:40]!r}, which was not asked for")
    inflater = zlib.decompressobj(_GZIP_WINDOW) if encoding.endswith("gzip") else None
    parts: list[bytes] = []
    size = 0
    async for raw in response.aiter_raw():
        part = raw if inflater is None else _inflated(inflater, raw, max_bytes)
        size += len(part)
        if size > max_bytes:
            raise FetchFailed(f"its answer is larger than {max_bytes:,} bytes")
        parts.append(part)
    if inflater is not None and not inflater.eof:
        raise FetchFailed("its gzip data is cut off")
    return b"".join(parts)


def _inflated(inflater: "zlib._Decompress", raw: bytes, max_bytes: int) -> bytes:
    try:
        return inflater.decompress(raw, max_bytes + 1)
    except zlib.error:
        raise FetchFailed("its gzip data is broken") from None


def _retry_after_s(reply: Reply) -> float:
    # As a date it says as little as no value: the clocks of both sides may differ.
    given = reply.headers.get("retry-after", "")
    return float(given) if given.isdecimal() else DEFAULT_RETRY_S
