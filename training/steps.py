"""Draws the steps of a training, each from its own number: questions with passages, as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeVar

import torch
from torch import Tensor

from training.config import Config
from training.pairs import Batch, PairTokenizer, Row, Tokens, in_batches

# Of a longer passage only some statements are read, so that the one that answers is among them.
WHOLE_TOKENS = 320
# A step is read in parts of rows of similar length, so that little of them is padding.
PARTS = 4
Drawn = TypeVar("Drawn")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as ids, the statements that answer it, and passages near it that do not."""

    question: list[int]
    right: tuple[tuple[int, int], ...]
    near: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TrainingCase:
    """Neighbouring passages by their numbers, and the questions on them."""

    passages: tuple[int, ...]
    answered: tuple[Asked, ...]
    missing: tuple[list[int], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Rows in parts, and where each stands in them.

    Lists come first: for each line of `right`, which marks the statements that answer, a row that
    answers and `wrong` that do not. What follows is not answered either.
    """

    parts: list[Batch]
    places: Tensor
    right: Tensor
    wrong: int

    def to(self, device: str) -> "Step":
        """The step there."""
        parts = [part.to(device) for part in self.parts]
        return Step(parts, self.places.to(device), self.right.to(device), self.wrong)


class Drawer:
    """Draws steps; the same number gives the same step."""

    def __init__(
        self,
        config: Config,
        cases: Mapping[str, Sequence[TrainingCase]],
        passages: Sequence[Tokens],
        tokenizer: PairTokenizer,
    ) -> None:
        self._config = config
        self._cases = cases
        self._passages = passages
        self._tokenizer = tokenizer
        self._others = [number for number, one in enumerate(passages) if not one.aside]

    def step(self, number: int) -> Step:
        """All cases of a set come before one comes again."""
        random = Random(self._config.seed * 1_000_003 + number)
        lists: list[Row] = []
        others: list[Row] = []
        right: list[set[int]] = []
        for name, count in self._config.per_step.items():
            cases = self._cases[name]
            for place in in_turn(len(cases), count, number, self._config.seed):
                case = cases[place]
                for asked in _some(case.answered, self._config.questions, random):
                    own, wanted = _own(case, asked, random)
                    right.append(wanted)
                    lists.append(self._row(asked.question, own, wanted, random))
                    wrong = self._wrong(case, asked, random)
                    lists += [self._row(asked.question, one, (), random) for one in wrong]
                for question in _some(case.missing, self._config.questions, random):
                    for passage in _some(case.passages, 2, random):
                        others.append(self._row(question, passage, (), random))
        return _step([*lists, *others], right, self._config.wrong)

    def _wrong(self, case: TrainingCase, asked: Asked, random: Random) -> list[int]:
        """Passages that do not answer: one of the case's, then near ones, then any."""
        owned = {place for place, _ in asked.right}
        beside = [one for place, one in enumerate(case.passages) if place not in owned]
        count = self._config.wrong
        found = _some(beside, 1, random)
        found += _some(asked.near, count - len(found), random)
        return found + random.sample(self._others, count - len(found))

    def _row(
        self, question: Sequence[int], number: int, wanted: Sequence[int] | set[int], random: Random
    ) -> Row:
        passage = self._passages[number]
        heading = random.random() < self._config.heading_share
        only = None
        kept = wanted or {random.randrange(max(1, passage.count))}
        if passage.count > 2 and random.random() < self._config.cut_share:
            first = random.randint(0, min(kept))
            only = range(first, random.randint(max(kept), passage.count - 1) + 1)
        if passage.count and len(passage.places(only)) > WHOLE_TOKENS:
            only = _fitting(passage, min(kept))
        return self._tokenizer.row(question, passage, only, heading=heading)


class Steps(torch.utils.data.IterableDataset):
    """The steps of a training, in order, for as many workers as there are."""

    def __init__(self, drawer: Drawer, count: int) -> None:
        self._drawer = drawer
        self._count = count

    def __iter__(self) -> Iterator[Step]:
        worker = torch.utils.data.get_worker_info()
        first, stride = (worker.id, worker.num_workers) if worker else (0, 1)
        for number in range(first, self._count, stride):
            yield self._drawer.step(number)


def in_turn(count: int, size: int, number: int, seed: int) -> list[int]:
    """Which of `count` a step has, if all have come before one comes again."""
    turn, place = divmod(number, max(1, count // size))
    return _shuffled(count, seed * 1_000_003 + turn)[place * size : (place + 1) * size]


@lru_cache(maxsize=16)
def _shuffled(count: int, seed: int) -> list[int]:
    order = list(range(count))
    Random(seed).shuffle(order)
    return order


def _some(of: Sequence[Drawn], most: int, random: Random) -> list[Drawn]:
    return random.sample(of, min(most, len(of)))


def _own(case: TrainingCase, asked: Asked, random: Random) -> tuple[int, set[int]]:
    """A passage that answers, and its statements that do."""
    own = random.choice(asked.right)[0]
    return case.passages[own], {statement for place, statement in asked.right if place == own}


def _fitting(passage: Tokens, kept: int) -> range:
    """As many statements around one as are read at once, those before it first."""
    lengths = [passage.statements.count(number) for number in range(passage.count)]
    first, after, left = kept, kept + 1, WHOLE_TOKENS - lengths[kept]
    while first > 0 and lengths[first - 1] <= left // 2:
        first -= 1
        left -= lengths[first]
    while after < passage.count and lengths[after] <= left:
        left -= lengths[after]
        after += 1
    return range(first, after)


def _step(rows: Sequence[Row], right: Sequence[set[int]], wrong: int) -> Step:
    order: list[int] = []
    parts: list[Batch] = []
    for numbers, batch in in_batches(rows, -(-len(rows) // PARTS)):
        order += numbers
        parts.append(batch)
    marked = torch.zeros(len(right), max(part.count for part in parts))
    for number, some in enumerate(right):
        marked[number, [one for one in some if one < marked.shape[1]]] = 1.0
    return Step(parts, torch.tensor(order).argsort(), marked, wrong)
