"""What a claim may leave out of a plain fact: appositions, measures, details of what happened.

A plain fact has no condition, denial, order or permission, and ranks nothing.
"""

from collections.abc import Iterator

from sourcebook.answering.proof.clauses import (
    ORDER,
    clause_end,
    has_verb,
    is_helping_verb,
    is_plain,
    is_verb,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.figures import is_month
from sourcebook.answering.proof.scope import is_scoped
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    CONDITIONS,
    MEASURE_ADJECTIVES,
    MODALS,
    NEGATIONS,
    PLACES,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVES,
    SUBORDINATORS,
)

MAX_ASIDE_WORDS = 10
_ENDING = (SUBORDINATORS - {"before", "after"}) | RELATIVES | {";", ":", "—"}
_SIZES = frozenset(MEASURE_ADJECTIVES) | {"across", "apart", "round"}
_EARLIER = frozenset({"once", "then", "formerly", "now", "today"})
_PLACING = frozenset({"in", "on", "at", "near", "from", "between", "over", "by", "under", "during"})
_EXCEPTIONS = word_keys(
    {"exception", "charge", "surcharge", "limit", "restriction", "condition", "later", "earlier"}
    | {"more", "less", "except", "unless", "only", "if", "when", "half", "double", "free", "closed"}
)
_TIMES = word_keys({"hour", "minute", "day", "week", "month", "year", "night"})
_REASONS = frozenset({"because", "since"})
_PARTLY = word_keys({"mostly", "mainly", "partly", "largely", "chiefly"})
# What these are followed by is what is done, not what for.
_CONTROLLING = word_keys(
    {"ask", "allow", "force", "get", "tell", "expect", "cause", "lead", "help", "fail", "refuse"}
    | {"neglect", "forget", "decline", "stop", "hesitate", "want", "order", "let", "permit", "try"}
    | {
        "persuade",
        "invite",
        "forbid",
        "enable",
        "teach",
        "advise",
        "warn",
        "agree",
        "decide",
        "need",
    }
    | {
        "plan",
        "intend",
        "hope",
        "threaten",
        "promise",
        "offer",
        "begin",
        "seem",
        "have",
        "go",
        "be",
    }
)
_LABELS = frozenset({("know", "problem"), ("know", "issu"), ("know", "error"), ("background",)})
# Of what is said in passing, only these change what it is said of.
_CHANGING = frozenset({"if", "unless", "except", "only", "provided", "otherwise", "when", "but"})
_EMPHATIC = word_keys({"itself", "himself", "herself", "themselves"})
_MANNER = word_keys({"silently", "entirely", "quietly", "slowly", "quickly", "neatly", "steadily"})
_TITLES = word_keys(
    {"duke", "duchess", "king", "queen", "count", "countess", "prince", "princess", "baron", "lord"}
    | {"lady", "bishop", "emperor", "earl"}
)


