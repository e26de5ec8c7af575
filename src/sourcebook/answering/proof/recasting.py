"""Recasts what a sentence says of its subject: owners, measures, comparisons, identity."""

from collections.abc import Iterator

from sourcebook.answering.proof.clauses import (
    clause_end,
    clause_start,
    is_modal,
    is_plain,
    listed_phrase_end,
    phrase_end,
    verb_place,
)
from sourcebook.answering.proof.scope import CONTAINERS, DONE_TO
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens
from sourcebook.answering.proof.word_classes import (
    CONVERSES,
    MEASURE_ADJECTIVES,
    MEASURE_VERBS,
    PREPOSITIONS,
)

_BE = Token("be", form="s")
_IS = Token("be", form="s", written="is")
_HAVE = Token("have", form="s")
_THAT = Token("that")
_INSIDE = frozenset({"of", "in", "on", "at", "for", "between"})
BY_DEFAULT = Token("by default")
# So many words has the name of a setting at most.
MAX_SETTING = 6
_CONVERSES = CONVERSES | {other: one for one, other in CONVERSES.items()}


def owner_first(tokens: Tokens) -> Iterator[Tokens]:
    """`the capacity of the battery` as `battery capacity`."""
    for place in range(1, len(tokens) - 1):
        if tokens[place].key != "of":
            continue
        start = place - 1
        while start > 0 and not tokens[start].opens and is_plain(tokens[start]):
            start -= 1
        owned = tokens[start:place]
        end = phrase_end(tokens, place + 1)
        owner = tokens[place + 1 : end]
        if not owner or not all(map(is_plain, (*owned, *owner))) or len(owned) > 4:
            continue
        if not (tokens[start].opens or start == 0) or owned[-1].key in CONTAINERS | DONE_TO:
            continue
        first = owner[0]._replace(opens=True)
        rest = tuple(one._replace(opens=False) for one in owned)
        yield (*tokens[:start], first, *owner[1:], *rest, *tokens[end:])


def measure(tokens: Tokens) -> Iterator[Tokens]:
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


def size_first(tokens: Tokens) -> Iterator[Tokens]:
    """`a pause of five minutes` as `a five-minute pause`."""
    for place in range(1, len(tokens) - 1):
        figure, noun = tokens[place + 1], tokens[place - 1]
        measured = figure.kind == "figure" and figure.key[-1].isalpha()
        if tokens[place].key == "of" and measured and is_plain(noun) and noun.kind == "word":
            start = place - 1
            if not noun.opens and is_plain(tokens[start - 1]) and tokens[start - 1].opens:
                start -= 1
            first = figure._replace(opens=tokens[start].opens)
            thing = tuple(one._replace(opens=False) for one in tokens[start:place])
            yield (*tokens[:start], first, *thing, *tokens[place + 2 :])


def exceeding(tokens: Tokens) -> Iterator[Tokens]:
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


def converse(tokens: Tokens) -> Iterator[Tokens]:
    """`X is faster than Y` as `Y is slower than X`."""
    for than in range(2, len(tokens) - 1):
        if tokens[than].key != "than":
            continue
        place = than - 1 if tokens[than - 1].key in _CONVERSES else than - 2
        start = clause_start(tokens, place)
        verb = verb_place(tokens, start)
        if tokens[place].key not in _CONVERSES or verb is None or not start < verb < place:
            continue
        end = listed_phrase_end(tokens, than + 1)
        other, one = tokens[than + 1 : end], tokens[start:verb]
        rest = tokens[end:]
        if rest and rest[0].key in PREPOSITIONS:
            # Whatever follows may belong to one of the two only.
            continue
        if any(token.key.endswith("ratio") for token in tokens[verb:than]):
            # What is 20 % faster than another is not that much faster than the other is slower.
            continue
        if rest and rest[0].key in {"do", "be"}:
            rest = rest[1:]
        yield (*tokens[:start], *one, *tokens[verb : than + 1], *other, *rest)
        compared = Token(_CONVERSES[tokens[place].key])
        said = (*tokens[verb:place], compared, *tokens[place + 1 : than + 1])
        yield (*tokens[:start], *other, *said, *one, *rest)


