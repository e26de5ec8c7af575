"""Moves the phrases of a sentence where their place tells nothing."""

from collections.abc import Iterator

from sourcebook.answering.proof.clauses import (
    LEADING_WORDS,
    ORDER,
    TIMES,
    clause_end,
    has_time,
    has_verb,
    is_helping_verb,
    is_plain,
    is_verb,
    listed_phrase_end,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.scope import TIME_NOUNS
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, joined, word_keys
from sourcebook.answering.proof.word_classes import (
    ATTRIBUTIONS,
    DATIVE_VERBS,
    HEDGES,
    PHRASAL_VERBS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
)

_TO = Token("to")
_PHRASAL = frozenset(
    (key, particle)
    for verb, particle in (one.split() for one in PHRASAL_VERBS)
    for key in word_keys({verb})
)
_MONEY = ("euro", "dollar", "sterling", "yen")
_PHRASE_STARTS = PREPOSITIONS | SUBORDINATORS | TIMES
_BECAUSE = Token("because")
_OPINIONS = word_keys(ATTRIBUTIONS)
_HEDGES = word_keys(HEDGES)
_NO_REASONS = frozenset({"otherwise", "then", "and", "but", "however", "so", "therefore"})
# A longer phrase without a comma behind it is hardly ever moved.
MAX_LEAD = 20
# So many words may the subject have that stands behind its verb.
MAX_INVERTED = 5
_NOW = frozenset({"today", "currently", "now", "nowadays"})


def leading_phrase_last(tokens: Tokens) -> Iterator[Tokens]:
    """`If A, B` as `B if A`, `In 1932 A` as `A in 1932`."""
    if not tokens or tokens[0].key not in LEADING_WORDS:
        return
    end = clause_end(tokens, 0)
    if len(tokens) > 3 and tokens[1].kind == "figure" and tokens[2].opens:
        # `Since 1957 the dam has held`.
        bare = clause_end(tokens, 2)
        yield (*tokens[2:bare], *tokens[:2], *tokens[bare:])
    if end < len(tokens) and tokens[end].key == ",":
        yield from _with_lead_last(tokens[:end], tokens[end + 1 :])


def _with_lead_last(lead: Tokens, rest: Tokens) -> Iterator[Tokens]:
    if rest and rest[0].key == "then":
        rest = rest[1:]
    if not rest or (lead[0].key.startswith("because") and any(one.key == "not" for one in rest)):
        # `It did not close because of the strike` may say that it did, for another reason.
        return
    end = clause_end(rest, 0)
    if not has_verb(rest[end + 1 :]):
        # After a second clause it would belong to that alone.
        yield (*rest, *lead)
    if 0 < end < len(rest) - 1 and rest[end + 1].key != "so":
        # `In winter, the road is icy, so the bus stops here` says both of winter.
        yield (*rest[:end], *lead, *rest[end:])


def bare_leading_phrase_last(tokens: Tokens) -> Iterator[Tokens]:
    """`When the wind is strong the chain is lowered`: no comma tells where the lead ends."""
    if not tokens or tokens[0].key not in LEADING_WORDS:
        return
    clause = tokens[0].key in SUBORDINATORS
    for place in range(2, min(MAX_LEAD, clause_end(tokens, 0) - 1)):
        lead, rest = tokens[:place], tokens[place:]
        begins = rest[0].opens or rest[0].written[:1].isupper() or rest[0].key in PRONOUNS
        if (begins or has_time(lead)) and has_verb(rest) and has_verb(lead[1:]) == clause:
            end = clause_end(rest, 0)
            yield (*rest[:end], *lead, *rest[end:])


def leading_bound_last(tokens: Tokens) -> Iterator[Tokens]:
    """`Below -15 °C a heater takes over` as `a heater takes over below -15 °C`."""
    if len(tokens) > 3 and tokens[0].kind == "figure" and tokens[0].key[1] in "<>":
        start = 1 + tokens[1].is_mark
        if (tokens[start].opens or start > 1) and has_verb(tokens[start:]):
            yield (*tokens[start:], tokens[0])


def restriction_last(tokens: Tokens) -> Iterator[Tokens]:
    """`Only if A is B open` as `B is open only if A`."""
    if len(tokens) < 6 or tokens[0].key != "only" or tokens[1].key not in SUBORDINATORS:
        return
    for place in range(4, len(tokens) - 2):
        if not is_helping_verb(tokens[place]) or not has_verb(tokens[2:place]):
            continue
        start = place + 1
        for last in range(start + 1, min(start + MAX_INVERTED, len(tokens))):
            said = (*tokens[start:last], tokens[place], *tokens[last:])
            yield (*said, *tokens[:place])


def result_as_reason(tokens: Tokens) -> Iterator[Tokens]:
    """`A, so B` as `B because A`."""
    for place in range(3, len(tokens) - 2):
        if tokens[place].key == "so" and tokens[place - 1].key == ",":
            reason, result = tokens[: place - 1], tokens[place + 1 :]
            if reason[0].key in LEADING_WORDS:
                continue
            if result[0].key in VERBS and result[0].form == "base":
                result = (ORDER, *result)
            if has_verb(reason) and has_verb(result):
                yield (*result, _BECAUSE, *reason)


def inserted_phrase_last(tokens: Tokens) -> Iterator[Tokens]:
    """`A, in 1932, did B` as `A did B in 1932`."""
    for start in range(1, len(tokens) - 2):
        if tokens[start].key != "," or tokens[start + 1].key not in LEADING_WORDS:
            continue
        end = clause_end(tokens, start + 1)
        if end < len(tokens) - 1 and tokens[end].key == ",":
            yield (*tokens[:start], *tokens[end + 1 :], *tokens[start + 1 : end])


def now_last(tokens: Tokens) -> Iterator[Tokens]:
    """`Today 8,000 people live there` as `8,000 people live there today`."""
    if len(tokens) > 3 and tokens[0].key in _NOW:
        rest = tokens[1:] if not tokens[1].is_mark else tokens[2:]
        end = clause_end(rest, 0)
        yield (*rest[:end], tokens[0], *rest[end:])


def neighbouring_phrases_swapped(tokens: Tokens) -> Iterator[Tokens]:
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
        if route or has_time(tokens[first:second]) or has_time(tokens[second:last]):
            yield (*tokens[:first], *tokens[second:last], *tokens[first:second], *tokens[last:])


def _begins_phrase(tokens: Tokens, place: int) -> bool:
    token = tokens[place]
    if token.key in {"of", "than", "as", "per"} or tokens[place - 1].key in PREPOSITIONS:
        return False
    return token.key in _PHRASE_STARTS


def adverb_after_verb(tokens: Tokens) -> Iterator[Tokens]:
    """`automatically opens` as `opens automatically`."""
    for place in range(len(tokens) - 1):
        adverb, verb = tokens[place], tokens[place + 1]
        # `cures nearly all` is not `nearly cures all`.
        manner = adverb.written.endswith("ly") and adverb.key not in _HEDGES | {"only"}
        if manner and verb.key in VERBS and not verb.opens and verb.kind == "word":
            yield (*tokens[:place], verb, adverb, *tokens[place + 2 :])


def only_after_verb(tokens: Tokens) -> Iterator[Tokens]:
    """`only opens with a card` as `opens only with a card`."""
    if tokens[1:2] and tokens[0] == ORDER and tokens[1].key == "only":
        ends = [place for place, token in enumerate(tokens) if token.key in SUBORDINATORS]
        if ends:
            yield (ORDER, *tokens[2 : ends[0]], tokens[1], *tokens[ends[0] :])
    for place in range(len(tokens) - 2):
        only, verb, after = tokens[place : place + 3]
        if only.key == "only" and verb.key in VERBS and after.key in PREPOSITIONS:
            yield (*tokens[:place], verb, only, *tokens[place + 2 :])


def particle_first(tokens: Tokens) -> Iterator[Tokens]:
    """`shuts the kiln down` as `shuts down the kiln`; not `ran the hill down`."""
    for place in range(1, len(tokens) - 2):
        verb, first = tokens[place], tokens[place + 1]
        if verb.key not in VERBS or not first.opens:
            continue
        end = phrase_end(tokens, place + 1)
        if (
            end < len(tokens)
            and (verb.key, tokens[end].key) in _PHRASAL
            and _closes(tokens, end + 1)
        ):
            done = joined(verb, tokens[end])
            yield (*tokens[:place], *done, *tokens[place + 1 : end], *tokens[end + 1 :])


def _closes(tokens: Tokens, place: int) -> bool:
    if place >= len(tokens) or tokens[place].is_mark:
        return True
    return tokens[place].key in SUBORDINATORS or tokens[place].key == "and"


def receiver_last(tokens: Tokens) -> Iterator[Tokens]:
    """`lent her brother a bicycle` as `lent a bicycle to her brother`."""
    for place in range(len(tokens) - 2):
        if tokens[place].key not in DATIVE_VERBS or not _may_receive(tokens, place + 1):
            continue
        middle = place + 2
        while middle < len(tokens) and not _opens(tokens[middle]) and is_plain(tokens[middle]):
            middle += 1
        receiver = tokens[place + 1 : middle]
        bare = not _opens(receiver[0]) and receiver[-1].form != "s"
        if bare or middle >= len(tokens) or not _may_be_given(tokens[middle]):
            continue
        paid = tokens[middle].kind == "figure"
        end = middle + 1 if paid else listed_phrase_end(tokens, middle)
        given = tokens[middle:end]
        yield (*tokens[: place + 1], *given, _TO, *receiver, *tokens[end:])


def _may_receive(tokens: Tokens, place: int) -> bool:
    """`her brother`, `the museum`, or several: `clients`."""
    token = tokens[place]
    return _opens(token) or (is_plain(token) and token.key not in VERBS)


def _may_be_given(token: Token) -> bool:
    """`a token`, `400 euros`; not `a day`."""
    if token.kind == "figure":
        return token.key.endswith(_MONEY)
    return token.opens and token.key not in TIME_NOUNS


def _opens(token: Token) -> bool:
    return token.opens or token.key in POSSESSIVES


def items_sorted(tokens: Tokens) -> Iterator[Tokens]:
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
    return is_plain(token) and token.key not in VERBS and not token.written.endswith("ly")


def _is_edge(tokens: Tokens, first: int, item: Token) -> bool:
    if first == 0 or item.opens:
        return True
    before = tokens[first - 1]
    return before.is_mark or before.key in PREPOSITIONS or before.key in VERBS


def _is_edge_after(tokens: Tokens, place: int) -> bool:
    if place >= len(tokens) or tokens[place].is_mark:
        return True
    return tokens[place].key in PREPOSITIONS or is_verb(tokens, place)
