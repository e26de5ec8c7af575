"""Draws the pairs of question and passage that the language model scores."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Protocol

from training.prepared import Line
from training.wording import reworded

HEADING_SHARE = 0.6
# How often only some neighbouring sentences of a passage are read.
CUT_SHARE = 0.3
# With so many other passages each question is read, on average: a book has many that are near.
OTHERS = 0.6
# They are from so many that are nearest, and from those beside its own.
NEAREST_READ = 8


class Asked(Protocol):
    """A question with the passages that are near it, and those beside its own."""

    @property
    def question(self) -> str:
        """Its words."""

    @property
    def passage(self) -> int:
        """The passage that it was written for."""

    @property
    def nearest(self) -> Sequence[int]:
        """Others that look as if they answered it."""

    @property
    def beside(self) -> Sequence[int]:
        """Its passage's neighbours."""


def drawn_pairs(
    asked: Iterable[Asked], lines: Sequence[Line], random: Random, others: float = OTHERS
) -> list[Line]:
    """Each question with its passage, and with so many others that are near, in any order."""
    drawn = [pair for one in asked for pair in _of_question(one, lines, random, others)]
    random.shuffle(drawn)
    return drawn


def _of_question(
    one: Asked, lines: Sequence[Line], random: Random, others: float
) -> Iterator[Line]:
    question = reworded(one.question, random)
    yield _pair(question, one.passage, lines, random)
    near = dict.fromkeys((*one.nearest[:NEAREST_READ], *one.beside))
    read = [number for number in near if lines[number]["sentences"]]
    count = int(others) + (random.random() < others % 1)
    for number in random.sample(read, min(count, len(read))):
        yield _pair(question, number, lines, random)


def _pair(question: str, passage: int, lines: Sequence[Line], random: Random) -> Line:
    """What is read; of a `cut` passage the sentences from the `first` to the `last`."""
    heading = random.random() < HEADING_SHARE
    cut = _cut(len(lines[passage]["sentences"]), random)
    return {"question": question, "passage": passage, "heading": heading, **cut}


def _cut(count: int, random: Random) -> Line:
    if count < 3 or random.random() >= CUT_SHARE:
        return {"cut": False, "first": 0}
    first = random.randrange(count - 1)
    return {"cut": True, "first": first, "last": random.randrange(first + 1, count)}
