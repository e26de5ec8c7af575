"""What a posted document is called, what is kept of it, and what counts as a change."""

import hashlib

import pytest

from sourcebook.core.metadata import JsonValue
from sourcebook.core.posted_documents import PostedDocument, lasting, own_metadata
from sourcebook.core.text import strip_control_characters

POSTING = PostedDocument("nas-docs", "/manuals/arm.md", "The arm", "It lifts 3 kg.")


def test_the_id_is_the_one_that_clients_compute() -> None:
    expected = hashlib.md5(b"nas-docs:/manuals/arm.md", usedforsecurity=False).hexdigest()

    assert POSTING.document_id == expected


def test_a_posters_metadata_never_overwrite_ours() -> None:
    theirs: dict[str, JsonValue] = {
        "source": "evil",
        "path": "evil",
        "title": "evil",
        "hash": "evil",
        "tags": ["evil"],
    }

    about = PostedDocument("s", "p", "t", "x", hash="h", tags=("a",), metadata=theirs).about

    assert {name: about[name] for name in theirs} == {
        "source": "s",
        "path": "p",
        "title": "t",
        "hash": "h",
        "tags": ["a"],
    }
    assert own_metadata(about) == theirs


def test_what_was_not_posted_is_not_there() -> None:
    assert POSTING.about == {
        "source": "nas-docs",
        "path": "/manuals/arm.md",
        "title": "The arm",
        "tags": [],
    }


@pytest.mark.parametrize("stamp", ["ingestedAt", "ingested_at"])
def test_stamps_and_hashes_do_not_last(stamp: str) -> None:
    monday = PostedDocument("s", "p", "t", "x", hash="1", metadata={stamp: "Monday", "size": 3})
    friday = PostedDocument("s", "p", "t", "x", hash="2", metadata={stamp: "Friday", "size": 3})
    larger = PostedDocument("s", "p", "t", "x", metadata={stamp: "Monday", "size": 4})

    assert lasting(monday.about) == lasting(friday.about)
    assert lasting(monday.about) != lasting(larger.about)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain\ttext\r\nin lines\n", "plain\ttext\r\nin lines\n"),
        ("%PDF-1.4\x00\x01\x1f\x7f\x80\x9f end", "%PDF-1.4 end"),
        ("a\x0bb\x0cc", "abc"),
        ("\ufffd is a character, \uffff is none", "\ufffd is a character,  is none"),
        ("half \ud83d a pair", "half  a pair"),
        ("e\u0301 \U0001f600 \u200d \ufeff", "e\u0301 \U0001f600 \u200d \ufeff"),
    ],
)
def test_control_characters_are_cleaned_away(raw: str, text: str) -> None:
    assert strip_control_characters(raw) == text
