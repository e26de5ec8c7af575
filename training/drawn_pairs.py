"""Draws the pairs of question and passage that the language model scores."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Protocol

from training.prepared import Line
from training.wording import reworded

HEADING_SHARE = 0.6
# How often only some neighbouring sentences of a passage are read.
CUT_SHARE = 0.3
# So many questions are read with another passage, too: a book has many that are near.
OTHER_SHARE = 0.6


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


def drawn_pairs(asked: Iterable[Asked], lines: Sequence[Line], random: Random) -> list[Line]:
    """Each question with its passage, and some with another that is near, in any order."""
    drawn = [pair for one in asked for pair in _of_question(one, lines, random)]
    random.shuffle(drawn)
    return drawn


def _of_question(one: Asked, lines: Sequence[Line], random: Random) -> Iterator[Line]:
    question = reworded(one.question, random)
    yield _pair(question, one.passage, lines, random)
    others = [number for number in (*one.nearest, *one.beside) if lines[number]["sentences"]]
    if others and random.random() < OTHER_SHARE:
        yield _pair(question, random.choice(others), lines, random)


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
