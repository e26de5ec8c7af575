"""Lets the sentences of an answer by that the evidence supports, and cites what supports them."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.grounding import Grounds, Statement, Verdict
from sourcebook.answering.markers import marked, without_markers
from sourcebook.answering.meaning import Meaning
from sourcebook.answering.sentences import SentenceStream
from sourcebook.answering.sources import SourceList
from sourcebook.core.vectors import Vector


class Checker:
    """Checks one answer. The markers of its writer are hints; what is released cites what holds.

    A sentence that its passages do not support, but others do, gets those; one that nothing
    supports is dropped.
    """

    def __init__(
        self, passages: Sequence[Passage], statements: Sequence[Statement], meaning: Meaning
    ) -> None:
        self._passages = by_number(passages)
        self._grounds = Grounds(statements)
        self._by_passage = {
            number: Grounds([one for one in statements if one.passage == number])
            for number in self._passages
        }
        self._plain = [_squeezed(passage.text) for passage in passages]
        self._meaning = meaning
        self._sources = SourceList()

    @property
    def sources(self) -> SourceList:
        """What the released sentences stand on."""
        return self._sources

    async def released(self, pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """The sentences that pass, as soon as they are complete."""
        stream = SentenceStream()
        async with aclosing(pieces):
            async for piece in pieces:
                for sentence in stream.feed(piece):
                    if passed := await self._passed(sentence):
                        yield passed
        if passed := await self._passed(stream.rest()):
            yield passed

    async def _passed(self, sentence: str) -> str | None:
        claim, numbers = without_markers(sentence)
        if not claim.strip():
            return None
        vector = await self._vector(claim)
        cited = {
            self._sources.number(self._passages[verdict.passage], verdict.span): None
            for verdict in self._supporting(claim, vector, numbers)
            if verdict.passage is not None and verdict.span is not None
        }
        return marked(claim, tuple(cited)) if cited else None

    def _supporting(
        self, claim: str, vector: Vector | None, numbers: Sequence[int]
    ) -> Iterator[Verdict]:
        """The verdicts for the cited passages that support the claim; else for the best of all."""
        known = [self._by_passage[number] for number in numbers if number in self._by_passage]
        verdicts = [grounds.judge(claim, vector) for grounds in known]
        supporting = [verdict for verdict in verdicts if verdict.supported]
        if not supporting:
            supporting = [
                verdict for verdict in [self._grounds.judge(claim, vector)] if verdict.supported
            ]
        yield from supporting

    async def _vector(self, claim: str) -> Vector | None:
        """The claim's meaning; a copy needs none."""
        squeezed = _squeezed(claim)
        if any(squeezed in plain for plain in self._plain):
            return None
        (vector,) = await self._meaning.of([claim])
        return vector


def _squeezed(text: str) -> str:
    return " ".join(text.split())
