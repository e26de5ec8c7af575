"""What a book is about is answered with its own introduction."""

from dataclasses import replace

import pytest

from sourcebook.answering.evidence import Passage
from sourcebook.answering.introductions import (
    asks_about_book,
    introduction,
    introduction_first,
)
from tests.unit.answering.passages import passage


@pytest.mark.parametrize(
    "question",
    [
        "What is this book about?",
        "what's the documentation about",
        "Please summarize this book",
        "What will I learn from this course?",
        "Who is this guide for?",
        "Worum geht es in diesem Buch?",
        "De quoi parle ce livre ?",
        "¿De qué trata este libro?",
    ],
)
def test_a_question_about_the_whole_book_is_recognised(question: str) -> None:
    assert asks_about_book(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is this about?",
        "What does this book say about joints?",
        "Who is the author of this book?",
        "What is the book of joints?",
    ],
)
def test_a_question_about_something_in_it_is_another(question: str) -> None:
    assert not asks_about_book(question)


def named(number: int, file: str) -> Passage:
    one = passage(number, "Welcome.")
    return replace(one, source=replace(one.source, title="", heading="", file=file))


def test_the_outermost_introduction_is_the_books() -> None:
    found = [named(1, "a/joints.md"), named(2, "a/b/index.md"), named(3, "introduction.md")]

    assert introduction(found) == found[2]
    assert introduction(found[:1]) is None


@pytest.mark.parametrize("other", ["module-1-arms/intro.md", "arms/intro.md", "intro/week-1.md"])
def test_of_introductions_in_equal_depth_that_of_a_part_is_not_the_books(other: str) -> None:
    found = [named(1, other), named(2, "intro/index.md")]

    assert introduction(found) == introduction(found[::-1]) == found[1]


def test_the_introduction_of_a_part_is_taken_if_there_is_no_other() -> None:
    found = [named(1, "module-1/joints.md"), named(2, "module-1/intro.md")]

    assert introduction(found) == found[1]


def test_the_introduction_comes_first_and_the_numbers_go_on() -> None:
    found = [named(1, "joints.md"), named(2, "links.md"), named(3, "introduction.md")]

    chosen = introduction_first(found, 2)

    assert [(one.number, one.source.file) for one in chosen] == [
        (1, "introduction.md"),
        (2, "joints.md"),
    ]
