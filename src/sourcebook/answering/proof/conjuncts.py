"""Splits a sentence into clauses that together say what it says.

What a condition or somebody's opinion governs is never taken out of it.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias

from sourcebook.answering.proof.clauses import (
    ORDER,
    action,
    clause_end,
    contrasts,
    has_verb,
    is_helping_verb,
    is_modal,
    is_plain,
    is_verb,
    ordered_object,
    subject,
    verb_place,
)
from sourcebook.answering.proof.scope import is_limited, is_sweeping
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    ATTRIBUTIONS,
    COLLECTIVE_WORDS,
    CONDITIONS,
    HEDGES,
    NEGATIONS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    TIME_ADVERBS,
)

Splitter: TypeAlias = Callable[[Tokens], Iterator[tuple[Tokens, ...]]]

# A sentence that asserts more than this is left whole.
MAX_ASSERTIONS = 16
# A shorter part says nothing by itself.
MIN_PART = 3
_STOPS = frozenset({";", ":", "—"})
_JOINING = frozenset({"and", "but", "while", "whereas", ";", "—", ","})
_LINKING = frozenset({"instead", "for exampl"})
_OPINIONS = word_keys(ATTRIBUTIONS)
_HEDGES = word_keys(HEDGES)
_COLLECTIVE = word_keys(COLLECTIVE_WORDS) - {"can", "no", "not", "make"}
_BE = Token("be", form="s")
_NOT = Token("not")
# Clauses that speak of the whole sentence before them.
_LEANING = frozenset({"this", "that", "these", "those", "otherwise", "so", "then", "which", "only"})
_REFERRING = PRONOUNS | POSSESSIVES
_GOVERNING = CONDITIONS | SUBORDINATORS
_NO_SUBJECT = PREPOSITIONS | SUBORDINATORS | NEGATIONS
_EXCLUDING = NEGATIONS | {"only"}
_BEFORE_VERBS = NEGATIONS | {"always"}
_CONDITIONS = CONDITIONS - {"until"}
_SHARED = SUBORDINATORS | PREPOSITIONS
_JOINING_CLAUSES = frozenset({"and", "but", "whereas", "although", "while"})
# What belongs to the second of two clauses alone, if `but` or `;` parts them.
_OWN_CONDITIONS = frozenset({"before", "after", "until", "once", "while", "where"})
_FACTIVE = frozenset({"because", "although", "since", "whereas"})


def splits(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """Each way to split a sentence into clauses that say the same together."""
    for split in _SPLITTERS:
        for parts in split(tokens):
            yield tuple(_resolved(parts))
    end = clause_end(tokens, 0)
    if tokens and tokens[0].key in _SHARED and end < len(tokens) - 1 and tokens[end].key == ",":
        lead, rest = tokens[: end + 1], tokens[end + 1 :]
        # `If A, B and C` says both `if A, B` and `if A, C`.
        for parts in splits(rest):
            yield tuple((*lead, *part) for part in parts)


def joints(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """Each way to cut a claim in two where something joins it, whatever the parts are.

    Only for claims: whoever proves both parts has proven the whole.
    """
    yield from participle_apart(tokens)
    yield from _without_doing(tokens)
    for place in range(MIN_PART, len(tokens) - MIN_PART):
        if tokens[place].key not in _JOINING or tokens[place - 1].key in PREPOSITIONS:
            continue
        one, other = tokens[:place], _without_link(tokens[place + 1 :])
        if one[-1].is_mark:
            one = one[:-1]
        if other[0].key in {"which", "who"} and tokens[place].key == ",":
            yield from _relative_apart(one, other[1:])
        if other[0].key in _JOINING or other[0].key in _LEANING or other[0].key in _GOVERNING:
            continue
        if tokens[place].key == "while" and action(one) != action(other):
            # `The door is open while the lamp is green` says more than both.
            continue
        if one[0] == ORDER and not other[0].opens and other[0].form == "base":
            other = (ORDER, *other)
        if len(one) >= MIN_PART and _may_say(one) and _may_say(other):
            yield one, other
            if (resolved := resolve(other, subject(one))) is not None:
                yield one, resolved


def _without_link(part: Tokens) -> Tokens:
    """`; instead, A` and `but you can B` without what only links them to what stands before."""
    if len(part) > MIN_PART and part[0].key in _LINKING and part[1].key == ",":
        return part[2:]
    if len(part) > MIN_PART and part[0].key == "you" and is_modal(part[1]):
        return part[1:]
    return part


def _relative_apart(one: Tokens, relative: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`Read the label, which lists A` as `Read the label`, `the label lists A`."""
    start = len(one) - 1
    while start > 0 and not one[start].opens and is_plain(one[start]):
        start -= 1
    noun = one[start:]
    if not noun[0].opens or len(one) < MIN_PART or len(relative) < 2 or not _may_say(one):
        return
    if is_helping_verb(relative[0]) or relative[0].key in VERBS:
        yield one, (*noun, *relative)


