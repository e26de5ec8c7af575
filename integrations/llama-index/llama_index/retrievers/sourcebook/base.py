"""Finds the passages of a book that fit a question best, over Sourcebook's HTTP API."""

from typing import Any

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
        bounds = {"limit": similarity_top_k, "book_id": book, "hardware_tier": tier}
        self._bounds = {name: value for name, value in bounds.items() if value is not None}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with httpx.Client(base_url=self._base_url, timeout=self._timeout_s) as http:
            return _nodes(http.post("/search", json=self._body(query_bundle)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        async with httpx.AsyncClient(base_url=self._base_url, timeout=self._timeout_s) as http:
            return _nodes(await http.post("/search", json=self._body(query_bundle)))

    def _body(self, query: QueryBundle) -> dict[str, Any]:
        return {"query": query.query_str, **self._bounds}


def _nodes(reply: httpx.Response) -> list[NodeWithScore]:
    reply.raise_for_status()
    return [_node(result) for result in reply.json()["results"]]


def _node(result: dict[str, Any]) -> NodeWithScore:
    node = TextNode(
        id_=result["chunk_id"],
        text=result["text"],
        metadata={
            "source": result["lesson_url"] or result["source_file"],
            "title": result["lesson_title"],
            "section": result["section_title"],
            "file": result["source_file"],
            "line_start": result["line_start"],
            "line_end": result["line_end"],
        },
    )
    return NodeWithScore(node=node, score=result["score"])
