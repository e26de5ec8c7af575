"""What a claim may leave out of a plain fact: measures, and details of what happened.

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
    CHANGING,
    PLACING,
    governs,
    is_certain,
    is_name_word,
    is_past,
    is_scoped,
    is_year,
)
from sourcebook.answering.proof.tokens import VERBS, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    MEASURE_ADJECTIVES,
    NEGATIONS,
    PLACES,
    PREPOSITIONS,
    RELATIVES,
    SUBORDINATORS,
)

_ENDING = (SUBORDINATORS - {"before", "after"}) | RELATIVES | {";", ":", "—"}
_SIZES = frozenset(MEASURE_ADJECTIVES) | {"across", "apart", "round"}
# What these are followed by is what is done, not what for.
_CONTROLLING = word_keys(
    {"ask", "allow", "force", "get", "tell", "expect", "cause", "lead", "help", "fail", "refuse"}
    | {"neglect", "forget", "decline", "stop", "hesitate", "want", "order", "let", "permit", "try"}
    | {"persuade", "invite", "forbid", "enable", "teach", "advise", "warn", "agree", "decide"}
    | {"plan", "intend", "hope", "threaten", "promise", "offer", "begin", "seem", "have", "go"}
    | {"need", "be"}
)
_LABELS = frozenset({("know", "problem"), ("know", "issu"), ("know", "error"), ("background",)})
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
    yield from named_subjects(tokens)
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
        if emphatic or (token.key in _MANNER and not governs(tokens[:place])):
            yield place, place + 1
        elif token.key == "of" and is_name_word(after) and not after.opens:
            if before.key in PLACES and before.definite:
                yield place - 1, place + 1
            titled = place > 1 and tokens[place - 2].key in _TITLES and before.key not in _TITLES
            if titled and is_name_word(before):
                yield place, _end_of_phrase(tokens, place)


def _labels(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """`Known problem: the clock stops.`"""
    end = clause_end(tokens, 0)
    label = tuple(token.key for token in tokens[:end])
    if label in _LABELS and has_verb(tokens[end + 1 :]) and tokens[end].key == ":":
        yield 0, end + 1


def _contrasting_verbs(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """`grows back but stays shorter`: what is said against it may be left out."""
    for place in range(verb + 2, len(tokens) - 2):
        if tokens[place].key != "but" or tokens[place - 1].is_mark:
            continue
        rest = tokens[place + 1 :]
        doing = rest[0].key in VERBS and rest[0].form in {"s", "ed"} and not rest[0].opens
        denied = any(one.key in NEGATIONS | {"only"} for one in tokens[:place])
        if doing and not denied and not any(one.key in CHANGING for one in rest):
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
        counted = tokens[at].key == "of" and tokens[at + 1].kind == "figure"
        kept = tokens[at].key not in PLACING - {"by", "over"} | {"for"}
        placed = not kept and is_certain(tokens[at + 1 : at + 2])
        if counted or (placed and not _is_repeated(tokens, at)):
            yield at, _end_of_phrase(tokens, at)


def _kind_before_participle(tokens: Tokens, verb: int) -> Iterator[tuple[int, int]]:
    """`X is a disease of goats, caused by Y` says that X is caused by Y."""
    if tokens[verb].key != "be" or verb + 2 >= len(tokens) or not tokens[verb + 1].opens:
        return
    comma = clause_end(tokens, verb)
    if comma + 2 >= len(tokens) or tokens[comma].key != "," or governs(tokens[:comma]):
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
    if not is_past(tokens, verb):
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
        told = token.key in PLACING | {"with"} and is_certain((after,))
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
