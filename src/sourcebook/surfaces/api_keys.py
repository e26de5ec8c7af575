"""Checks API keys, and bounds what the holder of one may read."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers

from sourcebook.core.errors import NotFound
from sourcebook.core.text import shorten
from sourcebook.surfaces.admin_key import (
    WrongKeys,
    given_key,
    key_digest,
)
from sourcebook.surfaces.rate_limits import rate_limits_of
from sourcebook.surfaces.request_errors import Unauthorized

API_KEYS = "SOURCEBOOK_API_KEYS"
# Only for the OpenAPI document: the route class checks the key.
API_KEY_SCHEME = HTTPBearer(
    scheme_name="API key",
    description=f"A key of {API_KEYS}. On loopback none is needed until some are set",
    auto_error=False,
)


@dataclass(frozen=True, slots=True)
class Grant:
    """What somebody may read: these books (None for all), up to this tier (None for all).

    `name` is the key's, for the log.
    """

    name: str = ""
    books: tuple[str, ...] | None = None
    tier: int | None = None

    def allows(self, book_id: str) -> bool:
        return self.books is None or book_id in self.books

    def tier_within(self, asked: int | None) -> int | None:
        """The tier to read up to: what was asked for, and never more than is granted."""
        return min((tier for tier in (asked, self.tier) if tier is not None), default=None)

    def narrowed(self, book: str | None, tier: int | None) -> "Grant":
        """The same for one of its books and a lower tier; NotFound if the book is none of them."""
        if book is not None and not self.allows(book):
            raise unknown_book(book)
        books = self.books if book is None else (book,)
        return replace(self, books=books, tier=self.tier_within(tier))


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key by its SHA-256 digest, and what its holder may read."""

    digest: bytes
    grant: Grant


class ApiKeyRule:
    """Finds the grant of a request. Unless keys are `required`, everybody may read everything."""

    def __init__(self, keys: Sequence[ApiKey] = (), *, required: bool = False) -> None:
        self._keys = tuple(keys)
        self._required = required
        self._wrong = WrongKeys("API key")

    def check(self, headers: Headers, client: str) -> Grant:
        """Return what the request may read; Unauthorized, or TooManyFailures after wrong keys."""
        if not self._required:
            return Grant()
        given = given_key(headers)
        if given is None:
            raise Unauthorized(
                "This needs an API key: send it as 'Authorization: Bearer …'. The operator of the"
                f" service sets keys in {API_KEYS}"
            )
        digest = key_digest(given)
        # Every key is compared, so that the time it takes tells nothing.
        found = [key for key in self._keys if hmac.compare_digest(key.digest, digest)]
        if not found:
            raise self._wrong.refusal(client)
        return found[0].grant


def unknown_book(book_id: str) -> NotFound:
    """The same for a book that does not exist and for one that may not be read."""
    return NotFound(f"There is no book {shorten(book_id, 60)!r} for this key")


def check_api_key(request: Request) -> None:
    """Check the key of a request, and note what it may read."""
    rule = request.app.state.api_keys
    assert isinstance(rule, ApiKeyRule)  # noqa: S101 - for the type checker
    client = rate_limits_of(request).clients.client_of(request)
    request.state.grant = rule.check(request.headers, client)


async def grant_of(request: Request) -> Grant:
    """Return what a request may read. Async, or FastAPI would use a thread."""
    grant = request.state.grant
    assert isinstance(grant, Grant)  # noqa: S101 - for the type checker
    return grant


Granted = Annotated[Grant, Depends(grant_of)]
