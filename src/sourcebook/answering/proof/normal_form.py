"""Brings a sentence into the form that all rules read: orders with a sign, no idle `you`."""

from collections.abc import Iterator

from sourcebook.answering.proof.clauses import (
    LEADING_WORDS,
    ORDER,
    clause_end,
    is_helping_verb,
    is_modal,
    is_plain,
    is_verb,
    phrase_end,
)
from sourcebook.answering.proof.shortening import shortened, with_reasons
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens
from sourcebook.answering.proof.word_classes import FIXED_WORDS, PREPOSITIONS, SUBORDINATORS
from sourcebook.answering.proof.word_order import particle_first

_THAT = Token("that")
_DENIALS = frozenset({"not", "never"})
_BEFORE_ORDERS = _DENIALS | {"always", "only"}
# These stand before an article too: `all the pumps`, `what the pump does`.
_BEFORE_NOUNS = frozenset(
    {
        "all",
        "both",
        "half",
        "even",
        "just",
        "unlike",
        "given",
        "what",
        "such",
        "quite",
        "today",
        "how",
    }
    | {"double", "twice", "also", "now", "then", "here", "there", "this", "perhaps", "maybe", "why"}
    | {"sometimes", "often", "usually", "yesterday", "tomorrow", "whatever", "many", "rather", "we"}
)
# `Mount Orrin` and `Mark Keller` are no orders.
_NAMES = frozenset({"mount", "mark", "grant"})
# Verbs that are nouns more often, after an order: `Check updates`, `Open files`.
_OBJECTS = frozenset({"filter", "water", "power", "process", "program", "test", "update", "list"})
_VERBS_ONLY = VERBS - _OBJECTS


def normal(tokens: Tokens, text: str) -> Tokens:
    """Orders with their sign, no `you` that anybody could be, `that` for a restrictive `which`."""
    relative = tuple(_plain_relatives(tuple(_without_you(tokens))))
    ordered = _with_order(shortened(with_reasons(relative, text.lower().split())))
    # `Turn the alarm off` is `Turn off the alarm`.
    return tuple(_plain_orders(next(particle_first(ordered), ordered)))


def _plain_orders(tokens: Tokens) -> Iterator[Token]:
    """`Never open it` is the same order as `Do not open it`."""
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        ordered = before is not None and (before == ORDER or before.key == "must")
        yield token._replace(key="not") if token.key == "never" and ordered else token


def _without_you(tokens: Tokens) -> Iterator[Token]:
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        modal = (before is None or before.is_mark) and after is not None and is_modal(after)
        verb = before is not None and before.key in SUBORDINATORS and after is not None
        if not (token.key == "you" and (modal or (verb and after and after.key in VERBS))):
            yield token


def _plain_relatives(tokens: Tokens) -> Iterator[Token]:
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        bare = before is not None and not before.is_mark and before.key not in PREPOSITIONS
        yield _THAT if token.key in {"which", "who"} and bare else token


def _with_order(tokens: Tokens) -> Tokens:
    """`Open the valve` with the sign of an order, also after `If …,`."""
    start = _main_start(tokens)
    at = start + (start < len(tokens) and tokens[start].key in _BEFORE_ORDERS)
    if at + 1 >= len(tokens) or tokens[at].opens or not _is_order(tokens[at], tokens[at + 1]):
        return tokens
    if tokens[at].form != "base" or tokens[at].kind != "word" or is_helping_verb(tokens[at]):
        return tokens
    after = tokens[at + 1]
    if _is_name(tokens, at, start) or (after.key in _VERBS_ONLY and not after.opens):
        return tokens
    first = phrase_end(tokens, at + 1)
    if first < len(tokens) and (is_helping_verb(tokens[first]) or is_verb(tokens, at + 1)):
        return tokens
    return (*tokens[:start], ORDER, *tokens[start:])


def _is_order(first: Token, second: Token) -> bool:
    """Whether a sentence that begins so gives an order: by a known verb, or `Coat the shelves`."""
    plain = first.key not in FIXED_WORDS and first.key not in _BEFORE_NOUNS and is_plain(first)
    return first.key in VERBS or (second.opens and plain and not first.written.endswith("ly"))


def _is_name(tokens: Tokens, at: int, start: int) -> bool:
    """Whether a verb is a name here: `Mount Orrin`, or written large inside of a sentence."""
    if start and tokens[at].written[:1].isupper():
        return True
    return tokens[at].key in _NAMES and tokens[at + 1].written[:1].isupper()


def _main_start(tokens: Tokens) -> int:
    if not tokens or tokens[0].key not in LEADING_WORDS:
        return 0
    end = clause_end(tokens, 0)
    return end + 1 if end < len(tokens) and tokens[end].key == "," else 0
