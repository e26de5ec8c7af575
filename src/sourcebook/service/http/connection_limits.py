"""Keeps connections from wearing out the server: those that idle, and those that do not read."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import cast

from sourcebook.service.http.header_limits import HeaderLimitsProtocol

MAX_CONNECTIONS = 512
MAX_CONNECTIONS_PER_ADDRESS = 256
# Requests that wait for their turn on one connection. Browsers and proxies send one at a time; ones
# that are sent all at once are held in memory, 20 KB each.
MAX_PIPELINED = 100
# Somebody who reads takes at least so much in this time, about 16 KiB/s.
READ_CHECK_S = 10.0
MIN_READ_BYTES = 160 * 1024
# Always answered: whoever asks these decides whether the process is to be restarted.
PROBES = frozenset({b"/livez", b"/readyz", b"/health"})


class ConnectionLimitsProtocol(HeaderLimitsProtocol):
    """uvicorn's protocol, with limits on how many connections there are and what they hold.

    When there are too many, idle ones are closed, the oldest first. Whoever does not read a reply
    is disconnected. What cannot be served gets 503, but for probes.
    """

    max_connections = MAX_CONNECTIONS
    max_connections_per_address = MAX_CONNECTIONS_PER_ADDRESS
    max_pipelined = MAX_PIPELINED
    read_check_s = READ_CHECK_S
    _watch: asyncio.TimerHandle | None = None
    _unread_bytes = 0
    _has_read = False
    _is_over = False
    _idle_since_s = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for the connection, and begin to watch whether the client reads."""
        super().connection_made(transport)
        self._idle_since_s = self.loop.time()
        mine = [one for one in self._others() if one.address == self.address]
        too_many = len(mine) >= self.max_connections_per_address and not _close_idle(mine)
        if len(self.connections) >= self.max_connections:
            too_many = not _close_idle(self._others()) or too_many
        self._is_over = too_many
        self._watch = self.loop.call_later(self.read_check_s, self._check_reading)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Note that the client has read most of what there was."""
        self._has_read = True
        super().resume_writing()

    def on_headers_complete(self) -> None:
        """Decide whether there is room for the request."""
        if len(self.pipeline) >= self.max_pipelined:
            raise ValueError("Too many requests wait on this connection.")
        path = self.url.partition(b"?")[0]
        if path in PROBES:
            self.limit_concurrency = None
        else:
            self.limit_concurrency = 0 if self._is_over else self.config.limit_concurrency
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Note since when the connection idles."""
        self._idle_since_s = self.loop.time()
        super().on_response_complete()

    @property
    def address(self) -> str:
        """The address of the client."""
        return self.client[0] if self.client else ""

    @property
    def idle_since(self) -> tuple[bool, float] | None:
        """Whether something is still to be read, and since when nothing was asked; None if busy."""
        if self.cycle is not None and not self.cycle.response_complete:
            return None
        return self.transport.get_write_buffer_size() > 0, self._idle_since_s

    def _others(self) -> Iterator["ConnectionLimitsProtocol"]:
        every = cast("Iterable[ConnectionLimitsProtocol]", tuple(self.connections))
        return (one for one in every if one is not self)

    def _check_reading(self) -> None:
        left = self.transport.get_write_buffer_size()
        took_enough = left <= max(0, self._unread_bytes - MIN_READ_BYTES)
        if self._unread_bytes and left and not took_enough and not self._has_read:
            self.transport.abort()
            return
        self._unread_bytes, self._has_read = left, False
        self._watch = self.loop.call_later(self.read_check_s, self._check_reading)


def _close_idle(connections: Iterable[ConnectionLimitsProtocol]) -> bool:
    """Close the oldest idle connection of the address that has most; False if none idles."""
    idle = [(since, one) for one in connections if (since := one.idle_since) is not None]
    if not idle:
        return False
    crowds = Counter(one.address for _, one in idle)
    _, connection = min(idle, key=lambda pair: (-crowds[pair[1].address], pair[0]))
    # Not counted from now on, although its end is noticed a moment later.
    connection.connections.discard(connection)
    connection.transport.abort()
    return True
