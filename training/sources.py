"""Reads the passages and the questions that the reader is trained on."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The corpora of texts of our own: this, then their genre.
WRITTEN = "written "
# What people ask search engines about.
ENCYCLOPAEDIA = "encyclopaedia"
# Never trained on: the reader is measured and calibrated on documentations it has not seen.
HELD_OUT_CORPORA = ("docusaurus", "prometheus", "vue")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a documentation, in its place."""

    id: int
    corpus: str
    document: str
    order: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that was written for a passage, with its answer."""

    passage: int
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A sentence of a passage, and the same in other words."""

    passage: int
    sentence: str
    same: str


def read_passages(folder: Path) -> list[Passage]:
    """All passages, in the order of their ids."""
    passages = [Passage(**line) for line in _lines(folder / "passages.jsonl.gz")]
    return sorted(passages, key=lambda one: one.id)


def read_questions(folder: Path) -> list[AskedQuestion]:
    """All questions, as they were written."""
    return [AskedQuestion(**line) for line in _lines(folder / "questions.jsonl.gz")]


def read_paraphrases(folder: Path) -> list[Paraphrase]:
    """Sentences that stand in their passages word for word, each with a paraphrase."""
    return [
        Paraphrase(line["passage"], line["sentence"], line["same"])
        for line in _lines(folder / "variants.jsonl.gz")
        if line["verbatim"] and line["same"]
    ]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
