"""Cuts a sentence into its parts: nouns with what describes them, verbs, what joins them."""

from typing import Literal, NamedTuple, TypeAlias

from sourcebook.answering.proof.clauses import ORDER, is_modal, is_participle
from sourcebook.answering.proof.scope import CONTAINERS, DONE_TO
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens
from sourcebook.answering.proof.word_classes import (
    FIXED_WORDS,
    POSSESSIVES,
    PREPOSITIONS,
    SUBORDINATORS,
    TIME_ADVERBS,
)

PartKind: TypeAlias = Literal["noun", "verb", "adverb", "preposition", "join", "clause", "relative"]

_ADVERBS = frozenset(
    {"again", "together", "away", "back", "forward", "apart", "alway", "never", "not", "already"}
    | {"only", "once", "first", "instead", "then", "still", "now", "too", "usually", "often"}
    | {"sometimes", "seldom", "twice", "alone", "even", "later", "by default", "somewhere"}
)
_PARTICLES = frozenset({"up", "off", "out", "down", "over", "on"})
_NO_ADVERBS = frozenset(
    {"family", "supply", "apply", "reply", "july", "assembly", "early", "daily"}
)
_PLURALS = frozenset({"they", "you", "we", "i", "both", "those", "people", "all", "most", "some"})
_JOINS = frozenset({"and", "but", "or", "so", "nor"})
_RELATIVES = frozenset({"which", "who", "that", "whose", "whom"})
_OPENS_TIME = TIME_ADVERBS | {"every", "today"}
_MAY_OPEN_CLAUSE = SUBORDINATORS | {"so that", "as"}
_ORDERING = frozenset({"!", "can", "must", "may", "should", "beallowed"})
_PRONOUNS = frozenset(
    {"it", "they", "them", "he", "she", "you", "him", "we", "us", "this", "there"}
)
# Bare numbers follow these: `the first ten minutes`.
_BEFORE_FIGURES = frozenset({"every", "initial", "last", "next", "previous", "final", "other"})
# Verbs that are things more often where another verb stands before them.
_THINGS = frozenset({"water", "power", "back", "light", "test", "list", "oil", "dust", "plant"})
_BE_OR_HAVE = frozenset({"be", "have"})


_SIZES = frozenset({"across", "long", "wide", "high", "tall", "deep", "thick"})
# With the sign of a figure.
_YEAR_LENGTH = 5
_BEFORE_VERBS = frozenset({"not", "never", "only", "alway"})
_NO_NOUNS = _JOINS | PREPOSITIONS | SUBORDINATORS | _RELATIVES | _BE_OR_HAVE


class Part(NamedTuple):
    """A phrase of a sentence.

    Items are what `and` or `or` joins in a noun phrase; `key` is that joining word, the verb, the
    preposition or the word that opens a clause. `signs` are `not`, `must` and adverbs of a verb.
    """

    kind: PartKind
    key: str = ""
    items: tuple[Tokens, ...] = ()
    signs: frozenset[str] = frozenset()
    passive: bool = False
    finite: bool = True
    past: bool = False
    start: int = 0
    plural: bool = False
    # Whether it has `be` or a modal verb of its own.
    helped: bool = False


