"""Finds the passages of a book that fit a question best, over Sourcebook's HTTP API."""

from typing import Any
from urllib.parse import quote

import httpx
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

TIMEOUT_S = 30.0


class SourcebookRetriever(BaseRetriever):
    """Retrieves passages with `source`, `title` and their lines in their metadata."""

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        similarity_top_k: int = 5,
        book: str | None = None,
        tier: int | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        super().__init__()
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._book = book
        bounds = {"limit": similarity_top_k, "book_id": book, "hardware_tier": tier}
        self._bounds = {name: value for name, value in bounds.items() if value is not None}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with httpx.Client(base_url=self._base_url, timeout=self._timeout_s) as http:
            return self._nodes(http.post("/search", json=self._body(query_bundle)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        async with httpx.AsyncClient(base_url=self._base_url, timeout=self._timeout_s) as http:
            return self._nodes(await http.post("/search", json=self._body(query_bundle)))

    def _body(self, query: QueryBundle) -> dict[str, Any]:
        return {"query": query.query_str, **self._bounds}

    def _nodes(self, reply: httpx.Response) -> list[NodeWithScore]:
        reply.raise_for_status()
        return [
            _node(result, _address(result, self._base_url, self._book))
            for result in reply.json()["results"]
        ]


def _node(result: dict[str, Any], source: str) -> NodeWithScore:
    node = TextNode(
        id_=result["chunk_id"],
        text=result["text"],
        metadata={
            "source": source,
            "title": result["lesson_title"],
            "section": result["section_title"],
            "file": result["source_file"],
            "line_start": result["line_start"],
            "line_end": result["line_end"],
        },
    )
    return NodeWithScore(node=node, score=result["score"])


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
