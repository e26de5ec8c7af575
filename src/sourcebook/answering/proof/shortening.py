"""Brings what may be written in full or in short into one form: `that is kept` and `kept`."""

from collections.abc import Collection

from sourcebook.answering.proof.clauses import has_verb, is_plain
from sourcebook.answering.proof.tokens import Token, Tokens
from sourcebook.answering.proof.word_classes import PREPOSITIONS, PRONOUNS

_BECAUSE = Token("because")
_PERFECT = frozenset({"has", "have", "hasn't", "haven't"})
_STATES = frozenset({"if", "when", "while", "once", "until", "unless"})
# `, as it was late` gives a reason; `as the law demands` does not.
_AFTER_REASONS = PRONOUNS | {"there", "otherwise", "only"}


def shortened(tokens: Tokens) -> Tokens:
    """Without `that is` before a participle, `it is` after `while`, `and` before `not`."""
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        if kept and (_is_full_relative(tokens, place) or _is_full_state(tokens, place)):
            place += 2
        elif _is_joined_denial(tokens, place):
            place += 1
        elif _names_code(tokens, place):
            noun, code = tokens[place : place + 2]
            kept += [code._replace(opens=True, definite=noun.definite), noun._replace(opens=False)]
            place += 2
        else:
            kept.append(tokens[place])
            place += 1
    return tuple(kept)


def _is_full_relative(tokens: Tokens, place: int) -> bool:
    """`candles that are kept in the dark` says no more than `candles kept in the dark`."""
    if place + 3 >= len(tokens) or tokens[place].key != "that" or tokens[place + 1].key != "be":
        return False
    before, done = tokens[place - 1], tokens[place + 2]
    return is_plain(before) and done.form == "ed" and not done.opens


def _is_full_state(tokens: Tokens, place: int) -> bool:
    """`while they are hot` says no more than `while hot`."""
    if place + 2 >= len(tokens) or tokens[place].key not in PRONOUNS:
        return False
    state = tokens[place + 2]
    if tokens[place - 1].key not in _STATES:
        return False
    return tokens[place + 1].key == "be" and is_plain(state) and not state.opens


def _is_joined_denial(tokens: Tokens, place: int) -> bool:
    """`over ice and not over water` is `over ice, not over water`."""
    if place + 2 >= len(tokens) or tokens[place].key != "and" or tokens[place + 1].key != "not":
        return False
    return tokens[place + 2].key in PREPOSITIONS or tokens[place + 2].opens


def _names_code(tokens: Tokens, place: int) -> bool:
    """`the header `X-Left`` is `the `X-Left` header`; `the Fenwick S24` is one name."""
    noun = tokens[place]
    if place + 1 >= len(tokens) or tokens[place + 1].kind != "code" or not noun.opens:
        return False
    if noun.written[:1].isupper():
        return False
    return noun.kind == "word" and is_plain(noun) and not tokens[place + 1].opens


def with_reasons(tokens: Tokens, words: Collection[str]) -> Tokens:
    """`, since it is wet` and `, as there is no lamp` with `because`.

    `words` are those of the whole text: `The town has changed, since the dam was built.`
    """
    perfect = not _PERFECT.isdisjoint(words)
    return tuple(
        _BECAUSE
        if _gives_reason(tokens, place) and not (perfect and token.key == "since")
        else token
        for place, token in enumerate(tokens)
    )


def _gives_reason(tokens: Tokens, place: int) -> bool:
    if tokens[place].key not in {"since", "as"} or place + 3 > len(tokens):
        return False
    after = tokens[place + 1]
    if any(token.form == "ing" for token in tokens[place + 1 : place + 5]):
        # `The bridge fell, as it was being painted.`
        return False
    if tokens[place].key == "as":
        apart = not place or tokens[place - 1].is_mark
        return apart and after.key in _AFTER_REASONS and has_verb(tokens[place + 1 :])
    # At the beginning, and before a date, it may tell from when on.
    apart = place > 0 and tokens[place - 1].is_mark
    return apart and after.kind != "figure" and has_verb(tokens[place + 1 :])
