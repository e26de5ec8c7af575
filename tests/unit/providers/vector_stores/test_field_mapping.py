"""Chunks out of other tools' payloads."""

import pytest

from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.providers.vector_stores.field_mapping import (
    FieldMapping,
    adopted_chunk,
    copied_metadata,
    settled,
    value_at,
)

LANGCHAIN: Metadata = {"page_content": "Text", "metadata": {"source": "a.pdf", "title": "A"}}


def test_common_names_are_found_where_the_mapping_leaves_them_open() -> None:
    mapping = settled(FieldMapping(page_title="heading"), [LANGCHAIN])
    assert mapping == FieldMapping(
        text="page_content", source_url="metadata.source", page_title="heading"
    )


def test_the_name_that_most_points_use_is_taken() -> None:
    payloads: list[Metadata] = [{"text": "a"}, {"content": "b"}, {"content": "c", "text": None}]
    assert settled(FieldMapping(), payloads).text == "content"


def test_without_points_nothing_is_settled() -> None:
    assert settled(FieldMapping(), []) == FieldMapping()


def test_text_beside_the_payload_needs_no_mapping() -> None:
    chunk = adopted_chunk("7", {"source": "s", "text": "other"}, FieldMapping(text=""), "Text")
    assert chunk is not None
    assert (chunk.text, chunk.document_id, chunk.ordinal) == ("Text", "s", 0)
    assert chunk.metadata == {"source": "s", "text": "other", "source_url": "s"}


@pytest.mark.parametrize("text", [None, "", " \n", 7, ["Text"]])
def test_what_has_no_text_is_no_chunk(text: JsonValue) -> None:
    assert adopted_chunk("7", {"text": text}, FieldMapping()) is None


@pytest.mark.parametrize(
    ("document", "expected"), [("d", "d"), (12, "12"), ("", "u"), (None, "u"), ([1], "7")]
)
def test_a_document_goes_by_its_id_or_its_source_or_the_point(
    document: JsonValue, expected: str
) -> None:
    payload: Metadata = {"text": "Text", "doc_id": document, "url": "u"}
    chunk = adopted_chunk("7", payload, FieldMapping())
    assert chunk is not None
    assert chunk.document_id == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [("a", None), ("a.b", 1), ("a.c.d", 2), ("a.c", None), ("x.y", 3), ("a.b.c", None), ("", None)],
)
def test_a_path_leads_into_objects_and_names_with_dots_come_first(
    path: str, value: int | None
) -> None:
    payload: Metadata = {"a": {"b": 1, "c": {"d": 2}}, "x.y": 3, "x": {"y": 4}}
    assert value_at(payload, path) == value


def test_a_copy_adds_nothing_but_what_citations_read_of_nested_metadata() -> None:
    flat: Metadata = {"text": "Text", "title": "Arms", "source": "https://x/", "section": "Joints"}
    nested: Metadata = {"text": "Text", "metadata": {"title": "Arms", "source": "https://x/"}}

    assert copied_metadata(flat, FieldMapping()) == {
        "title": "Arms",
        "source": "https://x/",
        "section": "Joints",
    }
    assert copied_metadata(nested, FieldMapping()) == {
        "metadata.title": "Arms",
        "metadata.source": "https://x/",
        "source_url": "https://x/",
    }
