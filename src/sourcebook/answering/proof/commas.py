"""What stands between two commas or after the last one, and is only said in passing."""

from collections.abc import Iterator

from sourcebook.answering.proof.clauses import (
    ORDER,
    begins_verb,
    clause_end,
    has_verb,
    is_plain,
    is_verb,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.scope import (
    CHANGING,
    DOUBTED,
    EXCEPTED,
    PLACING,
    governs,
    is_date,
    is_name_word,
    is_past,
    is_sweeping,
    is_year,
)
from sourcebook.answering.proof.tokens import VERBS, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    CONDITIONS,
    MODALS,
    POSSESSIVES,
)

MAX_ASIDE_WORDS = 10
_EARLIER = frozenset({"then", "formerly", "now", "today"})
_EXCEPTIONS = word_keys(
    {"exception", "charge", "surcharge", "limit", "restriction", "condition", "later", "earlier"}
    | {"more", "less", "except", "unless", "only", "if", "when", "half", "double", "free", "closed"}
)
_TIMES = word_keys({"hour", "minute", "day", "week", "month", "year", "night"})
_REASONS = frozenset({"because", "since"})
_PARTLY = word_keys({"mostly", "mainly", "partly", "largely", "chiefly"})


def asides(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """From a comma to the next or to the end, where what stands between is said in passing."""
    for comma in _commas(tokens):
        end = clause_end(tokens, comma + 1)
        inside = tokens[comma + 1 : end]
        if not inside:
            continue
        if end == len(tokens):
            if _is_added(tokens[:comma], inside):
                yield comma, end
        elif tokens[end].key == "," and _is_inserted(tokens, comma, end):
            yield comma, end + 1


def _commas(tokens: Tokens) -> list[int]:
    return [place for place, token in enumerate(tokens) if token.key == "," and place]


def _is_inserted(tokens: Tokens, comma: int, end: int) -> bool:
    inside = tokens[comma + 1 : end]
    if inside[0].key == "not" and len(inside) <= MAX_ASIDE_WORDS and not has_verb(inside):
        # `, not from a table,`; but `All rooms, not the attic, …`
        return not is_sweeping(tokens[:comma])
    closed = end + 1 < len(tokens) and tokens[end + 1].key not in {"and", "or"}
    return closed and (_is_aside(tokens, comma, end) or _is_date_of(tokens[:comma], inside))


def named_subjects(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """What stands before a name between commas, and may be left out where the name says enough."""
    for comma in _commas(tokens):
        end = clause_end(tokens, comma + 1)
        if end == len(tokens) or tokens[end].key != "," or end < comma + 2:
            continue
        if _is_named_subject(tokens, comma, end):
            yield 0, comma + 1
        called = [at for at in range(comma + 2, end - 1) if tokens[at].key == "call"]
        if called and tokens[comma + 1].opens and is_name_word(tokens[called[0] + 1]):
            # `, a folding balance called the Honest Tom,`
            yield comma + 1, called[0] + 1


def _is_named_subject(tokens: Tokens, comma: int, end: int) -> bool:
    """`A disc jockey from Lisk, Pete Lasker, turned`: the name is enough."""
    inside = tokens[comma + 1 : end]
    named = len(inside) > 1 and all(map(is_name_word, inside)) and not inside[0].opens
    subject = tokens[0].opens and not governs(tokens[:comma]) and not has_verb(tokens[:comma])
    singular = tokens[phrase_end(tokens, 0) - 1].form == "base"
    return named and subject and singular and begins_verb(tokens, end + 1)


def _is_added(before: Tokens, rest: Tokens) -> bool:
    """Whether what ends a sentence only adds to a fact: `, a device that …`, `, in 1911`."""
    if any(token.key in _EXCEPTIONS | CHANGING for token in rest) or not has_verb(before):
        return False
    if rest[-1].key in EXCEPTED or is_sweeping(before):
        return False
    if rest[0].key in _PARTLY and len(rest) > 3 and rest[1].key in _REASONS:
        return not governs(before)
    return _is_date_of(before, rest) or _is_apposition(before, rest)


def _is_apposition(before: Tokens, rest: Tokens) -> bool:
    """`the Orrin cell, a device that measures …`."""
    named = rest[0].opens or rest[0].key in POSSESSIVES
    if any(one.key in DOUBTED for one in rest[: phrase_end(rest, 0)]):
        return False
    limited = any(one == ORDER or one.key in MODALS | CONDITIONS for one in before)
    if not named or limited or not is_plain(before[-1]):
        return False
    head = phrase_end(rest, 0)
    joined = any(token.key in {"and", "or"} for token in rest)
    verbs = any(is_verb(rest, at) for at in range(min(head + 1, len(rest))))
    return not _is_timed(rest[:head]) and not joined and not verbs


def _is_timed(tokens: Tokens) -> bool:
    return any(token.key in _TIMES or token.kind == "figure" for token in tokens)


def _is_aside(tokens: Tokens, comma: int, end: int) -> bool:
    """`the frame, then a novelty, was …`, `the bridge, built in 1743, carried …`."""
    inside, before = tokens[comma + 1 : end], tokens[comma - 1]
    if len(inside) > MAX_ASIDE_WORDS or governs(inside[1:]) or has_verb(inside):
        return False
    first = inside[0]
    goes_on = begins_verb(tokens, end + 1)
    if first.key in _EARLIER and len(inside) > 1:
        return goes_on and is_plain(before) and inside[1].opens
    if first.form == "ed" and first.key in VERBS and not first.opens:
        # `the bridge, built in 1743, carried carts`, not `boxes, stacked upright, hold 40 kg`.
        definite = is_name_word(before) or _is_definite(tokens, comma)
        dated = any(is_year(token) for token in inside)
        return definite and goes_on and dated
    return False


def _is_date_of(before: Tokens, phrase: Tokens) -> bool:
    """`, on 30 June,` of what happened; other phrases may be conditions."""
    verb = verb_place(before)
    if verb is None or len(phrase) != 2 or phrase[0].key not in PLACING | {"with"}:
        return False
    return is_date(phrase[1]) and is_past(before, verb) and not governs(before)


def _is_definite(tokens: Tokens, end: int) -> bool:
    """Whether a noun phrase with `the` ends before a place, in the singular."""
    if tokens[end - 1].form != "base":
        return False
    for place in range(end - 1, -1, -1):
        if tokens[place].opens:
            return tokens[place].definite
        if not is_plain(tokens[place]):
            return False
    return False
