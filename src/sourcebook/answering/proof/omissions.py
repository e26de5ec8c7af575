"""What a claim may leave out of its evidence without becoming false."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from sourcebook.answering.proof.clauses import (
    ORDER,
    begins_verb,
    clause_end,
    contrasts,
    has_verb,
    is_plain,
    is_verb,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.commas import asides
from sourcebook.answering.proof.details import details
from sourcebook.answering.proof.facts import facts
from sourcebook.answering.proof.scope import (
    EXCEPTED,
    JOINING,
    is_date,
    is_limited,
    is_name_word,
    is_sweeping,
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
_ADDING = frozenset(
    {"and", "but", "so", "so that", "because", "since", "although", "while", "whereas"}
)
# Of clauses that stand on their own, only these still change what is said before them.
_EXCEPTING = frozenset({"if", "unless", "only", "except", "provided", "but", "however"})
_QUANTIFYING = NEGATIONS | MODALS | CONDITIONS | word_keys({"every", "all", "any", "each", "both"})
_LEANING = frozenset({"this", "that", "these", "those", "otherwise", "only", "not", "then"})
_CONNECTING = frozenset({"therefor", "for exampl", "nonetheless", "nevertheless", "in particular"})
_SCOPED = NEGATIONS | MODALS
_NOT_APART = _LEANING | CONDITIONS | {"however"}
_CLAUSE_STARTS = RELATIVES | SUBORDINATORS
MAX_CONTRAST_WORDS = 8
_SMALL = frozenset({"of", "and", "for", "in", "the"})
_GIVING_REASONS = frozenset({"because", "since"})
# What changes the clause before, if it stands in one that is added by such a word.
_CHANGING = dict.fromkeys(_ADDING, CONDITIONS) | {
    word: _EXCEPTING | {"otherwise"} for word in ("so", "so that")
}
_CHANGING["but"] = CONDITIONS - {"before", "after", "until", "once", "while", "where"}
_OF_LIVES = word_keys({"born", "died"})
_LIMITS = word_keys(
    {"limit", "require", "need", "permit", "allow", "restrict", "exclude", "except", "must"}
)
_CHANGING_IN_BRACKETS = (_RESTRICTING | NEGATIONS) - {"or", "all", "any", "some"}


@lru_cache(maxsize=8_192)
def cores(tokens: Tokens) -> tuple[Tokens, ...]:
    """A sentence without what is added at its end or said in between, if it has such."""
    apart = [*_additions(tokens), *_insertions(tokens), *asides(tokens)]
    ends = [start for start, end in apart if end == len(tokens)]
    whole = tokens[: min(ends)] if ends else tokens
    kept: list[Token] = []
    place = 0
    for start, end in sorted(
        (one for one in apart if one[1] < len(tokens)), key=lambda one: one[0]
    ):
        if place <= start and end <= len(whole):
            kept += whole[place:start]
            place = end
    bare = (*kept, *whole[place:])
    return tuple(one for one in dict.fromkeys((whole, bare)) if one != tokens)


@lru_cache(maxsize=8_192)
def omissions(tokens: Tokens) -> dict[int, tuple[int, ...]]:
    """Where something may be left out: from each key to before each of its values."""
    found: dict[int, list[int]] = {}
    spans = (
        *_openings(tokens),
        *_firsts(tokens),
        *_additions(tokens),
        *_insertions(tokens),
        *_items(tokens),
        *_details(tokens),
        *details(tokens),
        *facts(tokens),
    )
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


def _firsts(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`are first cleaned and then rinsed`: `then` says as much."""
    for place in range(1, len(tokens) - 3):
        be, first, done = tokens[place - 1 : place + 2]
        told = be.key == "be" and first.written == "first" and done.form == "ed"
        if told and any(token.key == "then" for token in tokens[place:]):
            yield place, place + 1


