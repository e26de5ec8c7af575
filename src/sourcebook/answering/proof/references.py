"""Knows what pronouns and short names in a statement refer to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sourcebook.answering.proof.frames import Frame, Noun, parts_of
from sourcebook.answering.proof.people import is_office, is_person
from sourcebook.answering.proof.phrases import read_parts
from sourcebook.answering.proof.sentence import read_phrase
from sourcebook.answering.proof.tokens import Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import FIXED_WORDS

_SINGULAR = frozenset({"it", "he", "she", "him"})
_PLURAL = frozenset({"they", "them"})
_POSSESSIVE = {"its": False, "his": False, "her": False, "their": True}
_COUNTING = word_keys(
    {"some", "most", "all", "every", "any", "many", "few", "several", "no", "both", "other", "half"}
    | {"another", "each", "either", "neither", "more", "less", "first", "last", "only"}
)
# `the village of Udd` is Udd; the district of that name is larger.
_SETTLEMENTS = word_keys({"village", "town", "city", "hamlet"})
_ABOUT_WORDS = frozenset({"in", "of", "for", "on", "under", "with", "at"})
_PERSONAL = frozenset({"he", "she", "him", "his", "her"})
REFERRING = _SINGULAR | _PLURAL | frozenset(_POSSESSIVE)
# Shorter words end others by chance.
MIN_HEAD = 4
# The rest of a longer title names nothing.
MAX_TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class References:
    """What a passage is about: the names in its title, and the subject of its first sentence."""

    titles: tuple[Tokens, ...] = ()
    first: Tokens | None = None
    # Names that others in the passage bear too.
    shared: frozenset[str] = frozenset()
    # Whether something else was spoken of, so that `the fans` may be of that.
    has_turned: bool = False

    def is_title(self, item: Tokens) -> bool:
        """Whether a noun phrase names what the title names, in full or in short."""
        return any(self._names(item, title) for title in self.titles)

    def _names(self, item: Tokens, title: Tokens) -> bool:
        if self.shared and any(token.key in self.shared for token in item):
            return _keys(item) == _keys(title)
        if _is_any(item) and not any(is_name(one) and one.key in _item_keys(item) for one in title):
            # `A gateway must be approved`: any of them.
            return False
        return _is_part(item, title) or _is_short_name(item, title)

    def is_topic(self, item: Tokens) -> bool:
        """Whether a noun phrase names what the passage is about."""
        return not self.has_turned and self._names_topic(item)

    def _names_topic(self, item: Tokens) -> bool:
        if self.is_title(item):
            return True
        if self.first is None or not _is_part(item, self.first):
            return False
        named = {token.key for token in item}
        # `the timeout` is not `the default timeout`, but `the S24` is `the Fenwick S24`.
        return all(token.key in named or is_name(token) for token in self.first)

    def keys(self) -> frozenset[str]:
        """All words of the names."""
        items = (*self.titles, *([self.first] if self.first is not None else []))
        return frozenset(token.key for item in items for token in item)

    def same(self, evidence: Tokens, claim: Tokens) -> bool:
        """Whether two noun phrases name the same."""
        if _keys(evidence) == _keys(claim) or self._is_compound(evidence, claim):
            return True
        if any(self._names(evidence, title) and self._names(claim, title) for title in self.titles):
            return True
        return _same_name(evidence, claim) or self._names_in_full(evidence, claim)

    def _is_compound(self, evidence: Tokens, claim: Tokens) -> bool:
        """`fogharps` for `harps` where all is about the fogharp."""
        if len(evidence) != len(claim):
            return False
        return all(
            one.key == other.key
            or (
                len(one.key) >= MIN_HEAD
                and other.key.endswith(one.key)
                and self._names_topic((other,))
            )
            for one, other in zip(evidence, claim, strict=True)
        )

    def _names_in_full(self, evidence: Tokens, claim: Tokens) -> bool:
        """`the fans of the S24` for `the fans` where all is about the S24."""
        more = len(claim) - len(evidence)
        if more <= 0 or _keys(claim[more:]) != _keys(evidence) or is_name(evidence[0]):
            return False
        if is_person(evidence[-1]):
            # `Norway is a country. The queen died in 1690.`
            return False
        if evidence[-1].key in self.shared:
            # `the abbey` where another abbey has a name too.
            return False
        known = evidence[0].definite or evidence[-1].form == claim[-1].form == "s"
        return known and self.is_topic(claim[:more])


def _same_name(evidence: Tokens, claim: Tokens) -> bool:
    """`Tobar Ljin` for `the customs officer Tobar Ljin`, `Udd` for `the hamlet of Udd`."""
    names = [_name_tokens(item) for item in (evidence, claim)]
    if not names[0] or names[0] != names[1]:
        return False
    ours, theirs = ([one for one in item if not is_name(one)] for item in (claim, evidence))
    if ours and theirs:
        return False
    item, kinds = (claim, ours) if ours else (evidence, theirs)
    # A person's office stands before the name; behind it, only a kind of place is no owner's.
    office = all(map(is_name, item[len(kinds) :])) and is_office(tuple(kinds))
    return office or all(one.key in _SETTLEMENTS for one in kinds)


def _name_tokens(item: Tokens) -> list[str]:
    return [token.key for token in item if is_name(token)]


def is_name(token: Token) -> bool:
    """Whether a word is a name: written large, or code."""
    return token.kind == "code" or (token.kind == "word" and token.written[:1].isupper())


def _item_keys(item: Tokens) -> frozenset[str]:
    return frozenset(token.key for token in item)


def _is_any(item: Tokens) -> bool:
    """Whether it is one of several: `a gateway`, `gateways`."""
    bare = not item[0].opens and item[-1].form == "s"
    return bare or (item[0].opens and not item[0].definite)


def _is_one_thing(item: Tokens) -> bool:
    return not any(
        token.key in FIXED_WORDS or token.key in _COUNTING or token.kind == "figure"
        for token in item
    )


def _is_short_name(item: Tokens, title: Tokens) -> bool:
    """`Heronmail` in a text with the title `Heronmail administrator's guide`."""
    return all(map(is_name, item)) and is_in_order(item, tuple(filter(is_name, title)))


def is_in_order(item: Tokens, name: Tokens) -> bool:
    """Whether all words of a noun phrase stand in a name, in its order."""
    left = iter([token.key for token in name])
    return all(token.key in left for token in item)


def _is_part(item: Tokens, name: Tokens) -> bool:
    """Whether a noun phrase is the end of a name, with some of its words or all."""
    counted = any(token.key in _COUNTING for token in item)
    return item[-1].key == name[-1].key and not counted and is_in_order(item, name)


def _keys(item: Tokens) -> tuple[tuple[str, str], ...]:
    return tuple((token.key, token.kind) for token in item)


def resolved(frames: Sequence[Frame], before: Iterable[Tokens] = ()) -> tuple[Frame, ...]:
    """The frames of a sentence with nouns for pronouns, where only one can be meant.

    `before` are the nouns that a pronoun may refer to if the sentence itself has none.
    """
    if not frames:
        return ()
    frames = _with_shared_objects(frames)
    inside = list(dict.fromkeys(_named(frames)))
    if (opening := _opening_pronoun(frames[0])) is not None:
        # `It ran until the line was closed`: what comes later is not meant.
        inside = [one for one in inside if is_plural(one) != opening]
    outside = list(before)
    return tuple(_with_nouns(frame, inside, outside) for frame in frames)


def _with_shared_objects(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """`X draws heat from the air and gives it off` with `heat` for `it`."""
    found = list(frames[:1])
    for frame in frames[1:]:
        before, pronoun = found[-1], frame.patient
        same = frame.agent == before.agent and not frame.apart and frame.verb != "be"
        shared = same and pronoun is not None and _is_object(pronoun, before.patient)
        found.append(replace(frame, patient=before.patient) if shared else frame)
    return tuple(found)


def _is_object(pronoun: Noun, meant: Noun | None) -> bool:
    if meant is None or len(meant.items) > 1 or len(pronoun.items[0]) > 1:
        return False
    plural = {"it": False, "them": True}.get(pronoun.items[0][0].key)
    return plural == is_plural(meant.items[0]) and may_be_meant(meant.items[0])


def _is_person(item: Tokens) -> bool:
    return all(map(is_name, item))


def _opening_pronoun(frame: Frame) -> bool | None:
    """Whether the pronoun that a sentence is about is a plural; None if it is about a noun."""
    about = frame.agent if frame.agent is not None else frame.patient
    if about is None or about.items[0][0].key not in REFERRING:
        return None
    first = about.items[0][0].key
    return _POSSESSIVE.get(first, first in _PLURAL)


def _named(frames: Sequence[Frame]) -> Iterator[Tokens]:
    """Who does something and to whom it is done."""
    for frame in frames:
        for part in parts_of(frame):
            # `X is wet`: what X is cannot be meant by a pronoun.
            done_to = part.patient if part.verb != "be" else None
            for noun in (part.agent, done_to, *(one.noun for one in part.phrases)):
                if noun is not None and len(noun.items) == 1 and may_be_meant(noun.items[0]):
                    yield noun.items[0]


def may_be_meant(item: Tokens) -> bool:
    """Whether a pronoun can stand for it."""
    return all(token.key not in REFERRING for token in item) and item[-1].kind != "figure"


def _with_nouns(frame: Frame, inside: list[Tokens], outside: list[Tokens]) -> Frame:
    def noun(one: Noun | None) -> Noun | None:
        return None if one is None else _replaced(one, inside, outside)

    return replace(
        frame,
        agent=noun(frame.agent),
        patient=noun(frame.patient),
        phrases=tuple(
            one._replace(noun=_replaced(one.noun, inside, outside)) for one in frame.phrases
        ),
        clauses=tuple(
            (word, _with_nouns(clause, inside, outside)) for word, clause in frame.clauses
        ),
    )


def _replaced(noun: Noun, inside: list[Tokens], outside: list[Tokens]) -> Noun:
    return Noun(tuple(_antecedent(item, inside, outside) for item in noun.items), noun.join)


def _antecedent(item: Tokens, inside: list[Tokens], outside: list[Tokens]) -> Tokens:
    first = item[0].key
    if first not in REFERRING or (first not in _POSSESSIVE and len(item) > 1):
        return item
    plural = _POSSESSIVE.get(first, first in _PLURAL)
    # Who `she` is, `mentions` knows.
    for known in (inside,) if first in _PERSONAL else (inside, outside):
        fitting = list(
            {_keys(one): one for one in known if _fits(one, first, plural=plural)}.values()
        )
        if len(fitting) == 1 and _keys(fitting[0]) != _keys(item[1:]):
            return (*fitting[0], *item[1:]) if first in _POSSESSIVE else fitting[0]
        if fitting and known is inside:
            return item
    return item


def _fits(item: Tokens, pronoun: str, *, plural: bool) -> bool:
    if is_plural(item) != plural:
        return False
    return (pronoun in _PERSONAL) == _is_person(item) or pronoun not in _PERSONAL


def is_plural(item: Tokens) -> bool:
    """Whether a noun phrase is in the plural."""
    last: Token = item[-1]
    return last.form == "s"


def with_nouns(tokens: Tokens, meant: Tokens) -> Tokens | None:
    """A sentence with a noun for each pronoun that agrees with it; None if there is none."""
    if any(token.key in REFERRING for token in meant):
        return None
    found: list[Token] = []
    changed = False
    for token in tokens:
        plural = _POSSESSIVE.get(token.key, token.key in _PLURAL)
        if (
            token.key in REFERRING - _PERSONAL
            and token.kind == "word"
            and _fits(meant, token.key, plural=plural)
        ):
            found += (one._replace(opens=one.opens or not place) for place, one in enumerate(meant))
            changed = True
        else:
            found.append(token)
    return tuple(found) if changed else None


def without_topic_words(
    claim: Tokens, statement: Tokens, known: frozenset[str], references: References
) -> Tokens | None:
    """A claim without `of the S24` where all is about the S24 and the statement leaves it out."""
    if any(map(is_person, statement)):
        return None
    kept: list[Token] = []
    place = 0
    while place < len(claim):
        end = place + (claim[place].key in _ABOUT_WORDS)
        start = end
        while end < len(claim) and claim[end].key not in known and _is_plain_word(claim[end]):
            end += 1
        named = claim[start:end]
        after = claim[end] if end < len(claim) else None
        if not named or not references.is_topic(named):
            kept.append(claim[place])
            place += 1
            continue
        apart = start > place and (after is None or not _is_plain_word(after) or after.opens)
        # `the Linnet gateway` is `the gateway`, and not `a gateway` that another sells.
        before_noun = (
            start == place
            and named[0].opens
            and after is not None
            and _is_plain_word(after)
            and not any(one.key == after.key and _is_any((one,)) for one in statement)
        )
        if not apart and not before_noun:
            return None
        place = end + (apart and not kept and after is not None and after.is_mark)
        if before_noun and after is not None:
            kept.append(after._replace(opens=named[0].opens, definite=named[0].definite))
            place += 1
    return tuple(kept) if len(kept) < len(claim) else None


def _is_plain_word(token: Token) -> bool:
    return token.kind in {"word", "code"} and token.key not in FIXED_WORDS and token.key != "be"


@lru_cache(maxsize=1_024)
def title_names(title: str) -> tuple[Tokens, ...]:
    """The noun phrases of a title."""
    parts = read_parts(read_phrase(title[:MAX_TITLE_CHARACTERS])) or []
    items = [item for part in parts if part.kind == "noun" for item in part.items]
    return tuple(filter(_is_one_thing, items))