def facts(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Spans that may be left out: from each first place to before each second."""
    yield from _labels(tokens)
    yield from asides(tokens)
    yield from _named_subjects(tokens)
    verb = verb_place(tokens)
    if verb is None:
        return
    yield from _contrasting_verbs(tokens, verb)
    yield from _words(tokens)
    if any(token == ORDER for token in tokens):
        return
    yield from _sizes(tokens, verb)
    yield from _kind_details(tokens, verb)
    yield from _kind_before_participle(tokens, verb)
    yield from _past_phrases(tokens, verb)


def _words(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`itself` after a noun, `the island of` before its name, `silently`."""
    for place in range(1, len(tokens) - 1):
        token, before, after = tokens[place], tokens[place - 1], tokens[place + 1]
        emphatic = token.key in _EMPHATIC and is_plain(before) and begins_verb(tokens, place + 1)
        if emphatic or (token.key in _MANNER and not _governs(tokens[:place])):
            yield place, place + 1
        elif token.key == "of" and _is_name(after) and not after.opens:
            if before.key in PLACES and before.definite:
                yield place - 1, place + 1
            titled = place > 1 and tokens[place - 2].key in _TITLES and before.key not in _TITLES
            if titled and _is_name(before):
                yield place, _end_of_phrase(tokens, place)


def _labels(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`Known problem: the clock stops.`"""
    end = clause_end(tokens, 0)
    label = tuple(token.key for token in tokens[:end])
    if label in _LABELS and has_verb(tokens[end + 1 :]) and tokens[end].key == ":":
        yield 0, end + 1


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
        # `, not from a table,`
        return True
    closed = end + 1 < len(tokens) and tokens[end + 1].key not in {"and", "or"}
    return closed and (_is_aside(tokens, comma, end) or _is_placed(tokens, comma, end))


def _named_subjects(tokens: Tokens) -> Iterator[tuple[int, int]]:
    for comma in _commas(tokens):
        end = clause_end(tokens, comma + 1)
        if end == len(tokens) or tokens[end].key != "," or end < comma + 2:
            continue
        if _is_named_subject(tokens, comma, end):
            yield 0, comma + 1
        called = [at for at in range(comma + 2, end - 1) if tokens[at].key == "call"]
        if called and tokens[comma + 1].opens and _is_name(tokens[called[0] + 1]):
            # `, a folding balance called the Honest Tom,`
            yield comma + 1, called[0] + 1


def _is_added(before: Tokens, rest: Tokens) -> bool:
    """Whether what ends a sentence only adds to a fact: `, a device that …`, `, with …`."""
    if any(token.key in _EXCEPTIONS | _CHANGING for token in rest) or not has_verb(before):
        return False
    if rest[0].key in _PARTLY and len(rest) > 3 and rest[1].key in _REASONS:
        return not _governs(before)
    if rest[0].key in _PLACING | {"with"}:
        told = _may_be_told(before, rest) and not has_verb(rest)
        return told and not _governs(before)
    return _is_apposition(before, rest)


def _is_apposition(before: Tokens, rest: Tokens) -> bool:
    """`the Orrin cell, a device that measures …`."""
    named = rest[0].opens or rest[0].key in POSSESSIVES
    limited = any(one == ORDER or one.key in MODALS | CONDITIONS for one in before)
    if not named or limited or not is_plain(before[-1]):
        return False
    head = phrase_end(rest, 0)
    joined = any(token.key in {"and", "or"} for token in rest)
    verbs = any(is_verb(rest, at) for at in range(min(head + 1, len(rest))))
    return not _is_timed(rest[:head]) and not joined and not verbs


def _is_timed(tokens: Tokens) -> bool:
    return any(token.key in _TIMES or token.kind == "figure" for token in tokens)


def begins_verb(tokens: Tokens, place: int) -> bool:
    """Whether the verb of the main clause goes on here, also right after a comma."""
    if place >= len(tokens):
        return False
    token = tokens[place]
    if token.opens or token.kind != "word":
        return False
    return is_helping_verb(token) or (token.key in VERBS and token.form in {"s", "ed"})


def _governs(tokens: Tokens) -> bool:
    return any(is_scoped(token) or token.key in CONDITIONS for token in tokens)


def _is_aside(tokens: Tokens, comma: int, end: int) -> bool:
    """`Salmon, once plentiful, can …`, `by Jonas Peverell, member for East Quay, after …`."""
    inside, before, after = tokens[comma + 1 : end], tokens[comma - 1], tokens[end + 1]
    if len(inside) > MAX_ASIDE_WORDS or _governs(inside[1:]) or has_verb(inside):
        return False
    first = inside[0]
    goes_on = begins_verb(tokens, end + 1)
    if first.key in _EARLIER and len(inside) > 1:
        # `, once tagged,` is a condition.
        return goes_on and is_plain(before) and inside[1].form != "ed"
    if first.form == "ed" and first.key in VERBS and not first.opens:
        # `the bridge, built in 1743, carried carts`, not `boxes, stacked upright, hold 40 kg`.
        definite = _is_name(before) or _is_definite(tokens, comma)
        dated = any(_is_year(token) for token in inside)
        return definite and goes_on and (dated or after.form == "ed")
    if not _is_name(before) or first.opens or not first.written.islower() or first.form != "base":
        return False
    follows = after.key in PREPOSITIONS | SUBORDINATORS or goes_on
    return follows and is_plain(first) and first.kind == "word" and first.key not in VERBS


def _is_placed(tokens: Tokens, comma: int, end: int) -> bool:
    """`, on 30 June,`, `, in a room above a bakery,` or `, with 610 workers,` in a fact."""
    inside = tokens[comma + 1 : end]
    told = inside[0].key in _PLACING | {"with"} and _may_be_told(tokens[:comma], inside)
    if not told or has_verb(inside) or len(inside) > MAX_ASIDE_WORDS:
        return False
    return not _governs(inside) and not _governs(tokens[:comma]) and has_verb(tokens[:comma])


def _may_be_told(before: Tokens, phrase: Tokens) -> bool:
    """Whether a phrase is no condition: of what happened, of a place, or of a number."""
    verb = verb_place(before)
    if verb is None or not _is_certain(phrase[1:2]):
        return False
    if phrase[0].key == "with" and phrase[1].kind == "figure":
        return True
    placed = before[verb].key == "be" and _is_name(phrase[1]) and phrase[0].key != "with"
    repeated = phrase[-1].form == "s" and phrase[0].key == "on"
    return not repeated and (placed or _is_past(before, verb)) and not is_month(phrase[1].written)


def _is_past(tokens: Tokens, verb: int) -> bool:
    return tokens[verb].form == "ed" and tokens[verb].written.lower() not in {"is", "are", "been"}


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


def _is_named_subject(tokens: Tokens, comma: int, end: int) -> bool:
    """`A disc jockey from Lisk, Pete Lasker, turned`: the name is enough."""
    inside = tokens[comma + 1 : end]
    named = len(inside) > 1 and all(map(_is_name, inside)) and not inside[0].opens
    subject = tokens[0].opens and not _governs(tokens[:comma]) and not has_verb(tokens[:comma])
    singular = tokens[phrase_end(tokens, 0) - 1].form == "base"
    return named and subject and singular and begins_verb(tokens, end + 1)


def _contrasting_verbs(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """`grows back but stays shorter`: what is said against it may be left out."""
    for place in range(verb + 2, len(tokens) - 2):
        if tokens[place].key != "but" or tokens[place - 1].is_mark:
            continue
        rest = tokens[place + 1 :]
        doing = rest[0].key in VERBS and rest[0].form in {"s", "ed"} and not rest[0].opens
        denied = any(one.key in NEGATIONS | {"only"} for one in tokens[:place])
        if doing and not denied and not any(one.key in _CHANGING for one in rest):
            yield place, len(tokens)


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
            or _governs(tokens[:place])
        ):
            continue
        by = size.key == "by" and place + 2 < len(tokens) and tokens[place + 2].kind == "figure"
        if size.key in _SIZES or by:
            yield place, place + (3 if by else 2)


def _kind_details(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """What `X is a town of 8,140 people on the river in Lisk` says of X besides."""
    place = verb + 1
    if tokens[verb].key != "be" or place >= len(tokens) or not _is_name(tokens[0]):
        return
    if not tokens[place].opens or tokens[place].definite or _governs(tokens):
        return
    if tokens[place].kind == "figure":
        # `a 1978 film`, `a seven-storey building`.
        yield place, place + 1
        after = tokens[place + 1]
        if after.key in {"storey", "story", "page", "seat"}:
            yield place, place + 2
    end = clause_end(tokens, place)
    if any(map(_is_year, tokens[end:])):
        # `, put up in 1906 for the guild`; not `, closed on Mondays`.
        end = len(tokens)
    for at in range(place + 1, end - 1):
        if has_verb(tokens[place:at]) or tokens[at].key in RELATIVES:
            break
        counted = tokens[at].key == "of" and tokens[at + 1].kind == "figure"
        kept = tokens[at].key not in _PLACING - {"by", "over"} | {"for"}
        placed = not kept and _is_certain(tokens[at + 1 : at + 2])
        if counted or (placed and not _is_repeated(tokens, at)):
            yield at, _end_of_phrase(tokens, at)


def _is_certain(noun: Tokens) -> bool:
    """`on the quay`, `in 1911`, `in Lisk`; `in winter` may be a condition."""
    return bool(noun) and (noun[0].opens or noun[0].kind == "figure" or _is_name(noun[0]))


def _kind_before_participle(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """`X is a disease of goats, caused by Y` says that X is caused by Y."""
    if tokens[verb].key != "be" or verb + 2 >= len(tokens) or not tokens[verb + 1].opens:
        return
    comma = clause_end(tokens, verb)
    if comma + 2 >= len(tokens) or tokens[comma].key != "," or _governs(tokens[:comma]):
        return
    done, after = tokens[comma + 1], tokens[comma + 2]
    participle = done.form == "ed" and done.key in VERBS and not done.opens
    if participle and after.key in PREPOSITIONS and not has_verb(tokens[verb + 1 : comma]):
        yield verb + 1, comma + 1


def _end_of_phrase(tokens: Tokens, at: int) -> int:
    end = phrase_end(tokens, at + 1)
    if tokens[at + 1].kind == "figure" and end == at + 1:
        end += 1
    while end < len(tokens) and tokens[end].key == "of":
        end = max(phrase_end(tokens, end + 1), end + 2)
    return end


def _past_phrases(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """Where, when and what for something happened."""
    if not _is_past(tokens, verb):
        return
    main = verb
    if tokens[verb].key == "be":
        main += 1
        if main >= len(tokens) or tokens[main].form != "ed":
            return
    for place in range(main + 1, len(tokens) - 1):
        token, after = tokens[place], tokens[place + 1]
        if token.key in _ENDING:
            return
        if is_scoped(token):
            return
        if token.key in {"before", "after"} and has_verb(
            tokens[place + 1 : clause_end(tokens, place)]
        ):
            yield place, clause_end(tokens, place)
            return
        if token.kind == "figure" and token.key.startswith("#>") and token.key.endswith("time"):
            # `over seven weeks`.
            yield place, place + 1
        told = token.key in _PLACING | {"with"} and _is_certain((after,))
        if told and not _is_repeated(tokens, place):
            end = _end_of_phrase(tokens, place)
            if not any(is_scoped(one) for one in tokens[:end]) and not _is_part_of_range(
                tokens, end
            ):
                yield place, end
        if token.key == "to" and _is_purpose(tokens, main, place):
            yield place, clause_end(tokens, place)


def _is_repeated(tokens: Tokens, place: int) -> bool:
    """`on Sundays` and `from the start to` tell how often, or only half of a way."""
    end = _end_of_phrase(tokens, place)
    return tokens[end - 1].form == "s" and tokens[place].key in {"on", "during"}


def _is_part_of_range(tokens: Tokens, end: int) -> bool:
    """`from the quay to the mill`, `with a rope and a hook`; not `with a rope and found it`."""
    if end >= len(tokens) or tokens[end].key not in {"to", "until", "and", "or"}:
        return False
    return tokens[end].key != "and" or not begins_verb(tokens, end + 1)


def _is_purpose(tokens: Tokens, main: int, place: int) -> bool:
    before, after = tokens[place - 1], tokens[place + 1]
    if after.key not in VERBS or after.form != "base" or after.opens:
        return False
    controlled = any(token.key in _CONTROLLING for token in tokens[main:place])
    noun = is_plain(before) and before.form in {"base", "s"} and before.kind == "word"
    end = clause_end(tokens, place)
    plain = not any(is_scoped(token) for token in tokens[:end])
    return noun and plain and not controlled and place > main + 1


def _is_year(token: Token) -> bool:
    return token.kind == "figure" and token.key[1:5].isdecimal() and len(token.key) >= 5


def _is_name(token: Token) -> bool:
    return token.kind == "word" and token.written[:1].isupper()
