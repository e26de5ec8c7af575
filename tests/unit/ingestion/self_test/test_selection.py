"""The choice of probes is spread over the lessons, and an edit changes those of its lesson."""

from dataclasses import replace

from sourcebook.core.documents import DocumentHeader
from sourcebook.core.self_tests import Check, Probe
from sourcebook.ingestion.self_test.selection import (
    LessonQuestions,
    book_state,
    choose_probes,
    lessons_to_ask,
)
from tests.contract.ledger_values import new_collection

EARLIER = Check(1.0)


def lesson(number: int, *questions: str) -> LessonQuestions:
    given = questions or tuple(f"{number}: question {n}" for n in range(6))
    return LessonQuestions(f"d{number}", f"{number}.md", given)


def lost(probe: Probe) -> Probe:
    return replace(probe, checked=True, found=EARLIER, missed=EARLIER)


def test_every_lesson_has_its_share() -> None:
    chosen = choose_probes([lesson(n) for n in range(40)], (), 100)

    shares = [sum(probe.document_id == f"d{n}" for probe in chosen) for n in range(40)]
    assert len(set(chosen)) == 100
    assert set(shares) == {2, 3}


def test_of_very_many_lessons_some_have_one() -> None:
    chosen = choose_probes([lesson(n) for n in range(300)], (), 100)

    assert len({probe.document_id for probe in chosen}) == 100


def test_an_edit_changes_the_probes_of_its_lesson_alone() -> None:
    lessons = [lesson(n) for n in range(40)]
    before = set(choose_probes(lessons, (), 100))

    lessons[7] = lesson(7, "Something else", "Another thing")
    after = set(choose_probes(lessons, (), 100))

    assert {probe.document_id for probe in before - after} == {"d7"}
    # The edited lesson has fewer questions now, so at most one other lesson has one more.
    assert len({probe.document_id for probe in after - before} - {"d7"}) <= 1


def test_a_new_lesson_takes_the_place_of_few() -> None:
    lessons = [lesson(n) for n in range(150)]
    before = set(choose_probes(lessons, (), 100))

    after = set(choose_probes([*lessons, lesson(150)], (), 100))

    assert len(before - after) <= 1


def test_what_is_known_of_a_probe_is_kept_and_to_be_checked_again() -> None:
    known = [
        replace(probe, checked=True, found=EARLIER) for probe in choose_probes([lesson(1)], (), 9)
    ]

    chosen = choose_probes([lesson(1)], known, 9)

    assert {probe.found for probe in chosen} == {EARLIER}
    assert not any(probe.checked for probe in chosen)


def test_a_question_that_its_lesson_has_no_more_is_replaced() -> None:
    known = [lost(probe) for probe in choose_probes([lesson(1, "Old heading", "Kept")], (), 9)]

    chosen = choose_probes([lesson(1, "New heading", "Kept")], known, 9)

    assert {(probe.question, probe.lost) for probe in chosen} == {
        ("Kept", True),
        ("New heading", False),
    }


def test_a_lost_probe_is_not_forgotten_for_new_lessons() -> None:
    (last,) = choose_probes([lesson(0, "Lost")], (), 1)

    chosen = choose_probes(
        [lesson(n) for n in range(1, 300)] + [lesson(0, "Lost")], [lost(last)], 5
    )

    assert chosen[0].question == "Lost"
    assert len(chosen) == 5


def test_no_more_lessons_are_read_than_there_can_be_probes_and_lost_ones() -> None:
    headers = [DocumentHeader(f"d{n}", "v", {}) for n in range(300)]
    rare = lessons_to_ask(headers, (), 300)[-1]
    probe = lost(Probe(rare.id, "x.md", "Lost"))

    asked = lessons_to_ask(headers, [probe], 10)

    assert len(asked) == 11
    assert asked[-1] == rare


def test_the_state_of_a_book_changes_with_what_a_test_depends_on() -> None:
    collection = new_collection("robotics")
    moved = replace(collection, generation=replace(collection.generation, index_id="other"))
    lessons = [DocumentHeader("d1", "v1", {}), DocumentHeader("d2", "v1", {})]
    edited = [lessons[0], replace(lessons[1], version="v2")]

    state = book_state(collection, lessons, 200)

    assert book_state(collection, lessons[::-1], 200) == state
    others = {
        book_state(collection, edited, 200),
        book_state(collection, lessons[:1], 200),
        book_state(moved, lessons, 200),
        book_state(collection, lessons, 100),
    }
    assert len(others - {state}) == 4
