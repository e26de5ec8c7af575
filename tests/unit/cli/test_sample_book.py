"""The sample book: small, in the layout of spec 002, with tiers and labelled questions."""

import json
import re
from importlib.resources import files
from pathlib import Path

BOOK = Path(str(files("sourcebook.samples") / "book"))
LESSONS = {
    path.relative_to(BOOK).as_posix(): path.read_text("utf-8") for path in BOOK.rglob("*.md")
}


def test_lessons_of_every_tier_are_there() -> None:
    numbered = [path for path in LESSONS if not path.endswith("README.md")]
    tiers = {re.search(r"^hardware_tier: (\d)$", text, re.M) for text in LESSONS.values()}

    assert 8 <= len(numbered) <= 12
    assert {int(tier[1]) for tier in tiers if tier} == {1, 2, 3, 4}


def test_every_labelled_question_has_its_answer_in_one_place() -> None:
    labelled = [json.loads(line) for line in (BOOK / "questions.jsonl").read_text().splitlines()]

    assert len(labelled) >= 20
    for question in labelled:
        holding = [path for path, text in LESSONS.items() if question["quote"] in text]
        assert holding == [question["source_file"]]
        before = LESSONS[holding[0]].partition(question["quote"])[0]
        assert re.findall(r"^## (.*)$", before, re.M)[-1] == question["section"]
