"""Proves the claims of an answer from the statements of the evidence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from sourcebook.answering.proof.alignment import claim_readings
from sourcebook.answering.proof.clauses import ORDER, action, is_lasting, subject
from sourcebook.answering.proof.conjuncts import joints, splits
from sourcebook.answering.proof.frame_forms import content_keys
from sourcebook.answering.proof.frames import Frame
from sourcebook.answering.proof.mentions import Mentions
from sourcebook.answering.proof.references import is_name
from sourcebook.answering.proof.rewrites import readings
from sourcebook.answering.proof.sentence import plain_text, read_sentence
from sourcebook.answering.proof.statement_reading import StatementReading, claim_frames
from sourcebook.answering.proof.table_rows import is_row
from sourcebook.answering.proof.tokens import Tokens, needed_keys
from sourcebook.answering.statements import Statement
from sourcebook.core.documents import Span
from sourcebook.search.words import content_words

# How many neighbouring statements a claim may merge.
MAX_MERGED_STATEMENTS = 3
# `A and B and C and D`: each part is proven by itself, and may be split again.
MAX_SPLIT_DEPTH = 2
MAX_SPLITS = 8
MIN_CLAIM_WORDS = 2
# Of the words of a claim, a statement that proves it has at least so many as they are written;
# the others may be equivalents.
MIN_WORDS_IN_COMMON = 0.25


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

    def __init__(
        self, statements: Sequence[Statement], titles: Mapping[int, str] | None = None
    ) -> None:
        named = titles or {}
        passages = {one.passage: named.get(one.passage, "") for one in statements}
        self._mentions = {
            number: Mentions([one for one in statements if one.passage == number], title)
            for number, title in passages.items()
        }
        # What each claim and part of a claim was looked for in.
        self._found: dict[Tokens, list[int]] = {}
        # What proves each part of a claim: two ways to split a claim often share one.
        self._proven_parts: dict[tuple[Tokens, int], tuple[frozenset[int], ...]] = {}
        self._evidence = [
            StatementReading(
                statements, place, named.get(one.passage, ""), self._mentions[one.passage]
            )
            for place, one in enumerate(statements)
        ]

    def prove(self, claim: str) -> Proof | None:
        """Return where a claim is proven, or None."""
        return next(self.proofs(claim), None)

    def proofs(self, claim: str) -> Iterator[Proof]:
        """Each place that proves a claim, copies first; none of them if it asks something."""
        yield from self._copies(claim)
        for tokens in _claim_tokens(claim):
            for places in self._proving(tokens, MAX_SPLIT_DEPTH):
                yield self._proof(places)

    def proofs_of_parts(self, claim: str) -> tuple[Proof, ...]:
        """The places that prove a claim together, each a part of it, however far apart.

        None of them if the parts are steps: two places do not say which comes first.
        """
        cuts = (parts for tokens in _claim_tokens(claim) for parts in splits(tokens))
        for parts in islice(cuts, MAX_SPLITS):
            if not any(map(is_lasting, parts)) or not _are_about_different(parts):
                continue
            if found := self._proving_all(parts, MAX_SPLIT_DEPTH - 1):
                return tuple(self._proof(one[0]) for one in found)
        return ()

    def _copies(self, claim: str) -> Iterator[Proof]:
        wanted = plain_text(claim)
        if not wanted or "?" in claim:
            return
        for place, evidence in enumerate(self._evidence):
            statement = evidence.statement
            if evidence.plain == wanted and not (statement.is_governed or is_row(statement.text)):
                yield self._proof({place})

    def _proving(self, claim: Tokens, depth: int) -> Iterator[frozenset[int]]:
        """Each set of neighbouring statements that prove a claim together."""
        passages = {self._evidence[place].statement.passage for place in self._candidates(claim)}
        versions = {claim: None} | {self._mentions[one].in_claim(claim): None for one in passages}
        for version in versions:
            yield from self._proving_version(version, depth)

    def _proving_version(self, claim: Tokens, depth: int) -> Iterator[frozenset[int]]:
        said = claim_readings(readings(claim))
        wanted = needed_keys(claim)
        for place in self._candidates(claim):
            evidence = self._evidence[place]
            proven = wanted <= evidence.keys and evidence.proves(said)
            if proven or evidence.proves_of_topic(claim) or evidence.proves_in_short(claim):
                yield frozenset({place})
        yield from self._proving_frames(claim)
        if depth:
            for parts in islice(_cuts(claim), MAX_SPLITS):
                found = self._proving_all(parts, depth - 1)
                if not found:
                    continue
                lasting = any(map(is_lasting, parts)) or _are_facts(claim, parts)
                for places in self._jointly(found, in_order=not lasting):
                    if lasting or self._keeps_order(parts, places):
                        yield places

    def _proving_all(
        self, parts: Sequence[Tokens], depth: int
    ) -> list[tuple[frozenset[int], ...]] | None:
        """What proves each part of a claim, or None as soon as one is not proven."""
        found = []
        for part in parts:
            if (part, depth) not in self._proven_parts:
                self._proven_parts[part, depth] = tuple(self._proving(part, depth))
            if not (places := self._proven_parts[part, depth]):
                return None
            found.append(places)
        return found

    def _proving_frames(self, claim: Tokens) -> Iterator[frozenset[int]]:
        """Each set of neighbouring statements whose frames say what the claim's frames say."""
        for said in claim_frames(claim):
            found = [list(self._saying(frame, claim)) for frame in said]
            if not all(found):
                continue
            lasting = len(said) == 1
            for places in self._jointly(
                [[frozenset({place}) for place, _ in one] for one in found], in_order=not lasting
            ):
                if len(places) > 1 or _tells_in_order(found, places):
                    yield places

    def _saying(self, frame: Frame, claim: Tokens) -> Iterator[tuple[int, int]]:
        wanted = frozenset(content_keys(frame))
        for place in self._candidates(claim):
            evidence = self._evidence[place]
            order = evidence.says(frame) if wanted <= evidence.frame_keys else None
            if order is not None:
                yield place, order

    def _candidates(self, claim: Tokens) -> list[int]:
        """The statements with some of a claim's words, found without reading any of them."""
        if claim not in self._found:
            self._found[claim] = list(self._with_words_of(claim))
        return self._found[claim]

    def _with_words_of(self, claim: Tokens) -> Iterator[int]:
        stems = {stem for token in claim for stem in content_words(token.written)}
        found = Counter(place for stem in stems for place in self._holders.get(stem, ()))
        for place in range(len(self._evidence)):
            governed = self._evidence[place].statement.is_governed
            if not governed and found[place] >= MIN_WORDS_IN_COMMON * len(stems):
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
        # With another between, `the lamp` may be another lamp.
        together = ordered == list(range(ordered[0], ordered[-1] + 1))
        return together and len(ordered) <= MAX_MERGED_STATEMENTS and len(passages) == 1

    def _proof(self, places: Iterable[int]) -> Proof:
        statements = tuple(self._evidence[place].statement for place in sorted(places))
        first, last = statements[0], statements[-1]
        return Proof(first.passage, Span(first.start, last.end), statements)


