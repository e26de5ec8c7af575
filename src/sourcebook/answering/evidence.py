"""The sentences that answers may stand on, and which of them bear a claim."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul

from sourcebook.answering.claims import Claim
from sourcebook.answering.denials import contradicts
from sourcebook.answering.words import Word, read_words
from sourcebook.core.documents import Span
from sourcebook.core.vectors import Vector

# A claim may condense so many neighbouring sentences.
LONGEST_RUN = 3
# A figure belongs to the words that stand so near to it.
NEAR = 3
# A denial before the copied words that near may reach into them.
DENIED_WITHIN = 4


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the evidence: where it stands in the text of which passage."""

    passage: int
    start: int
    end: int
    text: str
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring statements, from `first` to before `end`, and which words of a claim are there.

    The words are a number with one bit for each of the claim's stems.
    """

    first: int
    end: int
    covered: int


class Evidence:
    """Statements with their words; those of a passage stand together and in order."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._words = [read_words(one.text) for one in statements]
        self._lines = [_line(words) for words in self._words]
        self._holders: dict[str, list[int]] = {}
        for number, words in enumerate(self._words):
            for stem in {word.stem for word in words}:
                self._holders.setdefault(stem, []).append(number)
        self._passages = list(self._read_passages())

    def place(self, run: Run) -> tuple[int, Span]:
        """Where a run stands."""
        first, last = self._statements[run.first], self._statements[run.end - 1]
        return first.passage, Span(first.start, last.end)

    def copied(self, claim: Claim) -> Run | None:
        """The statements that a claim was copied from, word for word."""
        wanted = _line(claim.words)
        for passage in self._passages:
            at = passage.line.find(wanted)
            while at >= 0:
                run = passage.run(at, at + len(wanted))
                if not self._denied_before(passage, run, at):
                    return run
                at = passage.line.find(wanted, at + 1)
        return None

    def best(self, claim: Claim, vector: Vector | None) -> Run | None:
        """The run that holds most of a claim; of equals the shortest, then the most similar."""
        covered = self._covered(claim)
        runs = list(self._runs(covered))
        if not runs:
            return None
        weights = {some: claim.weight(some) for some in {run.covered for run in runs}}
        most = max(weights.values())
        equal = [run for run in runs if weights[run.covered] == most]
        shortest = min(run.end - run.first for run in equal)
        equal = [run for run in equal if run.end - run.first == shortest]
        return max(equal, key=lambda run: self._similarity(run, vector))

    def second(self, claim: Claim, best: Run, *, least: float) -> Run | None:
        """The run that adds most to the best, if it is so large a share of the claim."""
        covered = {
            number: words & ~best.covered
            for number, words in self._covered(claim).items()
            if not best.first <= number < best.end
        }
        runs = [run for run in self._runs(covered) if claim.share(run.covered) >= least]
        return max(
            runs, key=lambda run: (claim.weight(run.covered), run.first - run.end), default=None
        )

    def has_figure(self, claim: Claim, place: int, runs: Sequence[Run]) -> bool:
        """Tell whether a figure of a claim stands in the runs beside what it stands beside there.

        The number of a name, as in `ROS 2`, may stand anywhere, behind that name.
        """
        figure = claim.words[place]
        before = claim.words[place - 1] if place else None
        if before and claim.text[before.start].isupper():
            named = f" {before.stem} {figure.stem} "
            if any(named in line for line in self._lines):
                return True
        beside = {word.stem for word in _nearest(claim.words, place, 1)}
        held = False
        for number in _numbers(runs):
            stems = [word.stem for word in self._words[number]]
            if figure.stem not in stems:
                continue
            known = beside.intersection(stems)
            near = {
                word.stem for word in _nearest(self._words[number], stems.index(figure.stem), NEAR)
            }
            if not known or known & near:
                return True
        return held

    def has_name(self, name: Sequence[str]) -> bool:
        """Tell whether the words of a name stand one behind the other anywhere."""
        if any(part not in self._holders for part in name):
            return False
        wanted = f" {' '.join(name)} "
        return any(wanted in self._lines[number] for number in self._holders[name[0]])

    def denies(self, claim: Claim, runs: Sequence[Run]) -> bool:
        """Tell whether the statement nearest to a claim says the contrary."""
        covered = self._covered(claim)
        numbers = [number for number in _numbers(runs) if number in covered]
        nearest = max(numbers, key=lambda number: claim.weight(covered[number]))
        return contradicts(claim.words, self._words[nearest])

    def _covered(self, claim: Claim) -> dict[int, int]:
        covered: dict[int, int] = {}
        for bit, stem in enumerate(claim.stems):
            for number in self._holders.get(stem, ()):
                covered[number] = covered.get(number, 0) | 1 << bit
        return covered

    def _runs(self, covered: dict[int, int]) -> Iterator[Run]:
        for first, words in covered.items():
            together = words
            yield Run(first, first + 1, together)
            for last in range(first + 1, first + LONGEST_RUN):
                if last >= len(self._statements):
                    break
                if self._statements[last].passage != self._statements[first].passage:
                    break
                together |= covered.get(last, 0)
                yield Run(first, last + 1, together)

    def _similarity(self, run: Run, vector: Vector | None) -> float:
        vectors = [self._statements[number].vector for number in range(run.first, run.end)]
        if vector is None:
            return 0.0
        return max((sum(map(mul, vector, one)) for one in vectors if one is not None), default=0.0)

    def _read_passages(self) -> Iterator["_Passage"]:
        first = 0
        for number in range(1, len(self._statements) + 1):
            last = number == len(self._statements)
            if last or self._statements[number].passage != self._statements[first].passage:
                yield _Passage(first, self._lines[first:number])
                first = number

    def _denied_before(self, passage: "_Passage", run: Run, at: int) -> bool:
        line = passage.line[passage.starts[run.first - passage.first] : at]
        count = len(line.split())
        before = self._words[run.first][max(0, count - DENIED_WITHIN) : count]
        return any(word.kind == "denial" for word in before)


class _Passage:
    """The words of a passage in one line, and where in it each statement begins."""

    def __init__(self, first: int, lines: Sequence[str]) -> None:
        self.first = first
        self.starts: list[int] = []
        self.line = " "
        for line in lines:
            self.starts.append(len(self.line) - 1)
            self.line += line[1:]

    def run(self, start: int, end: int) -> Run:
        """The statements that the words from `start` to before `end` stand in."""
        first = bisect_right(self.starts, start) - 1
        # Both ends of what is looked for are spaces, which belong to the statement before too.
        last = bisect_right(self.starts, end - 2)
        return Run(self.first + first, self.first + last, 0)


def _line(words: Sequence[Word]) -> str:
    return " " + "".join(word.stem + " " for word in words)


def _numbers(runs: Sequence[Run]) -> Iterator[int]:
    for run in runs:
        yield from range(run.first, run.end)


def _nearest(words: Sequence[Word], place: int, count: int) -> list[Word]:
    before = [word for word in words[:place] if word.kind == "content"]
    after = [word for word in words[place + 1 :] if word.kind == "content"]
    return before[-count:] + after[:count]
