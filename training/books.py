"""Books to measure a reader with: passages, and questions of which some have no answer in them."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from training.questions import DEVELOPMENT, Case, Passage, read_cases, read_corpus

LABELLED = Path(__file__).with_name("labelled")
SEED = 16
# Questions that each book gets of another one.
FOREIGN = 40
# So many questions are asked of a book of questions for development.
ASKED = 200
_HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_MARKS = r"[\W_]+"


@dataclass(frozen=True, slots=True)
class BookQuestion:
    """A question, and where its answers begin: the passage of the book, and the character."""

    text: str
    kind: str
    places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """Passages, and what is asked of them together."""

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[BookQuestion, ...]


def development_books(data: Path) -> list[Book]:
    """The questions kept aside, each set with some of another one: probabilities fit them."""
    corpus = read_corpus(data)
    books = [
        _book(name, read_cases(f"{name}{DEVELOPMENT}", corpus))
        for name in ("written", "asked", "runs")
    ]
    return [_with_foreign(one, books[place - 1]) for place, one in enumerate(books)]


def _book(name: str, cases: Iterable[Case]) -> Book:
    passages: list[Passage] = []
    questions: list[BookQuestion] = []
    for case in cases:
        first = len(passages)
        passages += case.passages
        for one in case.answered:
            places = tuple((first + passage, start) for passage, start in one.places)
            questions.append(BookQuestion(one.question, "answered", places))
        questions += [BookQuestion(one, "near_miss") for one in case.missing]
        questions += [BookQuestion(one, "foreign") for one in case.foreign]
    some = Random(SEED).sample(questions, min(ASKED, len(questions)))
    return Book(name, tuple(passages), tuple(some))


def _with_foreign(book: Book, other: Book) -> Book:
    some = [one for one in other.questions if one.kind == "answered"][:FOREIGN]
    foreign = (BookQuestion(one.text, "foreign") for one in some)
    return replace(book, questions=(*book.questions, *foreign))


def labelled_book() -> Book:
    """The sections of the labelled texts: nothing is ever trained or fitted on them."""
    passages = tuple(
        one for path in sorted((LABELLED / "texts").glob("*.md")) for one in _sections(path)
    )
    lines = (LABELLED / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = (json.loads(line) for line in lines)
    questions = (
        BookQuestion(one["question"], one["kind"], tuple(_labelled_places(one, passages)))
        for one in asked
    )
    return Book("labelled", passages, tuple(questions))


def _labelled_places(
    question: dict[str, Any], passages: tuple[Passage, ...]
) -> Iterator[tuple[int, int]]:
    """Where the answer stands, and what else would do, word for word."""
    for answer in filter(None, (question.get("answer"), *question.get("also", ()))):
        words = _WORD.findall(answer)
        pattern = re.compile(_MARKS.join(map(re.escape, words)))
        for number, passage in enumerate(passages):
            if passage.document == question["text"] and (found := pattern.search(passage.text)):
                yield number, found.start()


def _sections(path: Path) -> Iterator[Passage]:
    text = path.read_text(encoding="utf-8")
    found = list(_HEADING.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)]
    for order, (heading, end) in enumerate(zip(found, ends, strict=True)):
        body = text[heading.end() : end].strip()
        if body:
            title = found[0][1] if order == 0 else f"{found[0][1]} > {heading[1]}"
            yield Passage("labelled", path.name, order, title, body)


def clapnq_book(folder: Path) -> Book:
    """ClapNQ's questions, each passage in a pool with all others."""
    passages: list[Passage] = []
    questions: list[BookQuestion] = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            (passage,) = case["passages"]
            kind = "answered" if case["output"][0]["answer"] else "near_miss"
            questions.append(BookQuestion(case["input"], kind))
            text = " ".join(passage["sentences"])
            passages.append(Passage("clapnq", path.name, len(passages), passage["title"], text))
    return Book("clapnq", tuple(passages), tuple(questions))
