"""Questions on runs of passages: joined with the passages that they were written for."""

from pathlib import Path
from typing import Any

import pytest
from training.prepared import DEVELOPMENT, TEXTS_FILE, Line, read_lines
from training.runs_of_passages import (
    FOLDER,
    FOUND,
    RunQuestion,
    key_of,
    load_runs,
    save_runs,
    written_runs,
)

FIRST: Line = {"text": "It holds 40. It is red.", "sentences": [[0, 12], [13, 23]]}
SECOND: Line = {"text": "It opens at noon.", "sentences": [[0, 17]]}
KNOWN = {key_of(one["text"]): one for one in (FIRST, SECOND)}
RUN: Line = {
    "passages": list(KNOWN),
    "answered": [["how many does it hold", [1]], ["red and when open?", [2, 3]]],
    "missing": ["who made it"],
}


def test_sentences_are_counted_through_the_run(tmp_path: Path) -> None:
    assert save_runs([RUN], KNOWN, tmp_path) == 1

    (run,) = load_runs(tmp_path, first=10)

    assert read_lines(tmp_path / TEXTS_FILE) == [FIRST, SECOND]
    assert run.passages == (10, 11)
    assert run.answered == (
        RunQuestion("how many does it hold", ((0, 0),)),
        RunQuestion("red and when open?", ((0, 1), (1, 0))),
    )
    assert run.missing == ("who made it",)


def test_a_run_of_which_a_passage_says_something_else_is_left_out(tmp_path: Path) -> None:
    changed = {key: one for key, one in KNOWN.items() if one is FIRST}

    assert save_runs([RUN], changed, tmp_path) == 0


def all_runs() -> list[dict[str, Any]]:
    return [*written_runs(development=False), *written_runs(development=True)]


def test_every_run_that_was_written_is_whole() -> None:
    for run in all_runs():
        assert all(len(key) == 12 for key in run["passages"])
        assert run["answered"]
        assert run["missing"]
        assert all(question.strip() and min(numbers) >= 1 for question, numbers in run["answered"])
        assert all(question.strip() for question in run["missing"])


def test_what_was_found_is_one_passage_with_its_questions() -> None:
    found = [*written_runs(FOUND, development=False), *written_runs(FOUND, development=True)]

    assert found
    for one in found:
        assert [len(key) for key in one["passages"]] == [12]
        assert one["answered"] or one["missing"]
        assert all(question.strip() and min(numbers) >= 1 for question, numbers in one["answered"])
        assert all(question.strip() for question in one["missing"])


def test_no_passage_says_both_to_a_question() -> None:
    for one in written_runs(FOUND, development=False):
        assert not {question for question, _ in one["answered"]} & set(one["missing"])


def test_a_passage_that_was_found_is_read_like_a_run(tmp_path: Path) -> None:
    one = {"passages": [key_of(SECOND["text"])], "answered": [["when?", [1]]], "missing": ["why?"]}

    assert save_runs([one], KNOWN, tmp_path) == 1

    (run,) = load_runs(tmp_path, first=3)
    assert run.passages == (3,)
    assert run.answered == (RunQuestion("when?", ((0, 0),)),)
    assert run.missing == ("why?",)


def test_no_passage_for_development_is_trained_on() -> None:
    assert (FOLDER / f"{DEVELOPMENT}.jsonl").exists()

    aside = {key for run in written_runs(development=True) for key in run["passages"]}

    for folder in (FOLDER, FOUND):
        trained = {
            key for run in written_runs(folder, development=False) for key in run["passages"]
        }
        assert trained
        assert not trained & aside


def test_no_question_about_what_was_found_for_development_is_trained_on() -> None:
    trained, aside = (
        {
            question
            for one in written_runs(FOUND, development=development)
            for question in [*(asked for asked, _ in one["answered"]), *one["missing"]]
        }
        for development in (False, True)
    )

    assert aside
    assert not trained & aside


@pytest.mark.parametrize("development", [False, True])
def test_a_run_is_written_once(*, development: bool) -> None:
    first = [run["passages"][0] for run in written_runs(development=development)]

    assert len(set(first)) == len(first)
