"""Releases the sentences of an answer that are proven, and quotes the evidence for the others."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import chain

from sourcebook.answering.citation_markers import marked, without_last_marker, without_markers
from sourcebook.answering.citations import CitationList
from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.pictures import PictureFilter
from sourcebook.answering.proof.guard import lacking
from sourcebook.answering.proof.languages import is_english
from sourcebook.answering.proof.prover import Proof, Prover
from sourcebook.answering.replacements import Replacements
from sourcebook.answering.reply_limits import (
    MAX_SENTENCE_CHARACTERS,
    check_sentence_count,
    limit_reply,
)
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.statements import (
    Quotable,
    Statement,
    governing_lead,
    in_one_line,
    with_antecedent,
)
from sourcebook.answering.url_allow_list import urls_are_quoted
from sourcebook.core.answers import SentenceCounts
from sourcebook.core.claims import ClaimPair
from sourcebook.core.documents import Span
from sourcebook.core.errors import AgentTimeout, ReplyCutOff, SourcebookError, Unavailable
from sourcebook.core.ports import Judge
from sourcebook.text.sentences import SentenceStream

log = logging.getLogger(__name__)

JUDGE_TIMEOUT_S = 5.0
_BULLET = re.compile(r"\s*(?:(?:[-*+•>]|#{1,6}|\d+[.)])\s+)*")
_FENCES = ("```", "~~~")
_WORD = re.compile(r"\w")
_EVIDENCE = re.compile(
    r"\b(?:information|details?|documentation|documents?|context|passages?|sources?|excerpts?)\b",
    re.IGNORECASE,
)
_MISSING = re.compile(r"(?:\b(?:not|no|cannot|unable|without)|n['’]t)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Open:
    """A claim that is not proven: perhaps a statement that the guard lets it stand on."""

    claim: str
    standing: Quotable | None = None


class AnswerChecker:
    """Checks one answer. The markers of its writer are hints; what is released cites what holds.

    A sentence that the evidence proves leaves as it is. For one that is not proven, the sentence of
    the evidence that it is about leaves instead, word for word; without one it is dropped. With
    an `embedder`, what is said in quite other words is found by its meaning. With `marks_unproven`,
    a sentence in a language that the rules of proof do not know leaves as it is, without a
    citation, and is counted. With `lets_cited`, one that names a passage leaves with the citation
    of the statement there that it is about, if the guard finds nothing wrong; with a `judge`, if
    that one finds the claim borne by it, too.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        quotable: Sequence[Quotable],
        *,
        embedder: SentenceEmbedder | None = None,
        marks_unproven: bool = False,
        lets_cited: bool = False,
        judge: Judge | None = None,
    ) -> None:
        self._replacements = Replacements(embedder)
        self._marks_unproven = marks_unproven
        self._lets_cited = lets_cited
        self._judge = judge
        self._passages: dict[int, Passage] = {}
        self._quotable: list[Quotable] = []
        self._plain: list[str] = []
        # The places of statements by their text, whatever they are: rows, items, blocks of code.
        self._places: dict[str, list[int]] = {}
        # Of all evidence; made again when more is added.
        self._prover: Prover | None = None
        self._quoted: set[int] = set()
        # Where the statements begin that were released, quoted or proven, in which passage.
        self._said: set[tuple[int, int]] = set()
        self._sources = CitationList()
        self._pictures = PictureFilter()
        self.counts = SentenceCounts()
        # Whether the writer said that the evidence does not hold the answer.
        self.says_it_is_missing = False
        self.add(passages, quotable)

    def add(self, passages: Sequence[Passage], quotable: Sequence[Quotable]) -> None:
        """Add new evidence for later sentences."""
        self._passages |= by_number(passages)
        first = len(self._quotable)
        self._quotable += quotable
        self._replacements.choose_from(self._quotable)
        self._plain += [collapse_spaces(passage.text) for passage in passages]
        self._plain += [one.shown for one in quotable]
        self._prover = None
        for place, one in enumerate(quotable, first):
            statement = one.statement
            written = self._passages[statement.passage].text[statement.start : statement.end]
            for text in {one.shown, statement.text, written, _code(statement.text) or ""}:
                self._places.setdefault(collapse_spaces(text), []).append(place)
        # What is empty proves nothing.
        self._places.pop("", None)

    @property
    def sources(self) -> CitationList:
        """What the released sentences stand on."""
        return self._sources

    async def released(
        self, pieces: AsyncGenerator[str], *, by_statement: bool = False
    ) -> AsyncGenerator[str]:
        """Yield what passes, or a quote in its place, as soon as a sentence is complete.

        With `by_statement` each piece is one. ReplyCutOff after what may be said at most.
        """
        limited = limit_reply(pieces)
        async with aclosing(limited if by_statement else _sentences(limited)) as sentences:
            count = 0
            async for sentence in sentences:
                check_sentence_count(count := count + 1)
                # In a thread: against twenty long passages it takes tens of milliseconds.
                passed = await asyncio.to_thread(self._passed, sentence.lstrip())
                if isinstance(passed, _Open):
                    passed = await self._settled(passed)
                if passed:
                    yield sentence[: len(sentence) - len(sentence.lstrip())] + passed

    def _passed(self, sentence: str) -> str | _Open | None:
        claim, numbers = self._read(sentence)
        if not _WORD.search(claim):
            return None
        passed: str | _Open | None = None
        counts = self.counts
        is_too_long = len(claim) > MAX_SENTENCE_CHARACTERS
        if is_too_long or not urls_are_quoted(claim, self._texts()):
            # It was made up: not even what it is about may leave in its place.
            self.counts = replace(counts, dropped=counts.dropped + 1)
        elif (proofs := self._proofs(claim, numbers)) and self._have_its_urls(proofs, claim):
            self.counts = replace(counts, proven=counts.proven + 1)
            self._said.update(_beginning(said) for one in proofs for said in one.statements)
            cited = self._cited((one.passage, one.span) for one in proofs)
            passed = marked(self._pictures.without_pictures(claim), cited)
        elif self._marks_unproven and not self._can_be_proven(claim):
            self.counts = replace(counts, unproven=counts.unproven + 1)
            passed = self._pictures.without_pictures(claim)
        elif _says_it_is_missing(claim):
            self.says_it_is_missing = True
            self.counts = replace(counts, dropped=counts.dropped + 1)
        else:
            own_words = self._lets_cited or self._judge is not None
            passed = _Open(claim, self._standing(claim, numbers) if own_words else None)
        return passed

    async def _settled(self, one: _Open) -> str | None:
        """What leaves for a claim that is not proven: itself, a quote, or nothing."""
        if one.standing is not None and await self._is_borne(one.claim, one.standing):
            self.counts = replace(self.counts, judged=self.counts.judged + 1)
            return self._in_own_words(one.claim, one.standing)
        if one.standing is not None and self._lets_cited:
            self.counts = replace(self.counts, cited=self.counts.cited + 1)
            return self._in_own_words(one.claim, one.standing)
        places = await asyncio.to_thread(self._replacements.by_words, one.claim)
        if not places:
            return await self._quoted_by_meaning(one.claim)
        self.counts = replace(self.counts, quoted=self.counts.quoted + 1)
        return self._quote(places, one.claim)

    def _in_own_words(self, claim: str, standing: Quotable) -> str:
        self._said.add(_beginning(standing.statement))
        cited = self._cited([(standing.statement.passage, standing.cited)])
        return marked(self._pictures.without_pictures(claim), cited)

    async def _is_borne(self, claim: str, standing: Quotable) -> bool:
        """Whether the judge says so; one that fails is not asked again."""
        if self._judge is None:
            return False
        try:
            async with asyncio.timeout(JUDGE_TIMEOUT_S):
                (probability,) = await self._judge.judge([ClaimPair(standing.shown, claim)])
        except (Unavailable, TimeoutError) as error:
            log.warning("claim_not_judged", extra={"reason": str(error) or "timeout"})
            self._judge = None
            return False
        return probability >= self._judge.threshold

    def _standing(self, claim: str, numbers: Sequence[int]) -> Quotable | None:
        """The statement of a cited passage that a claim stands on, as far as the guard can say."""
        for place in self._replacements.by_words(claim):
            one = self._quotable[place]
            source = self._passages[one.statement.passage].source
            if one.statement.passage not in numbers or one.statement.is_governed:
                continue
            before = [self._quotable[at].shown for at in with_antecedent(self._quotable, place)]
            context = " ".join((source.title, source.heading, *before))
            if lacking(claim, one.shown, context) is None:
                return one
        return None

    async def _quoted_by_meaning(self, claim: str) -> str | None:
        """What says the same in other words; None if nothing clearly does."""
        places = await self._replacements.by_meaning(claim)
        if not places:
            self.counts = replace(self.counts, dropped=self.counts.dropped + 1)
            return None
        self.counts = replace(self.counts, quoted=self.counts.quoted + 1)
        return self._quote(places, claim)

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

    def _have_its_urls(self, proofs: Sequence[Proof], claim: str) -> bool:
        """Whether the URLs of a claim are those of the passages that it cites."""
        return urls_are_quoted(claim, [self._passages[one.passage].text for one in proofs])

    def _proofs(self, claim: str, numbers: Sequence[int]) -> list[Proof]:
        """What proves a claim: in each cited passage that does; else the first place of all.

        It may take two places that prove a part of it each.
        """
        code = _code(claim)
        if code is not None:
            return list(self._copies(code))
        bare = claim[len(_bullet(claim)) :]
        found: dict[int, Proof] = {}
        # Quotations first: no statement has to be read to prove them.
        for one in chain(self._copies(bare), self._proofs_by_reading(bare)):
            found.setdefault(one.passage, one)
            if found.keys() >= set(numbers):
                break
        if cited := [found[number] for number in numbers if number in found]:
            return cited
        if found:
            return [next(iter(found.values()))]
        parts = self._known_prover().proofs_of_parts(bare)
        return list({one.passage: one for one in parts}.values())

    def _proofs_by_reading(self, claim: str) -> Iterator[Proof]:
        yield from self._known_prover().proofs(claim)

    def _known_prover(self) -> Prover:
        if self._prover is None:
            self._prover = Prover([one.statement for one in self._quotable])
        return self._prover

    def _copies(self, text: str) -> Iterator[Proof]:
        """The statements that a text copies; of a list under `You must not:`, only after that."""
        for place in self._places.get(collapse_spaces(text), ()):
            lead = governing_lead(self._quotable, place)
            if lead is None or _beginning(self._quotable[lead].statement) in self._said:
                one = self._quotable[place]
                yield Proof(one.statement.passage, one.cited, (one.statement,))

    def _can_be_proven(self, claim: str) -> bool:
        """Whether the claim and most of the evidence are in the language of the rules of proof."""
        if _says_it_is_missing(claim):
            # What a model says of the evidence is no statement from it.
            return True
        english = sum(is_english(passage.text) for passage in self._passages.values())
        return is_english(claim) and 2 * english >= len(self._passages)

    def _quote(self, places: Sequence[int], claim: str) -> str | None:
        """Statements, each after the one that it leans on; None if all were quoted before."""
        whole = dict.fromkeys(
            one for place in places for one in with_antecedent(self._quotable, place)
        )
        new = [one for one in whole if one not in self._quoted]
        if not new:
            return None
        self._quoted.update(new)
        parts = []
        for number in new:
            one = self._quotable[number]
            self._said.add(_beginning(one.statement))
            cited = self._cited([(one.statement.passage, one.cited)])
            text = self._pictures.without_pictures(in_one_line(one.shown))
            parts.append(marked(text, cited))
        return _bullet(claim) + " ".join(parts) + claim[len(claim.rstrip()) :]

    def _cited(self, places: Iterable[tuple[int, Span]]) -> tuple[int, ...]:
        numbers = [self._sources.numbers(self._passages[number], span) for number, span in places]
        return tuple(dict.fromkeys(chain.from_iterable(numbers)))


