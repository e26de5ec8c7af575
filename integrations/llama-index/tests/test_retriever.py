"""The retriever keeps LlamaIndex's contract, and brings the places of what it finds."""

from typing import Any

from llama_index.retrievers.sourcebook import SourcebookRetriever


def test_a_node_says_where_it_stands(service: str, asked: list[dict[str, Any]]) -> None:
    retriever = SourcebookRetriever(service, similarity_top_k=2, book="robots", tier=2)

    first, second = retriever.retrieve("A node?")

    assert (first.node.get_content(), first.score) == ("A node is process 1.", 1.0)
    assert first.node.metadata["source"] == "https://book.example/nodes"
    assert second.node.metadata["line_start"] == 2
    assert asked == [{"query": "A node?", "limit": 2, "book_id": "robots", "hardware_tier": 2}]


async def test_it_retrieves_without_blocking_too(service: str) -> None:
    found = await SourcebookRetriever(service, similarity_top_k=1).aretrieve("A node?")

    assert [one.node.id_ for one in found] == ["c1"]


def test_a_passage_without_a_website_is_linked_in_the_service(service: str) -> None:
    sources = [
        SourcebookRetriever(service, book=book).retrieve("A node?")[1].node.metadata["source"]
        for book in (None, "robots")
    ]

    assert sources == [
        f"{service}/#/read/d1?from=20&to=29",
        f"{service}/?book=robots#/read/d1",
    ]
