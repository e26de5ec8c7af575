"""Checks the admin key, and slows down clients that guess it.

Administration always needs the key; writes need it unless only this machine can send them. The
right key always passes: if wrong ones could lock it out, anybody could keep the owner away.
"""

import hashlib
import hmac
import secrets

from fastapi import Request
from fastapi.security import APIKeyHeader
from starlette.datastructures import Headers

from sourcebook.surfaces.rate_limits import MemoryWindow, rate_limits_of
from sourcebook.surfaces.request_errors import TooManyFailures, Unauthorized

KEY_HEADERS = ("x-admin-api-key", "x-api-key")
MAX_FAILURES_PER_MINUTE = 5
# Only for the OpenAPI document: the route classes check the key before anything else.
ADMIN_KEY_SCHEME = APIKeyHeader(
    name="X-Admin-API-Key",
    scheme_name="Admin key",
    description="Also taken: X-API-Key, or Authorization: Bearer",
    auto_error=False,
)


class WrongKeys:
    """Counts the wrong keys of each client. `kind` is what the keys are called."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._failures = MemoryWindow()

    def refusal(self, client: str) -> Unauthorized | TooManyFailures:
        """Count one, and return what to raise."""
        now_s = self._failures.now_s()
        if self._failures.wait_s(client, MAX_FAILURES_PER_MINUTE, now_s) is not None:
            return TooManyFailures(f"Too many wrong {self._kind}s; try again in a minute")
        self._failures.record(client, MAX_FAILURES_PER_MINUTE, now_s, now_s)
        return Unauthorized(f"The {self._kind} is wrong")


class AccessRule:
    """Requires the admin key. Without one everybody passes: only for writes of this machine."""

    def __init__(self, key: bytes | None) -> None:
        self._digest = None if key is None else key_digest(key)
        self._wrong = WrongKeys("admin key")

    @classmethod
    def closed(cls) -> "AccessRule":
        """Return the rule that nobody passes: its key is known to no one."""
        return cls(secrets.token_bytes(32))

    def check(self, headers: Headers, client: str) -> None:
        """Raise Unauthorized unless the request may pass, or TooManyFailures after wrong keys."""
        if self._digest is None:
            return
        given = given_key(headers)
        if given is None:
            raise Unauthorized(
                "This needs the admin key: send it as X-Admin-API-Key, X-API-Key or"
                " 'Authorization: Bearer …'"
            )
        # As bytes: comparing text fails on characters outside ASCII.
        if not hmac.compare_digest(key_digest(given), self._digest):
            raise self._wrong.refusal(client)


def check_write_access(request: Request) -> None:
    """Apply the rule for writes."""
    _check(request.app.state.access, request)


def check_admin_access(request: Request) -> None:
    """Apply the rule for administration."""
    _check(request.app.state.admin, request)


def _check(access: object, request: Request) -> None:
    assert isinstance(access, AccessRule)  # noqa: S101 - for the type checker
    # Behind a trusted proxy, one client that guesses must not lock out the others.
    access.check(request.headers, rate_limits_of(request).clients.client_of(request))


def key_digest(key: bytes) -> bytes:
    """Return what is kept of a key."""
    return hashlib.sha256(key).digest()


def given_key(headers: Headers) -> bytes | None:
    """Return the key that a request brings, in whichever header."""
    for name in KEY_HEADERS:
        if name in headers:
            return headers[name].encode("latin-1")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip().encode("latin-1") if scheme.lower() == "bearer" else None
