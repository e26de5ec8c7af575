"""Says a sentence in other ways that mean the same: clauses moved, active for passive, orders."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias

from sourcebook.answering.proof.clauses import (
    ORDER,
    clause_end,
    clause_start,
    is_helping_verb,
    is_modal,
    is_verb,
    listed_phrase_end,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens
from sourcebook.answering.proof.word_classes import (
    CONVERSES,
    DATIVE_VERBS,
    MEASURE_ADJECTIVES,
    MEASURE_VERBS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
    TIME_ADVERBS,
)
from sourcebook.answering.proof.word_forms import UNCHANGED_PARTICIPLES

Rule: TypeAlias = Callable[[Tokens], Iterator[Tokens]]

# So many ways to say one sentence are tried; most have fewer than ten.
MAX_READINGS = 40
_BE, _HAVE, _TO, _THAT = Token("be", form="s"), Token("have", form="s"), Token("to"), Token("that")
_DENIALS = frozenset({"not", "never"})
_TIMES = TIME_ADVERBS | {"every"}
_BEFORE_VERBS = _DENIALS | {"only"}
_BEFORE_ORDERS = _DENIALS | {"always"}
_PHRASE_STARTS = PREPOSITIONS | SUBORDINATORS | _TIMES
_CLAUSE_STARTS = SUBORDINATORS | RELATIVES
_NOT_PLAIN = PREPOSITIONS | _CLAUSE_STARTS | POSSESSIVES | {"and", "or", "but"}
_DESCRIBING = frozenset({"with", "from", "for", "on", "at", "in", "near", "under", "without"})
_NOW = frozenset({"today", "currently", "now", "nowadays"})
_INSIDE = frozenset({"of", "in", "on", "at", "for", "between"})
# `Mount Orrin` and `Mark Keller` are no orders.
_NAMES = frozenset({"mount", "mark", "grant"})
# Verbs that are nouns more often, after an order: `Check updates`, `Open files`.
_OBJECTS = frozenset({"filter", "water", "power", "process", "program", "test", "update", "list"})
_VERBS_ONLY = VERBS - _OBJECTS
_LEADING = SUBORDINATORS | PREPOSITIONS | _TIMES | {"by default"}
_CONVERSES = CONVERSES | {other: one for one, other in CONVERSES.items()}
_WEEKDAYS = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)


@lru_cache(maxsize=8_192)
def readings(tokens: Tokens) -> tuple[Tokens, ...]:
    """The sentence itself first, then what the rules make of it, each once."""
    found = {tokens: None}
    queue = list(found)
    while queue and len(found) < MAX_READINGS:
        current = queue.pop(0)
        for rule in _RULES:
            for other in rule(current):
                if other not in found and len(found) < MAX_READINGS:
                    found[other] = None
                    queue.append(other)
    return tuple(found)


def normal(tokens: Tokens) -> Tokens:
    """Orders with their sign, no `you` that anybody could be, `that` for a restrictive `which`."""
    return tuple(_plain_orders(_with_order(tuple(_plain_relatives(tuple(_without_you(tokens)))))))


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
    if at + 1 >= len(tokens) or tokens[at].key not in VERBS or tokens[at].opens:
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


def _is_name(tokens: Tokens, at: int, start: int) -> bool:
    """Whether a verb is a name here: `Mount Orrin`, or written large inside of a sentence."""
    if start and tokens[at].written[:1].isupper():
        return True
    return tokens[at].key in _NAMES and tokens[at + 1].written[:1].isupper()


def _main_start(tokens: Tokens) -> int:
    if not tokens or tokens[0].key not in _LEADING:
        return 0
    end = clause_end(tokens, 0)
    return end + 1 if end < len(tokens) and tokens[end].key == "," else 0


def _leading_phrase_last(tokens: Tokens) -> Iterator[Tokens]:
    """`If A, B` as `B if A`, `In 1932 A` as `A in 1932`."""
    if not tokens or tokens[0].key not in _LEADING:
        return
    end = clause_end(tokens, 0)
    rest = tokens[end + 1 :]
    if end == len(tokens) or tokens[end].key != ",":
        if len(tokens) < 4 or tokens[1].kind != "figure" or not tokens[2].opens:
            return
        end, rest = 2, tokens[2:]
    lead = tokens[:end]
    if rest and rest[0].key == "then":
        rest = rest[1:]
    if not rest:
        return
    yield (*rest, *lead)
    inner = clause_end(rest, 0)
    if 0 < inner < len(rest):
        yield (*rest[:inner], *lead, *rest[inner:])


def _inserted_phrase_last(tokens: Tokens) -> Iterator[Tokens]:
    """`A, in 1932, did B` as `A did B in 1932`."""
    for start in range(1, len(tokens) - 2):
        if tokens[start].key != "," or tokens[start + 1].key not in _LEADING:
            continue
        end = clause_end(tokens, start + 1)
        if end < len(tokens) - 1 and tokens[end].key == ",":
            yield (*tokens[:start], *tokens[end + 1 :], *tokens[start + 1 : end])


def _neighbouring_phrases_swapped(tokens: Tokens) -> Iterator[Tokens]:
    """`at 220 °C for 35 minutes` the other way round: one of the two has a figure or a time."""
    verb = verb_place(tokens)
    if verb is None:
        return
    end = clause_end(tokens, verb)
    if any(token.key in {"and", "or", "but"} for token in tokens[verb:end]):
        return
    starts = [place for place in range(verb + 1, end) if _begins_phrase(tokens, place)]
    bounds = [*starts, end]
    for first, second, last in zip(bounds, bounds[1:], bounds[2:], strict=False):
        if tokens[second].key in SUBORDINATORS or tokens[first].key in SUBORDINATORS:
            continue
        route = {tokens[first].key, tokens[second].key} == {"from", "to"}
        if route or _has_time(tokens[first:second]) or _has_time(tokens[second:last]):
            yield (*tokens[:first], *tokens[second:last], *tokens[first:second], *tokens[last:])


def _begins_phrase(tokens: Tokens, place: int) -> bool:
    token = tokens[place]
    if token.key in {"of", "than", "as", "per"} or tokens[place - 1].key in PREPOSITIONS:
        return False
    return token.key in _PHRASE_STARTS


def _has_time(phrase: Tokens) -> bool:
    return phrase[0].key in _TIMES or (len(phrase) > 1 and phrase[1].kind == "figure")


def _active(tokens: Tokens) -> Iterator[Tokens]:
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
        done = tokens[verb]._replace(form="s", opens=False)
        said = (*helping, done, *patient, *tokens[verb + 1 : by])
        if end < len(tokens) and tokens[end].key in _DESCRIBING and not _has_time(tokens[end:]):
            # `by a motor with a filter` must not become `the pump with a filter`.
            end = clause_end(tokens, end)
        yield (*tokens[:start], *only, *tokens[by + 1 : end], *said, *tokens[end:])


def _participle(tokens: Tokens, be: int) -> int | None:
    for place in range(be + 1, min(be + 4, len(tokens))):
        token = tokens[place]
        if (token.form == "ed" or token.key in UNCHANGED_PARTICIPLES) and not token.opens:
            return place
        if token.key not in _BEFORE_VERBS and not token.written.endswith("ly"):
            return None
    return None


def _agent(tokens: Tokens, verb: int) -> int | None:
    """Where `by` stands before somebody; not before a figure, a day or a doing."""
    for place in range(verb + 1, len(tokens) - 1):
        token, after = tokens[place], tokens[place + 1]
        if token.is_mark or token.key in _CLAUSE_STARTS:
            return None
        if token.key != "by":
            continue
        alone = after.kind == "figure" and (
            place + 2 >= len(tokens) or tokens[place + 2].kind != "word" or _ends(tokens, place + 2)
        )
        manner = after.form == "ing" and not after.opens and place + 2 < len(tokens)
        return None if alone or manner or after.key in _WEEKDAYS else place
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


def _order_for_passive(tokens: Tokens) -> Iterator[Tokens]:
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


def _owner_first(tokens: Tokens) -> Iterator[Tokens]:
    """`the capacity of the battery` as `battery capacity`."""
    for place in range(1, len(tokens) - 1):
        if tokens[place].key != "of":
            continue
        start = place - 1
        while start > 0 and not tokens[start].opens and _is_plain(tokens[start]):
            start -= 1
        owned = tokens[start:place]
        end = phrase_end(tokens, place + 1)
        owner = tokens[place + 1 : end]
        if not owner or not all(map(_is_plain, (*owned, *owner))) or len(owned) > 4:
            continue
        if not (tokens[start].opens or start == 0):
            continue
        first = owner[0]._replace(opens=True)
        rest = tuple(one._replace(opens=False) for one in owned)
        yield (*tokens[:start], first, *owner[1:], *rest, *tokens[end:])


def _is_plain(token: Token) -> bool:
    if token.kind == "code":
        return True
    return token.kind == "word" and token.key not in _NOT_PLAIN and not is_helping_verb(token)


def _measure(tokens: Tokens) -> Iterator[Tokens]:
    """`X has a mass of 5 g`, `X weighs 5 g`, `X is 5 m long` as `X mass is 5 g` and so on."""
    for place in range(1, len(tokens) - 1):
        token, after = tokens[place], tokens[place + 1]
        if token.key in MEASURE_VERBS and after.kind == "figure":
            noun = Token(MEASURE_VERBS[token.key])
            yield (*tokens[:place], noun, _BE, *tokens[place + 1 :])
        elif token.key in {"be", "stand"} and after.kind == "figure" and place + 2 < len(tokens):
            if adjective := MEASURE_ADJECTIVES.get(tokens[place + 2].key):
                yield (*tokens[:place], Token(adjective), _BE, after, *tokens[place + 3 :])
        elif token.key == "have":
            end = phrase_end(tokens, place + 1)
            named = tokens[place + 1 : end]
            figure = tokens[end + 1] if end + 1 < len(tokens) else None
            if named and figure and tokens[end].key == "of" and figure.kind == "figure":
                yield (*tokens[:place], *named, _BE, *tokens[end + 1 :])


def _exceeding(tokens: Tokens) -> Iterator[Tokens]:
    """`exceeds 5 bar` as `is more than 5 bar`."""
    for place in range(1, len(tokens) - 1):
        figure = tokens[place + 1]
        plain = figure.kind == "figure" and figure.key[:1] == "#" and figure.key[1] not in "<>~"
        if tokens[place].key == "exceed" and plain and ".." not in figure.key:
            more = figure._replace(key="#>" + figure.key[1:])
            yield (*tokens[:place], _BE, more, *tokens[place + 2 :])
            if place > 1 and tokens[place - 1].key == "not" and is_modal(tokens[place - 2]):
                most = figure._replace(key="#<=" + figure.key[1:])
                must = (Token("must"), _BE, most)
                if tokens[place - 2].key in {"must", "may"}:
                    yield (*tokens[: place - 2], *must, *tokens[place + 2 :])


def _receiver_last(tokens: Tokens) -> Iterator[Tokens]:
    """`lent her brother a bicycle` as `lent a bicycle to her brother`."""
    for place in range(len(tokens) - 2):
        if tokens[place].key not in DATIVE_VERBS or not _opens(tokens[place + 1]):
            continue
        middle = place + 2
        while middle < len(tokens) and not _opens(tokens[middle]) and _is_plain(tokens[middle]):
            middle += 1
        if middle >= len(tokens) or not tokens[middle].opens:
            continue
        end = phrase_end(tokens, middle)
        receiver, given = tokens[place + 1 : middle], tokens[middle:end]
        yield (*tokens[: place + 1], *given, _TO, *receiver, *tokens[end:])


def _opens(token: Token) -> bool:
    return token.opens or token.key in POSSESSIVES


def _converse(tokens: Tokens) -> Iterator[Tokens]:
    """`X is faster than Y` as `Y is slower than X`."""
    for than in range(2, len(tokens) - 1):
        if tokens[than].key != "than":
            continue
        place = than - 1 if tokens[than - 1].key in _CONVERSES else than - 2
        start = clause_start(tokens, place)
        verb = verb_place(tokens, start)
        if tokens[place].key not in _CONVERSES or verb is None or not start < verb < place:
            continue
        end = phrase_end(tokens, than + 1)
        other, one = tokens[than + 1 : end], tokens[start:verb]
        rest = tokens[end:]
        if rest and rest[0].key in {"do", "be"}:
            rest = rest[1:]
        yield (*tokens[:start], *one, *tokens[verb : than + 1], *other, *rest)
        compared = Token(_CONVERSES[tokens[place].key])
        said = (*tokens[verb:place], compared, *tokens[place + 1 : than + 1])
        yield (*tokens[:start], *other, *said, *one, *rest)


def _place_first(tokens: Tokens) -> Iterator[Tokens]:
    """`There are four wheels on the cart` as `the cart has four wheels`; only with `in`."""
    if len(tokens) < 5 or tokens[0].key != "there" or tokens[1].key != "be":
        return
    for place in range(3, len(tokens) - 1):
        if tokens[place].key == "in" and phrase_end(tokens, place + 1) == len(tokens):
            yield (*tokens[place + 1 :], _HAVE, *tokens[2:place])


def _means_first(tokens: Tokens) -> Iterator[Tokens]:
    """`stop it by pulling the lever` as `pull the lever to stop it`."""
    for place in range(3, len(tokens) - 1):
        doing = tokens[place + 1]
        if tokens[place].key != "by" or doing.form != "ing" or doing.key not in VERBS:
            continue
        if not is_modal(tokens[0]) or tokens[1].key in _DENIALS:
            return
        end = clause_end(tokens, place)
        means = (doing._replace(form="base"), *tokens[place + 2 : end])
        yield (tokens[0], *means, _TO, *tokens[1:place], *tokens[end:])


def _means_of_passive(tokens: Tokens) -> Iterator[Tokens]:
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


def _passive_for_us(tokens: Tokens) -> Iterator[Tokens]:
    """`We do not recommend X` as `X is not recommended`."""
    if len(tokens) < 3 or tokens[0].key != "we":
        return
    verb = 2 if tokens[1].key == "not" else 1
    end = phrase_end(tokens, verb + 1)
    if tokens[verb].key not in VERBS or end == verb + 1:
        return
    done = tokens[verb]._replace(form="ed")
    yield (*tokens[verb + 1 : end], _BE, *tokens[1:verb], done, *tokens[end:])


def _now_last(tokens: Tokens) -> Iterator[Tokens]:
    """`Today 8,000 people live there` as `8,000 people live there today`."""
    if len(tokens) > 3 and tokens[0].key in _NOW:
        rest = tokens[1:] if not tokens[1].is_mark else tokens[2:]
        end = clause_end(rest, 0)
        yield (*rest[:end], tokens[0], *rest[end:])


def _way_open(tokens: Tokens) -> Iterator[Tokens]:
    """`Pull the lever to stop it` also says that you can: an order with a purpose is an offer."""
    if tokens[:1] != (ORDER,) or tokens[1].key in _DENIALS:
        return
    for place in range(2, len(tokens) - 1):
        if tokens[place].key == "to" and tokens[place + 1].key in VERBS:
            yield (Token("can"), *tokens[1:])
            return


def _condition_as_relative(tokens: Tokens) -> Iterator[Tokens]:
    """`A request is cancelled if it is late` as `a request that is late is cancelled`."""
    verb = verb_place(tokens)
    if not verb:
        return
    for place in range(verb + 1, len(tokens) - 2):
        if tokens[place].key == "if" and tokens[place + 1].key in {"it", "they"}:
            end = clause_end(tokens, place)
            condition = tokens[place + 2 : end]
            yield (*tokens[:verb], _THAT, *condition, *tokens[verb:place], *tokens[end:])


def _adverb_after_verb(tokens: Tokens) -> Iterator[Tokens]:
    """`automatically opens` as `opens automatically`."""
    for place in range(len(tokens) - 1):
        adverb, verb = tokens[place], tokens[place + 1]
        manner = adverb.written.endswith("ly") and adverb.key not in {"only", "nearly", "hardly"}
        if manner and verb.key in VERBS and not verb.opens and verb.kind == "word":
            yield (*tokens[:place], verb, adverb, *tokens[place + 2 :])


def _only_after_verb(tokens: Tokens) -> Iterator[Tokens]:
    """`only opens with a card` as `opens only with a card`."""
    for place in range(len(tokens) - 2):
        only, verb, after = tokens[place : place + 3]
        if only.key == "only" and verb.key in VERBS and after.key in PREPOSITIONS:
            yield (*tokens[:place], verb, only, *tokens[place + 2 :])


def _identity(tokens: Tokens) -> Iterator[Tokens]:
    """`Oslo is the capital of Norway` as `the capital of Norway is Oslo`."""
    verb = verb_place(tokens)
    if not verb or tokens[verb].key != "be" or verb + 1 >= len(tokens):
        return
    one, other = tokens[:verb], tokens[verb + 1 :]
    if not all(map(_is_named, (*one, *other))):
        return
    names = all(token.written[:1].isupper() for token in other)
    if other[0].definite or (one[0].definite and names):
        yield (*other, tokens[verb], *one)


def _is_named(token: Token) -> bool:
    """Whether a token may stand in a noun phrase with its prepositions."""
    return not token.is_mark and (token.key in _INSIDE or _is_plain(token))


def _default_last(tokens: Tokens) -> Iterator[Tokens]:
    """`The default timeout is 30 s` as `the timeout is 30 s by default`."""
    verb = verb_place(tokens)
    if verb and verb > 1 and tokens[0].key == "default" and tokens[verb].key == "be":
        end = clause_end(tokens, 0)
        yield (*tokens[1:end], Token("by default"), *tokens[end:])


def _tool_last(tokens: Tokens) -> Iterator[Tokens]:
    """`Use a cloth to clean the lens` as `clean the lens with a cloth`."""
    if len(tokens) < 6 or not is_modal(tokens[0]) or tokens[1].key != "use":
        return
    end = phrase_end(tokens, 2)
    if end + 2 < len(tokens) and tokens[end].key == "to" and tokens[end + 1].key in VERBS:
        last = clause_end(tokens, end)
        with_tool = (Token("with"), *tokens[2:end])
        yield (tokens[0], *tokens[end + 1 : last], *with_tool, *tokens[last:])


def _items_sorted(tokens: Tokens) -> Iterator[Tokens]:
    """`Linux and macOS` as `macOS and Linux`; not where the order may tell something."""
    joins = [place for place, token in enumerate(tokens) if token.key == "and"]
    if len(joins) != 1 or any(token.key in {"respectively", "between", "from"} for token in tokens):
        return
    join = joins[0]
    first, items = join - 1, []
    while first >= 0 and _is_item(tokens[first]):
        items.append(tokens[first])
        if first < 2 or tokens[first - 1].key != "," or not _is_item(tokens[first - 2]):
            break
        first -= 2
    last = join + 1
    named = all(
        one.kind == "code" or not one.written.islower()
        for one in (*items, *tokens[last : last + 1])
    )
    if not items or last >= len(tokens) or not _is_item(tokens[last]) or first < 0:
        return
    if not _is_edge(tokens, first, items[-1]) or not (named or _is_edge_after(tokens, last + 1)):
        return
    ordered = sorted((*items, tokens[last]), key=lambda one: one.key)
    comma = Token(",", "mark")
    listed = [token for item in ordered[:-1] for token in (item, comma)][:-1]
    changed = (*tokens[:first], *listed, tokens[join], ordered[-1], *tokens[last + 1 :])
    if changed != tokens:
        yield changed


def _is_item(token: Token) -> bool:
    return _is_plain(token) and token.key not in VERBS and not token.written.endswith("ly")


def _is_edge(tokens: Tokens, first: int, item: Token) -> bool:
    if first == 0 or item.opens:
        return True
    before = tokens[first - 1]
    return before.is_mark or before.key in PREPOSITIONS or before.key in VERBS


def _is_edge_after(tokens: Tokens, place: int) -> bool:
    if place >= len(tokens) or tokens[place].is_mark:
        return True
    return tokens[place].key in PREPOSITIONS or is_verb(tokens, place)


_RULES: tuple[Rule, ...] = (
    _leading_phrase_last,
    _inserted_phrase_last,
    _active,
    _order_for_passive,
    _measure,
    _owner_first,
    _exceeding,
    _adverb_after_verb,
    _receiver_last,
    _converse,
    _means_first,
    _way_open,
    _means_of_passive,
    _passive_for_us,
    _now_last,
    _place_first,
    _condition_as_relative,
    _only_after_verb,
    _identity,
    _default_last,
    _tool_last,
    _items_sorted,
    _neighbouring_phrases_swapped,
)
