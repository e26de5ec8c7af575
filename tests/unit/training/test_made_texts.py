"""What a language model is told to write, and what of it counts."""

from random import Random

import pytest
from training.made_texts import (
    Lessons,
    asked_about,
    mixed,
    questions_of,
    text_of,
    text_told,
)
from training.prepared import Line

WRITTEN = """Answered:
- How long does the clock run?
- orrin 4 spring price
Not answered:
- Who built it?
- Is the dial"""


class Whole:
    """Cuts nothing."""

    def cut(self, text: str) -> str:
        return text


def passage(number: int, corpus: str, *, text: str = "x" * 300) -> Line:
    return {
        "id": number,
        "corpus": corpus,
        "heading": f"Heading {number}",
        "text": text,
        "sentences": [(0, 300)],
    }


def example(kind: str, number: int, question: str) -> Line:
    return {"kind": kind, "passage": number, "question": question}


def test_questions_are_read_with_whether_they_should_be_answered() -> None:
    assert questions_of(WRITTEN, whole=True) == [
        ("How long does the clock run?", True),
        ("orrin 4 spring price", True),
        ("Who built it?", False),
        ("Is the dial", False),
    ]


def test_a_question_that_was_cut_off_does_not_count() -> None:
    assert ("Is the dial", False) not in questions_of(WRITTEN, whole=False)
    assert len(questions_of(WRITTEN, whole=False)) == 3


@pytest.mark.parametrize("line", ["Why?", "word " * 41])
def test_a_word_or_a_speech_is_no_question(line: str) -> None:
    assert questions_of(f"Answered:\n- {line}\n", whole=True) == []


def test_a_question_that_is_written_twice_counts_once() -> None:
    assert questions_of("Answered:\n- Who is it?\n- Who is it?\n", whole=True) == [
        ("Who is it?", True)
    ]


def test_a_text_has_a_title_of_one_line_and_some_words() -> None:
    body = "It runs for eight days. " * 12
    assert text_of(f"The clock\n\n{body}") == ("The clock", body.strip())
    assert text_of(f"The clock\nof 1890\n\n{body}") is None
    assert text_of("The clock\n\nIt runs.") is None
    assert text_of(body) is None


def test_lessons_show_both_kinds_of_questions_and_the_texts_of_ours() -> None:
    passages = [passage(1, "django"), passage(2, "written old_clocks"), passage(3, "django")]
    examples = [
        example("asked", 1, "What is asked?"),
        example("asked_miss", 1, "What is missing?"),
        example("written", 2, "How long?"),
        example("written_miss", 2, "How heavy?"),
        example("question", 3, "Written by a machine?"),
    ]
    lessons = {
        (one.told, one.written)
        for one in Lessons(passages, examples).drawn(Random(1), Whole())  # type: ignore[arg-type]
    }
    told = "Heading 1\n\n" + "x" * 300
    asked = "Write questions that this text answers, then questions that it nearly answers."
    assert (
        f"{told}\n\n{asked}",
        "Answered:\n- What is asked?\nNot answered:\n- What is missing?",
    ) in lessons
    assert ("Write a text: old clocks", "Heading 2\n\n" + "x" * 300) in lessons
    assert len(lessons) == 3


def test_what_a_lesson_shows_is_read_back() -> None:
    passages = [passage(1, "django")]
    examples = [example("asked", 1, "What is asked?"), example("asked_miss", 1, "What is missing?")]
    (lesson,) = Lessons(passages, examples).drawn(Random(1), Whole())  # type: ignore[arg-type]
    assert questions_of(lesson.written, whole=True) == [
        ("What is asked?", True),
        ("What is missing?", False),
    ]


def test_no_questions_are_written_where_they_would_spoil_a_measure() -> None:
    passages = [
        passage(1, "django"),
        passage(2, "docusaurus"),
        passage(3, "k8s"),
        passage(4, "rust"),
        passage(5, "written concepts"),
        passage(6, "django"),
        passage(7, "django", text="short"),
    ]
    assert [one["id"] for one in asked_about(passages, {6}, Random(1))] == [1]


def test_texts_and_passages_come_in_turns() -> None:
    texts = [passage(1, "written concepts")]
    passages = [passage(2, "django"), passage(3, "django")]
    assert [one["id"] for one in mixed(texts, passages)] == [1, 2, 3]
    assert [one["id"] for one in mixed(passages, texts)] == [2, 1, 3]


def test_a_text_is_asked_for_by_its_genre() -> None:
    assert text_told("written web_long_answers") == "Write a text: web long answers"
