"""Who calls a tool, and what they may read: bound on the server, outside the tool's arguments."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

from fastapi import Request

from sourcebook.search.book_query import BookScope
from sourcebook.surfaces.api_keys import Grant, unknown_book
from sourcebook.surfaces.links import Links
from sourcebook.surfaces.rate_limits import rate_limits_of
from sourcebook.surfaces.use_cases import UseCases


@dataclass(frozen=True, slots=True)
class Caller:
    """The request that calls, what it may read, and what answers it.

    Without a request, it is an agent on this machine, whose calls nobody counts.
    """

    request: Request | None
    use: UseCases
    grant: Grant
    links: Links

    async def book(self, named: str | None = None) -> str:
        """The book that is meant; NotFound if it may not be read."""
        if named is not None:
            if not self.grant.allows(named):
                raise unknown_book(named)
            return named
        default = await self.use.default_book.book_id()
        return default if self.grant.books is None else self._first(default, self.grant.books)

    async def scope(self, named: str | None = None, tier: int | None = None) -> BookScope:
        """What may be read of that book."""
        return BookScope(await self.book(named), self.grant.tier_within(tier))

    async def scopes(self) -> AsyncIterator[BookScope]:
        """What may be read, book by book, the default one first."""
        first = await self.scope()
        yield first
        for book in await self.use.book_catalog.all():
            if book.files and book.id != first.book_id and self.grant.allows(book.id):
                yield await self.scope(book.id)

    async def count_search(self) -> None:
        if self.request is not None:
            await rate_limits_of(self.request).count_search(self.request)

    async def count_chat(self) -> None:
        if self.request is not None:
            await rate_limits_of(self.request).count_chat(self.request)

    def chat_slot(self, timeout_s: float) -> AbstractAsyncContextManager[None]:
        """Wait for a place among the answers that are written at once."""
        if self.request is None:
            return nullcontext()
        return rate_limits_of(self.request).chat_slots.slot(timeout_s)

    def _first(self, default: str, books: tuple[str, ...]) -> str:
        return default if default in books else books[0]


CALLER: ContextVar[Caller] = ContextVar("mcp_caller")
