"""Proves the claims of an answer from the statements of the evidence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from sourcebook.answering.proof.alignment import aligns
from sourcebook.answering.proof.clauses import (
    action,
    antecedent,
    clause_end,
    has_verb,
    is_lasting,
    subject,
)
from sourcebook.answering.proof.conjuncts import assertions, joints, resolve, splits
from sourcebook.answering.proof.full_names import in_short
from sourcebook.answering.proof.rewrites import readings
from sourcebook.answering.proof.sentence import plain_text, read_sentence
from sourcebook.answering.proof.table_rows import is_row, read_row
from sourcebook.answering.proof.tokens import Token, Tokens, needed_keys, read_tokens
from sourcebook.answering.proof.word_classes import PRONOUNS
from sourcebook.answering.statements import Statement
from sourcebook.core.documents import Span
from sourcebook.search.words import content_words

# How many neighbouring statements a claim may merge.
MAX_MERGED_STATEMENTS = 3
# `A and B and C and D`: each part is proven by itself, and may be split again.
MAX_SPLIT_DEPTH = 2
MAX_SPLITS = 8
# `Warranty: two years` says that the warranty is two years; a longer label says something itself.
MAX_LABEL_WORDS = 5
MIN_CLAIM_WORDS = 2
# Of the words of a claim, a statement that proves it has at least so many as they are written;
# the others may be equivalents.
MIN_WORDS_IN_COMMON = 0.25
_BE = Token("be", form="s")
_OF_THINGS = frozenset({"it", "its", "they", "their"})
_PLACING = frozenset({"in", "on", "with", "for", "under", "at"})


@dataclass(frozen=True, slots=True)
class Proof:
    """Where in which passage a claim is proven, and by which statements."""

    passage: int
    span: Span
    statements: tuple[Statement, ...]


class Prover:
    """Proves claims from evidence that is read once.

    The statements of a passage stand next to each other and in order.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._evidence = [_Evidence(statements, place) for place in range(len(statements))]

    def prove(self, claim: str) -> Proof | None:
        """Return where a claim is proven, or None."""
        return next(self.proofs(claim), None)

    def proofs(self, claim: str) -> Iterator[Proof]:
        """Each place that proves a claim, copies first; none of them if it asks something."""
        yield from self._copies(claim)
        tokens = read_sentence(claim)
        if _is_long_enough(tokens):
            for places in self._proving(tokens, MAX_SPLIT_DEPTH):
                yield self._proof(places)

    def proofs_of_parts(self, claim: str) -> tuple[Proof, ...]:
        """The places that prove a claim together, each a part of it, however far apart.

        None of them if the parts are steps: two places do not say which comes first.
        """
        tokens = read_sentence(claim)
        if not _is_long_enough(tokens):
            return ()
        for parts in islice(splits(tokens), MAX_SPLITS):
            found = [next(self._proving(part, MAX_SPLIT_DEPTH - 1), None) for part in parts]
            places = [one for one in found if one is not None]
            if len(places) == len(parts) and any(map(is_lasting, parts)):
                return tuple(self._proof(one) for one in places)
        return ()

    def _copies(self, claim: str) -> Iterator[Proof]:
        wanted = plain_text(claim)
        if not wanted or "?" in claim:
            return
        for place, evidence in enumerate(self._evidence):
            if evidence.plain == wanted and not is_row(evidence.statement.text):
                yield self._proof({place})

    def _proving(self, claim: Tokens, depth: int) -> Iterator[frozenset[int]]:
        """Each set of neighbouring statements that prove a claim together."""
        said = readings(claim)
        wanted = needed_keys(claim)
        for place in self._candidates(claim):
            evidence = self._evidence[place]
            proven = wanted <= evidence.keys and evidence.proves(said)
            if proven or evidence.proves_of_topic(claim) or evidence.proves_in_short(claim):
                yield frozenset({place})
        if depth:
            for parts in islice(_cuts(claim), MAX_SPLITS):
                found = [list(self._proving(part, depth - 1)) for part in parts]
                lasting = any(map(is_lasting, parts))
                for places in self._jointly(found, in_order=not lasting):
                    if lasting or self._keeps_order(parts, places):
                        yield places

    def _candidates(self, claim: Tokens) -> Iterator[int]:
        """The statements with some of a claim's words, found without reading any of them."""
        stems = {stem for token in claim for stem in content_words(token.written)}
        found = Counter(place for stem in stems for place in self._holders.get(stem, ()))
        for place in range(len(self._evidence)):
            if found[place] >= MIN_WORDS_IN_COMMON * len(stems):
                yield place

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """Where each stem occurs: in a statement, or in the one before that a pronoun points to."""
        holders: dict[str, list[int]] = {}
        for place, evidence in enumerate(self._evidence):
            for stem in evidence.stems:
                holders.setdefault(stem, []).append(place)
        return holders

    def _jointly(
        self, parts: Sequence[Sequence[frozenset[int]]], *, in_order: bool
    ) -> Iterator[frozenset[int]]:
        """Each choice of proofs for all parts that stand together; steps in their order."""
        joined: set[frozenset[int]] = {frozenset()}
        for part in parts:
            joined = {
                one | other
                for one in joined
                for other in part
                if not in_order or not one or max(one) <= min(other)
            }
            joined = {places for places in joined if self._are_neighbours(places)}
        yield from joined

    def _keeps_order(self, parts: Sequence[Tokens], places: frozenset[int]) -> bool:
        """Whether what one statement tells happens in the order in which the claim tells it."""
        if len(places) > 1:
            return True
        keys = [token.key for place in places for token in self._evidence[place].tokens]
        actions = [action(part) for part in parts]
        return all(one in keys for one in actions) and all(
            keys.index(one) < keys.index(other) for one, other in pairwise(actions)
        )

    def _are_neighbours(self, places: Iterable[int]) -> bool:
        ordered = sorted(places)
        passages = {self._evidence[place].statement.passage for place in ordered}
        return ordered[-1] - ordered[0] < MAX_MERGED_STATEMENTS and len(passages) == 1

    def _proof(self, places: Iterable[int]) -> Proof:
        statements = tuple(self._evidence[place].statement for place in sorted(places))
        first, last = statements[0], statements[-1]
        return Proof(first.passage, Span(first.start, last.end), statements)