class _Reader:
    """Reads the parts of one sentence from left to right."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.at = 0
        self.parts: list[Part] = []
        # Whether the clause that is being read has its verb.
        self.has_verb = False

    def read(self) -> list[Part] | None:
        while self.at < len(self.tokens):
            before = self.at
            self._step()
            if self.at == before:
                return None
        return self.parts

    def _token(self, ahead: int = 0) -> Token | None:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def _step(self) -> None:
        token = self.tokens[self.at]
        if token.is_mark or (token.key in _JOINS and token.kind == "word"):
            self._join(token)
        elif self._opens_clause(token):
            self._clause(token)
        elif self._begins_verb(self.at):
            self._verb()
        elif self._goes_along(token):
            self._add(Part("clause", "ing"), 0)
            self._nonfinite()
        elif token.key in _RELATIVES:
            self._relative(token)
        elif self._is_adverb(token):
            self._add(Part("adverb", token.key), 1)
        elif token.key in PREPOSITIONS | SUBORDINATORS and token.kind == "word" and not token.opens:
            self._preposition(token)
        else:
            self._noun()

    def _add(self, part: Part, length: int, start: int | None = None) -> None:
        self.parts.append(part._replace(start=self.at if start is None else start))
        self.at += length

    def _join(self, token: Token) -> None:
        self._add(Part("join", token.key), 1)
        self.has_verb = False

    def _goes_along(self, token: Token) -> bool:
        """`turning` in `keep it warm, turning the tube every ten minutes`."""
        doing = token.form == "ing" and token.key in VERBS and not token.opens
        apart = bool(self.parts) and self.parts[-1] == self.parts[-1]._replace(kind="join", key=",")
        return doing and apart and any(part.kind == "verb" for part in self.parts)

    def _relative(self, token: Token) -> None:
        if token.key == "that" and self.parts and self.parts[-1].kind == "preposition":
            # `for that day`.
            self.at += 1
            return
        self._add(Part("relative", token.key), 1)
        self.has_verb = False

    def _opens_clause(self, token: Token) -> bool:
        """Whether a clause with a verb of its own follows: `if it rains`, `to open it`."""
        after = self._token(1)
        if token.kind != "word" or after is None:
            return False
        if token.key == "to":
            return after.key in VERBS | _BE_OR_HAVE and after.form == "base" and not after.opens
        doing = after.form == "ing" and after.key in VERBS and not after.opens
        if doing and (token.key in PREPOSITIONS - {"of"} or token.key in SUBORDINATORS):
            return self._is_doing(self.at + 1)
        if token.key not in _MAY_OPEN_CLAUSE or self._is_bare_lead(token):
            return False
        # `When you hear it` has lost its `you`.
        bare = after.key in VERBS and after.form == "base" and not after.opens
        return (bare and token.key != "as") or self._has_finite_verb(self.at + 1)

    def _is_bare_lead(self, token: Token) -> bool:
        """`After the second reminder the account is locked`: a noun, not a clause, follows."""
        if token.key not in {"after", "before", "since", "until"}:
            return False
        opened = 0
        for place in range(self.at + 1, len(self.tokens)):
            one = self.tokens[place]
            if one.is_mark or one.key in _MAY_OPEN_CLAUSE or one.key in PREPOSITIONS:
                return False
            if self._begins_verb(place):
                break
            opened += one.opens or (one.kind == "figure" and place == self.at + 1)
        return opened > 1

    def _is_doing(self, place: int) -> bool:
        """`by pulling the lever`, not `for paying customers`."""
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if after is None or after.is_mark or after.opens or after.kind != "word":
            return True
        return after.key in PREPOSITIONS or after.key in POSSESSIVES or after.form == "s"

    def _has_finite_verb(self, start: int) -> bool:
        kept = self.has_verb
        self.has_verb = False
        found = False
        for place in range(start, len(self.tokens)):
            token = self.tokens[place]
            if token.is_mark or token.key in _MAY_OPEN_CLAUSE:
                break
            if place > start and self._begins_verb(place):
                found = True
                break
        self.has_verb = kept
        return found

    def _clause(self, token: Token) -> None:
        self._add(Part("clause", token.key), 1)
        self.has_verb = False
        verb = self._token()
        if verb is None:
            return
        if token.key == "to" or verb.form == "ing":
            self._nonfinite()
        elif verb.key in VERBS and verb.form == "base" and not self._has_finite_verb(self.at):
            self._add(Part("verb", verb.key), 1)
            self.has_verb = True

    def _nonfinite(self) -> None:
        verb = self.tokens[self.at]
        after = self._token(1)
        if verb.key == "be" and after is not None and after.form == "ed":
            self._add(Part("verb", after.key, passive=True, finite=False), 2)
        else:
            self._add(Part("verb", verb.key, finite=False), 1)
        self.has_verb = True

    def _begins_verb(self, place: int) -> bool:
        token = self.tokens[place]
        if token.kind != "word" or token.opens:
            return False
        if token.key in _BE_OR_HAVE or is_modal(token):
            return True
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if token.key in _BEFORE_VERBS and after is not None:
            if token.key == "only" and not any(part.kind == "noun" for part in self.parts):
                # `Only blocks that have changed are sent`.
                return after.key in _BE_OR_HAVE or after == ORDER
            follows = self._begins_verb(place + 1) or is_modal(after)
            base = token.key == "not" and after.form == "base" and after.key in VERBS
            return not after.opens and (follows or base)
        known = token.key in VERBS or self._looks_like_verb(place)
        # `Captain Ewan Strake`, `the Low Marches`.
        known &= not (place and token.written[:1].isupper())
        return known and self._is_lexical_verb(place)

    def _looks_like_verb(self, place: int) -> bool:
        """`rounds` in `the till rounds the total`: an object with an article follows."""
        token = self.tokens[place]
        if not place or place + 1 >= len(self.tokens) or token.form not in {"s", "ed"}:
            return False
        before, after = self.tokens[place - 1], self.tokens[place + 1]
        if token.written[:1].isupper() or token.key in FIXED_WORDS:
            return False
        if not (after.opens or after.key in _PRONOUNS or after.key in POSSESSIVES):
            counted = token.form == "ed" and after.kind == "figure"
            if not counted:
                return False
        return before.kind == "code" or (before.kind == "word" and before.form == "base")

    def _is_lexical_verb(self, place: int) -> bool:
        token = self.tokens[place]
        before = self.tokens[place - 1] if place else None
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if before is None or self._follows_joined_verb(place):
            return before is not None
        if before.is_mark:
            return self._closes_aside(place)
        leads = before.key in PREPOSITIONS and not (place > 2 and self._is_size(place - 1))
        noun = leads or before.key in POSSESSIVES
        if noun or self.has_verb:
            return not noun and self._ends_relative(token)
        helped = after is not None and not after.opens and _is_helping(after)
        measured = before.kind == "figure" and not self._follows_measure(place)
        if measured or token.form == "ing" or helped:
            return False
        leads = before.key in _RELATIVES or before.key in _BEFORE_VERBS
        return leads or self._agrees(token, before, place)

    def _follows_measure(self, place: int) -> bool:
        """`kills` in `heating milk for one minute kills the germ`."""
        if place < 2 or place + 1 >= len(self.tokens):
            return False
        token, figure = self.tokens[place], self.tokens[place - 1]
        led = self.tokens[place - 2].key in PREPOSITIONS and figure.key[-1:].isalpha()
        return led and token.form == "s" and self.tokens[place + 1].opens

    def _closes_aside(self, place: int) -> bool:
        """`carried` in `the bridge, built in 1743, carried carts`."""
        marks = [one.key for one in self.tokens[:place] if one.is_mark]
        waits = not any(part.kind in {"verb", "clause", "relative"} for part in self.parts)
        subject = bool(self.parts) and self.parts[0].kind == "noun"
        finite = self.tokens[place].form in {"s", "ed"}
        return waits and subject and finite and marks == [",", ","] and self.at == place

    def _ends_relative(self, token: Token) -> bool:
        """`receive` in `customers who pay yearly receive a discount`."""
        starts = [at for at, part in enumerate(self.parts) if part.kind == "relative"]
        if not starts or not starts[-1]:
            return False
        start = starts[-1]
        about = self.parts[start - 1]
        if about.kind != "noun" or any(one.kind == "join" for one in self.parts[start:]):
            return False
        if sum(one.kind == "verb" for one in self.parts[start:]) != 1:
            return False
        plural = about.items[-1][-1].form == "s" or about.key == "and"
        return token.form == ("base" if plural else "s")

    def _agrees(self, token: Token, before: Token, place: int) -> bool:
        plural = before.form == "s" or before.key in _PLURALS or self._ends_list(place)
        head = self._head(place)
        if token.form == "s":
            # `The pump extracts heat`, but `overdue books cost 20 cents`.
            singular = not plural or (head is not None and head.form == "base")
            return singular and (before.opens or not self._is_plural_noun(place))
        plural |= head is not None and head.form == "s"
        if token.form == "base":
            return before.key in _PLURALS or (plural and not self._begins_verb(place - 1))
        return not self._verb_follows(place)

    def _head(self, place: int) -> Token | None:
        """What does it if a preposition stands between: `the fans of the S24 blow`."""
        parts = self.parts if self.parts and self.parts[-1].kind != "join" else []
        for part in reversed(parts):
            if part.kind not in {"noun", "preposition", "adverb"}:
                return None
            if part.kind == "noun" and part.start + 1 < place:
                first = part
                before = parts[parts.index(first) - 1] if parts.index(first) else None
                if before is None or before.kind != "preposition":
                    return (
                        None
                        if before is not None and before.kind == "noun"
                        else first.items[-1][-1]
                    )
        return self._owner(place)

    def _owner(self, place: int) -> Token | None:
        for at in range(place - 1, max(0, place - 5), -1):
            if self.tokens[at].key == "of":
                return self.tokens[at - 1]
        return None

    def _ends_list(self, place: int) -> bool:
        last = self.parts[-1] if self.parts else None
        if last is not None and last.kind in {"join", "clause", "relative"}:
            return False
        if last is not None and last.kind == "noun" and self.at == place:
            return last.key == "and"
        return place >= 2 and any(
            one.key == "and" for one in self.tokens[max(0, place - 3) : place - 1]
        )

    def _is_plural_noun(self, place: int) -> bool:
        """`books` in `overdue books cost 20 cents`: the verb comes after it."""
        if place + 1 >= len(self.tokens):
            return False
        verb = self.tokens[place + 1]
        if verb.key not in VERBS - _THINGS or verb.form != "base" or verb.opens:
            return False
        if place + 2 >= len(self.tokens):
            return True
        after = self.tokens[place + 2]
        return after.opens or after.is_mark or after.kind == "figure" or after.key in PREPOSITIONS

    def _verb_follows(self, place: int) -> bool:
        """Whether a plainer verb comes later: `the files created by X are deleted`."""
        for later in range(place + 1, len(self.tokens)):
            token = self.tokens[later]
            if token.is_mark or token.key in _JOINS or token.key in _MAY_OPEN_CLAUSE:
                return False
            if token.kind == "word" and not token.opens:
                if token.key in _BE_OR_HAVE or is_modal(token):
                    return True
                if token.key in VERBS and token.form == "s" and self._is_singular(later):
                    return True
        return False

    def _is_singular(self, place: int) -> bool:
        before = self.tokens[place - 1]
        return before.form == "base" and before.kind == "word" and before.key not in PREPOSITIONS

    def _follows_joined_verb(self, place: int) -> bool:
        """`and closes` after `opens`, `and copying` after `by stopping`."""
        if not place or not self.parts or self.parts[-1].kind != "join" or self.at != place:
            return False
        if self.parts[-1].key == "," and not self._goes_on_with_and(place):
            # `The cheese keeps for three weeks, wrapped in paper.`
            return False
        return self._joins_verb(place)

    def _goes_on_with_and(self, place: int) -> bool:
        return any(token.key in {"and", "but"} for token in self.tokens[place:])

    def _joins_verb(self, place: int) -> bool:
        token = self.tokens[place]
        if token.key not in VERBS or token.kind != "word" or token.opens:
            return False
        verbs = [part for part in self.parts if part.kind == "verb"]
        if not verbs:
            return False
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if after is not None and _is_helping(after):
            return False
        if not verbs[-1].finite:
            return token.form in {"base", "ing"}
        ordered = bool((verbs[0].signs | verbs[-1].signs) & _ORDERING) or verbs[-1].plural
        follows = {
            "base": ordered and _may_follow_verb(after),
            "ed": verbs[-1].passive or _may_follow_verb(after),
            "s": after is not None and not after.is_mark,
        }
        return follows.get(token.form, False)

    def _verb(self) -> None:
        signs: set[str] = set()
        start = self.at
        follows = self._follows_joined_verb(start)
        passive = finite = False
        while (token := self._token()) is not None:
            if is_modal(token) or self._is_adverb(token):
                signs.add(f"twice {token.key}" if token.key in signs else token.key)
                self.at += 1
            else:
                break
        token = self._token()
        if token is None:
            self.at = start
            return
        past = token.form == "ed"
        helped = bool(signs) or token.key == "be"
        if token.key == "be":
            # `is being built` is not built yet.
            signs |= {"being"} if token.form == "ing" else set()
            length, adverbs = self._participle(1)
            if length:
                signs |= adverbs
                passive = True
                token = self.tokens[self.at + length]
                self.at += length
        plural = token.form == "base" and not signs and token.key not in _BE_OR_HAVE
        finite = not (follows and token.form == "ing")
        if follows and self._last_verb().passive and token.form == "ed" and not passive:
            # `are washed and dried` tells of no past.
            passive, past = True, self._last_verb().past
        if follows and not self._last_verb().finite:
            finite = False
        self._add(
            Part("verb", token.key, (), frozenset(signs), passive, finite, past, 0, plural, helped),
            1,
            start,
        )
        self.has_verb = True

    def _last_verb(self) -> Part:
        return next(part for part in reversed(self.parts) if part.kind == "verb")

    def _participle(self, ahead: int) -> tuple[int, set[str]]:
        """How far after `be` a participle stands, and the adverbs between; 0 if there is none."""
        adverbs: set[str] = set()
        while (token := self._token(ahead)) is not None:
            if is_participle(token) and not token.opens and token.kind == "word":
                return ahead, adverbs
            if not self._is_adverb(token):
                return 0, set()
            adverbs.add(token.key)
            ahead += 1
        return 0, set()

    def _is_adverb(self, token: Token) -> bool:
        if token.kind != "word" or token.opens:
            return False
        if token.key in _ADVERBS:
            return True
        if token.key in _PARTICLES:
            after = self._token(1)
            return after is None or after.is_mark or after.key in PREPOSITIONS | _JOINS
        lower = token.written.lower()
        if token.key in TIME_ADVERBS:
            return False
        return lower.endswith("ly") and token.key not in _NO_ADVERBS and len(lower) > 4

    def _preposition(self, token: Token) -> None:
        after = self._token(1)
        if token.key == "out" and after is not None and after.key == "of":
            self._add(Part("preposition", "out of"), 2)
        else:
            self._add(Part("preposition", token.key), 1)

    def _noun(self) -> None:
        start = self.at
        items = [self._simple_noun()]
        joined = ""
        while items[-1] and (token := self._token()) is not None:
            length, key = self._joins_noun(token)
            if not length:
                break
            before = self.at
            self.at += length
            item = self._simple_noun()
            if not item or _is_bare_figure(item) != _is_bare_figure(items[-1]):
                # `won the league in 1988 and the cup in 1990`.
                self.at = before
                break
            items.append(item)
            if key and joined not in {"", key}:
                # `A and B or C` is not `A or B and C`.
                key = f"{joined} {key}"
            joined = key or joined
        if items[0]:
            found = tuple(one for one in items if one)
            self.parts.append(Part("noun", joined, found, start=start))

    def _joins_noun(self, token: Token) -> tuple[int, str]:
        """How many tokens join another noun phrase here, and which word is among them."""
        after = self._token(1)
        if after is None:
            return 0, ""
        if token.key in {"and", "or"} and self._is_item(self.at + 1):
            return 1, token.key
        if token.key != ",":
            return 0, ""
        if after.key in {"and", "or"}:
            return (2, after.key) if self._is_item(self.at + 2) else (0, "")
        return (
            (1, "") if self._is_item(self.at + 1) and self._list_goes_on(self.at + 1) else (0, "")
        )

    def _is_item(self, place: int) -> bool:
        """Whether a noun phrase follows that has no verb of its own."""
        end = place
        while end < len(self.tokens) and self._may_be_noun(end, place):
            if end > place and self._begins_verb(end):
                break
            end += 1
        if end == place or self._begins_verb(place) or self._joins_verb(place):
            return False
        own = end < len(self.tokens) and self._begins_verb(end)
        return not own or self._is_subject_list()

    def _is_subject_list(self) -> bool:
        return not self.has_verb and not any(part.kind in {"verb", "clause"} for part in self.parts)

    def _list_goes_on(self, place: int) -> bool:
        for later in range(place, min(place + 10, len(self.tokens))):
            token = self.tokens[later]
            if token.key in {"and", "or"} and later > place:
                return self._is_item(later + 1)
            if not token.is_mark and not self._may_be_noun(later, place) and token.key != "of":
                return False
            if token.is_mark and token.key != ",":
                return False
        return False

    def _may_be_noun(self, place: int, start: int) -> bool:
        token = self.tokens[place]
        if token.is_mark or token == ORDER:
            return False
        sized = place > start and self._is_size(place)
        if token.kind != "word" or sized:
            return sized or token.kind == "code" or place == start or self._is_numbered(place)
        if place == start and token.opens:
            # `the outside air`.
            return True
        if token.key in _NO_NOUNS or is_modal(token):
            return False
        if place == start:
            return True
        begins_anew = token.opens or token.key in _PRONOUNS or token.key in _OPENS_TIME
        # `In 1898 Clara Voss opened it`.
        begins_anew |= _is_year(self.tokens[place - 1]) and token.written[:1].isupper()
        alone = self.tokens[start].key in _PRONOUNS
        return not (begins_anew or alone or self._is_adverb(token))

    def _is_size(self, place: int) -> bool:
        """`24 metres across` after `a glass dome`."""
        token, before = self.tokens[place], self.tokens[place - 1]
        if token.key in _SIZES:
            return _is_measure(before) and place > 1 and self.tokens[place - 2].kind == "word"
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        return _is_measure(token) and after is not None and after.key in _SIZES

    def _is_numbered(self, place: int) -> bool:
        """`port 8443`: a bare number after one thing."""
        token, before = self.tokens[place], self.tokens[place - 1]
        if before.key in _BEFORE_FIGURES:
            return True
        bare = token.key[1:].replace("/", "").isdecimal()
        return bare and before.form == "base" and before.kind == "word"

    def _simple_noun(self) -> Tokens:
        """One noun phrase; `the edge of the table` is read as `table edge`."""
        start = self.at
        while self.at < len(self.tokens) and self._may_be_noun(self.at, start):
            if self.at > start and self._begins_verb(self.at):
                break
            self.at += 1
        found = self.tokens[start : self.at]
        token, after = self._token(), self._token(1)
        if found and token is not None and token.key == "of" and after is not None:
            before = self.at
            self.at += 1
            owner = self._simple_noun()
            if not owner:
                self.at = before
                return found
            if found[-1].key in CONTAINERS | DONE_TO:
                return (*found, token, *owner)
            return (*owner, *found)
        return found


def _is_measure(token: Token) -> bool:
    return token.kind == "figure" and token.key[-1:].isalpha() and not token.opens


def _is_bare_figure(item: Tokens) -> bool:
    return len(item) == 1 and item[0].kind == "figure"


def _is_year(token: Token) -> bool:
    return token.kind == "figure" and token.key[1:].isdecimal() and len(token.key) == _YEAR_LENGTH


def _is_helping(token: Token) -> bool:
    return token.key in _BE_OR_HAVE or is_modal(token)


def _may_follow_verb(token: Token | None) -> bool:
    if token is None or token.opens or token.kind == "figure" or token.key in _PRONOUNS:
        return True
    return token.key in PREPOSITIONS or token.key in POSSESSIVES or token.form in {"s", "ing"}


def read_parts(tokens: Tokens) -> list[Part] | None:
    """The parts of a sentence in order, or None where a word has no place in any."""
    return _Reader(tokens).read()
