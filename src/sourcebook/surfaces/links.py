"""Absolute addresses of what answers cite, for clients that show no page of this service."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request

from sourcebook.core.answers import Citation
from sourcebook.core.lesson_links import is_room_link

_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Links:
    """Makes addresses below the service's own, without a slash at its end."""

    base: str

    def citation(self, citation: Citation, kept: str | None = None) -> str:
        """Where a citation can be read: on the book's website, else here.

        Pages of the `kept` book need no name of a book in their addresses.
        """
        if _WEB.match(citation.url):
            return citation.url
        if citation.document_id is None or citation.file is None:
            return f"{self.base}/"
        book = None if citation.book_id == kept else citation.book_id
        return self.lesson(citation.document_id, book, citation.start, citation.end)

    def absolute(self, url: str) -> str:
        """The address of a lesson, wherever it is read."""
        return self.base + url if is_room_link(url) else url

    def lesson(
        self,
        document_id: str,
        book: str | None = None,
        start: int | None = None,
        end: int | None = None,
    ) -> str:
        """A lesson in the reading room, at some words."""
        room = "" if book is None else f"?book={quote(book, safe='')}"
        place = "" if start is None or end is None else f"?from={start}&to={end}"
        return f"{self.base}/{room}#/read/{quote(document_id, safe='')}{place}"

    def lesson_text(self, document_id: str, book: str) -> str:
        """A lesson as it is written."""
        return f"{self.base}/llms/{quote(document_id, safe='')}.md?book_id={quote(book, safe='')}"


async def links_of(request: Request) -> Links:
    """Return the links of the app that serves this request. Async, or FastAPI would use a thread.

    The address is the configured one, else the one that the client has asked for.
    """
    public_url = request.app.state.public_url
    if public_url is not None:
        return Links(str(public_url))
    # Not `request.url`, which fails on a query that is no text.
    scope, host = request.scope, request.headers.get("host", "localhost")
    return Links(f"{scope['scheme']}://{host}{scope['root_path']}")
