"""Reads the labelled questions and their texts as one book of passages."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from training.question_rules import sentences_of
from training.sources import Passage

FOLDER = Path(__file__).with_name("labelled")
_HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)


def labelled_book() -> dict[str, list[dict[str, object]]]:
    """The sections of all texts, and the questions with the places of their answers."""
    passages = [
        passage
        for number, path in enumerate(sorted((FOLDER / "texts").glob("*.md")))
        for passage in _sections(path, 100 * number)
    ]
    numbered = [
        {
            "id": number,
            "document": one.document,
            "heading": one.heading,
            "text": one.text,
            "sentences": [(s.start, s.end) for s in sentences_of(one)],
        }
        for number, one in enumerate(passages)
    ]
    return {"passages": numbered, "questions": list(_questions(passages))}


def _questions(passages: list[Passage]) -> Iterator[dict[str, object]]:
    for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        wanted = [_plain(one) for one in (question.get("answer"), *question.get("also", ())) if one]
        yield {
            "question": question["question"],
            "kind": question["kind"],
            "places": [
                (number, place)
                for number, passage in enumerate(passages)
                if passage.document == question["text"]
                for place, one in enumerate(sentences_of(passage))
                if any(_same(_plain(passage.text[one.start : one.end]), other) for other in wanted)
            ],
        }


def _sections(path: Path, first: int) -> Iterator[Passage]:
    text = path.read_text(encoding="utf-8")
    found = list(_HEADING.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)]
    for order, (heading, end) in enumerate(zip(found, ends, strict=True)):
        body = text[heading.end() : end].strip()
        if body:
            title = found[0][1] if order == 0 else f"{found[0][1]} > {heading[1]}"
            yield Passage(first + order, "labelled", path.name, order, title, body)


def _same(one: str, other: str) -> bool:
    """Whether one is the other, or a part of it worth quoting."""
    return one == other or (min(len(one), len(other)) >= 20 and (one in other or other in one))


def _plain(text: str) -> str:
    return re.sub(r"[\s|*]+", " ", re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", text)).strip()
