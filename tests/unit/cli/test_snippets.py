"""Snippets: the part of a chunk that the question is about."""

import pytest

from sourcebook.cli.snippets import content_pattern, snippet

TEXT = (
    "## Joint limits\n\nThe limits in a URDF file keep planners honest. "
    + "Nothing of note stands here. " * 20
    + "Wren's knee bends from straight, at zero, to 2.27 radians. "
    + "Nothing of note stands there either. " * 20
)


def test_the_part_with_the_question_s_words_is_shown() -> None:
    shown = snippet(TEXT, content_pattern("How far can Wren's knee bend?"), 200)

    assert "Wren's knee bends" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= 200 + len("…  …")


def test_without_content_words_the_beginning_is_shown_without_its_heading() -> None:
    shown = snippet(TEXT, content_pattern("What is it?"), 60)

    assert shown.startswith("The limits in a URDF file")


def test_a_short_text_is_shown_whole() -> None:
    assert snippet("## A\n\nOne line.", None, 100) == "One line."


def test_a_heading_alone_is_shown_as_it_is() -> None:
    assert snippet("## A heading", None, 100) == "## A heading"


def test_a_single_long_word_does_not_vanish() -> None:
    assert snippet("x" * 500, None, 100).startswith("x" * 100)


@pytest.mark.parametrize("word", ["knee", "Knees", "bend", "bending", "BENDS"])
def test_words_are_found_in_any_form(word: str) -> None:
    pattern = content_pattern("Do knees bend?")

    assert pattern is not None
    assert pattern.fullmatch(word)


def test_function_words_are_not_content() -> None:
    assert content_pattern("What is this about?") is None


def test_a_question_of_signs_is_no_pattern_of_its_own() -> None:
    pattern = content_pattern("c++ (.*) [x")

    assert pattern is not None
    assert pattern.search("anything else") is None
