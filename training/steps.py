"""Draws the steps of a training: rows of questions with passages, as a network reads them."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from random import Random
from typing import Protocol, TypeVar

import torch
from torch import Tensor

from training.drawn_pairs import CUT_SHARE, HEADING_SHARE
from training.mining import Mined, MinedExample
from training.pairs import Batch, Row, TokenizedPassage, padded
from training.runs_of_passages import RunOfPassages, RunQuestion
from training.sources import HELD_OUT_CORPORA
from training.wording import reworded

SEED = 16
# Of a text whose own questions are told apart: so many that it answers, and so many others.
ASKED = 6
NEAREST_SHARE, BESIDE_SHARE = 4, 2
# Of a longer passage only some sentences are read, so that the one that answers is among them.
WHOLE_TOKENS = 320
# A step is read in so many parts of similar length, so that little is padding.
PARTS = 6
# Of a step of pairs with scores.
PAIRS = 1_000
# Of a step of runs: so many, and of each so many questions that it answers and as many others.
RUNS, RUN_ASKED = 32, 6
# Of a step of passages that were found for questions, which have one or two of them.
FOUND = 200
# What does not answer is so often the rest of the passage that does.
REST_SHARE = 0.25
WORKERS = max(1, min(14, (os.cpu_count() or 2) - 2))


class Rows(Protocol):
    """Makes of a question and passages what a network reads."""

    def rows(
        self, question: str, chosen: Sequence[tuple[int, range | None]], *, heading: bool
    ) -> list[Row]:
        """A row for each passage, of which perhaps only some sentences are read."""
        ...


OpenRows = Callable[[], Rows]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a step is made of, by kind of question.

    So many are `listed` with `passages` passages each, so many are `unanswered`, and of so many
    texts the questions are told apart (`groups`).
    """

    listed: Mapping[str, int]
    passages: int
    unanswered: Mapping[str, int]
    groups: Mapping[str, int]
    parts: int = PARTS

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return sum(self.listed.values())


SHAPE = Shape(
    {"question": 52, "statement": 8, "typed": 4, "written": 20, "asked": 24},
    8,
    {"near_miss": 40, "typed_miss": 12},
    {"written": 8, "asked": 8},
)


@dataclass(frozen=True, slots=True)
class Scores:
    """What a network makes of the rows of a step: their relevance, and each of their sentences."""

    relevance: Tensor
    answers: Tensor


@dataclass(frozen=True, slots=True)
class Step:
    """The rows of a step in parts, the place of each row, and what is right in the lists.

    Without a shape there are no lists: either all that is known of the rows is what a teacher made
    of them, or those with shares come first and are answered, and the others are not.
    """

    parts: list[Batch]
    places: Tensor
    shares: Tensor
    shape: Shape | None
    taught: Scores | None = None


class StepSource(Protocol):
    """Makes steps."""

    def step(self, number: int) -> Step:
        """The same step for the same number."""
        ...


class Stepped(torch.utils.data.IterableDataset):
    """Steps of one source after the other, in turns; one may come several times in each."""

    def __init__(self, sources: Sequence[StepSource], steps: int) -> None:
        self._sources = sources
        self.steps = steps

    def __iter__(self) -> Iterator[Step]:
        worker = torch.utils.data.get_worker_info()
        first, stride = (worker.id, worker.num_workers) if worker else (0, 1)
        for number in range(first, self.steps, stride):
            turn, place = divmod(number, len(self._sources))
            source = self._sources[place]
            times = self._sources.count(source)
            yield source.step(turn * times + self._sources[:place].count(source))