def _tells_in_order(found: Sequence[Sequence[tuple[int, int]]], places: frozenset[int]) -> bool:
    """Whether one statement tells things in the order of the claim."""
    orders = [dict(one)[place] for one in found for place in places if place in dict(one)]
    return orders == sorted(orders)


def _cuts(claim: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """Each way to split a claim, once."""
    yield from dict.fromkeys((*splits(claim), *joints(claim)))


def _are_facts(claim: Tokens, parts: Sequence[Tokens]) -> bool:
    """Whether parts stand beside each other, so that none comes first: `A, but B`, `A; B`."""
    place = len(parts[0])
    if claim[:place] != parts[0] or place >= len(claim) - 1:
        return False
    signs = {token.key for token in claim[place : place + 2]}
    if any(ORDER in part or any(token.form == "ed" for token in part[:8]) for part in parts):
        return False
    return bool(signs & {"but", "while", "whereas", ";"}) and not signs & {"then"}


def _are_about_different(parts: Sequence[Tokens]) -> bool:
    """Whether each part speaks of something else, or of something by its name.

    In two places, `the lamp` may be two lamps.
    """
    about = [subject(part) for part in parts]
    if any(one is not None and not any(map(is_name, one)) for one in about):
        keys = [tuple(token.key for token in one) if one is not None else () for one in about]
        return len(set(keys)) == len(keys)
    return None not in about


def _claim_tokens(claim: str) -> Iterator[Tokens]:
    """A claim without `According to the text,` and as it is written, if it is long enough."""
    versions = (read_sentence(claim, of_claim=True), read_sentence(claim))
    for tokens in dict.fromkeys(versions):
        if sum(not token.is_mark for token in tokens) >= MIN_CLAIM_WORDS:
            yield tokens


def prove(claim: str, statements: Sequence[Statement]) -> Proof | None:
    """Return where the statements prove a claim, or None."""
    return Prover(statements).prove(claim)
