"""Finds the passages of a book that fit a question best, over Sourcebook's HTTP API."""

from typing import Any
from urllib.parse import quote

import httpx
from haystack import Document, component, default_to_dict

TIMEOUT_S = 30.0


@component
class SourcebookRetriever:
    """Retrieves passages with `source`, `title` and their lines in their meta."""

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        top_k: int = 5,
        book: str | None = None,
        tier: int | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.base_url = base_url
        self.top_k = top_k
        self.book = book
        self.tier = tier
        self.timeout_s = timeout_s

    def to_dict(self) -> dict[str, Any]:
        """Serialize the component, for pipelines in files."""
        return default_to_dict(
            self,
            base_url=self.base_url,
            top_k=self.top_k,
            book=self.book,
            tier=self.tier,
            timeout_s=self.timeout_s,
        )

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Retrieve passages for a question."""
        with httpx.Client(base_url=self.base_url, timeout=self.timeout_s) as http:
            reply = http.post("/search", json=self._body(query, top_k))
        return {"documents": self._documents(reply)}

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Retrieve passages for a question, without blocking."""
        async with httpx.AsyncClient(base_url=self.base_url, timeout=self.timeout_s) as http:
            reply = await http.post("/search", json=self._body(query, top_k))
        return {"documents": self._documents(reply)}

    def _body(self, query: str, top_k: int | None) -> dict[str, Any]:
        bounds = {"book_id": self.book, "hardware_tier": self.tier}
        given = {name: value for name, value in bounds.items() if value is not None}
        return {"query": query, "limit": top_k or self.top_k, **given}

    def _documents(self, reply: httpx.Response) -> list[Document]:
        reply.raise_for_status()
        return [
            _document(result, _address(result, self.base_url, self.book))
            for result in reply.json()["results"]
        ]


def _document(result: dict[str, Any], source: str) -> Document:
    return Document(
        id=result["chunk_id"],
        content=result["text"],
        score=result["score"],
        meta={
            "source": source,
            "title": result["lesson_title"],
            "section": result["section_title"],
            "file": result["source_file"],
            "line_start": result["line_start"],
            "line_end": result["line_end"],
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
