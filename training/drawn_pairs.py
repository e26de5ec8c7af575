"""Draws the pairs of question and passage that the language model scores."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Protocol

from training.prepared import Line
from training.sources import WRITTEN
from training.wording import reworded

HEADING_SHARE = 0.6
# How often only some neighbouring sentences of a passage are read.
CUT_SHARE = 0.3
# Of the questions that were written so many are read with another passage, too.
OTHER_SHARE = 0.25
ANSWERED = ("asked", "written", "question")
OURS = ("asked", "asked_miss", "written", "written_miss")
OTHERS_SHARE = 0.3
# Of a question with an answer: so many passages that are near it.
NEAR = 2


class Asked(Protocol):
    """An example with the passages that are near it, and those beside its own."""

    @property
    def kind(self) -> str:
        """What the question is."""

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


def written_pairs(
    questions: Sequence[Line], lines: Sequence[Line], random: Random
) -> Iterator[Line]:
    """Each question that was written with its passage, and some with one beside it."""
    numbers = {line["id"]: number for number, line in enumerate(lines)}
    beside: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        beside[_place(line)].append(number)
    for one in questions:
        own = numbers[one["passage"]]
        yield _pair(one["question"], own, lines, random)
        others = [number for number in beside[_place(lines[own])] if number != own]
        if others and random.random() < OTHER_SHARE:
            yield _pair(one["question"], random.choice(others), lines, random)


def example_pairs(
    examples: Iterable[Asked], lines: Sequence[Line], random: Random
) -> Iterator[Line]:
    """Each question of ours with its passage and, if it has an answer, with some that are near.

    Of those that a machine wrote before, only some.
    """
    for one in examples:
        if one.kind in OURS or random.random() < OTHERS_SHARE:
            question = reworded(one.question, random)
            yield _pair(question, one.passage, lines, random)
            near = [*one.nearest, *one.beside] if one.kind in ANSWERED else []
            for number in random.sample(near, min(NEAR, len(near))):
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


def _place(line: Line) -> tuple[str, str]:
    """What texts have in common that are beside each other: a document, or a genre."""
    return line["corpus"], "" if line["corpus"].startswith(WRITTEN) else line["document"]
