"""Who may write: everybody on this machine, and holders of the key elsewhere."""

import hmac
from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import Headers

from sourcebook.core.errors import SourcebookError

KEY_HEADERS = ("x-admin-api-key", "x-api-key")


class Unauthorized(SourcebookError):
    """The request needs the admin key."""

    code = "unauthorized"


@dataclass(frozen=True, slots=True)
class Access:
    """The rule for writes. `key` None means that writes are open: only on a loopback bind."""

    key: bytes | None

    def check(self, headers: Headers) -> None:
        """Raise Unauthorized unless the request may write."""
        if self.key is None:
            return
        given = _given_key(headers)
        if given is None:
            raise Unauthorized(
                "This needs the admin key: send it as X-Admin-API-Key, X-API-Key or"
                " 'Authorization: Bearer …'"
            )
        # As bytes: comparing text fails on characters outside ASCII.
        if not hmac.compare_digest(given, self.key):
            raise Unauthorized("The admin key is wrong")


def check_access(request: Request) -> None:
    """Apply the rule of the app that serves this request."""
    access = request.app.state.access
    assert isinstance(access, Access)  # noqa: S101 - for the type checker
    access.check(request.headers)


def _given_key(headers: Headers) -> bytes | None:
    for name in KEY_HEADERS:
        if name in headers:
            return headers[name].encode("latin-1")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip().encode("latin-1") if scheme.lower() == "bearer" else None
