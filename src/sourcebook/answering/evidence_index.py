"""The sentences that answers may stand on, and which of them bear a claim."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

from sourcebook.answering.claims import Claim, contradicts, names
from sourcebook.answering.statements import Statement
from sourcebook.core.documents import Span
from sourcebook.core.vectors import Vector
from sourcebook.search.words import Word

# A claim may condense so many neighbouring sentences.
MAX_WINDOW_SENTENCES = 3
# Less than a word with meaning, more than a few of the others.
SENTENCE_PENALTY = 0.75
# A denial before the copied words that near may reach into them.
MAX_DENIAL_DISTANCE = 4
_CLAUSE_END = re.compile(r"[,;:]")


@dataclass(frozen=True, slots=True)
class SentenceWindow:
    """Neighbouring statements, from `first` to before `end`, and which words of a claim are there.

    The words are a number with one bit for each of the claim's stems.
    """

    first: int
    end: int
    covered: int


@dataclass(frozen=True, slots=True)
class Copy:
    """Where a claim was copied from. `denied` if a denial stands right before it there."""

    run: SentenceWindow
    denied: bool


class EvidenceIndex:
    """Statements with their words; those of a passage stand together and in order."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._words = [one.words for one in statements]
        self._lines = [_line(words) for words in self._words]
        self._holders: dict[str, list[int]] = {}
        for number, words in enumerate(self._words):
            for stem in {word.stem for word in words}:
                self._holders.setdefault(stem, []).append(number)
        self._passages = list(self._read_passages())

    def place(self, run: SentenceWindow) -> tuple[int, Span]:
        """Where a run stands."""
        first, last = self._statements[run.first], self._statements[run.end - 1]
        return first.passage, Span(first.start, last.end)

    def copied(self, claim: Claim) -> Copy | None:
        """Where a claim was copied from, word for word; if it can be, not from behind a denial."""
        wanted = _line(claim.words)
        found = None
        for passage in self._passages:
            at = passage.line.find(wanted)
            while at >= 0:
                run = passage.run(at, at + len(wanted))
                found = Copy(run, self._denied_before(passage, run, at))
                if not found.denied:
                    return found
                at = passage.line.find(wanted, at + 1)
        return found

    def best(self, claim: Claim, vector: Vector | None) -> SentenceWindow | None:
        """The run that holds most of a claim; of equals the most similar.

        Each further statement must add a word with meaning, so that a citation points to little.
        """
        worth = {
            run: claim.weight(run.covered) - SENTENCE_PENALTY * (run.end - run.first)
            for run in self._runs(self._covered(claim))
        }
        most = max(worth.values(), default=0.0)
        equal = [run for run, weight in worth.items() if weight == most]
        return max(equal, key=lambda run: self._similarity(run, vector), default=None)

    def second(self, claim: Claim, best: SentenceWindow, *, least: float) -> SentenceWindow | None:
        """The run that adds most to the best, if it is so large a share of the claim."""
        wanted = least * claim.total
        if claim.total - claim.weight(best.covered) < wanted:
            return None
        covered = {
            number: words & ~best.covered
            for number, words in self._covered(claim).items()
            if not best.first <= number < best.end
        }
        runs = [run for run in self._runs(covered) if claim.weight(run.covered) >= wanted]
        return max(
            runs, key=lambda run: (claim.weight(run.covered), run.first - run.end), default=None
        )

    def has_figure(self, claim: Claim, place: int, runs: Sequence[SentenceWindow]) -> bool:
        """Tell whether a figure of a claim stands in the runs, and belongs to the same words.

        The number of a name, as in `ROS 2`, may stand anywhere, behind that name.
        """
        figure = claim.words[place]
        before = claim.words[place - 1] if place else None
        if before and claim.text[before.start].isupper():
            named = f" {before.stem} {figure.stem} "
            if any(named in line for line in self._lines):
                return True
        lines = [self._lines[number] for number in _numbers(runs)]
        if not any(f" {figure.stem} " in line for line in lines):
            return False
        beside = [(word.stem, side) for word, side in _beside(claim.words, place)]
        return all(_belongs(figure.stem, stem, side, lines) for stem, side in beside)

    def has_name(self, name: Sequence[str]) -> bool:
        """Tell whether the words of a name stand one behind the other anywhere."""
        if any(part not in self._holders for part in name):
            return False
        wanted = f" {' '.join(name)} "
        return any(wanted in self._lines[number] for number in self._holders[name[0]])

    def names_another(self, claim: Claim, runs: Sequence[SentenceWindow]) -> bool:
        """Tell whether a claim begins like the nearest statement, but with an unknown name.

        At the beginning of a sentence a capital letter tells nothing, so the statement's first word
        must be known as a name from elsewhere.
        """
        nearest = self._words[self._nearest(claim, runs)]
        if claim.words[0].stem in self._holders or len(claim.words) < 2:
            return False
        if len(nearest) < 2 or nearest[1].stem != claim.words[1].stem:
            return False
        known = (name for one in self._statements for name in names(one.text))
        return (nearest[0].stem,) in known

    def denies(self, claim: Claim, runs: Sequence[SentenceWindow]) -> bool:
        """Tell whether the statement nearest to a claim says the contrary."""
        return contradicts(claim.words, self._words[self._nearest(claim, runs)])

    def _nearest(self, claim: Claim, runs: Sequence[SentenceWindow]) -> int:
        covered = self._covered(claim)
        numbers = [number for number in _numbers(runs) if number in covered]
        return max(numbers, key=lambda number: claim.weight(covered[number]))

    def _covered(self, claim: Claim) -> dict[int, int]:
        covered: dict[int, int] = {}
        for bit, stem in enumerate(claim.stems):
            for number in self._holders.get(stem, ()):
                covered[number] = covered.get(number, 0) | 1 << bit
        return covered

    def _runs(self, covered: dict[int, int]) -> Iterator[SentenceWindow]:
        for first, words in covered.items():
            together = words
            yield SentenceWindow(first, first + 1, together)
            for last in range(first + 1, first + MAX_WINDOW_SENTENCES):
                if last >= len(self._statements):
                    break
                if self._statements[last].passage != self._statements[first].passage:
                    break
                together |= covered.get(last, 0)
                yield SentenceWindow(first, last + 1, together)

    def _similarity(self, run: SentenceWindow, vector: Vector | None) -> float:
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

    def _denied_before(self, passage: "_Passage", run: SentenceWindow, at: int) -> bool:
        line = passage.line[passage.starts[run.first - passage.first] : at]
        words, count = self._words[run.first], len(line.split())
        text = self._statements[run.first].text
        return any(
            word.kind == "denial" and not _CLAUSE_END.search(text, word.start, words[count].start)
            for word in words[max(0, count - MAX_DENIAL_DISTANCE) : count]
        )