def _without_doing(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`Close the door without locking it` as `Close the door`, `do not lock it`."""
    if not tokens or not is_modal(tokens[0]) or any(one.key in NEGATIONS for one in tokens[:2]):
        return
    for place in range(MIN_PART, len(tokens) - 1):
        doing = tokens[place + 1]
        if tokens[place].key == "without" and doing.form == "ing" and doing.key in VERBS:
            denied = (tokens[0], _NOT, doing._replace(form="base"), *tokens[place + 2 :])
            yield tuple(_resolved((tokens[:place], denied)))
            return


def participle_apart(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`Built in 1743, the bridge carried carts` as `the bridge is built in 1743` and the rest."""
    end = clause_end(tokens, 0)
    if end < 2 or end + MIN_PART > len(tokens) or tokens[end].key != ",":
        return
    first, rest = tokens[0], tokens[end + 1 :]
    about = subject(rest)
    if first.form != "ed" or first.key not in VERBS or first.opens or about is None:
        return
    yield (*about, _BE, *tokens[:end]), rest


def _may_say(part: Tokens) -> bool:
    return any(is_helping_verb(one) or one.key in VERBS or one == ORDER for one in part)


@lru_cache(maxsize=4_096)
def assertions(tokens: Tokens) -> tuple[Tokens, ...]:
    """The sentence, and every clause of it that it asserts on its own."""
    found = {tokens: None, _without_then(tokens): None}
    queue = list(found)
    while queue and len(found) < MAX_ASSERTIONS:
        current = queue.pop(0)
        for parts in (
            *splits(current),
            *_stated_reasons(current),
            *_results(current),
            *_first_of_joined(current),
            *_contrast(current),
        ):
            for part in _unconditional(current, parts):
                if part not in found and len(found) < MAX_ASSERTIONS:
                    found[part] = None
                    queue.append(part)
    return tuple(found)


def _without_then(tokens: Tokens) -> Tokens:
    """`A and then B` says `A and B`."""
    return tuple(
        token
        for place, token in enumerate(tokens)
        if token.key != "then" or not place or tokens[place - 1].key != "and"
    )


def _unconditional(whole: Tokens, parts: tuple[Tokens, ...]) -> tuple[Tokens, ...]:
    """Without the first of two clauses if a condition after the second may govern both."""
    if len(parts) > 1 and (is_sweeping(parts[0]) or is_limited(parts[0], parts[-1])):
        # `Every bus is free, but the night bus costs 3 euros.`
        parts = parts[1:]
    first, last = _conditions(parts[0]), _conditions(parts[-1])
    place = len(parts[0])
    parted = whole[: len(parts[0])] == parts[0] and place < len(whole) - 1
    if parted and _parts_clauses(whole, place):
        last = [one for one in last if one not in _OWN_CONDITIONS]
    return parts if not last or first == last else parts[-1:]


def _parts_clauses(whole: Tokens, place: int) -> bool:
    """`A; B after C` and `A, but B after C` assert A."""
    sign, after = whole[place], whole[place + 1]
    return sign.key == ";" or (sign.key == "," and after.key in {"but", "whereas", "although"})


def _conditions(tokens: Tokens) -> list[str]:
    return [token.key for token in tokens if token.key in CONDITIONS]


def resolve(tokens: Tokens, about: Tokens | None) -> Tokens | None:
    """A clause with its first pronoun replaced by what the clause before is about."""
    if not tokens or about is None or any(token.key in _REFERRING for token in about):
        return None
    first = tokens[0].key
    plural = about[-1].form == "s" or any(token.key == "and" for token in about)
    if (first in {"it", "its"} and plural) or (first in {"they", "their"} and not plural):
        return None
    if first in _REFERRING:
        return (*about, *tokens[1:])
    return None


def _resolved(parts: tuple[Tokens, ...]) -> Iterator[Tokens]:
    about, done_to, alone = None, None, False
    for part in parts:
        resolved = resolve(part, about)
        if resolved is None and done_to is not None and alone:
            resolved = resolve(part, done_to)
        if resolved is None and done_to is not None and is_modal(part[0]):
            resolved = _with_object(part, done_to)
        whole = part if resolved is None else resolved
        yield whole
        about = about or subject(whole)
        done_to = done_to or ordered_object(whole)
        alone = sum(token.opens for token in whole) < 2 and whole[0] == ORDER


def _with_object(tokens: Tokens, done_to: Tokens) -> Tokens | None:
    pronouns = [place for place, token in enumerate(tokens) if token.key in {"it", "they", "them"}]
    if len(pronouns) != 1:
        return None
    return (*tokens[: pronouns[0]], *done_to, *tokens[pronouns[0] + 1 :])


def _governs(tokens: Tokens) -> bool:
    """Whether what follows these words may depend on them: an opinion, an open condition."""
    if any(token.key in _OPINIONS or token.key == "that" for token in tokens):
        return True
    last = [place for place, token in enumerate(tokens) if token.key in _GOVERNING]
    return bool(last) and (last[0] == 0 or has_verb(tokens[last[-1] + 1 :]))


def _reaches(one: Tokens, sign: Token) -> bool:
    """Whether a clause governs what a sign parts from it: behind `;` only opinions go on."""
    if sign.key not in {";", "—"}:
        return _governs(one)
    opinion = any(token.key in _OPINIONS for token in one)
    return opinion or one[0].key in SUBORDINATORS


def _independent_clauses(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`A; B`, `A, and B`, `A, while B`: each with a subject and a verb of its own."""
    for place in range(2, len(tokens) - 2):
        token = tokens[place]
        after = place + 1
        if token.key in {";", "—"}:
            pass
        elif token.key == "," and tokens[after].key in _JOINING_CLAUSES:
            after += 1
        elif token.key != "and" or not (tokens[after].opens or tokens[after].key in PRONOUNS):
            continue
        one, other = tokens[:place], tokens[after:]
        if not other or other[0].key in _LEANING or _reaches(one, token):
            continue
        if tokens[after - 1].key == "while" and not contrasts(one, other):
            continue
        if one[0].key in PREPOSITIONS:
            # `During tuning A, but B` may say both of the time of tuning.
            continue
        other = _as_order(one, other)
        if has_verb(one) and has_verb(other) and _has_own_subject(other):
            yield one, other


def _as_order(one: Tokens, other: Tokens) -> Tokens:
    """`press A, and release B` gives two orders."""
    if one[0] == ORDER and other[0].key in VERBS and other[0].form == "base":
        return (ORDER, *other)
    return other


def _has_own_subject(tokens: Tokens) -> bool:
    return tokens[0] == ORDER or (
        tokens[0].key not in _NO_SUBJECT and not is_helping_verb(tokens[0])
    )


def _joined_verbs(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`A opens at 5 and closes at 7` as `A opens at 5`, `A closes at 7`."""
    verb = verb_place(tokens)
    if verb is None:
        return
    if any(token.key in _GOVERNING for token in tokens[:verb]):
        return
    main = _main_verb(tokens, verb)
    if any(token.key in _EXCLUDING for token in tokens[:main]):
        return
    helped = tokens[verb : main + 1 + (tokens[main].key == "be")]
    if any(token.key in _HEDGES for token in helped):
        # `was nearly finished and opened in 2017`
        return
    for place in range(main + 2, len(tokens) - 1):
        if tokens[place].key in _STOPS:
            return
        if tokens[place].key not in {"and", "but"} or tokens[place - 1].key in PREPOSITIONS:
            continue
        one = tokens[:place]
        if one[-1].key == ",":
            one = one[:-1]
        head = _shared_head(tokens, verb, main, place + 1)
        other = tokens[place + 1 :]
        if (
            head is None
            or _governs(one[verb:])
            or (len(one) == main + 1 and tokens[verb].key != "be")
        ):
            continue
        yield one, (*head, *other)


def _main_verb(tokens: Tokens, verb: int) -> int:
    """Where the verb stands that the helping verbs belong to."""
    main = verb
    while main + 1 < len(tokens) and (
        is_modal(tokens[main])
        or tokens[main].key in _BEFORE_VERBS
        or (tokens[main].key == "be" and tokens[main + 1].form == "ed")
    ):
        main += 1
    return main


def _shared_head(tokens: Tokens, verb: int, main: int, place: int) -> Tokens | None:
    """What stands before both verbs, if a verb of the same form stands at `place`."""
    other, first = tokens[place], tokens[main]
    if other.opens or other.kind != "word":
        return None
    denied = other.key == "not" and _is_base_verb(tokens, place + 1)
    if is_helping_verb(other) or denied:
        # `and has`, `and must` or `and does not` begins anew after the subject.
        ordered = tokens[:1] if denied else None
        return ordered if tokens[0] == ORDER else tokens[:verb]
    done = main > verb and other.form == "ed"
    # A verb alone at the end is no clause, but a participle is: `is washed and dried`.
    if not done and (other.key not in VERBS or place + 1 >= len(tokens)):
        return None
    if main > verb:
        return tokens[:main] if other.form == first.form else None
    plural = verb > 0 and tokens[verb - 1].form == "s" and other.form == "base"
    if first.form == other.form or (first.key == "be" and (other.form == "s" or plural)):
        return tokens[:verb]
    return None


def _is_base_verb(tokens: Tokens, place: int) -> bool:
    return place < len(tokens) and tokens[place].key in VERBS and tokens[place].form == "base"


def _joined_phrases(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`opens at 9 on weekdays and at 11 on Sundays`; `use A for B and C for D`."""
    verb = verb_place(tokens)
    if verb is None or any(token.key in _EXCLUDING or token.key == "or" for token in tokens):
        return
    if any(token.key in _CONDITIONS for token in tokens):
        return
    for place in range(verb + 3, len(tokens) - 2):
        if tokens[place].key != "and":
            continue
        other = tokens[place + 1 : clause_end(tokens, place)]
        if any(is_verb(other, at) for at in range(1, len(other))):
            continue
        start = _parallel(tokens[:place], verb, other)
        if start is not None:
            yield tokens[:place], (*tokens[:start], *other)


def _parallel(one: Tokens, verb: int, other: Tokens) -> int | None:
    """Where the phrase begins that has the same prepositions in the same order as another."""
    if [token.kind for token in other] == [token.kind for token in one[-2:]] == ["figure", "word"]:
        # `120 m long and 8 m wide`.
        return len(one) - 2
    wanted = [token.key for token in other if token.key in PREPOSITIONS]
    places = [at for at in range(verb + 1, len(one)) if one[at].key in PREPOSITIONS]
    if not wanted or [one[at].key for at in places][-len(wanted) :] != wanted:
        return None
    start = places[-len(wanted)]
    if other[0].key in PREPOSITIONS:
        return start
    if _is_time(other[0]):
        times = [at for at in range(verb + 1, start) if _is_time(one[at])]
        return times[0] if times else None
    # A noun phrase before the preposition: it must begin with an article to be told from the verb.
    while start > verb + 1 and not one[start].opens:
        start -= 1
    return start if other[0].opens and one[start].opens else None


def _is_time(token: Token) -> bool:
    return token.kind == "figure" or token.key in TIME_ADVERBS or token.key == "every"


def _inserted_clause(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`X, which R, M` as `X R`, `X M`; `X, the Y, M` as `X is the Y`, `X M`."""
    start = clause_end(tokens, 0)
    if not 0 < start < len(tokens) - 2 or tokens[start].key != ",":
        return
    about = tokens[:start]
    if any(is_helping_verb(token) or token.key in PREPOSITIONS for token in about):
        return
    if about[0] == ORDER or about[0].key in SUBORDINATORS or is_sweeping(about):
        # `Every room, the kitchen apart, has a lamp.`
        return
    end = clause_end(tokens, start + 1)
    inside, rest = tokens[start + 1 : end], tokens[end + 1 :]
    if (
        not rest
        or not inside
        or tokens[end].key != ","
        or not _begins_with_verb((*about, *rest), len(about))
    ):
        return
    if inside[0].key in {"which", "who", "that"}:
        yield (*about, *inside[1:]), (*about, *rest)
        return
    told = inside[0].opens or (inside[0].form == "ed" and _is_certain(about, inside, rest))
    if told and not has_verb(inside):
        yield (*about, _BE, *inside), (*about, *rest)


def _is_certain(about: Tokens, inside: Tokens, rest: Tokens) -> bool:
    """Not `bags, closed with a strap, may be left`: it may be a condition."""
    known = about[0].definite or about[-1].written[:1].isupper()
    dated = any(token.kind == "figure" and token.key[1:5].isdecimal() for token in inside)
    dated |= any(token.key.startswith("@") for token in inside)
    return known and (dated or rest[0].form == "ed")


def _begins_with_verb(tokens: Tokens, place: int) -> bool:
    return place < len(tokens) and is_verb(tokens, place)


def _first_of_joined(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`A may be frozen and go into the pot` asserts `A may be frozen`."""
    verb = verb_place(tokens)
    if verb is None or any(token.key in _COLLECTIVE for token in tokens) or _governs(tokens[:verb]):
        return
    for place in range(verb + 2, len(tokens) - 1):
        if tokens[place].key in _STOPS:
            return
        if tokens[place].key != "and" or not _goes_on(tokens[place + 1]):
            continue
        one, rest = tokens[:place], tokens[place + 1 :]
        if not any(token.key in CONDITIONS for token in rest) and not _governs(one[verb:]):
            yield (one[:-1] if one[-1].is_mark else one,)


def _goes_on(token: Token) -> bool:
    """Whether `and` joins a verb here."""
    if token.opens or token.kind != "word":
        return False
    return is_helping_verb(token) or token.key in VERBS or token.key in {"no", "not", "alway"}


def _results(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`A, so B` asserts B too."""
    for place in range(3, len(tokens) - 2):
        if tokens[place].key == "so" and tokens[place - 1].key == ",":
            cause, result = tokens[: place - 1], tokens[place + 1 :]
            if result[0].key in VERBS and result[0].form == "base":
                result = (ORDER, *result)
            if cause[0].key in PREPOSITIONS:
                continue
            if has_verb(cause) and has_verb(result) and not _governs(cause):
                resolved = resolve(result, subject(cause))
                yield ((result if resolved is None else resolved),)


def _stated_reasons(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`Because A, B` asserts both A and B, and more."""
    if not tokens or tokens[0].key not in _FACTIVE:
        return
    end = clause_end(tokens, 0)
    reason, rest = tokens[1:end], tokens[end + 1 :]
    if end == len(tokens) or not rest or tokens[end].key != ",":
        return
    if not has_verb(reason) or not has_verb(rest) or _governs(reason):
        return
    resolved = resolve(rest, subject(reason))
    yield reason, (rest if resolved is None else resolved)


def _contrast(tokens: Tokens) -> Iterator[tuple[Tokens, ...]]:
    """`X is kept as A, not as B` denies `X is kept as B`."""
    comma = clause_end(tokens, 0)
    rest = tokens[comma + 1 :]
    if len(rest) < 3 or rest[0].key != "not" or clause_end(rest, 0) < len(rest):
        return
    verb = verb_place(tokens)
    same = [place for place in range(comma) if tokens[place].key == rest[1].key]
    if verb is None or tokens[verb].key != "be" or len(same) != 1 or same[0] < verb:
        return
    if rest[1].key in PREPOSITIONS:
        yield ((*tokens[: verb + 1], rest[0], *tokens[verb + 1 : same[0]], *rest[1:]),)


_SPLITTERS: tuple[Splitter, ...] = (
    _independent_clauses,
    _joined_verbs,
    _joined_phrases,
    _inserted_clause,
)
