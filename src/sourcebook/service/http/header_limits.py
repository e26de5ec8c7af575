"""Closes connections whose headers arrive too slowly or are too large."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS_TIMEOUT_S = 10.0
MAX_HEADER_BYTES = 16 * 1024


class HeaderLimitsProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with a timeout and a maximum size for a request's headers."""

    headers_timeout_s = HEADERS_TIMEOUT_S
    _deadline: asyncio.TimerHandle | None = None
    _header_bytes = 0
    _complete_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout when a client connects."""
        super().connection_made(transport)
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout when the client is gone."""
        self._headers_are_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count bytes while they belong to the headers."""
        super().data_received(data)
        if self._deadline is not None and not self.transport.is_closing():
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES:
                self.send_400_response("The request's headers are too large.")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a complete header."""
        super().on_header(name, value)
        self._complete_bytes += len(name) + len(value)
        if self._complete_bytes > MAX_HEADER_BYTES:
            raise ValueError("The request's headers are too large.")

    def on_headers_complete(self) -> None:
        """Stop the timeout: the body has its own limits."""
        self._headers_are_here()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Restart the timeout: another request may follow on the same connection."""
        super().on_response_complete()
        # A request that came in the same breath has its headers already, and is being answered.
        if self.cycle.response_complete and not self.transport.is_closing():
            self._expect_headers()

    def _expect_headers(self) -> None:
        self._headers_are_here()
        self._deadline = self.loop.call_later(self.headers_timeout_s, self._show_out)

    def _headers_are_here(self) -> None:
        self._header_bytes = self._complete_bytes = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _show_out(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()
