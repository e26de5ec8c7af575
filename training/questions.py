"""Reads the question sets, and finds the passages that they name by hash in a corpus."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Line = dict[str, Any]

FOLDER = Path(__file__).with_name("questions")
# The texts of `written` stand beside their questions, those of the others in the corpus.
SETS = ("written", "asked", "runs", "found")
DEVELOPMENT = ".development"
# What is prepared for a training.
PASSAGES_FILE, CASES_FILE = "passages.jsonl.gz", "cases.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text in its place: the corpus, the document, and how far down in it."""

    corpus: str
    document: str
    order: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and where its answers begin: the passage of the case, and the character."""

    question: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """Neighbouring passages, and what was asked with all of them in view.

    What is `missing` is near their subject, and none of them says it; `foreign` is about something
    else.
    """

    passages: tuple[Passage, ...]
    answered: tuple[Answered, ...]
    missing: tuple[str, ...]
    foreign: tuple[str, ...] = ()


def read_corpus(data: Path) -> dict[str, Passage]:
    """The passages of `passages.jsonl.gz`, by hash."""
    names = Passage.__dataclass_fields__
    passages = (
        Passage(**{name: line[name] for name in names}) for line in read_lines(data / PASSAGES_FILE)
    )
    return {hash_of(one.text): one for one in passages}


def read_cases(name: str, corpus: Mapping[str, Passage], folder: Path = FOLDER) -> Iterator[Case]:
    """The cases of a set whose passages the corpus has; another version of a text is left out."""
    for number, line in enumerate(read_lines(folder / f"{name}.jsonl.gz")):
        passages = _passages(line, number, corpus)
        if passages:
            answered = (
                Answered(question, tuple(_places(starts, passages)))
                for question, starts in line["answered"]
            )
            missing, foreign = tuple(line["missing"]), tuple(line.get("foreign", ()))
            yield Case(passages, tuple(answered), missing, foreign)


def hash_of(text: str) -> str:
    """What a passage is known by."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _passages(line: Line, number: int, corpus: Mapping[str, Passage]) -> tuple[Passage, ...]:
    if "text" in line:
        genre = f"written {line['genre']}"
        return (Passage(genre, f"{genre}/{number}", 0, line["title"], line["text"]),)
    if all(key in corpus for key in line["passages"]):
        return tuple(corpus[key] for key in line["passages"])
    return ()


def _places(starts: Iterable[int], passages: Sequence[Passage]) -> Iterator[tuple[int, int]]:
    """Each place, counted through the texts of all passages, as a passage and a place in it."""
    for start in starts:
        number, left = 0, start
        while left >= len(passages[number].text):
            left -= len(passages[number].text)
            number += 1
        yield number, left


def read_lines(path: Path) -> Iterator[Line]:
    """The objects of a compressed file, one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def save_lines(path: Path, lines: Iterable[Line]) -> None:
    """Write objects as `read_lines` reads them; the same objects give the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        for one in lines:
            file.write(f"{json.dumps(one, ensure_ascii=False)}\n".encode())


def sha256_of(path: Path) -> str:
    """What a file is known by."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
