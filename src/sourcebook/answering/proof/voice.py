"""Says who does what in other ways: active for passive, orders, means and purpose."""

from collections.abc import Iterator

from sourcebook.answering.proof.clauses import (
    ORDER,
    TIMES,
    clause_end,
    clause_start,
    has_time,
    is_helping_verb,
    is_modal,
    is_participle,
    listed_phrase_end,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.scope import names_time_or_spot
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens
from sourcebook.answering.proof.word_classes import (
    COORDINATORS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
)

_BE = Token("be", form="s")
_TO = Token("to")
_DENIALS = frozenset({"not", "never"})
_BEFORE_VERBS = _DENIALS | {"only"}
_PHRASE_STARTS = PREPOSITIONS | SUBORDINATORS | TIMES
_CLAUSE_STARTS = SUBORDINATORS | RELATIVES
_DESCRIBING = frozenset({"with", "from", "for", "on", "at", "in", "near", "under", "without"})


def active(tokens: Tokens) -> Iterator[Tokens]:
    """`X is published by Y` as `Y publishes X`."""
    for place, token in enumerate(tokens):
        if token.key != "be":
            continue
        verb = _participle(tokens, place)
        by = _agent(tokens, verb) if verb else None
        if verb is None or by is None:
            continue
        start, aux = _subject_and_auxiliaries(tokens, place)
        patient = tokens[start:aux]
        if not patient or any(map(is_helping_verb, patient)):
            continue
        end = listed_phrase_end(tokens, by + 1)
        helping = [one for one in tokens[aux:place] + tokens[place + 1 : verb] if one.key != "only"]
        only = [one for one in tokens[aux:verb] if one.key == "only"]
        done = tokens[verb]._replace(form="ed" if token.form == "ed" else "s", opens=False)
        said = (*helping, done, *patient, *tokens[verb + 1 : by])
        if end < len(tokens) and tokens[end].key in _DESCRIBING and not has_time(tokens[end:]):
            # `by a motor with a filter` must not become `the pump with a filter`.
            end = clause_end(tokens, end)
        yield (*tokens[:start], *only, *tokens[by + 1 : end], *said, *tokens[end:])


def _participle(tokens: Tokens, be: int) -> int | None:
    for place in range(be + 1, min(be + 4, len(tokens))):
        token = tokens[place]
        if is_participle(token) and not token.opens:
            return place
        if token.key not in _BEFORE_VERBS and not token.written.endswith("ly"):
            return None
    return None


def _agent(tokens: Tokens, verb: int) -> int | None:
    """Where `by` stands before somebody; not before a figure, a time, a place or a doing."""
    for place in range(verb + 1, len(tokens) - 1):
        token, after = tokens[place], tokens[place + 1]
        if token.is_mark or token.key in _CLAUSE_STARTS:
            return None
        if token.key in COORDINATORS and after.form == "ed" and not after.opens:
            # `are locked and guarded by dogs`
            return None
        if token.key != "by":
            continue
        alone = after.kind == "figure" and (
            place + 2 >= len(tokens) or tokens[place + 2].kind != "word" or _ends(tokens, place + 2)
        )
        manner = after.form == "ing" and not after.opens and place + 2 < len(tokens)
        named = tokens[place + 1 : phrase_end(tokens, place + 1)]
        return None if alone or manner or names_time_or_spot(named) else place
    return None


def _ends(tokens: Tokens, place: int) -> bool:
    return tokens[place].key in _PHRASE_STARTS


def _subject_and_auxiliaries(tokens: Tokens, be: int) -> tuple[int, int]:
    """Where the subject of a passive begins, and where its `must not` or `may only` does."""
    aux = be
    while aux > 0 and (is_modal(tokens[aux - 1]) or tokens[aux - 1].key in _BEFORE_VERBS):
        aux -= 1
    start = clause_start(tokens, aux)
    while start < aux and tokens[start].key in {"and", "but", "then"}:
        start += 1
    return start, aux


def order_for_passive(tokens: Tokens) -> Iterator[Tokens]:
    """`X must be opened` as `must open X`, `before X is opened` as `before opening X`."""
    for place, token in enumerate(tokens):
        if token.key != "be":
            continue
        verb = _participle(tokens, place)
        if verb is None or _agent(tokens, verb) is not None:
            continue
        start, aux = _subject_and_auxiliaries(tokens, place)
        patient = tokens[start:aux]
        inner = start > 0 and tokens[start - 1].key in SUBORDINATORS
        modal = any(is_modal(one) for one in tokens[aux:place])
        if not patient or any(map(is_helping_verb, patient)) or not (modal or inner):
            continue
        helping = tokens[aux:place] + tokens[place + 1 : verb]
        done = tokens[verb]._replace(form="base", opens=False)
        yield (*tokens[:start], *helping, done, *patient, *tokens[verb + 1 :])
        if inner and not modal and len(patient) == 1 and patient[0].key in PRONOUNS:
            yield (*tokens[:start], *tokens[aux:])


def passive_for_us(tokens: Tokens) -> Iterator[Tokens]:
    """`We do not recommend X` as `X is not recommended`."""
    if len(tokens) < 3 or tokens[0].key != "we":
        return
    verb = 2 if tokens[1].key == "not" else 1
    end = phrase_end(tokens, verb + 1)
    if tokens[verb].key not in VERBS or end == verb + 1:
        return
    done = tokens[verb]._replace(form="ed")
    yield (*tokens[verb + 1 : end], _BE, *tokens[1:verb], done, *tokens[end:])


def means_first(tokens: Tokens) -> Iterator[Tokens]:
    """`stop it by pulling the lever` as `pull the lever to stop it`.

    Not `must stop it`: who is told how to stop it need not.
    """
    for place in range(3, len(tokens) - 1):
        doing = tokens[place + 1]
        if tokens[place].key != "by" or doing.form != "ing" or doing.key not in VERBS:
            continue
        if not (tokens[0] == ORDER or tokens[0].key == "can") or tokens[1].key in _DENIALS:
            return
        end = clause_end(tokens, place)
        means = (doing._replace(form="base"), *tokens[place + 2 : end])
        yield (tokens[0], *means, _TO, *tokens[1:place], *tokens[end:])


def means_of_passive(tokens: Tokens) -> Iterator[Tokens]:
    """`It is stopped by pulling the lever` as `you can pull the lever to stop it`."""
    be = verb_place(tokens)
    if not be or tokens[be].key != "be" or be + 4 >= len(tokens):
        return
    done, by, doing = tokens[be + 1 : be + 4]
    if done.form == "ed" and by.key == "by" and doing.form == "ing" and doing.key in VERBS:
        end = clause_end(tokens, be)
        means = (doing._replace(form="base"), *tokens[be + 4 : end])
        purpose = (_TO, done._replace(form="base"), *tokens[:be])
        yield (Token("can"), *means, *purpose, *tokens[end:])


def way_open(tokens: Tokens) -> Iterator[Tokens]:
    """`Pull the lever to stop it` also says that you can: an order with a purpose is an offer."""
    if tokens[:1] != (ORDER,) or tokens[1].key in _DENIALS:
        return
    for place in range(2, len(tokens) - 1):
        if tokens[place].key == "to" and tokens[place + 1].key in VERBS:
            yield (Token("can"), *tokens[1:])
            return


def tool_last(tokens: Tokens) -> Iterator[Tokens]:
    """`Use a cloth to clean the lens` as `clean the lens with a cloth`."""
    if len(tokens) < 6 or not is_modal(tokens[0]) or tokens[1].key != "use":
        return
    end = phrase_end(tokens, 2)
    if end + 2 < len(tokens) and tokens[end].key == "to" and tokens[end + 1].key in VERBS:
        last = clause_end(tokens, end)
        if tokens[end + 2].form == "s" and not tokens[end + 2].opens:
            # `Treat children with asthma`: what several have is no tool.
            return
        with_tool = (Token("with"), *tokens[2:end])
        yield (tokens[0], *tokens[end + 1 : last], *with_tool, *tokens[last:])