def identity(tokens: Tokens) -> Iterator[Tokens]:
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
    return not token.is_mark and (token.key in _INSIDE or is_plain(token))


def place_first(tokens: Tokens) -> Iterator[Tokens]:
    """`There are four wheels on the cart` as `the cart has four wheels`; only with `in`."""
    if len(tokens) < 5 or tokens[0].key != "there" or tokens[1].key != "be":
        return
    for place in range(3, len(tokens) - 1):
        if tokens[place].key == "in" and phrase_end(tokens, place + 1) == len(tokens):
            yield (*tokens[place + 1 :], _HAVE, *tokens[2:place])


def default_last(tokens: Tokens) -> Iterator[Tokens]:
    """`The default timeout is 30 s` as `the timeout is 30 s by default`."""
    verb = verb_place(tokens)
    if verb and verb > 1 and tokens[verb].key == "be":
        end = clause_end(tokens, 0)
        if tokens[0].key == "default":
            yield (*tokens[1:end], BY_DEFAULT, *tokens[end:])
        setting = _defaulted(tokens[:verb])
        is_now = tokens[verb].written in {"is", "are", ""}
        if is_now and _is_set(setting, tokens[verb + 1 : end]):
            yield (*setting, *tokens[verb:end], BY_DEFAULT, *tokens[end:])
    for place in range(1, min(MAX_SETTING, len(tokens) - 2)):
        if tokens[place].written == "defaults" and tokens[place + 1].key == "to":
            # `X defaults to 500`.
            setting, end = tokens[:place], clause_end(tokens, place)
            value = tokens[place + 2 : end]
            if all(map(is_plain, setting)) and _is_set(setting, value):
                yield (*setting, _IS, *value, BY_DEFAULT, *tokens[end:])


def _defaulted(about: Tokens) -> Tokens:
    """`X` of `the default value for X` and of `the X default`; nothing of anything else."""
    name = about
    if about[0].key == "default":
        name = about[2:] if about[1].key == "valu" else about[1:]
        name = name[1:] if name and name[0].key in {"of", "for"} else ()
    elif about[0].opens:
        # `The mortgage default`
        return ()
    elif about[-1].key == "default":
        name = about[:-1]
    elif about[-2].key == "default" and about[-1].key == "valu":
        name = about[:-2]
    else:
        return ()
    return name if all(map(is_plain, name)) else ()


def _is_set(name: Tokens, value: Tokens) -> bool:
    """Whether it can be a setting with a value; the default of a bank is another one."""
    if not name or not value:
        return False
    named = all(one.kind != "word" or one.written.islower() for one in name)
    coded = any(one.kind == "code" for one in name)
    return coded or (named and len(value) == 1 and value[0].kind != "word")


def participle_as_relative(tokens: Tokens) -> Iterator[Tokens]:
    """`glazes containing lead are banned` as `glazes that contain lead are banned`."""
    verb = verb_place(tokens) or 0
    for place in range(1, verb):
        doing, before = tokens[place], tokens[place - 1]
        noun = is_plain(before) and before.key not in VERBS and before.form in {"s", "base"}
        if doing.form == "ing" and doing.key in VERBS and not doing.opens and noun:
            yield (*tokens[:place], _THAT, doing._replace(form="s"), *tokens[place + 1 :])


def condition_as_relative(tokens: Tokens) -> Iterator[Tokens]:
    """`A request is cancelled if it is late` as `a request that is late is cancelled`."""
    verb = verb_place(tokens)
    if not verb:
        return
    for place in range(verb + 1, len(tokens) - 2):
        if tokens[place].key == "if" and tokens[place + 1].key in {"it", "they"}:
            end = clause_end(tokens, place)
            condition = tokens[place + 2 : end]
            yield (*tokens[:verb], _THAT, *condition, *tokens[verb:place], *tokens[end:])
