"""The retriever works in a pipeline, and brings the places of what it finds."""

from typing import Any

from haystack import Pipeline
from haystack_integrations.components.retrievers.sourcebook import SourcebookRetriever


def test_a_document_says_where_it_stands(service: str, asked: list[dict[str, Any]]) -> None:
    pipeline = Pipeline()
    pipeline.add_component("book", SourcebookRetriever(service, book="robots", tier=2))

    found = pipeline.run({"book": {"query": "A node?", "top_k": 1}})["book"]["documents"]

    (document,) = found
    assert (document.content, document.score) == ("A node is process 1.", 1.0)
    assert document.meta["source"] == "https://book.example/nodes"
    assert asked == [{"query": "A node?", "limit": 1, "book_id": "robots", "hardware_tier": 2}]


def test_a_pipeline_with_it_can_be_kept_in_a_file(service: str) -> None:
    pipeline = Pipeline()
    pipeline.add_component("book", SourcebookRetriever(service, tier=2))

    loaded = Pipeline.loads(pipeline.dumps())

    assert loaded.get_component("book").to_dict() == pipeline.get_component("book").to_dict()


async def test_it_retrieves_without_blocking_too(service: str) -> None:
    found = await SourcebookRetriever(service).run_async("A node?", top_k=1)

    assert [one.id for one in found["documents"]] == ["c1"]


def test_a_passage_without_a_website_is_linked_in_the_service(service: str) -> None:
    sources = [
        SourcebookRetriever(service, book=book).run("A node?")["documents"][1].meta["source"]
        for book in (None, "robots")
    ]

    assert sources == [
        f"{service}/#/read/d1?from=20&to=29",
        f"{service}/?book=robots#/read/d1",
    ]
