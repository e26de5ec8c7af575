"""Finds the passages of a book that fit a question best, over Sourcebook's HTTP API."""

from typing import Any
from urllib.parse import quote

import httpx
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

TIMEOUT_S = 30.0


class SourcebookRetriever(BaseRetriever):
    """Retrieves passages with `source`, `title`, their lines and `score` in their metadata."""

    base_url: str = "http://localhost:8000"
    k: int = 5
    book: str | None = None
    tier: int | None = None
    timeout_s: float = TIMEOUT_S

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        with httpx.Client(base_url=self.base_url, timeout=self.timeout_s) as http:
            return self._documents(http.post("/search", json=self._body(query, **kwargs)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        async with httpx.AsyncClient(base_url=self.base_url, timeout=self.timeout_s) as http:
            return self._documents(await http.post("/search", json=self._body(query, **kwargs)))

    def _body(self, query: str, k: int | None = None, **_: Any) -> dict[str, Any]:
        bounds = {"book_id": self.book, "hardware_tier": self.tier}
        given = {name: value for name, value in bounds.items() if value is not None}
        return {"query": query, "limit": k or self.k, **given}

    def _documents(self, reply: httpx.Response) -> list[Document]:
        reply.raise_for_status()
        return [
            _document(result, _address(result, self.base_url, self.book))
            for result in reply.json()["results"]
        ]


def _document(result: dict[str, Any], source: str) -> Document:
    return Document(
        id=result["chunk_id"],
        page_content=result["text"],
        metadata={
            "source": source,
            "title": result["lesson_title"],
            "section": result["section_title"],
            "file": result["source_file"],
            "line_start": result["line_start"],
            "line_end": result["line_end"],
            "score": result["score"],
        },
    )


def _address(result: dict[str, Any], base_url: str, book: str | None) -> str:
    """Where a passage can be read: on the book's website, else in the service."""
    website, service = result["lesson_url"] or "", base_url.rstrip("/")
    if website.startswith(("http://", "https://")):
        return website
    if book is not None:
        return f"{service}/?book={quote(book, safe='')}#/read/{result['parent_doc_id']}"
    lesson = f"{service}/#/read/{result['parent_doc_id']}"
    start, end = result["start"], result["end"]
    return lesson if start is None else f"{lesson}?from={start}&to={end}"
