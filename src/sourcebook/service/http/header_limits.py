"""Connections that do not wait for ever: whoever sends headers slowly, or none, is shown out."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS_TIMEOUT_S = 10.0
MAX_HEADER_BYTES = 16 * 1024


class HeaderLimitsProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with a limit on the time and the size of a request's headers."""

    headers_timeout_s = HEADERS_TIMEOUT_S
    _deadline: asyncio.TimerHandle | None = None
    _header_bytes = 0
    _complete_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is here; its headers must be too, soon."""
        super().connection_made(transport)
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._headers_are_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes came; while they belong to the headers they are counted."""
        super().data_received(data)
        if self._deadline is not None and not self.transport.is_closing():
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES:
                self.send_400_response("The request's headers are too large.")

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header is complete."""
        super().on_header(name, value)
        self._complete_bytes += len(name) + len(value)
        if self._complete_bytes > MAX_HEADER_BYTES:
            raise ValueError("The request's headers are too large.")

    def on_headers_complete(self) -> None:
        """All headers are here; the body has limits of its own."""
        self._headers_are_here()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """The reply is out; the next request may come on the same connection."""
        super().on_response_complete()
        if not self.transport.is_closing():
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
