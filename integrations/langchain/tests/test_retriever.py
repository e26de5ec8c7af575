"""The retriever keeps LangChain's contract, and brings the places of what it finds."""

from typing import Any

import pytest
from langchain_sourcebook import SourcebookRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests


class TestContract(RetrieversIntegrationTests):
    """LangChain's own tests."""

    @pytest.fixture(autouse=True)
    def _service(self, service: str) -> None:
        self.url = service

    @property
    def retriever_constructor(self) -> type[SourcebookRetriever]:
        return SourcebookRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"base_url": self.url}

    @property
    def retriever_query_example(self) -> str:
        return "What is a node?"


def test_a_document_says_where_it_stands(service: str, asked: list[dict[str, Any]]) -> None:
    (document,) = SourcebookRetriever(base_url=service, k=1, book="robots", tier=2).invoke(
        "A node?"
    )

    assert document.page_content == "A node is process 1."
    assert document.metadata["source"] == "https://book.example/nodes"
    assert (document.metadata["line_start"], document.metadata["score"]) == (1, 1.0)
    assert asked == [{"query": "A node?", "limit": 1, "book_id": "robots", "hardware_tier": 2}]


def test_a_passage_without_a_website_is_linked_in_the_service(service: str) -> None:
    sources = [
        SourcebookRetriever(base_url=service, k=2, book=book)
        .invoke("A node?")[1]
        .metadata["source"]
        for book in (None, "robots")
    ]

    assert sources == [
        f"{service}/#/read/d1?from=20&to=29",
        f"{service}/?book=robots#/read/d1",
    ]