class Lists:
    """Steps of lists: for each question its own passage first, then wrong ones; near misses."""

    def __init__(
        self, mined: Mined, rows: OpenRows, shape: Shape = SHAPE, seed: int = SEED
    ) -> None:
        self._shape = shape
        self._of_kind = {
            kind: [one for one in mined.examples if one.kind == kind]
            for kind in (*shape.listed, *shape.unanswered)
        }
        self._groups = {kind: _groups_of_texts(mined.examples, kind) for kind in shape.groups}
        self._passages = mined.passages
        self._open_rows = cache(rows)
        self._seed = seed
        self._ids = [one.id for one in mined.passages if one.corpus not in HELD_OUT_CORPORA]

    def step(self, number: int) -> Step:
        """The lists of a step."""
        return self._step(Random(self._seed * 1_000_003 + number), self._open_rows())

    def _step(self, random: Random, made: Rows) -> Step:
        rows: list[Row] = []
        shares = []
        for example in self._drawn(self._shape.listed, random):
            rows += self._rows(example, self._list(example, random), random, made)
            shares.append(example.shares)
        for example in self._drawn(self._shape.unanswered, random):
            # Another passage may answer what was made for one alone.
            near = example.nearest[:6] if example.kind == "near_miss" else ()
            other = random.choice(near) if near and random.random() < 0.4 else example.passage
            rows += self._rows(example, [other], random, made)
        groups = [
            group
            for kind, count in self._shape.groups.items()
            for group in random.sample(self._groups[kind], count)
        ]
        for example in [one for group in groups for one in random.sample(group[0], ASKED)]:
            rows += self._rows(example, [example.passage], random, made)
            shares.append(example.shares)
        for example in [one for group in groups for one in random.sample(group[1], ASKED)]:
            rows += self._rows(example, [example.passage], random, made)
        return step_of(rows, _filled(shares), self._shape)

    def _drawn(self, counts: Mapping[str, int], random: Random) -> Iterator[MinedExample]:
        for kind, count in counts.items():
            yield from random.sample(self._of_kind[kind], count)

    def _list(self, example: MinedExample, random: Random) -> list[int]:
        nearest = random.sample(example.nearest, min(NEAREST_SHARE, len(example.nearest)))
        beside = random.sample(example.beside, min(BESIDE_SHARE, len(example.beside)))
        wrong = list(dict.fromkeys([*beside, *nearest]))
        wrong_ones = self._shape.passages - 1
        if len(wrong) > wrong_ones:
            wrong = random.sample(wrong, wrong_ones)
        while len(wrong) < wrong_ones:
            wrong.append(random.choice(self._ids))
        return [example.passage, *wrong]

    def _rows(
        self,
        example: MinedExample,
        numbers: Sequence[int],
        random: Random,
        made: Rows,
    ) -> list[Row]:
        question = reworded(example.question, random)
        heading = random.random() < HEADING_SHARE
        cut = random.random() < CUT_SHARE
        chosen = []
        for number in numbers:
            passage = self._passages[number]
            only = _window(passage.count, example, number, random) if cut else None
            if only is None and len(passage.ids) > WHOLE_TOKENS:
                only = _fitting(passage, _kept(passage.count, example, number, random))
            chosen.append((number, only))
        return made.rows(question, chosen, heading=heading)


class ScoredPairs:
    """Steps of pairs that a teacher has scored, and of which nothing else is known."""

    def __init__(self, pairs: Sequence[dict], rows: OpenRows, seed: int = SEED) -> None:
        self._pairs = pairs
        self._open_rows = cache(rows)
        self._seed = seed

    def step(self, number: int) -> Step:
        """Some of the pairs; all of them come before one comes again."""
        some = [self._pairs[n] for n in _in_turn(len(self._pairs), PAIRS, number, self._seed)]
        ends = [one["first"] + len(one["answers"]) for one in some]
        rows: list[Row] = []
        answers = torch.full((len(some), max(ends)), -torch.inf)
        for row, (one, end) in enumerate(zip(some, ends, strict=True)):
            only = range(one["first"], end) if one["cut"] else None
            rows += self._open_rows().rows(
                one["question"], [(one["passage"], only)], heading=one["heading"]
            )
            answers[row, one["first"] : end] = torch.tensor(one["answers"])
        relevance = torch.tensor([one["relevance"] for one in some])
        return replace(step_of(rows, torch.zeros(0, 1), None), taught=Scores(relevance, answers))


class Runs:
    """Steps of runs of passages: what one of them answers, and what none of them does."""

    def __init__(
        self,
        runs: Sequence[RunOfPassages],
        passages: Sequence[TokenizedPassage],
        rows: OpenRows,
        seed: int = SEED,
        size: int = RUNS,
    ) -> None:
        self._runs = runs
        self._passages = passages
        self._open_rows = cache(rows)
        self._seed = seed
        self._size = size

    def step(self, number: int) -> Step:
        """Some of the runs; all of them come before one comes again."""
        random, made = Random(self._seed * 1_000_003 + number), self._open_rows()
        answered: list[Row] = []
        others: list[Row] = []
        shares: list[list[float]] = []
        turn = _in_turn(len(self._runs), self._size, number, self._seed)
        for run in (self._runs[place] for place in turn):
            for one in random.sample(run.answered, min(RUN_ASKED, len(run.answered))):
                own, right = _own(one, random)
                passage = run.passages[own]
                window = self._with(passage, right, random)
                answered += _row(one.question, passage, window, random, made)
                shares.append([float(place in right) for place in range(max(right) + 1)])
                others += self._not_answering(one, run, random, made)
            for question in random.sample(run.missing, min(RUN_ASKED, len(run.missing))):
                for passage in random.sample(run.passages, min(2, len(run.passages))):
                    window = self._with(passage, (), random)
                    others += _row(question, passage, window, random, made)
        return step_of([*answered, *others], _filled(shares), None)

    def _not_answering(
        self, one: RunQuestion, run: RunOfPassages, random: Random, made: Rows
    ) -> list[Row]:
        """The question with another passage of the run, or with the rest of its own."""
        owned = {place for place, _ in one.places}
        wrong = [number for place, number in enumerate(run.passages) if place not in owned]
        own, right = _own(one, random)
        passage = run.passages[own]
        rest = max(range(min(right)), range(max(right) + 1, self._passages[passage].count), key=len)
        if len(owned) == 1 and rest and (not wrong or random.random() < REST_SHARE):
            return _row(one.question, passage, rest, random, made)
        if not wrong:
            return []
        passage = random.choice(wrong)
        return _row(one.question, passage, self._with(passage, (), random), random, made)

    def _with(self, number: int, right: Sequence[int], random: Random) -> range | None:
        """All of a passage or some neighbouring sentences, those that are right among them."""
        passage = self._passages[number]
        kept = right or [random.randrange(max(1, passage.count))]
        only = None
        if passage.count > 2 and random.random() < CUT_SHARE:
            last = random.randint(max(kept), passage.count - 1)
            only = range(random.randint(0, min(kept)), last + 1)
        return _fitting(passage, kept[0]) if len(passage.kept(only)) > WHOLE_TOKENS else only


