"""What a question may see of an adopted collection, and how a citation names it."""

import pytest

from sourcebook.answering.shelves import NOTHING, AdoptedShelf
from sourcebook.core.answers import Question
from sourcebook.core.documents import Chunk
from sourcebook.core.metadata import Metadata

SHELF = AdoptedShelf("rag_embedding")
PAGE: Metadata = {
    "source_url": "https://example.org/docs/arms",
    "page_title": "Arms",
    "section_heading": "Joints",
    "chunk_text": "A joint turns.",
}


def chunk(about: Metadata, text: str = "A joint turns.") -> Chunk:
    return Chunk("point-1", "page-1", 0, text, about)


@pytest.mark.spec("004 US4.3")
@pytest.mark.parametrize(
    ("sources", "seen"),
    [
        ({}, True),
        ({"source_url": ("https://example.org/docs/arms",)}, True),
        ({"source_url": ("https://example.org/docs/legs",)}, False),
        ({"page_title": ("Legs", "Arms")}, True),
        ({"page_title": ("Arms",), "section_heading": ("Joints",)}, True),
        ({"page_title": ("Arms",), "section_heading": ("Motors",)}, False),
    ],
)
def test_a_question_is_narrowed_to_the_sources_it_names(
    sources: dict[str, tuple[str, ...]], seen: bool
) -> None:
    question = Question("?", sources=sources)  # type: ignore[arg-type]

    assert SHELF.scope(question).matches(PAGE) is seen


@pytest.mark.parametrize(
    "question", [Question("?", book_id="robots"), Question("?", hardware_tier=4)]
)
def test_what_others_keep_is_in_no_book_and_on_no_tier(question: Question) -> None:
    assert SHELF.scope(question) == NOTHING


def test_a_citation_names_the_page_and_the_heading() -> None:
    source = SHELF.source(chunk(PAGE))

    assert (source.url, source.title, source.heading) == (
        "https://example.org/docs/arms",
        "Arms",
        "Joints",
    )
    assert (source.chunk_id, source.document_id, source.file) == ("point-1", "page-1", None)


def test_without_metadata_the_first_heading_and_the_address_have_to_do() -> None:
    source = SHELF.source(chunk({"source_url": "/arms"}, "# Joints\n\nA joint turns."))

    assert (source.title, source.heading) == ("/arms", "Joints")


@pytest.mark.parametrize("about", [{}, {"source_url": 5, "page_title": ["a"], "x": None}])
def test_metadata_of_any_type_can_be_named(about: Metadata) -> None:
    source = SHELF.source(chunk(about))

    assert (source.url, source.title, source.heading) == ("", "", "")


def test_an_address_that_browsers_would_run_is_only_a_path() -> None:
    url = "java\tscript:alert(1)"

    shown = SHELF.source(chunk({"source_url": url})).url

    assert shown == "./" + url
    question = Question("?", sources={"source_url": (shown,)})
    assert SHELF.scope(question).matches({"source_url": url})
