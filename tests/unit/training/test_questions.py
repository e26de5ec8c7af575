"""The question sets are what the card says, and know their passages by hash alone."""

from pathlib import Path

from training.prepare import prepare
from training.questions import (
    CASES_FILE,
    PASSAGES_FILE,
    hash_of,
    read_cases,
    read_lines,
    save_lines,
)

TEXT = "Water boils at 100 °C. Ice melts at 0 °C. Salt lowers that."


def corpus(folder: Path, *texts: str) -> Path:
    passages = (
        {"corpus": "physics", "document": "a.md", "order": order, "heading": "Water", "text": text}
        for order, text in enumerate(texts)
    )
    save_lines(folder / PASSAGES_FILE, passages)
    return folder


def test_a_text_of_our_own_needs_no_corpus() -> None:
    cases = list(read_cases("written", {}))

    assert len(cases) == 2_242
    assert sum(len(one.answered) for one in cases) == 17_936
    assert sum(len(one.missing) for one in cases) == 17_936


def test_every_answer_begins_in_its_passage() -> None:
    for case in read_cases("written.development", {}):
        for one in case.answered:
            assert all(0 <= start < len(case.passages[0].text) for _, start in one.places)


def test_a_question_on_a_passage_that_the_corpus_does_not_have_is_left_out() -> None:
    assert list(read_cases("asked", {})) == []


def test_places_are_counted_through_all_passages_of_a_case(tmp_path: Path) -> None:
    first, second = TEXT, "Steam is hot."
    line = {
        "passages": [hash_of(first), hash_of(second)],
        "answered": [["How hot is steam?", [len(first)]], ["When does ice melt?", [23]]],
        "missing": ["What does ice cost?"],
    }
    for name in ("written", "asked", "runs", "found"):
        save_lines(tmp_path / f"{name}.jsonl.gz", [line] if name == "runs" else [])
        save_lines(tmp_path / f"{name}.development.jsonl.gz", [])

    prepare(corpus(tmp_path, first, second), tmp_path / "out", tmp_path)

    (case,) = read_lines(tmp_path / "out" / CASES_FILE)
    assert case["passages"] == [0, 1]
    assert [one["right"] for one in case["answered"]] == [[[1, 0]], [[0, 1]]]


def test_the_same_lines_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.gz", "other.gz"):
        save_lines(tmp_path / name, [{"text": TEXT}])

    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "other.gz").read_bytes()