class _Passage:
    """The words of a passage in one line, and where in it each statement begins."""

    def __init__(self, first: int, lines: Sequence[str]) -> None:
        self.first = first
        self.starts: list[int] = []
        self.line = " "
        for line in lines:
            self.starts.append(len(self.line) - 1)
            self.line += line[1:]

    def run(self, start: int, end: int) -> SentenceWindow:
        """The statements that the words from `start` to before `end` stand in."""
        first = bisect_right(self.starts, start) - 1
        # Both ends of what is looked for are spaces, which belong to the statement before too.
        last = bisect_right(self.starts, end - 2)
        return SentenceWindow(self.first + first, self.first + last, 0)


def _line(words: Sequence[Word]) -> str:
    return " " + "".join(word.stem + " " for word in words)


def _numbers(runs: Sequence[SentenceWindow]) -> Iterator[int]:
    for run in runs:
        yield from range(run.first, run.end)


def _beside(words: Sequence[Word], place: int) -> Iterator[tuple[Word, int]]:
    """The words with meaning right before a word (-1) and right behind it (1)."""
    for side in (-1, 1):
        there = place + side
        if 0 <= there < len(words) and words[there].kind == "content":
            yield words[there], side


def _belongs(figure: str, stem: str, side: int, lines: Sequence[str]) -> bool:
    """Tell whether a word has this figure at its side, or none: `5 ms` is no proof of `9 ms`."""
    figures = set()
    for line in lines:
        words = line.split()
        pairs = pairwise(words) if side > 0 else pairwise(reversed(words))
        figures |= {one for one, other in pairs if other == stem and one[0].isdecimal()}
    return not figures or figure in figures
