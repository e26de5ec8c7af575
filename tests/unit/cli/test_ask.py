"""`ask` reads a selection as it is, and says what is wrong with a question before it asks."""

import io
import sys
import uuid
from pathlib import Path

import pytest

from sourcebook.cli.ask import build_request, closest_line, remarks_on
from sourcebook.core.answers import History
from sourcebook.core.errors import InvalidInput
from sourcebook.surfaces.chat.schemas import MAX_SELECTION_LENGTH, ChatMetadataOut, ClosestPlaceOut


def question_about(selection: bytes, tmp_path: Path) -> str | None:
    (tmp_path / "notes.md").write_bytes(selection)
    question = build_request("What?", selection="notes.md")
    assert question.mode == "selected_text"
    return question.selected_text


@pytest.mark.parametrize(
    "text", ["one\r\ntwo\r\n", "🤖 á\n", "\ufeffx", "x" * MAX_SELECTION_LENGTH]
)
def test_a_selection_is_taken_character_for_character(text: str, tmp_path: Path) -> None:
    assert question_about(text.encode(), tmp_path) == text


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        (b"", "is empty"),
        (b" \n ", "is empty"),
        (b"\xff\xfe text", "is not UTF-8 text"),
        (b"x" * (MAX_SELECTION_LENGTH + 1), "too long: 10000 characters at most"),
        ("日".encode() * 100_000, "too long: 10000 characters at most"),
    ],
)
def test_what_is_no_selection_says_why(selection: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=f"'notes.md' .*{says}"):
        question_about(selection, tmp_path)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"'nowhere.md' cannot be read: No such file"):
        build_request("What?", selection="nowhere.md")


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"piped\r\n"), "utf-8"))

    assert build_request("What?", selection="-").selected_text == "piped\r\n"


def test_collections_are_named_one_by_one() -> None:
    assert build_request("What?", collections=["robotics", "book"]).collections == [
        "robotics",
        "book",
    ]
    assert build_request("What?").collections is None
    assert build_request("What?", collections=[]).collections is None


def test_a_new_session_has_an_id_that_can_be_used_again() -> None:
    begun = build_request("What?", session="new")
    again = build_request("And then?", session=begun.session_id)

    assert uuid.UUID(begun.session_id).version == 4
    assert again.session_id == begun.session_id
    assert build_request("What?").session_id is None


@pytest.mark.parametrize(
    ("question", "session", "top_k", "says"),
    [
        (" ", None, 5, "query: must not be empty"),
        ("x" * 2001, None, 5, "query: .* 2000 characters"),
        ("What?", "mine", 5, "session_id: must be a UUID of version 4"),
        ("What?", None, 21, "top_k: .* 20"),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(
    question: str, session: str | None, top_k: int, says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        build_request(question, session=session, top_k=top_k)


@pytest.mark.parametrize(
    ("cut_off", "history", "warning", "says"),
    [
        (False, "saved", None, []),
        (True, "saved", None, ["The answer is cut off"]),
        (True, "unavailable", None, ["The answer is cut off", "The conversation cannot be read"]),
        (False, "saved", "The model is away.", ["The model is away."]),
    ],
)
def test_a_reader_learns_what_is_wrong_with_an_answer(
    cut_off: bool, history: History, warning: str | None, says: list[str]
) -> None:
    facts = ChatMetadataOut(
        query_time_ms=1.0,
        chunks_retrieved=1,
        model="slow",
        query_strategy=None,
        history=history,
        answered=True,
        cut_off=cut_off,
        warning=warning,
    )

    remarks = list(remarks_on(facts))

    assert len(remarks) == len(says)
    assert all(remark.startswith(words) for remark, words in zip(remarks, says, strict=True))


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("https://example.org/legs#knee", "Closest: Legs (https://example.org/legs#knee)"),
        # The reading room of a service, and no service is needed here.
        ("/?book=b#/read/1", "Closest: Legs"),
    ],
)
def test_a_place_after_a_refusal_has_an_address_only_on_a_website(url: str, line: str) -> None:
    place = ClosestPlaceOut(title="Legs", heading="", url=url)
    facts = ChatMetadataOut.model_construct(closest=[place])

    assert closest_line(facts) == line
