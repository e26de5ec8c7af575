"""What a claim may leave out of its evidence without becoming false."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from sourcebook.answering.proof.clauses import (
    clause_end,
    has_verb,
    is_verb,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    ATTRIBUTIONS,
    COLLECTIVE_WORDS,
    CONDITIONS,
    HEDGES,
    MODALS,
    NEGATIONS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
)

_COLLECTIVE = word_keys(COLLECTIVE_WORDS)
_HEDGES = word_keys(HEDGES)
_OPINIONS = word_keys(ATTRIBUTIONS)
_RESTRICTING = CONDITIONS | NEGATIONS | MODALS | _HEDGES | _OPINIONS | {"or", "but", "however"}
# `…, making it faster` tells what follows; `…, assuming it is dry` is a condition.
_RESULTING = word_keys(
    {"making", "allowing", "causing", "leaving", "giving", "creating", "producing", "reducing"}
    | {"increasing", "preventing", "enabling", "helping", "ensuring", "including", "resulting"}
)
# Clauses after these add something to what stands before them.
_ADDING = frozenset({"and", "but", "so", "because", "since", "although", "while", "whereas"})
_LEANING = frozenset({"this", "that", "these", "those", "otherwise", "only", "not", "then"})
_CONNECTING = frozenset({"therefor", "for exampl", "nonetheless", "nevertheless", "in particular"})
_SCOPED = NEGATIONS | MODALS
_NOT_APART = _LEANING | CONDITIONS | {"however"}
_DESCRIBING = RELATIVES | {"like"}
_CLAUSE_STARTS = RELATIVES | SUBORDINATORS
MAX_CONTRAST_WORDS = 8


@lru_cache(maxsize=8_192)
def omissions(tokens: Tokens) -> dict[int, tuple[int, ...]]:
    """Where something may be left out: from each key to before each of its values."""
    found: dict[int, list[int]] = {}
    spans = (*_openings(tokens), *_additions(tokens), *_insertions(tokens), *_items(tokens))
    for start, end in spans:
        found.setdefault(start, []).append(end)
    return {start: tuple(ends) for start, ends in found.items()}


def _restricts(tokens: Tokens) -> bool:
    return any(token.key in _RESTRICTING for token in tokens)


def _openings(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`Therefore,` and the like say how a sentence follows from others."""
    end = clause_end(tokens, 0)
    opening = " ".join(token.key for token in tokens[:end])
    if end < len(tokens) and tokens[end].key == "," and opening in _CONNECTING:
        yield 0, end + 1


def _additions(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """From a comma or a `because` to the end of the sentence."""
    for place in range(1, len(tokens) - 1):
        rest = tokens[place + 1 :]
        if tokens[place].key == "because" and not tokens[place - 1].is_mark:
            denied = any(token.key in _SCOPED for token in tokens[:place])
            if not denied and not any(token.key in CONDITIONS for token in rest):
                yield place, len(tokens)
        elif _is_apart(tokens[place], rest, tokens[:place]):
            yield place, len(tokens)


def _is_apart(sign: Token, rest: Tokens, before: Tokens) -> bool:
    """Whether what follows a mark stands on its own."""
    if sign.key in {";", "—"}:
        return rest[0].key not in _NOT_APART and has_verb(rest)
    if sign.key == ":":
        return not _restricts(rest) and has_verb(before)
    return sign.key == "," and _adds(rest)


def _after_relative(rest: Tokens) -> Tokens:
    """What follows `where` or `most of whom`."""
    if rest[0].key == "where":
        return rest[1:]
    whom = len(rest) > 3 and rest[1].key == "of" and rest[2].key in {"whom", "which"}
    return rest[3:] if whom else ()


def _adds(rest: Tokens) -> bool:
    first = rest[0].key
    if beyond := _after_relative(rest):
        return not _restricts(beyond)
    if first in _DESCRIBING or (rest[0].form == "ing" and first in _RESULTING):
        return not _restricts(rest)
    if first == "not":
        return len(rest) <= MAX_CONTRAST_WORDS and not _restricts(rest[1:]) and not has_verb(rest)
    if first not in _ADDING or len(rest) < 3:
        return False
    clause = rest[1:]
    if clause[0].key in _LEANING or any(token.key in CONDITIONS for token in clause):
        return False
    whole = clause[0].opens or clause[0].key in PRONOUNS or verb_place(clause) not in {None, 0}
    return whole and has_verb(clause)


def _insertions(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Between two commas or brackets."""
    for place in range(1, len(tokens) - 1):
        if tokens[place].key not in {",", "("}:
            continue
        end = clause_end(tokens, place + 1)
        inside = tokens[place + 1 : end]
        if not inside or _restricts(inside):
            continue
        if tokens[place].key == "(":
            if end < len(tokens) and tokens[end].key == ")":
                yield place, end + 1
        elif end < len(tokens) and tokens[end].key == "," and _describes(inside):
            yield place, end + 1


def _describes(inside: Tokens) -> bool:
    return inside[0].key in RELATIVES or (inside[0].opens and not has_verb(inside))


def _items(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """The other items of a list joined by `and`, where each item could stand alone."""
    joins = [place for place, token in enumerate(tokens) if token.key == "and"]
    if len(joins) != 1 or any(token.key in _COLLECTIVE for token in tokens):
        return
    join = joins[0]
    first = _first_item(tokens, join)
    last_end = _item_end(tokens, join + 1)
    if first is None or last_end == join + 1 or not _closes(tokens, last_end):
        return
    figures = any(token.kind == "figure" for token in tokens)
    # `A and B weigh 5 kg` may say it of both together; `needs 5 A and 7 B` says both.
    if figures and not (first and tokens[first - 1].key in VERBS and last_end == len(tokens)):
        return
    yield first, join + 1
    yield join, last_end
    commas = [at for at in range(first, join) if tokens[at].key == ","]
    yield from pairwise([*commas, join])
    for end in commas:
        yield first, end + 1


def _item_end(tokens: Tokens, start: int) -> int:
    """Where an item ends that may have a figure before it and an `of` in it."""
    end = phrase_end(tokens, start + (start < len(tokens) and tokens[start].kind == "figure"))
    if end + 1 < len(tokens) and tokens[end].key == "of" and end > start:
        return phrase_end(tokens, end + 1)
    return end


def _closes(tokens: Tokens, place: int) -> bool:
    return place == len(tokens) or tokens[place].is_mark or is_verb(tokens, place)


def _first_item(tokens: Tokens, join: int) -> int | None:
    """Where the first item begins: after a verb or a preposition, or where the sentence does."""
    for place in range(join - 1, -1, -1):
        token = tokens[place]
        if token.is_mark and token.key != ",":
            return None
        if token.key in _CLAUSE_STARTS:
            return None
        if place == 0:
            return 0
        before = tokens[place - 1]
        if before.key in PREPOSITIONS - {"of"} or (before.key in VERBS and not before.opens):
            return place
    return None
