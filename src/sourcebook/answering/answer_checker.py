"""Releases the sentences of an answer that are proven, and quotes the evidence for the others."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from textwrap import dedent
from typing import Literal, TypeAlias

from sourcebook.answering.citation_markers import marked, without_end_markers, without_markers
from sourcebook.answering.citations import CitationList
from sourcebook.answering.claim_judging import ClaimJudging
from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.pictures import PictureFilter
from sourcebook.answering.proof.guard import common_language, lacking
from sourcebook.answering.proof.openings import says_it_is_missing
from sourcebook.answering.proof.prover import Proof, Prover
from sourcebook.answering.quotes import quoted_text, said_by, whole_quote, written
from sourcebook.answering.replacements import Replacements
from sourcebook.answering.reply_limits import (
    MAX_SENTENCE_CHARACTERS,
    check_sentence_count,
    limit_reply,
)
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.statement_ids import REFUSED, places_to_quote, statement_ids
from sourcebook.answering.statements import Quotable, Statement, governing_lead, with_antecedent
from sourcebook.answering.url_allow_list import urls_are_quoted
from sourcebook.core.answers import SentenceCounts
from sourcebook.core.claims import ClaimPair
from sourcebook.core.documents import Span
from sourcebook.core.errors import AgentTimeout, ReplyCutOff, SourcebookError
from sourcebook.core.ports import Judge
from sourcebook.text.sentences import SentenceStream

# A sentence that names more statements stands on none of them in particular.
MAX_NAMED = 6
# No year is a number of a list.
_BULLET = re.compile(r"\s*(?:(?:[-*+•>]|#{1,6}|\d{1,2}[.)])\s+)*")
_FENCES = ("```", "~~~")
_WORD = re.compile(r"\w")

# What becomes of a sentence; an open one is judged, cited or quoted.
_Fate: TypeAlias = Literal["empty", "dropped", "missing", "refused", "proven", "unproven", "open"]


@dataclass(frozen=True, slots=True)
class _Claim:
    """A sentence without its markers: what proves it, else the places of what it may stand on.

    It stands on them if the guard finds nothing against that; else what it has `named` is quoted.
    """

    text: str
    fate: _Fate
    proofs: tuple[Proof, ...] = ()
    named: tuple[int, ...] = ()
    standing: tuple[int, ...] = ()


class AnswerChecker:
    """Checks one answer. The ids of its writer are hints; what is released cites what holds.

    A sentence that the evidence proves leaves as it is. For one that is not proven, the statements
    that it names leave instead, word for word; if it names none, the one that it is about; without
    one it is dropped. With an `embedder`, what is said in quite other words is found by its
    meaning. With `marks_unproven`, a sentence in a language that the rules of proof do not know
    leaves as it is, without a citation, and is counted. With `lets_cited`, one leaves in the
    writer's words if the guard finds nothing wrong with it; with a `judge`, if that one finds it
    borne by what it names, too.
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
        self._judging = None if judge is None else ClaimJudging(judge)
        self._passages: dict[int, Passage] = {}
        self._quotable: list[Quotable] = []
        # Read when the first sentence is checked, in a thread; and again when more is added.
        self._known_ids: dict[str, int] | None = None
        self._plain: list[str] = []
        # The places of statements by their text, whatever they are: rows, items, blocks of code.
        self._places: dict[str, list[int]] = {}
        self._prover = Prover(())
        # The same of blocks of code, by their lines.
        self._code_places: dict[str, list[int]] = {}
        # Where the statements begin that were released, quoted or proven, in which passage.
        self._said: set[tuple[int, int]] = set()
        # Those of them that what leaves next goes on from.
        self._open: frozenset[tuple[int, int]] = frozenset()
        # The places of what was quoted last, if nothing else left after it.
        self._latest: frozenset[int] = frozenset()
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
        self._to_quote = frozenset(places_to_quote(self._quotable))
        self._known_ids = None
        self._replacements.choose_from(self._quotable)
        self._plain += [collapse_spaces(passage.text) for passage in passages]
        self._plain += [one.shown for one in quotable]
        self._prover = Prover([one.statement for one in self._quotable])
        for place, one in enumerate(quotable, first):
            statement = one.statement
            written = self._passages[statement.passage].text[statement.start : statement.end]
            if one.kind == "code":
                code = _code(statement.text) or statement.text
                self._code_places.setdefault(_lines_of_code(code), []).append(place)
            for text in {one.shown, quoted_text(one), statement.text, written}:
                self._places.setdefault(collapse_spaces(text), []).append(place)
        # What is empty proves nothing.
        self._places.pop("", None)

    @property
    def sources(self) -> CitationList:
        """What the released sentences stand on."""
        return self._sources

    async def released(self, pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """Yield what passes, or a quote in its place, as soon as a line is complete.

        ReplyCutOff after what may be said at most.
        """
        async with (
            aclosing(_sentences(limit_reply(pieces))) as sentences,
            aclosing(self._settled(sentences)) as settled,
            self._judging or nullcontext(),
        ):
            before, gap = "", ""
            async for sentence, passed in settled:
                if passed:
                    yield _spacing(before, gap, passed) + passed
                    before, gap = passed, ""
                space = sentence[len(sentence.rstrip()) :]
                gap = max(gap, space, key=lambda one: one.count("\n"))

    async def _settled(
        self, sentences: AsyncGenerator[str]
    ) -> AsyncGenerator[tuple[str, str | None]]:
        """Each sentence with what leaves for it, in order; those that a judge reads a little later.

        What came before the writer was cut off leaves all the same.
        """
        waiting: deque[tuple[str, _Claim, asyncio.Future[bool] | None]] = deque()
        cut_off: SourcebookError | None = None
        count = 0
        try:
            async for sentence in sentences:
                check_sentence_count(count := count + 1)
                # In a thread: against twenty long passages it takes tens of milliseconds.
                claim = await asyncio.to_thread(self._checked, sentence.strip())
                waiting.append((sentence, claim, self._asked(claim)))
                while waiting and (waiting[0][2] is None or waiting[0][2].done()):
                    yield await self._left(*waiting.popleft())
                if claim.fate == "refused":
                    break
        except (AgentTimeout, ReplyCutOff) as error:
            cut_off = error
        while waiting:
            yield await self._left(*waiting.popleft())
        if cut_off is not None:
            raise cut_off

    def _checked(self, sentence: str) -> _Claim:
        claim, ids = self._read(sentence)
        named = self._named(ids)
        if not _WORD.search(claim):
            return _Claim("", "open" if named else "empty", named=named)
        if len(claim) > MAX_SENTENCE_CHARACTERS or not urls_are_quoted(claim, self._texts()):
            # It was made up: not even what it is about may leave in its place.
            return _Claim(claim, "dropped")
        # A document may say `NONE`, too.
        if not named and claim.strip("*`\"'. ").upper() == REFUSED:
            return _Claim(claim, "refused")
        proofs = tuple(self._proofs(claim, [int(one.partition(".")[0]) for one in ids]))
        if proofs and self._have_its_urls(proofs, claim):
            return _Claim(claim, "proven", proofs)
        fate = self._fate(claim)
        if fate != "open":
            return _Claim(claim, fate)
        if named:
            named = self._replacements.meant(claim, named)
        standing: tuple[int, ...] = ()
        if self._lets_cited or self._judging is not None:
            standing = self._standing(claim, named, [int(one) for one in ids if one.isdigit()])
        return _Claim(claim, "open", named=named, standing=standing)

    def _named(self, ids: Sequence[str]) -> tuple[int, ...]:
        if self._known_ids is None:
            self._known_ids = statement_ids(self._quotable)
        places = (self._known_ids.get(one) for one in ids)
        return tuple(sorted({one for one in places if one is not None}))[:MAX_NAMED]

    def _fate(self, claim: str) -> _Fate:
        """What becomes of a claim that is not proven."""
        if says_it_is_missing(claim):
            return "missing"
        return "unproven" if self._marks_unproven and not self._can_be_proven(claim) else "open"

    def _asked(self, claim: _Claim) -> "asyncio.Future[bool] | None":
        if self._judging is None or not claim.standing:
            return None
        premise = said_by(self._quotable, claim.standing)
        return self._judging.ask(ClaimPair(premise, claim.text))

    async def _left(
        self, sentence: str, claim: _Claim, borne: "asyncio.Future[bool] | None"
    ) -> tuple[str, str | None]:
        """What leaves for a sentence: itself, a quote, or nothing."""
        self.says_it_is_missing |= claim.fate in {"missing", "refused"}
        if claim.fate == "proven":
            self._count("proven")
            self._latest = frozenset()
            self._say([said for one in claim.proofs for said in one.statements])
            cited = self._cited((one.passage, one.span) for one in claim.proofs)
            return sentence, marked(self._pictures.without_pictures(claim.text), cited)
        if claim.fate == "unproven":
            self._count("unproven")
            self._open = frozenset()
            return sentence, self._pictures.without_pictures(claim.text)
        if claim.fate == "open":
            return sentence, await self._opened(claim, borne)
        if claim.fate != "empty":
            self._count("dropped")
        return sentence, None

    async def _opened(self, claim: _Claim, borne: "asyncio.Future[bool] | None") -> str | None:
        if borne is not None and await borne:
            self._count("judged")
            return self._in_own_words(claim)
        if claim.standing and self._lets_cited:
            self._count("cited")
            return self._in_own_words(claim)
        places = claim.named or await asyncio.to_thread(self._replacements.by_words, claim.text)
        places = places or await self._replacements.by_meaning(claim.text)
        self._count("quoted" if places else "dropped")
        return self._quote(places, claim.text)

    def _count(self, what: str) -> None:
        self.counts = replace(self.counts, **{what: getattr(self.counts, what) + 1})

    def _in_own_words(self, claim: _Claim) -> str:
        self._latest = frozenset()
        stood_on = [self._quotable[place] for place in claim.standing]
        self._said.update(_beginning(one.statement) for one in stood_on)
        self._open = frozenset()
        cited = self._cited((one.statement.passage, one.cited) for one in stood_on)
        return marked(self._pictures.without_pictures(claim.text), cited)

    def _standing(
        self, claim: str, named: tuple[int, ...], passages: Sequence[int]
    ) -> tuple[int, ...]:
        """The places of the statements that a claim stands on, as far as the guard can say.

        Those that it names, together or one of them; else the closest one of a passage it names.
        """
        if named:
            choices = [named, *((one,) for one in named if len(named) > 1)]
        else:
            near = self._replacements.by_words(claim)
            choices = [(one,) for one in near if self._passage_of(one).number in passages]
        for places in choices:
            before = {at for one in places for at in with_antecedent(self._quotable, one)}
            sources = [self._passage_of(one).source for one in places]
            context = [text for one in sources for text in (one.title, one.heading)]
            context += [self._quotable[at].shown for at in sorted(before)]
            if lacking(claim, said_by(self._quotable, places), " ".join(context)) is None:
                return places
        return ()

    def _passage_of(self, place: int) -> Passage:
        return self._passages[self._quotable[place].statement.passage]

    def _read(self, sentence: str) -> tuple[str, tuple[str, ...]]:
        """The claim and the ids that it cites.

        Numbers in brackets inside of a copy are the source's own, and stay.
        """
        copy, ids = without_end_markers(sentence)
        if ids and any(collapse_spaces(copy) in plain for plain in self._plain):
            return copy, ids
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
            return list(self._at(self._code_places.get(_lines_of_code(code), ())))
        bare = claim[len(_bullet(claim)) :]
        found: dict[int, Proof] = {}
        # Quotations first: no statement has to be read to prove them.
        for one in chain(self._copies(bare), self._prover.proofs(bare)):
            found.setdefault(one.passage, one)
            if found.keys() >= set(numbers):
                break
        if cited := [found[number] for number in numbers if number in found]:
            return cited
        if found:
            return [next(iter(found.values()))]
        parts = self._prover.proofs_of_parts(bare)
        return list({one.passage: one for one in parts}.values())

    def _copies(self, text: str) -> Iterator[Proof]:
        """The statements that a text copies; of a table, only after the names of its columns."""
        is_bare_row = text.startswith("|")
        for place in self._places.get(collapse_spaces(text), ()):
            header = self._quotable[place].header
            if not is_bare_row or header is None or _beginning(header.statement) in self._open:
                yield from self._at([place])

    def _at(self, places: Iterable[int]) -> Iterator[Proof]:
        """What holds by itself, and of a list under `You must not:` what goes on from that."""
        for place in places:
            one, lead = self._quotable[place], governing_lead(self._quotable, place)
            if lead is not None and _beginning(self._quotable[lead].statement) not in self._open:
                continue
            if one.kind == "header" or place in self._to_quote:
                yield Proof(one.statement.passage, one.cited, (one.statement,))

    def _say(self, statements: Sequence[Statement]) -> None:
        """Keep what leaves, and what the next sentence may go on from."""
        begin = {_beginning(one) for one in statements}
        self._said |= begin
        goes_on = any(one.is_governed for one in statements) or all(
            one.text.startswith("|") for one in statements
        )
        self._open = frozenset(begin | self._open if goes_on else begin)

    def _can_be_proven(self, claim: str) -> bool:
        """Whether the claim is in the language of most of the evidence, and its words are known."""
        if says_it_is_missing(claim):
            # What a model says of the evidence is no statement from it.
            return True
        known = [bool(common_language(claim, text)) for text in self._texts()]
        return 2 * sum(known) >= len(known) > 0

    def _quote(self, places: Sequence[int], claim: str) -> str | None:
        """Statements, each with those that it leans on; None if all were said before."""
        new = [one for one in places if _beginning(self._quotable[one].statement) not in self._said]
        whole = whole_quote(self._quotable, new)
        quotes = [self._quotable[place] for place in whole if place not in self._latest]
        if not new or not quotes:
            return None
        self._latest = frozenset(whole)
        self._said.update(_beginning(one.statement) for one in quotes)
        self._open = frozenset(_beginning(self._quotable[place].statement) for place in whole)
        numbered = [(one, self._cited([(one.statement.passage, one.cited)])) for one in quotes]
        text = self._pictures.without_pictures(written(numbered))
        return text if _bullet(text) else _bullet(claim) + text

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


def _spacing(before: str, gap: str, text: str) -> str:
    """What stands between two lines of an answer: prose goes on in its line."""
    if not before:
        return ""
    if _bullet(text) or text.startswith("|"):
        return gap if "\n" in gap else "\n"
    is_block = any(fence in one for fence in _FENCES for one in (before, text))
    ends_list = _bullet(before.rsplit("\n", 1)[-1])
    return "\n\n" if is_block or ends_list or gap.count("\n") > 1 else " "


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


def _lines_of_code(code: str) -> str:
    """Code for comparison: its margin says nothing, its lines and how they are indented do."""
    lines = filter(str.strip, code.expandtabs().splitlines())
    return dedent("\n".join(map(str.rstrip, lines)))
