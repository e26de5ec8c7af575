"""Checks the Host and Origin headers, against DNS rebinding and cross-site requests."""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

PROBES = frozenset({"/livez", "/readyz", "/health", "/metrics"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ANY_ORIGIN = "*"


class HostAndOriginCheck:
    """Refuses unknown host names (`hosts` None means any) and writes from unknown origins.

    An origin `*` on the allow-list stands for every origin.

    A page of another site can make a browser call this service: under a host name of its own (DNS
    rebinding), or from an origin that is not on the allow-list (cross-site requests).
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str] | None, origins: Collection[str]
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            self._check(scope)
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        if b"%2f" in scope.get("raw_path", b"").lower():
            # Decoded, it would choose another route than the one that was meant.
            raise HTTPException(404, "There is nothing here: a name cannot hold a slash")
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._hosts is not None and scope["path"] not in PROBES:
            self._check_host(host_name(host))
        origin = headers.get("origin")
        asks_first = "access-control-request-method" in headers
        if origin is not None and (asks_first or scope["method"] not in SAFE_METHODS):
            self._check_origin(origin, host)

    def _check_host(self, name: str) -> None:
        if self._hosts is not None and name not in self._hosts:
            raise HTTPException(
                400, f"Host {name[:80]!r} is not one of ours; ALLOWED_HOSTS can add it"
            )

    def _check_origin(self, origin: str, host: str) -> None:
        if ANY_ORIGIN in self._origins or origin in self._origins:
            return
        if origin.partition("://")[2] != host:
            raise HTTPException(
                403, f"Pages of {origin[:80]!r} may not call this; ALLOWED_ORIGINS can add them"
            )


def host_name(header: str) -> str:
    """Return the name in a Host header, without port and brackets, in lower case."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""
