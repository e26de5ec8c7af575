"""Makes the HTTP clients for other servers, guarded against server-side request forgery.

A client reaches only what its policy allows: a name is resolved once, every address is checked,
and the connection goes to an address that was checked. Redirects are not followed, proxies and
credentials of the environment are not used, and replies are read up to a size.
"""

import asyncio
import socket
import ssl
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from functools import cache
from typing import TypeAlias

import httpcore2
import httpx2

from sourcebook.providers.daemon_thread import in_daemon_thread
from sourcebook.providers.outbound.addresses import Address
from sourcebook.providers.outbound.destinations import OPERATOR, DestinationRefused, Policy

CONNECT_TIMEOUT_S = 3.0
MAX_REPLY_BYTES = 64 * 1024 * 1024
MAX_ADDRESSES = 4
# Compressed, a small reply could grow without a limit in our memory.
_UNCOMPRESSED = {"Accept-Encoding": "identity"}
_COMPRESSED = {"Accept-Encoding": "gzip"}

_TRANSLATIONS: Mapping[type[Exception], type[httpx2.TransportError]] = {
    httpcore2.ConnectTimeout: httpx2.ConnectTimeout,
    httpcore2.ReadTimeout: httpx2.ReadTimeout,
    httpcore2.WriteTimeout: httpx2.WriteTimeout,
    httpcore2.PoolTimeout: httpx2.PoolTimeout,
    httpcore2.ConnectError: httpx2.ConnectError,
    httpcore2.ReadError: httpx2.ReadError,
    httpcore2.WriteError: httpx2.WriteError,
    httpcore2.RemoteProtocolError: httpx2.RemoteProtocolError,
    httpcore2.LocalProtocolError: httpx2.LocalProtocolError,
    httpcore2.UnsupportedProtocol: httpx2.UnsupportedProtocol,
}


# Host, port and the seconds that it may take.
Resolve: TypeAlias = Callable[[str, int, float], Awaitable[Sequence[str]]]


async def resolve_by_system(host: str, port: int, timeout_s: float) -> Sequence[str]:
    """Resolve a host by the system; OSError if there is no such host, TimeoutError."""

    def look_up() -> Sequence[str]:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError as error:
            raise socket.gaierror(socket.EAI_NONAME, "not a host name") from error
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    # A lookup cannot be called off; it must not keep a thread that others wait for.
    return await in_daemon_thread(look_up, timeout_s)


class ReplyUnusable(httpx2.RemoteProtocolError):
    """The reply is too large, or compressed although that was not asked for."""


def open_client(
    *,
    timeout_s: float,
    headers: Mapping[str, str] | None = None,
    policy: Policy = OPERATOR,
    max_reply_bytes: int = MAX_REPLY_BYTES,
    resolve: Resolve = resolve_by_system,
    compressed: bool = False,
) -> httpx2.AsyncClient:
    """Open a client that reaches only what the policy allows and follows no redirects.

    With `compressed`, replies may be: whoever asks for that reads them raw, and unpacks them up to
    a size.
    """
    return httpx2.AsyncClient(
        headers={**(_COMPRESSED if compressed else _UNCOMPRESSED), **(headers or {})},
        timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S)),
        transport=GuardedTransport(policy, max_reply_bytes, resolve, compressed=compressed),
        follow_redirects=False,
        trust_env=False,
    )


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends requests over allowed connections, and limits the size of replies."""

    def __init__(
        self,
        policy: Policy,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        resolve: Resolve = resolve_by_system,
        *,
        compressed: bool = False,
    ) -> None:
        self._policy = policy
        self._max_reply_bytes = max_reply_bytes
        self._compressed = compressed
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_ssl_context(),
            network_backend=GuardedNetwork(policy, resolve),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request."""
        self._policy.check_url(request.url)
        assert isinstance(request.stream, httpx2.AsyncByteStream)  # noqa: S101 - as httpx2 does
        url = httpcore2.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        sent = httpcore2.Request(
            method=request.method,
            url=url,
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _translated():
            reply = await self._pool.handle_async_request(sent)
        body = _Measured(reply, self._max_reply_bytes)
        response = httpx2.Response(reply.status, headers=reply.headers, stream=body)
        return response if self._compressed else await _uncompressed(response)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to checked addresses. TLS still verifies the host's name."""

    def __init__(
        self,
        policy: Policy,
        resolve: Resolve = resolve_by_system,
        inner: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._policy = policy
        self._resolve = resolve
        self._inner = inner or httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore2's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Resolve the host once, check what was found, and connect to that."""
        now_s = asyncio.get_running_loop().time
        end_s = now_s() + (CONNECT_TIMEOUT_S if timeout is None else timeout)
        addresses = await resolve_addresses(
            host, port, self._policy, self._resolve, end_s - now_s()
        )
        attempts = addresses[:MAX_ADDRESSES]
        for left, address in zip(range(len(attempts), 0, -1), attempts, strict=True):
            # A host that is deaf at one address may listen at the next: each gets its share.
            share_s = max(0.0, end_s - now_s()) / left
            try:
                return await self._inner.connect_tcp(
                    str(address), port, share_s, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if left == 1:
                    raise
        raise httpcore2.ConnectError(f"No address was found for {host!r}")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore2's
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse: Unix sockets are not used."""
        raise DestinationRefused("Unix sockets are not used")

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore2 does between attempts."""
        await asyncio.sleep(seconds)


async def resolve_addresses(
    host: str, port: int, policy: Policy, resolve: Resolve, timeout_s: float
) -> tuple[Address, ...]:
    """Resolve a host; DestinationRefused if one of its addresses is not allowed."""
    try:
        found = await resolve(host, port, timeout_s)
        return policy.check_addresses(host, port, found)
    except TimeoutError:
        raise httpcore2.ConnectTimeout(f"The host {host!r} was not found in time") from None
    except (OSError, ValueError):
        raise httpcore2.ConnectError(f"The host {host!r} was not found") from None


async def check_destination(url: httpx2.URL, policy: Policy, resolve: Resolve) -> None:
    """Refuse a URL that the policy does not allow. Connects to nothing."""
    policy.check_url(url)
    port = url.port or (443 if url.scheme == "https" else 80)
    with _translated():
        await resolve_addresses(
            url.raw_host.decode("ascii"), port, policy, resolve, CONNECT_TIMEOUT_S
        )


class _Measured(httpx2.AsyncByteStream):
    """A body that raises once it is too large."""

    def __init__(self, reply: httpcore2.Response, max_bytes: int) -> None:
        self._reply = reply
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        with _translated():
            async for part in self._reply.aiter_stream():
                received += len(part)
                if received > self._max_bytes:
                    raise ReplyUnusable(f"The reply is larger than {self._max_bytes:,} bytes")
                yield part

    async def aclose(self) -> None:
        await self._reply.aclose()


async def _uncompressed(response: httpx2.Response) -> httpx2.Response:
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        await response.aclose()
        raise ReplyUnusable("The reply is compressed, although that was not asked for")
    return response


@cache
def _ssl_context() -> ssl.SSLContext:
    # Reading the certificates takes a quarter of a second, and all clients trust the same ones.
    return httpx2.create_ssl_context(trust_env=False)


@contextmanager
def _translated() -> Iterator[None]:
    """Translate httpcore2's errors: callers know only those of httpx2."""
    try:
        yield
    except tuple(_TRANSLATIONS) as error:
        ours = next(new for old, new in _TRANSLATIONS.items() if isinstance(error, old))
        raise ours(str(error)) from error
