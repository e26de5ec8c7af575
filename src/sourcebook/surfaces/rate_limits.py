"""Limits how often each client may call, and how many chats run at once."""

import asyncio
import ipaddress
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from starlette.requests import Request

from sourcebook.core.errors import TooManyRequests, Unavailable

DEFAULT_CHATS_PER_MINUTE = 60
MARKS_PER_MINUTE = 30
MAX_CHATS = 10
MAX_WAITING_CHATS = 20
# A page of documents has up to 16 MiB, which stay in memory until the client has read them.
MAX_PAGES = 16
# Many clients may list documents at once: they wait in line, and only unread pages make it long.
MAX_WAITING_PAGES = 500
PAGE_TIMEOUT_S = 20.0
SLOT_TIMEOUT_S = 2.0
# How long a slot is taken at most, unless its holder says otherwise.
MAX_SLOT_S = 30.0
WINDOW_S = 60.0
FORWARDED_FOR = "x-forwarded-for"
# What proxies add. One of them, and the caller may be anywhere.
PROXY_HEADERS = frozenset({"forwarded", "x-real-ip", "via", "cf-connecting-ip", "true-client-ip"})
PROXY_HEADER_PREFIX = "x-forwarded-"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class RateLimit:
    """Allows each client `per_minute` calls in any 60 seconds; 0 means no limit."""

    def __init__(self, per_minute: int, window: "RateWindow | None" = None) -> None:
        self._per_minute = per_minute
        self._window = MemoryWindow() if window is None else window

    async def count(self, client: str) -> None:
        """Count a call; TooManyRequests says when the next one will be allowed."""
        if self._per_minute == 0:
            return
        wait_s = await self._window.take(client, self._per_minute)
        if wait_s is not None:
            raise TooManyRequests(
                f"Only {self._per_minute} requests a minute are allowed", retry_after_s=wait_s
            )


class ConcurrencyLimit:
    """Does `at_once` things at the same time; a few more may wait a moment for a slot.

    `reason` is what those are told for whom there is none.
    """

    def __init__(
        self,
        at_once: int = MAX_CHATS,
        max_waiting: int = MAX_WAITING_CHATS,
        timeout_s: float = SLOT_TIMEOUT_S,
        reason: str = "Too many questions are being answered",
    ) -> None:
        self._reason = reason
        self._free = asyncio.Semaphore(at_once)
        self._max_waiting = max_waiting
        self._timeout_s = timeout_s
        self._waiting = 0
        self._free_at_s: dict[object, float] = {}

    @property
    def taken(self) -> int:
        return len(self._free_at_s)

    @property
    def waiting(self) -> int:
        return self._waiting

    @asynccontextmanager
    async def slot(self, at_most_s: float = MAX_SLOT_S) -> AsyncIterator[None]:
        """Hold a slot, for no longer than that; TooManyRequests if none is free soon."""
        await self._wait()
        slot = object()
        self._free_at_s[slot] = time.monotonic() + at_most_s
        try:
            yield
        finally:
            del self._free_at_s[slot]
            self._free.release()

    async def _wait(self) -> None:
        if self._waiting >= self._max_waiting and self._free.locked():
            raise self._full()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._free.acquire()
        except TimeoutError:
            raise self._full() from None
        finally:
            self._waiting -= 1

    def _full(self) -> TooManyRequests:
        """One of the chats must be over by the time to retry after."""
        now_s = time.monotonic()
        return TooManyRequests(
            f"{self._reason}; try again in a moment",
            retry_after_s=min(self._free_at_s.values(), default=now_s) - now_s,
        )


class RateWindow(Protocol):
    """A sliding window of 60 s that counts the calls of each client. Refused calls do not count."""

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, unless `at_most` fell into the last 60 s: then return how long to wait."""
        ...


class SharedWindows(Protocol):
    """Windows in which other processes count too. Their `take` raises Unavailable."""

    def window(self, name: str) -> RateWindow: ...


class MemoryWindow:
    """Counts in this process. Clients are forgotten once their calls are a minute old."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.now_s = now_s
        # Ordered by each client's last call. Of each, when it began and when it was counted.
        self._calls: OrderedDict[str, deque[tuple[float, float]]] = OrderedDict()

    def __len__(self) -> int:
        """How many clients are remembered."""
        return len(self._calls)

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, unless `at_most` fell into the last 60 s: then return how long to wait."""
        now_s = self.now_s()
        wait_s = self.wait_s(caller, at_most, now_s)
        if wait_s is None:
            self.record(caller, at_most, now_s, now_s)
        return wait_s

    def wait_s(self, caller: str, at_most: int, now_s: float) -> float | None:
        """Return how long the caller has to wait; None if it may call at once."""
        self._forget(now_s - WINDOW_S)
        calls = self._calls.get(caller, ())
        if len(calls) < at_most:
            return None
        began_s, counted_s = calls[-at_most]
        return counted_s + WINDOW_S - now_s if began_s + WINDOW_S > now_s else None

    def record(self, caller: str, at_most: int, began_s: float, counted_s: float) -> None:
        """Remember a call; only the latest `at_most` of a caller are kept.

        Another window counted it between the two moments. It stops counting here a minute after
        the first, but who has to wait for that is told to wait a minute from the second.
        """
        calls = self._calls.setdefault(caller, deque(maxlen=at_most))
        calls.append((began_s, counted_s))
        self._calls.move_to_end(caller)

    def _forget(self, until_s: float) -> None:
        while self._calls:
            caller, calls = next(iter(self._calls.items()))
            began_s, _ = calls[-1]
            if began_s > until_s:
                return
            del self._calls[caller]


class FallbackWindow:
    """Counts in a shared window and in a local one, which takes over during an outage.

    So no client is ever allowed in without a limit, and calls that were counted here during the
    outage still count after it.
    """

    def __init__(self, shared: RateWindow, local: MemoryWindow) -> None:
        self._shared = shared
        self._local = local

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, unless `at_most` fell into the last 60 s: then return how long to wait."""
        began_s = self._local.now_s()
        wait_s = self._local.wait_s(caller, at_most, began_s)
        if wait_s is not None:
            return wait_s
        try:
            wait_s = await self._shared.take(caller, at_most)
        except Unavailable:
            return await self._local.take(caller, at_most)
        if wait_s is None:
            self._local.record(caller, at_most, began_s, self._local.now_s())
        return wait_s


