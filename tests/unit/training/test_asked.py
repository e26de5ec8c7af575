"""Every question on a documentation's passage says where its answer stands, or has none."""

import json
from pathlib import Path
from typing import Any

from training.asked_passages import FOLDER, asked_passages
from training.prepare import written
from training.prepared import DEVELOPMENT
from training.sources import Passage

TEXT = "The queue holds 40 letters. A letter that is not read in a week is burnt."


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_passage_is_asked_about_once_and_none_for_development_is_trained_on() -> None:
    numbers = [line["passage"] for path in FOLDER.glob("*.jsonl") for line in lines_of(path)]

    assert len(numbers) == len(set(numbers)) > 300
    assert lines_of(FOLDER / f"{DEVELOPMENT}.jsonl")


def test_an_answered_question_has_an_answer_and_no_other_has() -> None:
    questions = [
        one
        for path in FOLDER.glob("*.jsonl")
        for line in lines_of(path)
        for one in line["questions"]
    ]

    assert {one["kind"] for one in questions} == {"answered", "near_miss"}
    assert [one for one in questions if ("answer" in one) != (one["kind"] == "answered")] == []


def test_the_answer_is_found_in_the_passage(tmp_path: Path) -> None:
    asked = [
        {"q": "how soon is mail destroyed", "kind": "answered", "answer": TEXT[28:]},
        {"q": "Who burns a letter?", "kind": "near_miss"},
    ]
    line = json.dumps({"passage": 7, "questions": asked})
    (tmp_path / "post.jsonl").write_text(line, encoding="utf-8")

    (text,) = asked_passages({7: Passage(7, "post", "a.md", 0, "Post", TEXT)}, tmp_path)

    assert [(one.kind, one.sentences) for one in text.questions] == [
        ("answered", (1,)),
        ("near_miss", ()),
    ]
    assert [one.kind for one in written(text, "asked", "asked_miss")] == ["asked", "asked_miss"]