def _additions(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """From a comma or a `because` to the end of the sentence."""
    for place in range(1, len(tokens) - 1):
        rest = tokens[place + 1 :]
        if is_sweeping(tokens[:place]) and not _gives_reason(rest):
            # `Every bus is free, but the night bus costs 3 euros.`
            continue
        if tokens[place].key == "because" and not tokens[place - 1].is_mark:
            denied = any(token.key in _SCOPED for token in tokens[:place])
            if not denied and not any(token.key in CONDITIONS for token in rest):
                yield place, len(tokens)
        elif _is_apart(tokens[place], rest, tokens[:place]) and not is_limited(
            tokens[:place], rest
        ):
            yield place, len(tokens)


def _is_apart(sign: Token, rest: Tokens, before: Tokens) -> bool:
    """Whether what follows a mark stands on its own."""
    if sign.key in {";", "—"}:
        return rest[0].key not in _NOT_APART and (has_verb(rest) or _may_have_verb(rest))
    if sign.key == ":":
        whole = has_verb(rest) and not any(token.key in _EXCEPTING for token in rest)
        return has_verb(before) and (whole or not _restricts(rest))
    return sign.key == "," and _adds(rest, before)


def _may_have_verb(rest: Tokens) -> bool:
    """Whether a verb may stand there that looks like a noun: `the fungi stay brown`."""
    return any(token.key in VERBS and token.form in {"base", "s"} for token in rest[1:])


def _adds(rest: Tokens, before: Tokens) -> bool:
    first = rest[0].key
    if first == "when":
        return is_date(before[-1]) and not any(one.key in _EXCEPTING for one in rest)
    return _adds_phrase(rest, before) or _adds_clause(rest, before)


def _adds_phrase(rest: Tokens, before: Tokens) -> bool:
    first = rest[0].key
    if first == "where":
        # `in Spain, where she lived`; not `parking is free, where a green line is painted`
        return is_name_word(before[-1]) and not any(one.key in _EXCEPTING for one in rest)
    if first in RELATIVES:
        return not any(token.key in _EXCEPTING | NEGATIONS | _LIMITS for token in rest)
    if first == "like" or (rest[0].form == "ing" and first in _RESULTING):
        return not _restricts(rest)
    if first == "so" and rest[1:2] and rest[1].key == "as":
        return not any(token.key in _EXCEPTING for token in rest)
    return first == "not" and _is_contrast(rest, before)


def _is_contrast(rest: Tokens, before: Tokens) -> bool:
    """`, not from a table` after `from a list`; `Dogs are allowed, not in the hall` is limited."""
    if len(rest) < 2 or len(rest) > MAX_CONTRAST_WORDS or _restricts(rest[1:]) or has_verb(rest):
        return False
    word = rest[1]
    if word.key in PREPOSITIONS:
        return any(token.key == word.key for token in before)
    return word.opens or word.kind != "word" or word.form == "s" or is_name_word(word)


def _gives_reason(rest: Tokens) -> bool:
    return rest[0].key in _GIVING_REASONS


def _adds_clause(rest: Tokens, before: Tokens) -> bool:
    first = rest[0].key
    if first not in _ADDING or len(rest) < 3:
        return False
    clause = rest[1:]
    if first == "while" and not contrasts(before, clause):
        return False
    if first == "whereas" and clause[0].key in PREPOSITIONS:
        # `The guard waits, whereas at night he walks.`
        return False
    if first == "whereas" and clause[-1].key == "not" and all(map(is_plain, clause[:-1])):
        # `Copper conducts heat, whereas glass does not.`
        return True
    changing = _EXCEPTING - {"if", "only"} if first in _GIVING_REASONS else _CHANGING[first]
    if clause[0].key in _LEANING - {"otherwise"} or any(one.key in changing for one in clause):
        return False
    whole = clause[0].opens or clause[0].key in PRONOUNS or verb_place(clause) not in {None, 0}
    return whole and has_verb(clause)


def _details(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`a dial driven by a weight`: what is said of one thing besides, after the verb."""
    verb = verb_place(tokens)
    if not verb or any(token.key in _QUANTIFYING or token == ORDER for token in tokens):
        return
    for place in range(verb + 3, len(tokens) - 2):
        doing, noun = tokens[place], tokens[place - 1]
        if doing.form not in {"ed", "ing"} or doing.opens or doing.key not in VERBS:
            continue
        end = clause_end(tokens, place)
        if tokens[place + 1].key in PREPOSITIONS and _is_one_thing(tokens, verb, place, noun):
            yield place, end


def _is_one_thing(tokens: Tokens, verb: int, end: int, noun: Token) -> bool:
    """Whether a noun phrase with an article ends before a place, in the singular."""
    if noun.form != "base" or noun.kind != "word":
        return False
    for place in range(end - 1, max(verb, end - 5), -1):
        if tokens[place].opens:
            return True
        if not is_plain(tokens[place]):
            return False
    return False


def _insertions(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Between two commas or brackets."""
    for place in range(1, len(tokens) - 1):
        if tokens[place].key == "(":
            end = _closing(tokens, place)
            if end is not None and not _changes_in_brackets(tokens, place, end):
                yield place, end + 1
        elif tokens[place].key == ",":
            end = clause_end(tokens, place + 1)
            inside = tokens[place + 1 : end]
            if not inside or end >= len(tokens) - 1 or tokens[end].key not in {",", ";"}:
                continue
            if _describes(inside) or (_is_aside(inside) and begins_verb(tokens, end + 1)):
                yield place, end + 1


def _changes_in_brackets(tokens: Tokens, opening: int, closing: int) -> bool:
    """Whether it may limit what is said: `(adults)`, `(EU)`; not `(default false)`.

    After a name, figures and capitals say more of it: `Ada Orrin (1911-1980)`. Elsewhere capitals
    must stand for the words before them.
    """
    inside = tokens[opening + 1 : closing]
    if any(token.key == "default" for token in inside):
        # `(true or false, default false)`.
        return False
    if any(token.key in _CHANGING_IN_BRACKETS for token in inside):
        return True
    before = tokens[opening - 1] if opening else None
    named = before is not None and is_name_word(before)
    return not all(
        token.is_mark
        or (token.written.isupper() and (named or _abbreviates(token, tokens[:opening])))
        or (named and (token.kind == "figure" or token.key in _OF_LIVES))
        for token in inside
    )


def _abbreviates(token: Token, before: Tokens) -> bool:
    """`the world health organisation (WHO)`."""
    initials = [one.written[0].lower() for one in before if one.written and one.key not in _SMALL]
    letters = list(token.written.lower())
    return len(letters) > 1 and initials[-len(letters) :] == letters


def _closing(tokens: Tokens, opening: int) -> int | None:
    for place in range(opening + 1, len(tokens)):
        if tokens[place].is_mark and tokens[place].key in {"(", ")"}:
            return place if tokens[place].key == ")" else None
    return None


def _describes(inside: Tokens) -> bool:
    described = inside[0].key in RELATIVES or (inside[0].opens and not has_verb(inside))
    return described and not _restricts(inside) and inside[-1].key not in EXCEPTED


def _is_aside(inside: Tokens) -> bool:
    """`, 13 kilometres long,` or `, or voussoir,` between a subject and its verb."""
    if inside[0].key == "or":
        return len(inside) <= 3 and all(map(is_plain, inside[1:]))
    return inside[0].kind == "figure" and not _restricts(inside) and not has_verb(inside)


def _items(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """The other items of a list joined by `and`, where each item could stand alone."""
    joins = [place for place, token in enumerate(tokens) if token.key == "and"]
    if len(joins) != 1 or any(token.key in _COLLECTIVE for token in tokens):
        return
    join = joins[0]
    if tokens[join - 1].kind == "figure":
        # `5 euros and 20 cents` is one price.
        return
    first = _first_item(tokens, join)
    last_end = _item_end(tokens, join + 1)
    if not first or last_end == join + 1 or not _closes(tokens, last_end):
        # `A key and a code open the safe`: what the sentence begins with may do it together.
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
        if _is_joint(tokens, place, join):
            return None
        if before.key in PREPOSITIONS - {"of"} or (before.key in VERBS and not before.opens):
            return place
    return None


def _is_joint(tokens: Tokens, place: int, join: int) -> bool:
    """Whether what a list from `place` on says is said of all its items together."""
    before = tokens[place - 1]
    if before.key == "be":
        # `The flag is red and white`, not `Ada is a painter and a poet`.
        return not (tokens[place].opens and tokens[join + 1].opens)
    # `armed by pressing the red key and the blue key`
    means = before.form == "ing" and place > 1 and tokens[place - 2].key == "by"
    return means or not JOINING.isdisjoint({before.key, before.written.lower()})


def without_brackets(tokens: Tokens) -> Tokens:
    """A sentence without what stands in brackets and may be left out."""
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        end = _closing(tokens, place) if tokens[place].key == "(" else None
        if end is not None and not _changes_in_brackets(tokens, place, end):
            place = end + 1
        else:
            kept.append(tokens[place])
            place += 1
    return tuple(kept)
