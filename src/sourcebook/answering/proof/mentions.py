"""Finds where a passage speaks of what it is about: as `she` or `it`, or as `the town`.

Whatever leaves a doubt about who is meant stays as it is written.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from sourcebook.answering.proof.clauses import (
    clause_end,
    is_plain,
    names_others,
    subject,
    verb_place,
)
from sourcebook.answering.proof.names import Names, name_runs
from sourcebook.answering.proof.omissions import without_brackets
from sourcebook.answering.proof.people import (
    PERSONAL,
    is_denied,
    is_object_of,
    may_be_she_or_he,
    people_in,
)
from sourcebook.answering.proof.references import (
    MAX_TITLE_CHARACTERS,
    References,
    is_name,
    title_names,
)
from sourcebook.answering.proof.sentence import read_phrase, read_sentence
from sourcebook.answering.proof.table_rows import is_row
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, read_tokens, word_keys
from sourcebook.answering.proof.word_classes import PREPOSITIONS, SUBORDINATORS
from sourcebook.answering.statements import Statement

# Other words for what something is said to be.
_ALSO_CALLED = {
    "film": word_keys({"movie"}),
    "book": word_keys({"novel"}),
    "novel": word_keys({"book"}),
    "ferry": word_keys({"ship", "vessel"}),
}
# `The old model was noisy.`
_OTHER = word_keys(
    {"old", "older", "new", "newer", "previous", "earlier", "later", "former", "other", "another"}
    | {"predecessor", "successor", "rival", "competitor"}
)


class _Person(NamedTuple):
    """Somebody at a place of a sentence, who may be the one that the passage is about."""

    place: int
    is_topic: bool


class Mentions:
    """A passage in which the topic bears its name wherever it is spoken of without doubt."""

    def __init__(self, statements: Sequence[Statement], title: str) -> None:
        self._given = statements
        self._title = title

    def in_statement(self, place: int) -> Tokens:
        """A statement of the passage, with its names in full and nouns for pronouns."""
        return self._statements[place]

    @property
    def is_about_person(self) -> bool:
        """Whether the topic is a `he` or a `she`, and so never an `it`."""
        return self._gender is not None

    def in_claim(self, claim: Tokens) -> Tokens:
        """A claim as the passage would put it."""
        full = self._names.in_full(self._in_short(self._with_model(claim)))
        named = self._with_kind(full)
        return self._with_person(named, clear=False)[0]

    def _in_short(self, claim: Tokens) -> Tokens:
        """`the Blackwater mill` as `the mill`, where the passage calls it that."""
        topic = self._topic
        if topic is None or all(map(is_name, topic)) or len(self._titles) != 1:
            return claim
        title = _keys(self._titles[0])
        for at in range(len(claim) - len(title) + 1):
            end = at + len(title)
            if len(title) > len(topic) and _keys(claim[at:end]) == title:
                return (*claim[:at], *topic, *claim[end:])
        return claim

    def _with_model(self, claim: Tokens) -> Tokens:
        """`the S24` as `the Fenwick S24`, where nothing else in the passage is an S24."""
        topic = self._topic
        if topic is None or len(topic) < 2 or topic[-1].kind != "code" or self._shares_model:
            return claim
        found: list[Token] = []
        for place, token in enumerate(claim):
            after = claim[place + 1] if place + 1 < len(claim) else None
            alone = token.definite and (after is None or not is_name(after))
            found += topic if alone and token.key == topic[-1].key else (token,)
        return tuple(found)

    @cached_property
    def _shares_model(self) -> bool:
        """Whether something else has the last word of the topic's name: `the Aldo S24`."""
        topic = self._topic
        return topic is None or any(
            one.key == topic[-1].key and not one.opens and before.key != topic[-2].key
            for tokens in (*self._in_full, *self._titles)
            for before, one in pairwise(tokens)
        )

    @cached_property
    def _titles(self) -> tuple[Tokens, ...]:
        return title_names(self._title)

    @cached_property
    def shared_names(self) -> frozenset[str]:
        """The words of the title that are part of another name too: `Karl Varnhold`."""
        if self.is_about_person and self._names.tell_of_family:
            return self._title_words
        return self._title_words & self._names.unclear

    @cached_property
    def _title_words(self) -> frozenset[str]:
        return frozenset(token.key for title in self._titles for token in title)

    @cached_property
    def _sentences(self) -> tuple[Tokens, ...]:
        texts = [one.text for one in self._given]
        return tuple(() if is_row(text) else read_sentence(text) for text in texts)

    @cached_property
    def _names(self) -> Names:
        rows = [read_tokens(one.text) for one in self._given if is_row(one.text)]
        return Names((*self._sentences, *rows, read_phrase(self._title[:MAX_TITLE_CHARACTERS])))

    @cached_property
    def _in_full(self) -> tuple[Tokens, ...]:
        return tuple(map(self._names.in_full, self._sentences))

    @cached_property
    def _first(self) -> Tokens:
        return without_brackets(self._in_full[0])

    @cached_property
    def _topic(self) -> Tokens | None:
        """What the passage is about: the subject of its first sentence, or a name as its title."""
        about = subject(self._first)
        titles = tuple(map(self._names.in_full, self._titles))
        if about is not None and _is_named_in(about, titles):
            return about
        if len(titles) == 1 and all(map(is_name, titles[0])) and len(titles[0]) > 1:
            return titles[0]
        return None

    @cached_property
    def _kind(self) -> Token | None:
        return _kind(self._first) if subject(self._first) == self._topic else None

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """What the topic may be called with `the`, where nothing else of the kind is spoken of."""
        kind = self._kind
        if kind is None:
            return frozenset()
        called = {kind.key}
        if self._gender is None:
            called |= _ALSO_CALLED.get(kind.key, frozenset())
        others = {one for tokens in self._in_full[1:] for one in _used_otherwise(tokens)}
        once = sum(token.key in called for token in self._first) == 1
        return frozenset(called - others) if once else frozenset()

    @cached_property
    def _gender(self) -> str | None:
        """Whether the topic is a `he` or a `she`; None if it is neither."""
        topic = self._topic
        if topic is None or topic[0].opens or not all(map(is_name, topic)):
            return None
        if not (may_be_she_or_he(self._kind) if self._kind is not None else len(topic) > 1):
            return None
        return next(
            (PERSONAL[token.key] for one in self._in_full for token in one if _is_personal(token)),
            None,
        )

    @cached_property
    def _statements(self) -> tuple[Tokens, ...]:
        return tuple(self._in_order())

    def _in_order(self) -> Iterator[Tokens]:
        clear, about_topic, strangers = True, False, False
        for number, tokens in enumerate(self._in_full):
            # `In 1640 the army marched to Marn. The town was burned.`
            plain = tokens if strangers else self._with_kind(tokens)
            strangers = strangers or (number > 0 and self._names_strangers(tokens))
            told = about_topic and not self.is_about_person
            if told and plain and plain[0].key in {"it", "its"} and self._topic:
                plain = (*self._topic, *plain[1:])
            about_topic = self._is_about_topic(plain) and not names_others(plain)
            named, clear = self._with_person(plain, clear=clear)
            yield named

    def turns_to_others(self, place: int) -> bool:
        """Whether one of the statements before a place is about something else of a name."""
        return any(map(self._is_about_other, self._in_full[1:place]))

    def _is_about_other(self, tokens: Tokens) -> bool:
        about = subject(tokens) or ()
        runs = [run for _, run in name_runs(about)] + [(one,) for one in about if _is_model(one)]
        known = self._title_words | {token.key for token in self._topic or ()}
        strange = any(token.key not in known for run in runs for token in run)
        return strange or any(token.key in _OTHER for token in about)

    def _names_strangers(self, tokens: Tokens) -> bool:
        known = self._title_words | {token.key for token in self._topic or ()}
        return any(token.key not in known for _, run in name_runs(tokens) for token in run)

    def _is_about_topic(self, tokens: Tokens) -> bool:
        bare = without_brackets(tokens)
        end = clause_end(bare, 0)
        if bare and bare[0].key in PREPOSITIONS | SUBORDINATORS and end < len(bare):
            bare = bare[end + 1 :]
        about = subject(bare)
        return about is not None and self._topic is not None and _keys(about) == _keys(self._topic)

    def _with_kind(self, tokens: Tokens) -> Tokens:
        """`the town` by its name."""
        if not self._kinds or self._topic is None:
            return tokens
        found: list[Token] = []
        for place, token in enumerate(tokens):
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            whole = after is None or after.opens or not is_plain(after) or after.key in VERBS
            limited = after is not None and after.key in {"of", "that"}
            if token.definite and token.key in self._kinds and whole and not limited:
                found += self._topic
            else:
                found.append(token)
        return tuple(found)

    def _with_person(self, tokens: Tokens, *, clear: bool) -> tuple[Tokens, bool]:
        """A sentence with the topic's name for `she`, and whether `she` would mean it next."""
        if self._gender is None or self._topic is None:
            return tokens, False
        named = self._named_places(tokens)
        others = list(self._others(tokens, named))
        sure = bool(named) and not others
        people = [_Person(place, True) for place in named]
        people += [_Person(place, False) for place in others]
        found: list[Token] = []
        for place, token in enumerate(tokens):
            if not _is_personal(token) or PERSONAL[token.key] != self._gender:
                found.append(token)
                continue
            before = [one for one in others if one < place]
            alone = not before or is_object_of(tokens, before[0], place)
            meant = sure or (alone and (clear or any(one < place for one in named)))
            people.append(_Person(place, meant))
            found += self._topic if meant else (token,)
        about = subject(without_brackets(tokens))
        # `The surgeon kept her brushes. She …`
        other = about is not None and not (
            _is_personal(about[0]) or _keys(about) == _keys(self._topic)
        )
        return tuple(found), not other and _is_clear(sorted(people), clear=clear)

    def _named_places(self, tokens: Tokens) -> list[int]:
        if self._topic is None:
            return []
        keys = _keys(self._topic)
        return [at for at in range(len(tokens)) if _keys(tokens[at : at + len(keys)]) == keys]

    def _others(self, tokens: Tokens, named: Sequence[int]) -> Iterator[int]:
        """Where somebody else is spoken of who may be meant by the topic's pronoun."""
        size = len(self._topic or ())
        taken = {place for at in named for place in range(at, at + size)}
        for start, gender in people_in(tokens):
            # `of Solvane` in `Queen Maretta II of Solvane` is no person.
            titled = tokens[start].key in self._title_words and _is_name_alone(tokens, start)
            if start in taken or titled or is_denied(tokens, start):
                continue
            if gender in {self._gender, "either"} and not self._is_said_of_topic(tokens, start):
                yield start

    def _is_said_of_topic(self, tokens: Tokens, place: int) -> bool:
        """`she was a painter`, `The daughter of a miller, she left school`."""
        start = place
        while start and not tokens[start].opens and _may_go_on(tokens[start]):
            start -= 1
        if not tokens[start].opens:
            return False
        if not start:
            end = clause_end(tokens, place)
            return end + 1 < len(tokens) and _is_personal(tokens[end + 1])
        about = without_brackets(tokens[: start - 1])
        pronoun = len(about) == 1 and _is_personal(about[0])
        named = _keys(about) == _keys(self._topic or ())
        return tokens[start - 1].key == "be" and (pronoun or named)