async def _sentences(pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
    """The sentences of a text that arrives in pieces, also when it breaks off."""
    stream = SentenceStream()
    cut_off: SourcebookError | None = None
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                for sentence in stream.feed(piece):
                    yield sentence
    except (AgentTimeout, ReplyCutOff) as error:
        cut_off = error
    # The last one may be broken off in its middle.
    rest = stream.rest()
    for sentence in rest if cut_off is None else rest[:-1]:
        yield sentence
    if cut_off is not None:
        raise cut_off


def collapse_spaces(text: str) -> str:
    """Put one space between words."""
    return " ".join(text.split())


def _beginning(statement: Statement) -> tuple[int, int]:
    return statement.passage, statement.start


def _bullet(claim: str) -> str:
    """What makes a sentence an item of a list, or a heading."""
    found = _BULLET.match(claim)
    return found[0] if found else ""


def _code(text: str) -> str | None:
    """The inside of a block of code; None if the text is none."""
    opening, line_end, rest = text.lstrip().partition("\n")
    if not line_end or not opening.startswith(_FENCES):
        return None
    code = rest.rstrip()
    return code[:-3] if code.endswith(_FENCES) else code


def _says_it_is_missing(claim: str) -> bool:
    """Whether a line says that the evidence lacks something.

    A model that says so must not be answered with the sentence that comes nearest.
    """
    return any(_MISSING.search(line) and _EVIDENCE.search(line) for line in claim.split("\n"))
