"""Who may write: everybody on this machine, and holders of the key elsewhere.

Who may administer: holders of the key alone, wherever they are.
"""

import hashlib
import hmac
import secrets

from fastapi import Request
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers

from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.admission import admission_of

KEY_HEADERS = ("x-admin-api-key", "x-api-key")
FAILURES = RateLimitItemPerMinute(5)


class Unauthorized(SourcebookError):
    """The request needs the admin key."""

    code = "unauthorized"


class TooManyFailures(SourcebookError):
    """Too many wrong keys came from there."""

    code = "rate_limited"


class Access:
    """A rule. Without a key everybody passes: only right for writes on a loopback bind."""

    def __init__(self, key: bytes | None) -> None:
        self._digest = None if key is None else _digest(key)
        self._failures = MovingWindowRateLimiter(MemoryStorage())

    @classmethod
    def closed(cls) -> "Access":
        """The rule that lets nobody pass: its key is known to no one."""
        return cls(secrets.token_bytes(32))

    def check(self, headers: Headers, who: str) -> None:
        """Raise Unauthorized unless the request may pass; guessing is slowed down."""
        if self._digest is None:
            return
        if not self._failures.test(FAILURES, who):
            raise TooManyFailures("Too many wrong admin keys; try again in a minute")
        given = _given_key(headers)
        if given is None:
            raise Unauthorized(
                "This needs the admin key: send it as X-Admin-API-Key, X-API-Key or"
                " 'Authorization: Bearer …'"
            )
        # As bytes: comparing text fails on characters outside ASCII.
        if not hmac.compare_digest(_digest(given), self._digest):
            self._failures.hit(FAILURES, who)
            raise Unauthorized("The admin key is wrong")


def check_access(request: Request) -> None:
    """Apply the rule for writes of the app that serves this request."""
    _check(request.app.state.access, request)


def check_admin(request: Request) -> None:
    """Apply the rule for administration of the app that serves this request."""
    _check(request.app.state.admin, request)


def _check(access: object, request: Request) -> None:
    assert isinstance(access, Access)  # noqa: S101 - for the type checker
    # Behind a proxy of ours, one who guesses must not lock out the others.
    access.check(request.headers, admission_of(request).clients.of(request))


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def _given_key(headers: Headers) -> bytes | None:
    for name in KEY_HEADERS:
        if name in headers:
            return headers[name].encode("latin-1")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip().encode("latin-1") if scheme.lower() == "bearer" else None
