"""Checks the Host and Origin headers, against DNS rebinding and cross-site requests."""

import re
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

PROBES = frozenset({"/livez", "/readyz", "/health", "/metrics"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ANY_ORIGIN = "*"
# What comes after this is one name, which OpenAI's clients encode.
NAMES_WITH_SLASHES = "/v1/models/"

# A name, or an address in brackets, and a port: nothing that parsers of URLs could disagree about.
_HOST = re.compile(
    r"(?:(?P<name>[\w.-]{1,253})|\[(?P<address>[0-9a-f:.]{2,45})\])(?::\d{0,5})?", re.A | re.I
)


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
        has_slash = b"%2f" in scope.get("raw_path", b"").lower()
        if has_slash and not scope["path"].startswith(NAMES_WITH_SLASHES):
            # Decoded, it would choose another route than the one that was meant.
            raise HTTPException(404, "There is nothing here: a name cannot hold a slash")
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) > 1:
            # A proxy may have decided by the other one.
            raise HTTPException(400, f"The request has {len(hosts)} Host headers, not one")
        host = hosts[0] if hosts else ""
        if self._hosts is not None and scope["path"] not in PROBES:
            self._check_host(host)
        origin = headers.get("origin")
        asks_first = "access-control-request-method" in headers
        if origin is not None and (asks_first or scope["method"] not in SAFE_METHODS):
            self._check_origin(origin, host)

    def _check_host(self, host: str) -> None:
        if self._hosts is not None and host_name(host) not in self._hosts:
            raise HTTPException(
                400, f"Host {host[:80]!r} is not one of ours; ALLOWED_HOSTS can add it"
            )

    def _check_origin(self, origin: str, host: str) -> None:
        if ANY_ORIGIN in self._origins or origin in self._origins:
            return
        if origin.partition("://")[2] != host:
            raise HTTPException(
                403, f"Pages of {origin[:80]!r} may not call this; ALLOWED_ORIGINS can add them"
            )


def host_name(header: str) -> str:
    """Return the name in a Host header, without port and brackets, in lower case; "" if it is
    no host and port."""
    found = _HOST.fullmatch(header)
    return "" if found is None else (found["name"] or found["address"]).lower()