def _is_name_alone(tokens: Tokens, start: int) -> bool:
    return start + 1 >= len(tokens) or not is_name(tokens[start + 1])


def _may_go_on(token: Token) -> bool:
    return is_plain(token) or token.key == "and"


def _is_clear(people: Sequence[_Person], *, clear: bool) -> bool:
    """Whether the one who was spoken of first and last is the topic."""
    if not people:
        return clear
    return people[0].is_topic and people[-1].is_topic


def _is_personal(token: Token) -> bool:
    return token.kind == "word" and token.key in PERSONAL


def _is_model(token: Token) -> bool:
    """`the S20`, not `tarn sync`."""
    return token.kind == "code" and token.key[:1].isupper()


def _is_named_in(about: Tokens, titles: tuple[Tokens, ...]) -> bool:
    """Whether a subject is a name in the title, or all that the title names."""
    if any(_keys(about) == _keys(title) for title in titles):
        return not about[0].opens or about[0].definite
    known = all(map(is_name, about)) or (about[0].definite and len(titles) == 1)
    return known and References(titles).is_title(about)


def _kind(first: Tokens) -> Token | None:
    """`town` in `Pell Harrow is a market town on the river`."""
    verb = verb_place(first)
    if verb is None or first[verb].key != "be" or verb + 1 >= len(first):
        return None
    start = end = verb + 1
    if not first[start].opens or first[start].definite:
        return None
    while end < len(first) and (end == start or _goes_on(first, end)):
        end += 1
    head = first[end - 1]
    return head if head.form == "base" and head.kind == "word" and is_plain(head) else None


def _goes_on(first: Tokens, place: int) -> bool:
    """Whether a noun phrase goes on, also as in `a passenger and car ferry`."""
    token = first[place]
    if token.opens or token.key in {"best", "well"}:
        return False
    if token.key == "and":
        return place + 1 < len(first) and _goes_on(first, place + 1)
    done = token.key in VERBS and token.form in {"ed", "ing"}
    return is_plain(token) and not done and not token.written.endswith("ly")


def _used_otherwise(tokens: Tokens) -> Iterator[str]:
    """The words that are not `the` one of their kind here: `a town`, `the town of Lisk`."""
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        described = before is not None and is_plain(before) and not token.opens
        limited = after is not None and (after.key in {"of", "that"} or is_name(after))
        if not token.definite or token.form != "base" or described or limited:
            yield token.key


def _keys(tokens: Tokens) -> tuple[str, ...]:
    return tuple(token.key for token in tokens)
