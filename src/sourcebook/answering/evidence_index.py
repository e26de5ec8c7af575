"""Indexes the sentences of the evidence by their words, to find those that support a claim."""

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

# How many neighbouring sentences a claim may condense.
MAX_WINDOW_SENTENCES = 3
# Less than a word with meaning, more than a few of the others.
SENTENCE_PENALTY = 0.75
# A denial may reach into copied words that follow so closely.
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

    window: SentenceWindow
    denied: bool


class EvidenceIndex:
    """Finds the statements that hold the words of a claim.

    The statements of a passage must stand together and in order.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._words = [one.words for one in statements]
        self._lines = [_line(words) for words in self._words]
        self._holders: dict[str, list[int]] = {}
        for number, words in enumerate(self._words):
            for stem in {word.stem for word in words}:
                self._holders.setdefault(stem, []).append(number)
        self._passages = list(self._read_passages())

    def location(self, window: SentenceWindow) -> tuple[int, Span]:
        """The passage and the span of a window."""
        first, last = self._statements[window.first], self._statements[window.end - 1]
        return first.passage, Span(first.start, last.end)

    def find_copy(self, claim: Claim) -> Copy | None:
        """Where a claim was copied from, word for word; preferably not from after a denial."""
        wanted = _line(claim.words)
        found = None
        for passage in self._passages:
            at = passage.line.find(wanted)
            while at >= 0:
                window = passage.window(at, at + len(wanted))
                found = Copy(window, self._denied_before(passage, window, at))
                if not found.denied:
                    return found
                at = passage.line.find(wanted, at + 1)
        return found

    def best_window(self, claim: Claim, vector: Vector | None) -> SentenceWindow | None:
        """The window that covers most of a claim; of equals the most similar.

        Each further statement must add a word with meaning, so that a citation points to little.
        """
        worth = {
            window: claim.weight(window.covered) - SENTENCE_PENALTY * (window.end - window.first)
            for window in self._windows(self._covered(claim))
        }
        most = max(worth.values(), default=0.0)
        equal = [window for window, weight in worth.items() if weight == most]
        return max(equal, key=lambda window: self._similarity(window, vector), default=None)

    def second_window(
        self, claim: Claim, best: SentenceWindow, *, min_share: float
    ) -> SentenceWindow | None:
        """The window that adds most to the best one, if it adds that share of the claim."""
        wanted = min_share * claim.total
        if claim.total - claim.weight(best.covered) < wanted:
            return None
        covered = {
            number: words & ~best.covered
            for number, words in self._covered(claim).items()
            if not best.first <= number < best.end
        }
        windows = [
            window for window in self._windows(covered) if claim.weight(window.covered) >= wanted
        ]
        return max(
            windows,
            key=lambda window: (claim.weight(window.covered), window.first - window.end),
            default=None,
        )

    def has_figure(self, claim: Claim, place: int, windows: Sequence[SentenceWindow]) -> bool:
        """Return whether the windows hold a figure of a claim, next to the same words.

        The number of a name, as in `ROS 2`, may stand anywhere, after that name.
        """
        figure = claim.words[place]
        before = claim.words[place - 1] if place else None
        if before and claim.text[before.start].isupper():
            named = f" {before.stem} {figure.stem} "
            if any(named in line for line in self._lines):
                return True
        lines = [self._lines[number] for number in _numbers(windows)]
        if not any(f" {figure.stem} " in line for line in lines):
            return False
        beside = [(word.stem, side) for word, side in _beside(claim.words, place)]
        return all(_belongs(figure.stem, stem, side, lines) for stem, side in beside)

    def has_name(self, name: Sequence[str]) -> bool:
        """Return whether the words of a name follow one another in any statement."""
        if any(part not in self._holders for part in name):
            return False
        wanted = f" {' '.join(name)} "
        return any(wanted in self._lines[number] for number in self._holders[name[0]])

    def names_another(self, claim: Claim, windows: Sequence[SentenceWindow]) -> bool:
        """Return whether a claim begins like the nearest statement, but with an unknown name.

        At the beginning of a sentence a capital letter tells nothing, so the statement's first word
        must be known as a name from elsewhere.
        """
        nearest = self._words[self._nearest(claim, windows)]
        if claim.words[0].stem in self._holders or len(claim.words) < 2:
            return False
        if len(nearest) < 2 or nearest[1].stem != claim.words[1].stem:
            return False
        known = (name for one in self._statements for name in names(one.text))
        return (nearest[0].stem,) in known

    def denies(self, claim: Claim, windows: Sequence[SentenceWindow]) -> bool:
        """Return whether the statement nearest to a claim contradicts it."""
        return contradicts(claim.words, self._words[self._nearest(claim, windows)])

    def _nearest(self, claim: Claim, windows: Sequence[SentenceWindow]) -> int:
        covered = self._covered(claim)
        numbers = [number for number in _numbers(windows) if number in covered]
        return max(numbers, key=lambda number: claim.weight(covered[number]))

    def _covered(self, claim: Claim) -> dict[int, int]:
        covered: dict[int, int] = {}
        for bit, stem in enumerate(claim.stems):
            for number in self._holders.get(stem, ()):
                covered[number] = covered.get(number, 0) | 1 << bit
        return covered

    def _windows(self, covered: dict[int, int]) -> Iterator[SentenceWindow]:
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

    def _similarity(self, window: SentenceWindow, vector: Vector | None) -> float:
        vectors = [self._statements[number].vector for number in range(window.first, window.end)]
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

    def _denied_before(self, passage: "_Passage", window: SentenceWindow, at: int) -> bool:
        line = passage.line[passage.starts[window.first - passage.first] : at]
        words, count = self._words[window.first], len(line.split())
        text = self._statements[window.first].text
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

    def window(self, start: int, end: int) -> SentenceWindow:
        """The statements that the words from `start` to before `end` stand in."""
        first = bisect_right(self.starts, start) - 1
        # Both ends of what is looked for are spaces, which belong to the statement before too.
        last = bisect_right(self.starts, end - 2)
        return SentenceWindow(self.first + first, self.first + last, 0)


def _line(words: Sequence[Word]) -> str:
    return " " + "".join(word.stem + " " for word in words)


def _numbers(windows: Sequence[SentenceWindow]) -> Iterator[int]:
    for window in windows:
        yield from range(window.first, window.end)


def _beside(words: Sequence[Word], place: int) -> Iterator[tuple[Word, int]]:
    """The words with meaning right before a word (-1) and right after it (1)."""
    for side in (-1, 1):
        there = place + side
        if 0 <= there < len(words) and words[there].kind == "content":
            yield words[there], side


def _belongs(figure: str, stem: str, side: int, lines: Sequence[str]) -> bool:
    """Whether a word has this figure beside it, or none: `5 ms` does not prove `9 ms`."""
    figures = set()
    for line in lines:
        words = line.split()
        pairs = pairwise(words) if side > 0 else pairwise(reversed(words))
        figures |= {one for one, other in pairs if other == stem and one[0].isdecimal()}
    return not figures or figure in figures