def _own(one: RunQuestion, random: Random) -> tuple[int, list[int]]:
    """The place of a passage that answers, and those of its sentences that do."""
    own = random.choice(one.places)[0]
    return own, [sentence for place, sentence in one.places if place == own]


def _row(question: str, passage: int, only: range | None, random: Random, made: Rows) -> list[Row]:
    heading = random.random() < HEADING_SHARE
    return made.rows(reworded(question, random), [(passage, only)], heading=heading)


def _in_turn(count: int, size: int, number: int, seed: int) -> list[int]:
    """The numbers of those that a step has; all have come before one comes again."""
    turn, place = divmod(number, max(1, count // size))
    return _shuffled(count, seed * 1_000_003 + turn)[place * size : (place + 1) * size]


@lru_cache(maxsize=2)
def _shuffled(count: int, seed: int) -> list[int]:
    order = list(range(count))
    Random(seed).shuffle(order)
    return order


def step_of(rows: Sequence[Row], shares: Tensor, shape: Shape | None) -> Step:
    """The rows in parts of similar length."""
    order = sorted(range(len(rows)), key=lambda number: len(rows[number][0]))
    size = -(-len(order) // (shape.parts if shape else PARTS))
    parts = [
        padded([rows[number] for number in order[start : start + size]], "cpu")
        for start in range(0, len(order), size)
    ]
    return Step(parts, torch.tensor(order).argsort(), shares, shape)


Group = tuple[list[MinedExample], list[MinedExample]]


def _groups_of_texts(examples: Sequence[MinedExample], kind: str) -> list[Group]:
    """The questions of a kind for each text: those it answers, and those it does not."""
    missed = f"{kind}_miss"
    groups: dict[int, Group] = {}
    for one in examples:
        if one.kind in {kind, missed}:
            groups.setdefault(one.passage, ([], []))[one.kind == missed].append(one)
    return [one for one in groups.values() if min(map(len, one)) >= ASKED]


def _window(count: int, example: MinedExample, number: int, random: Random) -> range | None:
    """Some neighbouring sentences; of the right passage always with the one that answers."""
    own = number == example.passage and example.kind in SHAPE.listed
    if count < 3 or (own and not example.shares):
        return None
    kept = _kept(count, example, number, random)
    return range(random.randint(0, kept), random.randint(kept, count - 1) + 1)


def _kept(count: int, example: MinedExample, number: int, random: Random) -> int:
    """The sentence that must be read: of the right passage the one that answers."""
    if number == example.passage and example.kind in SHAPE.listed and example.shares:
        return max(range(count), key=example.shares.__getitem__)
    return random.randrange(max(1, count))


def _fitting(passage: TokenizedPassage, kept: int) -> range:
    """As many sentences around one as can be read at once, those before it first."""
    lengths = Counter(passage.sentences)
    first, after, left = kept, kept + 1, WHOLE_TOKENS - lengths[kept]
    while first > 0 and lengths[first - 1] <= left // 2:
        first -= 1
        left -= lengths[first]
    while after < passage.count and lengths[after] <= left:
        left -= lengths[after]
        after += 1
    return range(first, after)


def _filled(shares: Sequence[Sequence[float]]) -> Tensor:
    filled = torch.zeros(len(shares), max(1, *map(len, shares)))
    for number, some in enumerate(shares):
        filled[number, : len(some)] = torch.tensor(some)
    return filled


Moved = TypeVar("Moved", Batch, Scores)


def moved(step: Step, device: str) -> Step:
    """The step there."""
    return replace(
        step,
        parts=[moved_batch(one, device) for one in step.parts],
        places=step.places.to(device),
        shares=step.shares.to(device),
        taught=moved_batch(step.taught, device) if step.taught else None,
    )


def moved_batch(one: Moved, device: str) -> Moved:
    """The batch, or the scores, there."""
    tensors = {
        field.name: value.to(device)
        for field in fields(one)
        if isinstance(value := getattr(one, field.name), Tensor)
    }
    return replace(one, **tensors)
