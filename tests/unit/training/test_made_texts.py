"""What a language model is told to write, and what of it counts."""

from random import Random

import pytest
from training.made_texts import (
    ASKED_OF_EACH,
    DOCUMENTATION,
    SOFTWARE,
    Lessons,
    asked_about,
    mixed,
    plain_heading,
    questions_of,
    some_questions,
    text_of,
    text_told,
    usual_headings,
    wanted_texts,
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
    assert text_of(f"The clock\n\n{body}", whole=True) == ("The clock", body.strip())
    assert text_of(f"The clock\nof 1890\n\n{body}", whole=True) is None
    assert text_of("The clock\n\nIt runs.", whole=True) is None
    assert text_of(body, whole=True) is None


@pytest.mark.parametrize("cut_off", ["Then it", "\n- the spring", "\n\n## What it"])
def test_a_text_that_was_cut_off_ends_before_its_last_piece(cut_off: str) -> None:
    body = ("It runs for eight days. " * 12).strip()
    assert text_of(f"The clock\n\n{body} {cut_off}", whole=False) == ("The clock", body)
    assert text_of("The clock\n\n" + "word " * 60, whole=False) is None


def test_some_questions_of_each_kind_are_kept() -> None:
    asked = [(f"Question {n}?", n % 2 == 0) for n in range(40)]
    kept = list(some_questions(asked, Random(1)))
    assert len(set(kept)) == 2 * ASKED_OF_EACH
    assert [answered for _, answered in kept] == [True] * ASKED_OF_EACH + [False] * ASKED_OF_EACH
    assert list(some_questions(asked[:2], Random(1))) == asked[:2]


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
        for one in Lessons(passages, examples, passages[2:]).drawn(
            Random(1),
            Whole(),  # type: ignore[arg-type]
        )
    }
    told = "Heading 1\n\n" + "x" * 300
    asked = "Write questions that this text answers, then questions that it nearly answers."
    assert (
        f"{told}\n\n{asked}",
        "Answered:\n- What is asked?\nNot answered:\n- What is missing?",
    ) in lessons
    assert ("Write a text: old clocks", "Heading 2\n\n" + "x" * 300) in lessons
    assert (
        "Write a text: documentation of Django: Heading 3",
        "Heading 3\n\n" + "x" * 300,
    ) in lessons
    assert len(lessons) == 4


def test_what_a_lesson_shows_is_read_back() -> None:
    passages = [passage(1, "django")]
    examples = [example("asked", 1, "What is asked?"), example("asked_miss", 1, "What is missing?")]
    (lesson,) = Lessons(passages, examples, ()).drawn(Random(1), Whole())  # type: ignore[arg-type]
    assert questions_of(lesson.written, whole=True) == [
        ("What is asked?", True),
        ("What is missing?", False),
    ]


def test_lessons_show_as_many_questions_as_wanted_and_no_texts_without_documentation() -> None:
    passages = [passage(1, "written old_clocks")]
    kinds = ("written", "written_miss")
    examples = [example(kind, 1, f"What is {kind} {n}?") for kind in kinds for n in range(9)]
    lessons = Lessons(passages, examples, (), questions_of_each=3)
    (lesson,) = lessons.drawn(Random(1), Whole())  # type: ignore[arg-type]
    read = questions_of(lesson.written, whole=True)
    assert [answered for _, answered in read] == [True] * 3 + [False] * 3


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


def test_a_heading_loses_its_anchors() -> None:
    assert plain_heading("Tags { #tags } > Order {/* #order */}") == "Tags > Order"


def test_headings_that_fit_any_documentation_are_used_for_others() -> None:
    passages = [
        passage(1, "django") | {"heading": "Forms > Using forms {#using}"},
        passage(2, "django") | {"heading": "Forms > Upgrading Django"},
        passage(3, "react") | {"heading": "`useState`"},
        passage(4, "react") | {"heading": "A heading of far too many words to fit"},
    ]
    assert usual_headings(passages) == ["Using forms"]


def test_texts_of_all_genres_and_documentation_are_wanted() -> None:
    genres = ["written concepts", "written old_clocks"]
    wanted = list(wanted_texts(genres, ["Using it"], 100, Random(1)))
    assert {one.corpus for one in wanted} == {*genres, DOCUMENTATION}
    told = {f"Write a text: documentation of {name}: Using it" for name in SOFTWARE}
    assert {one.told for one in wanted if one.corpus == DOCUMENTATION} <= told


def test_no_documentation_is_invented_for_what_is_measured() -> None:
    measured = ("kubernetes", "kubectl", "helm", "rust", "cargo", "docusaurus", "prometheus", "vue")
    assert not [one for one in SOFTWARE if one.lower().startswith(measured)]
    assert len(set(SOFTWARE)) == len(SOFTWARE)
