"""Who may call: by which host name, and from which pages. Keeps other sites out of loopback."""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

PROBES = frozenset({"/livez", "/readyz", "/health", "/metrics"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class CallerRules:
    """Refuses unknown host names (`hosts` None means any) and writes from unknown origins.

    A page of another site can make a browser call us. Its name for us is not ours (DNS
    rebinding), or its origin is not on the list (cross-site requests).
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
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._hosts is not None and scope["path"] not in PROBES:
            name = host_name(host)
            if name not in self._hosts:
                raise HTTPException(
                    400, f"Host {name[:80]!r} is not one of ours; ALLOWED_HOSTS can add it"
                )
        origin = headers.get("origin")
        if origin is None or scope["method"] in SAFE_METHODS or origin in self._origins:
            return
        if urlsplit(origin).netloc != host:
            raise HTTPException(
                403, f"Pages of {origin[:80]!r} may not call this; ALLOWED_ORIGINS can add them"
            )


def host_name(header: str) -> str:
    """The name in a Host header, without port and brackets, in lower case."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""
