"""What a claim may leave out besides: further verbs, a person's office, details of an event."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sourcebook.answering.proof.people import gender_of, is_office
from sourcebook.answering.proof.phrases import Part, read_parts
from sourcebook.answering.proof.tokens import Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    ATTRIBUTIONS,
    CONDITIONS,
    FIXED_WORDS,
    POSSESSIVES,
)

_CHANGING = CONDITIONS | word_keys(ATTRIBUTIONS) | {"or", "but", "otherwise", "however"}
_JOINING = frozenset({"and", ","})
_SCOPED_SIGNS = frozenset({"not", "never", "only", "neednot"})


def details(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Spans that may be left out: from each first place to before each second."""
    yield from _offices(tokens)
    if not any(token.is_mark or token.key == "and" for token in tokens) and not _is_past(tokens):
        return
    parts = read_parts(tokens)
    if parts is None:
        return
    yield from _joined_verbs(tokens, parts)


def _offices(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`the customs officer Tobar Ljin`: what he is may be left out before who he is."""
    for start, token in enumerate(tokens):
        kin = token.key in POSSESSIVES
        if not kin and (not token.definite or _is_name(token)):
            continue
        end = start + kin
        while (
            end < len(tokens)
            and _is_common(tokens[end])
            and (end == start or not tokens[end].opens)
        ):
            end += 1
        named = tokens[end : end + 2]
        office = end - start < 4 and len(named) == 2 and all(map(_is_name, named))
        office = office and is_office(tokens[start:end])
        if office or (kin and end == start + 2 and _is_relative(tokens[start + 1], named)):
            yield start, end


def _is_relative(kind: Token, named: Tokens) -> bool:
    """`his widow Harriet`."""
    return gender_of(kind) is not None and bool(named) and _is_name(named[0])


def _is_common(token: Token) -> bool:
    return token.kind == "word" and token.written.islower() and token.key not in FIXED_WORDS


def _is_name(token: Token) -> bool:
    return token.kind == "word" and token.written[:1].isupper()


def _joined_verbs(tokens: Tokens, parts: Sequence[Part]) -> Iterator[tuple[int, int]]:
    """`A opens at 5, rests at 6 and closes at 7`: each verb with what belongs to it."""
    joins = list(_verb_joins(parts))
    first = next((part for part in parts if part.kind == "verb"), None)
    if not joins or first is None or _changes(tokens[: first.start]) or first.signs & _SCOPED_SIGNS:
        return
    ends = [*(start for start, _ in joins[1:]), len(tokens)]
    for (start, _), end in zip(joins, ends, strict=True):
        if not _changes(tokens[start:end]):
            yield start, end
    spans = [first.start, *(after for _, after in joins)]
    for begin, after in pairwise(spans):
        # What helps the first verb may help the others too.
        if not first.signs and not first.passive and not _changes(tokens[begin:after]):
            yield begin, after


def _verb_joins(parts: Sequence[Part]) -> Iterator[tuple[int, int]]:
    """Where a verb is joined to the one before: from the comma or `and` to before the verb."""
    seen: Part | None = None
    for place, part in enumerate(parts):
        if part.kind in {"clause", "relative"} or (
            part.kind == "join" and part.key not in _JOINING
        ):
            # Whatever follows belongs to another clause.
            return
        if part.kind != "verb":
            continue
        before = parts[place - 1] if place else None
        alike = seen is not None and seen.past == part.past
        if alike and before is not None and before.kind == "join" and part.finite:
            start = before.start
            if place > 1 and parts[place - 2].kind == "join":
                start = parts[place - 2].start
            yield start, part.start
        elif seen is not None:
            return
        seen = part


def _is_past(tokens: Tokens) -> bool:
    return any(token.form == "ed" for token in tokens)


def _changes(tokens: Tokens) -> bool:
    return any(token.key in _CHANGING for token in tokens)