class _Evidence:
    """A statement among its neighbours, read when it is first needed."""

    def __init__(self, statements: Sequence[Statement], place: int) -> None:
        self._statements = statements
        self._place = place
        self.statement = statements[place]

    @cached_property
    def plain(self) -> str:
        return plain_text(self.statement.text)

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its words, and of what its pronoun or its column may stand for."""
        if is_row(self.statement.text) and (header := self._header()):
            return self.statement.content | frozenset(content_words(header))
        before = self._before(self._place)
        return self.statement.content | (before.content if before else frozenset())

    @property
    def tokens(self) -> Tokens:
        return read_sentence(self.statement.text)

    @cached_property
    def keys(self) -> frozenset[str]:
        """All that a claim could find here, to pass over most statements at once."""
        text, about = self.statement.text, self._about() or ()
        known = [*read_tokens(text), *about]
        if is_row(text):
            known += read_tokens(self._header() or "")
        return frozenset(token.key for token in known)

    def proves(self, claim: Sequence[Tokens]) -> bool:
        return any(aligns(said, evidence) for evidence in self._readings for said in claim)

    def proves_of_topic(self, claim: Tokens) -> bool:
        """Whether it proves a claim that first names what the whole passage is about."""
        bare = _without_topic(claim, self.topic)
        return bare is not None and needed_keys(bare) <= self.keys and self.proves(readings(bare))

    def proves_in_short(self, claim: Tokens) -> bool:
        """Whether it proves a claim that gives things and people their full names."""
        passage = self.statement.passage
        texts = (one.text for one in self._statements if one.passage == passage)
        short = in_short(claim, self.tokens, map(read_sentence, texts))
        return (
            short is not None and needed_keys(short) <= self.keys and self.proves(readings(short))
        )

    @cached_property
    def _readings(self) -> tuple[Tokens, ...]:
        whole = self._sentences()
        return tuple(
            {
                reading: None
                for sentence in whole
                for assertion in assertions(sentence)
                for reading in readings(assertion)
            }
        )

    def _sentences(self) -> Iterator[Tokens]:
        text = self.statement.text
        if is_row(text):
            yield from read_row(text, self._header())
            return
        tokens = read_sentence(text)
        if not tokens:
            return
        yield tokens
        resolved = resolve(tokens, self._about())
        if resolved is not None:
            yield resolved
        yield from _labelled(tokens)

    def _header(self) -> str | None:
        first = self._place
        while (before := self._before(first)) is not None and is_row(before.text):
            first -= 1
        if first < self._place:
            return self._statements[first].text
        after = self._place + 1
        alone = after == len(self._statements) or not is_row(self._statements[after].text)
        # The first of several rows names the columns and says nothing itself.
        return None if alone else ""

    def _about(self) -> Tokens | None:
        """What a pronoun stands for: the subject before, if no other is there, or the topic."""
        before = self._before(self._place)
        if before is None or is_row(before.text):
            return None
        return antecedent(read_sentence(before.text)) or self._continued_topic()

    @cached_property
    def topic(self) -> Tokens | None:
        """What the passage is about: the subject of its first sentence."""
        first = self._place
        while self._before(first) is not None:
            first -= 1
        return subject(read_sentence(self._statements[first].text))

    def _continued_topic(self) -> Tokens | None:
        """The topic, if all the statements before are about it, up to the last of them."""
        first = read_sentence(self.statement.text)[:1]
        if self.topic is None or not first or first[0].key not in _OF_THINGS:
            return None
        if not any(map(_is_name, self.topic)):
            # `The pump drives the fan. It is blue.` may speak of either.
            return None
        names = [token.key for token in self.topic]
        place = self._place
        while (before := self._before(place)) is not None:
            tokens = read_sentence(before.text)
            about = subject(tokens)
            if about is not None and [token.key for token in about] == names:
                return self.topic
            if not tokens or tokens[0].key not in PRONOUNS:
                return None
            place -= 1
        return None

    def _before(self, place: int) -> Statement | None:
        if not place or self._statements[place - 1].passage != self.statement.passage:
            return None
        return self._statements[place - 1]


def _cuts(claim: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """Each way to split a claim, once."""
    yield from dict.fromkeys((*splits(claim), *joints(claim)))


def _without_topic(claim: Tokens, topic: Tokens | None) -> Tokens | None:
    """`In Git, tags are short` without its first words, if the passage is about Git anyway."""
    end = clause_end(claim, 0)
    if topic is None or not 2 <= end < len(claim) - 2 or claim[0].key not in _PLACING:
        return None
    named = {token.key for token in claim[1:end]}
    return claim[end + 1 :] if named <= {token.key for token in topic} else None


def _is_name(token: Token) -> bool:
    return token.kind == "code" or (token.definite and token.written[:1].isupper())


def _is_long_enough(claim: Tokens) -> bool:
    return sum(not token.is_mark for token in claim) >= MIN_CLAIM_WORDS


def _labelled(tokens: Tokens) -> Iterator[Tokens]:
    for place in range(1, min(MAX_LABEL_WORDS + 1, len(tokens) - 1)):
        if tokens[place].is_mark:
            label, value = tokens[:place], tokens[place + 1 :]
            if tokens[place].key == ":" and not has_verb(label) and not has_verb(value):
                yield (*label, _BE, *value)
            return


def prove(claim: str, statements: Sequence[Statement]) -> Proof | None:
    """Return where the statements prove a claim, or None."""
    return Prover(statements).prove(claim)
