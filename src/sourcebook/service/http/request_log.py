"""Middleware that logs and measures each request, and adds ids and security headers."""

import logging
import re
import secrets
import time
import uuid

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sourcebook.service.http.metrics import Metrics

log = logging.getLogger(__name__)

KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
QUIET_PATHS = frozenset({"/livez", "/readyz", "/metrics"})
SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-DNS-Prefetch-Control": "off",
}


class RequestLog:
    """Logs each request with its id, status and duration."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            # Answered as GET; the server leaves the body out.
            scope = {**scope, "method": "GET"}
        started_s = time.perf_counter()
        request_id = _request_id(Headers(scope=scope))
        # Short enough to be read out; clients of spec 004 show it.
        trace_id = secrets.token_hex(4)
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                headers["X-Trace-Id"] = trace_id
                headers["X-Response-Time"] = f"{(time.perf_counter() - started_s) * 1000:.1f}ms"
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id, trace_id=trace_id):
            try:
                await self._app(scope, receive, send_with_headers)
            finally:
                self._note(scope, status, time.perf_counter() - started_s)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in KNOWN_METHODS else "other"
        # The template, not the path: names of collections would make endless series.
        route = getattr(scope.get("route"), "path", "none")
        self._metrics.count(method, route, status, seconds)
        level = logging.DEBUG if scope["path"] in QUIET_PATHS else logging.INFO
        log.log(
            level,
            "request",
            extra={
                "method": method,
                "route": route,
                "status": status,
                "duration_ms": round(seconds * 1000, 1),
            },
        )


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if SAFE_ID.fullmatch(given) else uuid.uuid4().hex