class ClientAddresses:
    """Tells clients apart by address. X-Forwarded-For counts only from `trusted` proxies."""

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self._trusted = [ipaddress.ip_network(name, strict=False) for name in trusted]

    def client_of(self, request: Request) -> str:
        """Return the peer; behind trusted proxies, the nearest address that is none of them."""
        peer = request.client.host if request.client else ""
        if not self._trusts(peer):
            return client_network(peer)
        listed = ",".join(request.headers.getlist(FORWARDED_FOR)).split(",")
        for hop in reversed([hop.strip() for hop in listed]):
            address = _address(_without_port(hop))
            if address is None:
                break
            if not self._trusts(str(address)):
                return client_network(str(address))
        return client_network(peer)

    def is_local(self, request: Request) -> bool:
        """Return whether a program on this machine asks, and not a proxy for somebody else.

        A proxy on this machine shows by its headers, by a host name or an origin that is not this
        machine's, by HTTP/1.0, or because it is a trusted one.
        """
        peer = request.client.host if request.client else ""
        address = _address(peer)
        if address is None or not address.is_loopback or self._trusts(peer):
            return False
        if any(_is_of_a_proxy(name) for name in request.headers):
            return False
        # nginx, unless told otherwise, adds no header and asks for 127.0.0.1, but over HTTP/1.0.
        if request.scope.get("http_version") == "1.0":
            return False
        origin = request.headers.get("origin")
        if origin is not None and _host_name(origin.partition("://")[2]) not in LOOPBACK_NAMES:
            return False
        return _host_name(request.headers.get("host", "")) in LOOPBACK_NAMES

    def _trusts(self, host: str) -> bool:
        address = _address(host)
        return address is not None and any(address in network for network in self._trusted)


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The limits of an app, for each client and for all of them together.

    `limits_local_chats` is False if programs on this machine may chat as often as they like.
    """

    clients: ClientAddresses = field(default_factory=ClientAddresses)
    chats: RateLimit = field(default_factory=lambda: RateLimit(DEFAULT_CHATS_PER_MINUTE))
    limits_local_chats: bool = True
    searches: RateLimit = field(default_factory=lambda: RateLimit(0))
    marks: RateLimit = field(default_factory=lambda: RateLimit(MARKS_PER_MINUTE))
    chat_slots: ConcurrencyLimit = field(default_factory=ConcurrencyLimit)
    page_slots: ConcurrencyLimit = field(
        default_factory=lambda: ConcurrencyLimit(
            MAX_PAGES,
            MAX_WAITING_PAGES,
            PAGE_TIMEOUT_S,
            reason="Too many pages of documents are being read",
        )
    )

    async def count_chat(self, request: Request) -> None:
        if not self.limits_local_chats and self.clients.is_local(request):
            return
        await self.chats.count(self.clients.client_of(request))

    async def count_search(self, request: Request) -> None:
        await self.searches.count(self.clients.client_of(request))

    async def count_mark(self, request: Request) -> None:
        await self.marks.count(self.clients.client_of(request))


def rate_limits_of(request: Request) -> RateLimits:
    """Return the limits of the app that serves this request."""
    found = request.app.state.rate_limits
    assert isinstance(found, RateLimits)  # noqa: S101 - for the type checker
    return found


async def limit_searches(request: Request) -> None:
    """Count a search. Async, or FastAPI would use a thread."""
    await rate_limits_of(request).count_search(request)


async def take_page_slot(request: Request) -> AsyncIterator[None]:
    """Hold a slot until the page has been sent."""
    async with rate_limits_of(request).page_slots.slot():
        yield


def client_network(host: str) -> str:
    """Return an IPv4 address, or the /64 network that an IPv6 client can choose addresses from."""
    address = _address(host)
    if address is None:
        return host
    if address.version == 4:
        return str(address)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


def _address(host: str) -> Address | None:
    """Parse an address; an IPv4 address that is mapped to IPv6 becomes IPv4 again."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_of_a_proxy(header: str) -> bool:
    return header in PROXY_HEADERS or header.startswith(PROXY_HEADER_PREFIX)


def _host_name(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
