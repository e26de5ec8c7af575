"""Drops the sentences of an answer that the evidence does not support, and cites the rest."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from sourcebook.answering.citation_markers import marked, without_last_marker, without_markers
from sourcebook.answering.citations import CitationList
from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.grounding import ClaimChecker, ClaimVerdict
from sourcebook.answering.sentences import SentenceStream
from sourcebook.answering.statements import Statement
from sourcebook.answering.url_allow_list import urls_are_quoted


class AnswerChecker:
    """Checks one answer. The markers of its writer are hints; what is released cites what holds.

    A sentence that its passages do not support, but others do, gets those; one that nothing
    supports is dropped, and so is one with an address that the evidence does not have.
    """

    def __init__(self, passages: Sequence[Passage], statements: Sequence[Statement]) -> None:
        self._passages: dict[int, Passage] = {}
        self._statements: list[Statement] = []
        self._plain: list[str] = []
        # By the passages that they are from. Most are never asked for.
        self._grounds: dict[tuple[int, ...], ClaimChecker] = {}
        self._sources = CitationList()
        self.add(passages, statements)

    def add(self, passages: Sequence[Passage], statements: Sequence[Statement]) -> None:
        """Add new evidence for later sentences."""
        self._passages |= by_number(passages)
        self._statements += statements
        self._plain += [collapse_spaces(passage.text) for passage in passages]

    @property
    def sources(self) -> CitationList:
        """What the released sentences stand on."""
        return self._sources

    async def released(self, pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """Yield the sentences that pass, as soon as they are complete."""
        stream = SentenceStream()
        async with aclosing(pieces):
            async for piece in pieces:
                for sentence in stream.feed(piece):
                    if passed := self._passed(sentence):
                        yield passed
        if passed := self._passed(stream.rest()):
            yield passed

    def _passed(self, sentence: str) -> str | None:
        claim, numbers = self._read(sentence)
        if not claim.strip() or not urls_are_quoted(claim, self._texts()):
            return None
        cited = {
            self._sources.number(self._passages[verdict.passage], verdict.span): None
            for verdict in self._supporting(claim, numbers)
            if verdict.passage is not None and verdict.span is not None
        }
        return marked(claim, tuple(cited)) if cited else None

    def _read(self, sentence: str) -> tuple[str, tuple[int, ...]]:
        """The claim and the numbers that it cites.

        Numbers in brackets inside of a copy are the source's own, and stay.
        """
        copy, number = without_last_marker(sentence)
        if number is not None and any(collapse_spaces(copy) in plain for plain in self._plain):
            return copy, (number,)
        return without_markers(sentence)

    def _texts(self) -> Iterator[str]:
        return (passage.text for passage in self._passages.values())

    def _supporting(self, claim: str, numbers: Sequence[int]) -> Iterator[ClaimVerdict]:
        """The verdicts for the cited passages that support the claim; else for the best of all.

        The best may be two that bear it together.
        """
        known = [number for number in numbers if number in self._passages]
        verdicts = [self._grounds_of(number).check(claim) for number in known]
        supporting = [verdict for verdict in verdicts if verdict.supported]
        if supporting:
            yield from supporting
            return
        best = self._grounds_of(*self._passages).check(claim)
        if best.supported and best.passage is not None:
            yield best
            yield from self._helping(best.passage, claim, numbers)

    def _helping(self, best: int, claim: str, numbers: Sequence[int]) -> Iterator[ClaimVerdict]:
        """The other passage that a claim was drawn from, if the best does not bear it alone."""
        if self._grounds_of(best).check(claim).supported:
            return
        others = [number for number in self._passages if number != best]
        for number in sorted(others, key=lambda other: other not in numbers):
            if self._grounds_of(best, number).check(claim).supported:
                yield self._grounds_of(number).check(claim)
                return

    def _grounds_of(self, *numbers: int) -> ClaimChecker:
        if numbers not in self._grounds:
            some = [one for one in self._statements if one.passage in numbers]
            self._grounds[numbers] = ClaimChecker(some)
        return self._grounds[numbers]


def collapse_spaces(text: str) -> str:
    """Put one space between words."""
    return " ".join(text.split())
