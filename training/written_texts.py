"""Reads the texts and questions that were written for the reader, one by one and by no rule."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.prepared import DEVELOPMENT
from training.question_rules import Sentence, sentences_of
from training.sources import WRITTEN, Passage

FOLDER = Path(__file__).with_name("written")
# Far above the numbers of the documentations' passages.
FIRST_ID = 1_000_000


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question about a text; `sentences` are the numbers of those that answer, none if it is not.

    `kind` is `answered`, `near_miss` (the subject is there, what is asked is not) or `unanswered`.
    """

    passage: int
    question: str
    kind: str
    answer: str
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text as a passage of its genre, and its questions."""

    passage: Passage
    sentences: tuple[Sentence, ...]
    questions: tuple[WrittenQuestion, ...]


def written_texts(*, development: bool = False) -> Iterator[WrittenText]:
    """The texts for training, or those for development."""
    number = FIRST_ID
    for path in sorted(FOLDER.glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for order, line in enumerate(lines):
            number += 1
            if (path.stem == DEVELOPMENT) == development:
                yield _read(json.loads(line), number, path.stem, order)


def _read(line: dict[str, Any], number: int, genre: str, order: int) -> WrittenText:
    # Texts of a genre are no neighbours: each is a document.
    place = f"{genre}/{order}"
    passage = Passage(number, f"{WRITTEN}{genre}", place, 0, line["title"], line["text"])
    sentences = sentences_of(passage)
    return WrittenText(passage, sentences, tuple(_questions_of(line, passage, sentences)))


def _questions_of(
    line: dict[str, Any], passage: Passage, sentences: tuple[Sentence, ...]
) -> Iterator[WrittenQuestion]:
    """The questions of a line, each with the sentences that answer it."""
    for one in line["questions"]:
        answer = one.get("answer", "")
        yield WrittenQuestion(
            passage.id,
            one["q"],
            one["kind"],
            answer,
            _places(answer, passage, sentences) if answer else (),
        )


def _places(answer: str, passage: Passage, sentences: tuple[Sentence, ...]) -> tuple[int, ...]:
    """The sentences that an answer is; of a line of code, the block and what introduces it."""
    wanted = _plain(answer)
    said = [_plain(passage.text[one.start : one.end]) for one in sentences]
    found = [place for place, one in enumerate(said) if one in wanted or wanted in one]
    if not found:
        start = passage.text.find(answer)
        return tuple(place for place, one in enumerate(sentences) if one.end <= start)[-1:]
    introducing = [place - 1 for place in found if place and sentences[place].is_code]
    return tuple(sorted({*found, *introducing}))


def _plain(text: str) -> str:
    return " ".join(text.replace("|", " ").split()).lstrip("-*0123456789. ")
