"""Releases the sentences of an answer that are proven, and quotes the evidence for the others."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from sourcebook.answering.citation_markers import marked, without_last_marker, without_markers
from sourcebook.answering.citations import CitationList
from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.proof.closest import closest
from sourcebook.answering.proof.prover import Proof, Prover
from sourcebook.answering.sentences import SentenceStream
from sourcebook.answering.statements import Quotable, in_one_line, with_antecedent
from sourcebook.answering.url_allow_list import urls_are_quoted
from sourcebook.core.answers import SentenceCounts
from sourcebook.core.documents import Span

_BULLET = re.compile(r"\s*(?:(?:[-*+•>]|#{1,6}|\d+[.)])\s+)*")
_FENCE = re.compile(r"\s*(?:```|~~~)[^\n]*\n(?P<code>.*?)\n?[ \t]*(?:```|~~~)?\s*$", re.DOTALL)
_WORD = re.compile(r"\w")
_EVIDENCE = (
    r"(?:information|details?|documentation|documents?|context|passages?|sources?|excerpts?)"
)
_MISSING = r"(?:\b(?:not|no|cannot|unable|without)|n['’]t)\b"
# A model that says so must not be answered with the sentence that comes nearest.
_SAYS_IT_IS_MISSING = re.compile(
    rf"{_MISSING}.*\b{_EVIDENCE}\b|\b{_EVIDENCE}\b.*{_MISSING}", re.IGNORECASE
)


class AnswerChecker:
    """Checks one answer. The markers of its writer are hints; what is released cites what holds.

    A sentence that the evidence proves leaves as it is. For one that is not proven, the sentence of
    the evidence that it is about leaves instead, word for word; without one it is dropped.
    """

    def __init__(self, passages: Sequence[Passage], quotable: Sequence[Quotable]) -> None:
        self._passages: dict[int, Passage] = {}
        self._quotable: list[Quotable] = []
        self._plain: list[str] = []
        # Of all evidence; made again when more is added.
        self._prover: Prover | None = None
        self._quoted: set[int] = set()
        self._sources = CitationList()
        self.counts = SentenceCounts()
        # Whether the writer said that the evidence does not hold the answer.
        self.says_it_is_missing = False
        self.add(passages, quotable)

    def add(self, passages: Sequence[Passage], quotable: Sequence[Quotable]) -> None:
        """Add new evidence for later sentences."""
        self._passages |= by_number(passages)
        self._quotable += quotable
        self._plain += [collapse_spaces(passage.text) for passage in passages]
        self._prover = None

    @property
    def sources(self) -> CitationList:
        """What the released sentences stand on."""
        return self._sources

    async def released(self, pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """Yield what passes, or a quote in its place, as soon as a sentence is complete."""
        stream = SentenceStream()
        async with aclosing(pieces):
            async for piece in pieces:
                for sentence in stream.feed(piece):
                    # In a thread: against twenty long passages it takes tens of milliseconds.
                    if passed := await asyncio.to_thread(self._passed, sentence):
                        yield passed
        if passed := await asyncio.to_thread(self._passed, stream.rest()):
            yield passed

    def _passed(self, sentence: str) -> str | None:
        claim, numbers = self._read(sentence)
        if not _WORD.search(claim):
            return None
        passed, counts = None, self.counts
        if not urls_are_quoted(claim, self._texts()):
            self.counts = replace(counts, dropped=counts.dropped + 1)
        elif proofs := self._proofs(claim, numbers):
            self.counts = replace(counts, proven=counts.proven + 1)
            passed = marked(claim, self._cited((one.passage, one.span) for one in proofs))
        elif (place := self._replacement(claim)) is not None:
            self.counts = replace(counts, quoted=counts.quoted + 1)
            passed = self._quote(place, claim)
        else:
            self.counts = replace(counts, dropped=counts.dropped + 1)
        return passed

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

    def _proofs(self, claim: str, numbers: Sequence[int]) -> list[Proof]:
        """What proves a claim: in each cited passage that does; else the first place of all.

        It may take two places that prove a part of it each.
        """
        if fence := _FENCE.match(claim):
            return self._copies(fence["code"])
        if self._prover is None:
            self._prover = Prover([one.statement for one in self._quotable])
        bare = claim[len(_bullet(claim)) :]
        found = {one.passage: one for one in reversed([*self._prover.proofs(bare)])}
        found |= {one.passage: one for one in self._copies(bare)}
        if cited := [found[number] for number in numbers if number in found]:
            return cited
        if found:
            return [next(iter(reversed(found.values())))]
        return list({one.passage: one for one in self._prover.proofs_of_parts(bare)}.values())

    def _copies(self, text: str) -> list[Proof]:
        """The statements that are the text, whatever they are: a row, an item, a block of code."""
        wanted = collapse_spaces(text)
        return [
            Proof(one.passage, Span(one.start, one.end), (one,))
            for one in (quotable.statement for quotable in self._quotable)
            if wanted and wanted in {collapse_spaces(one.text), _code(one.text)}
        ]

    def _replacement(self, claim: str) -> int | None:
        """The place of the statement that a claim is clearly about."""
        if _SAYS_IT_IS_MISSING.search(claim):
            self.says_it_is_missing = True
            return None
        places = [place for place, one in enumerate(self._quotable) if one.can_stand_alone]
        found = closest(claim, [self._quotable[place].statement for place in places])
        if found is None:
            return None
        return next(place for place in places if self._quotable[place].statement is found)

    def _quote(self, place: int, claim: str) -> str | None:
        """A statement, after the one that it leans on; None if both were quoted before."""
        new = [one for one in with_antecedent(self._quotable, place) if one not in self._quoted]
        if not new:
            return None
        self._quoted.update(new)
        parts = []
        for number in new:
            one = self._quotable[number].statement
            cited = self._cited([(one.passage, Span(one.start, one.end))])
            parts.append(marked(in_one_line(one.text), cited))
        return _bullet(claim) + " ".join(parts) + claim[len(claim.rstrip()) :]

    def _cited(self, places: Iterable[tuple[int, Span]]) -> tuple[int, ...]:
        numbers = [self._sources.number(self._passages[number], span) for number, span in places]
        return tuple(dict.fromkeys(numbers))


def collapse_spaces(text: str) -> str:
    """Put one space between words."""
    return " ".join(text.split())


def _bullet(claim: str) -> str:
    """What makes a sentence an item of a list, or a heading."""
    found = _BULLET.match(claim)
    return found[0] if found else ""


def _code(text: str) -> str:
    """The inside of a block of code."""
    fence = _FENCE.match(text)
    return collapse_spaces(fence["code"]) if fence else ""
