"""What a claim may leave out of a plain fact: measures, and the date of what happened.

A plain fact has no condition, denial, order or permission, and ranks nothing.
"""

from collections.abc import Iterator

from sourcebook.answering.proof.clauses import (
    ORDER,
    begins_verb,
    clause_end,
    has_verb,
    is_plain,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.commas import asides, named_subjects
from sourcebook.answering.proof.scope import (
    governs,
    is_date,
    is_name_word,
    is_past,
    is_scoped,
    is_year,
)
from sourcebook.answering.proof.tokens import VERBS, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    MEASURE_ADJECTIVES,
    RELATIVES,
)

_SIZES = frozenset(MEASURE_ADJECTIVES) | {"across", "apart", "round"}
_LABELS = frozenset({("know", "problem"), ("know", "issu"), ("know", "error"), ("background",)})
_EMPHATIC = word_keys({"itself", "himself", "herself", "themselves"})


def facts(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Spans that may be left out: from each first place to before each second."""
    yield from _labels(tokens)
    yield from asides(tokens)
    yield from named_subjects(tokens)
    verb = verb_place(tokens)
    if verb is None:
        return
    yield from _words(tokens)
    if any(token == ORDER for token in tokens):
        return
    yield from _sizes(tokens, verb)
    yield from _kind_details(tokens, verb)
    yield from _dates(tokens, verb)


def _words(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`itself` after a noun."""
    for place in range(1, len(tokens) - 1):
        token, before = tokens[place], tokens[place - 1]
        if token.key in _EMPHATIC and is_plain(before) and begins_verb(tokens, place + 1):
            yield place, place + 1


def _labels(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`Known problem: the clock stops.`"""
    end = clause_end(tokens, 0)
    label = tuple(token.key for token in tokens[:end])
    if label in _LABELS and has_verb(tokens[end + 1 :]) and tokens[end].key == ":":
        yield 0, end + 1


def _sizes(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """`a dome 24 metres across`, `wires 0.3 mm thick`, `a floor 16 metres by 9`."""
    for place in range(verb + 2, len(tokens) - 1):
        figure, noun, size = tokens[place], tokens[place - 1], tokens[place + 1]
        if figure.kind != "figure" or figure.opens or not figure.key[-1:].isalpha():
            continue
        if (
            not is_plain(noun)
            or noun.key in VERBS
            or noun.kind != "word"
            or governs(tokens[:place])
        ):
            continue
        by = size.key == "by" and place + 2 < len(tokens) and tokens[place + 2].kind == "figure"
        if size.key in _SIZES or by:
            yield place, place + (3 if by else 2)


def _kind_details(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """What `X is a town of 8,140 people on the river in Lisk` says of X besides."""
    place = verb + 1
    if tokens[verb].key != "be" or place >= len(tokens) or not is_name_word(tokens[0]):
        return
    if not tokens[place].opens or tokens[place].definite or governs(tokens):
        return
    if tokens[place].kind == "figure":
        # `a 1978 film`, `a seven-storey building`.
        yield place, place + 1
        after = tokens[place + 1]
        if after.key in {"storey", "story", "page", "seat"}:
            yield place, place + 2
    end = clause_end(tokens, place)
    if any(map(is_year, tokens[end:])):
        # `, put up in 1906 for the guild`; not `, closed on Mondays`.
        end = len(tokens)
    for at in range(place + 1, end - 1):
        if has_verb(tokens[place:at]) or tokens[at].key in RELATIVES:
            break
        if tokens[at].key == "of" and tokens[at + 1].kind == "figure":
            yield at, _end_of_phrase(tokens, at)


def _end_of_phrase(tokens: Tokens, at: int) -> int:
    end = phrase_end(tokens, at + 1)
    if tokens[at + 1].kind == "figure" and end == at + 1:
        end += 1
    while end < len(tokens) and tokens[end].key == "of":
        end = max(phrase_end(tokens, end + 1), end + 2)
    return end


def _dates(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """`was banned in 1832`: when it happened may be left out, and nothing else."""
    if not is_past(tokens, verb) or any(map(is_scoped, tokens)):
        return
    for place in range(verb + 1, len(tokens) - 1):
        if tokens[place].key in {"in", "on"} and is_date(tokens[place + 1]):
            yield place, place + 2
