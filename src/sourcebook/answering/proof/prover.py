"""Proves the claims of an answer from the statements of the evidence.

A claim is proven if it is a statement, word for word: but for the format of its figures, commas,
contractions, the place of a clause such as `if …`, and what only opens it. Two or three statements
that stand next to each other prove what joins them. What is said in other words is quoted instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from sourcebook.answering.proof.table_rows import is_row
from sourcebook.answering.proof.tokens import Token, Tokens, read_tokens
from sourcebook.answering.statements import Statement
from sourcebook.core.documents import Span
from sourcebook.text.languages import language_of
from sourcebook.text.word_files import joints, pattern_of

# How many neighbouring statements a claim may join.
MAX_JOINED = 3
MIN_CLAIM_WORDS = 2
# What begins a clause that may stand before the main one or after it.
_CLAUSES = frozenset(
    {"if", "when", "whenever", "unless", "until", "before", "after", "while", "once", "although"}
    | {"though", "because", "since"}
)
# With a denial in the main clause, `because` would say something else after it.
_REASONS = frozenset({"because", "since"})
_DENIALS = frozenset({"not", "no", "never", "none", "nobody", "nothing", "neither", "nor"})
# A clause after one of these would belong to it.
_OPENING_MORE = frozenset({"and", "or", "but", "that", "which", "who", "whose", "whom", "where"})
_OPENING_MORE |= {"to", "how", "why", "what", "than", "so", "then"} | _CLAUSES
_GOING_ON = _OPENING_MORE - {"and", "but"}
# A comma before these tells whether they say something of all or choose some.
_CHOOSING = frozenset({"which", "who", "whose", "whom", "that", "where", "when", "if"})
_CHOOSING |= {"only", "not"}
# Two statements far apart are joined only where each begins with what it is about: steps would have
# an order, and a pronoun would mean something else.
_ABOUT = frozenset({"the", "a", "an", "each", "every", "all"})
# In `2*3` it is no mark.
_MARKS = re.compile(r'(?<!\w)\*+|\*+(?!\w)|[`"“”„«»]')

Keys: TypeAlias = tuple[str, ...]


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
        self._statements = statements

    def prove(self, claim: str) -> Proof | None:
        """Return where a claim is proven, or None."""
        return next(self.proofs(claim), None)

    def proofs(self, claim: str) -> Iterator[Proof]:
        """Each place that proves a claim, copies first; none of them if it asks something."""
        if _asks(claim):
            return
        for place in self._plain.get(plain_text(claim), ()):
            yield self._proof([place])
        for language in self._holders:
            opened = read_tokens(claim, of_claim=True, language=language)
            for tokens in dict.fromkeys((opened, read_tokens(claim, language=language))):
                if sum(not token.is_mark for token in tokens) >= MIN_CLAIM_WORDS:
                    for places in self._proving(tokens, language):
                        yield self._proof(places)

    def proofs_of_parts(self, claim: str) -> tuple[Proof, ...]:
        """The places of `A` and `B` of `A and B`, however far apart; none if one is not proven."""
        if _asks(claim):
            return ()
        for language, holders in self._holders.items():
            keys = comparable(read_tokens(claim, of_claim=True, language=language))
            for cut, key in enumerate(keys[:-1]):
                parts = keys[:cut], keys[cut + 1 :]
                about = {part[1] for part in parts if part and part[0] in _ABOUT and part[1:]}
                found = [holders.get(part, ()) for part in parts]
                joins = key in joints(language) | {";"} and can_be_joined(*parts, key, language)
                if joins and len(about) == len(parts) and all(found):
                    return tuple(self._proof(places[:1]) for places in found)
        return ()

    def _proving(self, claim: Tokens, language: str) -> Iterator[Sequence[int]]:
        for version in versions(claim):
            for place in self._holders[language].get(version, ()):
                yield [place]
        for keys in dict.fromkeys((comparable(claim), _paused(claim, joints(language)))):
            yield from self._joined(keys, language, MAX_JOINED)

    def _joined(self, keys: Keys, language: str, at_most: int) -> Iterator[list[int]]:
        """The neighbouring statements that a claim joins by `and`, `but` or `;`."""
        holders, joining = self._holders[language], joints(language) | {";"}
        for cut, key in enumerate(keys):
            if key not in joining or not 0 < cut < len(keys) - 1:
                continue
            rest = keys[cut + 1 :]
            # After a semicolon, another `and` may stand.
            rest = rest[1:] if rest[0] in joining else rest
            if not can_be_joined(keys[:cut], rest, key, language):
                continue
            for first in holders.get(keys[:cut], ()):
                ends = [[place] for place in holders.get(rest, ())]
                if at_most > 2:
                    ends += self._joined(rest, language, at_most - 1)
                yield from ([first, *end] for end in ends if self._is_next(first, end[0]))

    def _is_next(self, place: int, other: int) -> bool:
        same = self._statements[place].passage == self._statements[other].passage
        return same and other == place + 1

    @cached_property
    def _plain(self) -> Mapping[str, Sequence[int]]:
        """The places of statements by their text; rows and what a lead governs prove nothing."""
        places: dict[str, list[int]] = {}
        for place, one in enumerate(self._statements):
            if _says_something(one):
                places.setdefault(plain_text(one.text), []).append(place)
        places.pop("", None)
        return places

    @cached_property
    def _holders(self) -> Mapping[str, Mapping[Keys, Sequence[int]]]:
        """The places of statements by what they are compared with, for each language."""
        holders: dict[str, dict[Keys, list[int]]] = {}
        for place, one in enumerate(self._statements):
            if _says_something(one) and not _asks(one.text):
                language = self._languages[one.passage]
                for version in versions(read_tokens(one.text, language=language)):
                    holders.setdefault(language, {}).setdefault(version, []).append(place)
        return holders

    @cached_property
    def _languages(self) -> Mapping[int, str]:
        """The language of each passage: a single statement may be too short to tell."""
        texts: dict[int, list[str]] = {}
        for one in self._statements:
            texts.setdefault(one.passage, []).append(one.text)
        return {passage: language_of(" ".join(some)) for passage, some in texts.items()}

    def _proof(self, places: Iterable[int]) -> Proof:
        statements = tuple(self._statements[place] for place in sorted(places))
        first, last = statements[0], statements[-1]
        return Proof(first.passage, Span(first.start, last.end), statements)


def versions(tokens: Tokens) -> Iterator[Keys]:
    """A sentence as it is compared: as it stands, and with its first clause at its end."""
    yield comparable(tokens)
    turned = _turned(tokens)
    if turned is not None:
        yield comparable(turned)


def comparable(tokens: Tokens) -> Keys:
    """The keys of a sentence without its commas, but those that tell all from some."""
    keys = [token.key for token in tokens]
    after = [*keys[1:], ""]
    return tuple(
        key
        for key, following in zip(keys, after, strict=False)
        if key != "," or following in _CHOOSING
    )


def _turned(tokens: Tokens) -> Tokens | None:
    """`If A, B` as `B if A`, where the clause cannot belong to a part of B."""
    commas = [place for place, token in enumerate(tokens) if token.key == ","]
    if not tokens or tokens[0].key not in _CLAUSES or len(commas) != 1:
        return None
    clause, main = tokens[: commas[0]], tokens[commas[0] + 1 :]
    keys = {token.key for token in main}
    if keys & _OPENING_MORE or any(token.is_mark for token in main):
        return None
    if clause[0].key in _REASONS and keys & _DENIALS:
        return None
    return (*main, *clause)


def _paused(tokens: Tokens, joining: Set[str]) -> Keys:
    """The keys of a sentence where `, and` parts as a semicolon does."""
    before = ("", *(token.key for token in tokens))
    return comparable(
        tuple(
            Token(";", "mark") if key == "," and token.key in joining else token
            for key, token in zip(before, tokens, strict=False)
        )
    )


def can_be_joined(first: Keys, second: Keys, joint: str, language: str) -> bool:
    """Whether what holds in one sentence would not go on to the next: `stop if A` and `B`.

    A condition, a denial or a `that` in the first must be in the second, too.
    """
    return joint == ";" or _going_on(first, language) <= _going_on(second, language)


def _going_on(part: Keys, language: str) -> set[str]:
    text = " ".join(part)
    kinds = ("denial", "except", "condition", "before", "after", "that")
    found = {word.lower() for word in pattern_of(language, *kinds).findall(text)}
    return found | (_GOING_ON.intersection(part) if language == "en" else set())


def plain_text(text: str) -> str:
    """A sentence for comparison word for word, without what markdown and a full stop add."""
    plain = " ".join(_MARKS.sub("", text).split()).rstrip(".!。…").strip()
    # Only its first letter: `4 Tb` is not `4 TB`.
    return plain[:1].casefold() + plain[1:]


def _asks(text: str) -> bool:
    return any(mark in text for mark in "?？؟")


def _says_something(one: Statement) -> bool:
    return not (one.is_governed or is_row(one.text))
