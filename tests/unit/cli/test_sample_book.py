"""The sample book: small, in the layout of spec 002, with tiers and exact places."""

import json
from importlib.resources import files

from sourcebook.cli.sample_book import read_sample_book

BOOK = files("sourcebook.samples") / "book"


def test_lessons_of_every_tier_are_there() -> None:
    lessons = {d.metadata["source_file"]: d.metadata for d in read_sample_book()}
    numbered = [file for file in lessons if not str(file).endswith("README.md")]

    assert 8 <= len(numbered) <= 12
    assert {metadata["hardware_tier"] for metadata in lessons.values()} == {1, 2, 3, 4}


def test_every_section_knows_its_line_in_the_source() -> None:
    for document in read_sample_book():
        source = (BOOK / str(document.metadata["source_file"])).read_text("utf-8")
        line = document.metadata["line"]
        assert isinstance(line, int)
        rest = "\n".join(source.splitlines()[line - 1 :])
        assert rest.startswith(document.text)


def test_a_heading_inside_a_code_fence_starts_no_section() -> None:
    sections = [str(document.metadata["section"]) for document in read_sample_book()]

    assert not [section for section in sections if "Gains for the quiet" in section]


def test_every_labelled_question_has_its_answer_in_one_section() -> None:
    sections = read_sample_book()
    for line in (BOOK / "questions.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        holding = [d for d in sections if question["quote"] in d.text]
        assert len(holding) == 1
        assert holding[0].metadata["section"] == question["section"]
        assert holding[0].metadata["source_file"] == question["source_file"]
