"""Who calls a tool, and what they may read: bound on the server, outside the tool's arguments."""

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

    async def books(self, named: str | None = None) -> tuple[str, ...]:
        """The books that are meant; NotFound if the named one may not be read."""
        if named is None:
            return await self.use.default_books.ids_for(self.grant.books)
        if not self.grant.allows(named):
            raise unknown_book(named)
        return (named,)

    async def scope(self, named: str | None = None, tier: int | None = None) -> BookScope:
        """What may be read of that book, or of all that are meant."""
        return BookScope(await self.books(named), self.grant.tier_within(tier))

    async def everything(self) -> BookScope:
        """All that may be read, also of books that nobody means without naming them."""
        names = await self.use.books.names()
        readable = tuple(name for name in names if self.grant.allows(name))
        return BookScope(readable, self.grant.tier_within(None))

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


CALLER: ContextVar[Caller] = ContextVar("mcp_caller")
