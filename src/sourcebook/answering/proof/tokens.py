"""Reads a sentence as tokens that are equal where the words say the same."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from sourcebook.answering.proof.equivalents import EQUIVALENTS
from sourcebook.answering.proof.figures import bounds_first, ordinal, read_figure
from sourcebook.answering.proof.inflection import Form, inflection
from sourcebook.answering.proof.lexemes import MAX_CHARACTERS, Lexeme, read_lexemes
from sourcebook.answering.proof.word_classes import (
    ARTICLES,
    DETERMINERS,
    EVIDENCE_NOUNS,
    FIXED_WORDS,
    HARMLESS_OPENINGS,
    HARMLESS_WORDS,
    MEASURE_ADJECTIVES,
    MEASURE_VERBS,
    MODALS,
    PREPOSITIONS,
    VERB_WORDS,
)

TokenKind: TypeAlias = Literal["word", "figure", "code", "mark"]

_CONTRACTIONS = {
    "cannot": "can not",
    "can't": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "let's": "let us",
    "it's": "it is",
    "he's": "he is",
    "she's": "she is",
    "that's": "that is",
    "there's": "there is",
    "here's": "here is",
    "what's": "what is",
    "who's": "who is",
    "ain't": "is not",
}
_ENDINGS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_SAYING = frozenset({"it", "says", "states", "notes", "explains", "puts"})
_TIME_WORDS = frozenset({"second", "minute", "hour", "day", "week", "month", "year", "night"})
# Phrases whose article tells them from others: `few` is not `a few`.
_WITH_ARTICLE = {
    ("a", "few"): "a few",
    ("a", "little"): "a little",
    ("a", "number", "of"): "several",
    ("a", "lot", "of"): "many",
    ("as", "soon", "as"): "once",
    ("so", "that"): "so that",
    ("in", "order", "to"): "to",
    ("so", "as", "to"): "to",
    ("in", "order", "that"): "so that",
    ("by", "default"): "by default",
}


_THE = frozenset({"the", "this", "these"})
_BEFORE_MONTHS = frozenset({"in", "from", "to", "by", "until", "since", "of", "before", "after"})
_MIN_ACRONYM = 3
_PHRASE_BEGINNINGS = frozenset(words[0] for words in _WITH_ARTICLE)
_NO_NOUNS = MODALS | PREPOSITIONS | {"be", "have", "do", "will", "not"}


class Token(NamedTuple):
    """A word, figure, piece of code or mark, as it is compared.

    `opens` says that an article stood before it, so that a noun phrase begins here, and
    `definite` that it was `the`.
    """

    key: str
    kind: TokenKind = "word"
    form: Form = "base"
    opens: bool = False
    written: str = ""
    definite: bool = False

    @property
    def is_mark(self) -> bool:
        return self.kind == "mark"


Tokens: TypeAlias = tuple[Token, ...]


@lru_cache(maxsize=4_096)
def read_tokens(text: str, *, of_claim: bool = False) -> Tokens:
    """The tokens of a sentence; none if it is too long to be read whole.

    A claim may begin with `According to the report,`, by which it means the evidence. In the
    evidence itself, that is somebody else's report.
    """
    if len(text) > MAX_CHARACTERS:
        return ()
    lexemes = _without_opening(list(_expanded(read_lexemes(text))), of_claim=of_claim)
    tokens = list(_tokens(bounds_first(lexemes)))
    return tuple(_without_auxiliaries(_with_equivalents(_without_articles(tokens))))


def mark(sign: str) -> Token:
    """A mark of punctuation."""
    return Token(sign, "mark")


def _expanded(lexemes: Sequence[Lexeme]) -> Iterator[Lexeme]:
    for lexeme in lexemes:
        lower = lexeme.text.lower()
        if lexeme.kind != "word" or ("'" not in lower and lower != "cannot"):
            yield lexeme
        elif lower in _CONTRACTIONS:
            yield from (Lexeme(word, "word") for word in _CONTRACTIONS[lower].split())
        else:
            yield from _split_ending(lexeme.text)


def _split_ending(written: str) -> Iterator[Lexeme]:
    for ending, word in _ENDINGS.items():
        if written.lower().endswith(ending):
            yield Lexeme(written[: -len(ending)], "word")
            yield Lexeme(word, "word")
            return
    # `the pump's seal` and `the pumps' seals` are compared as `pump seal`.
    yield Lexeme(written.rstrip("'").removesuffix("'s"), "word")


def _without_opening(lexemes: list[Lexeme], *, of_claim: bool) -> list[Lexeme]:
    words = [lexeme.text.lower() for lexeme in lexemes]
    for opening in HARMLESS_OPENINGS:
        parts = opening.split()
        if words[: len(parts)] != parts or len(words) <= len(parts):
            continue
        marked = words[len(parts)] in {",", ":"}
        if marked or parts[-1] == "that":
            return _without_opening(lexemes[len(parts) + marked :], of_claim=of_claim)
    end = _attribution_end(words) if of_claim else 0
    return _without_opening(lexemes[end:], of_claim=of_claim) if end else lexemes


def _attribution_end(words: Sequence[str]) -> int:
    """Where `According to the guide,`, `As the text puts it,` or `The notes say that` ends."""
    if words[:2] == ["as", "the"] and len(words) > 6 and words[2] in EVIDENCE_NOUNS:
        end = 5 if words[3:5] == ["puts", "it"] else 4
        return end + 1 if words[end - 1] in _SAYING and words[end] == "," else 0
    if words[:2] == ["according", "to"] and len(words) > 5:
        at = 2 + (words[2] in _THE)
        return at + 2 if words[at] in EVIDENCE_NOUNS and words[at + 1] == "," else 0
    if words[:1] == ["the"] and len(words) > 5 and words[1] in EVIDENCE_NOUNS:
        says = words[2].removesuffix("s") in {"say", "state", "explain", "note", "mention"}
        return 4 if says and words[3] == "that" else 0
    return 0


def _tokens(lexemes: Sequence[Lexeme]) -> Iterator[Token]:
    at = 0
    while at < len(lexemes):
        phrase, at_end = _phrase_with_article(lexemes, at)
        if at_end > at:
            if phrase:
                yield Token(phrase)
            at = at_end
            continue
        figure = None if _is_no_number(lexemes, at) else read_figure(lexemes, at)
        nth = ordinal(lexemes, at)
        if nth is not None and not (figure and figure.key.startswith("@")):
            yield Token(nth.key)
            at = nth.end
        elif figure is not None:
            yield Token(figure.key, "code" if _is_named(lexemes, at) else "figure")
            at = figure.end
        else:
            yield from _token(lexemes, at)
            at += 1


def _is_named(lexemes: Sequence[Lexeme], at: int) -> bool:
    """Whether a number belongs to a name: `Heron 3`, `Windows 11`."""
    if at < 2 or not lexemes[at].text.isdecimal() or lexemes[at - 1].kind != "word":
        return False
    name = lexemes[at - 1].text
    return name[0].isupper() and name.lower() not in FIXED_WORDS and len(lexemes[at].text) < 4


def _is_no_number(lexemes: Sequence[Lexeme], at: int) -> bool:
    """`no one` and `one another` count nothing; neither does `May` nor `March` alone."""
    if lexemes[at].text.lower() != "one":
        return False
    before = lexemes[at - 1].text.lower() if at else ""
    after = lexemes[at + 1].text.lower() if at + 1 < len(lexemes) else ""
    return before in {"no", "the"} or after == "another"


def _phrase_with_article(lexemes: Sequence[Lexeme], at: int) -> tuple[str, int]:
    if lexemes[at].text.lower() not in _PHRASE_BEGINNINGS:
        return "", at
    for words, phrase in _WITH_ARTICLE.items():
        there = lexemes[at : at + len(words)]
        if len(there) == len(words) and all(
            one.text.lower() == word for one, word in zip(there, words, strict=True)
        ):
            return phrase, at + len(words)
    return "", at


def _token(lexemes: Sequence[Lexeme], at: int) -> Iterator[Token]:
    lexeme = lexemes[at]
    lower = lexeme.text.lower()
    if lexeme.kind == "mark":
        yield mark("—" if lexeme.text in {"–", "-"} else lexeme.text)
    elif lexeme.kind == "code":
        yield Token(lexeme.text, "code")
    elif lexeme.kind == "term":
        yield _term(lexeme.text)
    elif lexeme.kind == "sign":
        if lexeme.text == "×":
            yield Token("time", form="s")
        # A hyphen joins words that may as well stand apart.
        elif lexeme.text not in {"-", "–"}:
            yield Token(lexeme.text)
    elif lower == "twice":
        yield Token("#2", "figure")
        yield Token("time", form="s")
    elif _is_per(lexemes, at):
        yield Token("every" if lower == "once" else "per")
    elif lexeme.text == "May" and at and lexemes[at - 1].text.lower() in _BEFORE_MONTHS:
        yield Token("May", written="May")
    else:
        yield _word(lexeme.text)


def _is_per(lexemes: Sequence[Lexeme], at: int) -> bool:
    """Whether `a` means `per`, as in `twice a day`, and `once a day` means `every day`."""
    words = [lexeme.text.lower() for lexeme in lexemes[max(0, at - 1) : at + 3]]
    words = words if at else ["", *words]
    before, here = words[0], words[1]
    after = words[2] if len(words) > 2 else ""
    each = {"a", "an", "each", "every", "per"}
    if here == "once":
        return after in each and len(words) > 3 and words[3] in _TIME_WORDS
    figure = read_figure(lexemes, at - 2) if at > 1 and here in {"a", "an"} else None
    counted = figure is not None and figure.end in {at - 1, at}
    return here in each and after in _TIME_WORDS and (counted or before in {"times", "twice"})


@lru_cache(maxsize=20_000)
def _word(written: str) -> Token:
    lower = written.lower()
    # `IT` is not `it`, and `US` not `us`.
    if written.isupper() and len(written) > 1 and lower in _SHORT_WORDS:
        return Token(written, written=written)
    if written.isupper() and len(written) > _MIN_ACRONYM:
        # The last letter of `HTTPS` is no plural.
        return Token(_SINGLE.get(lower, lower), written=written)
    key, form = inflection(lower)
    return Token(_SINGLE.get(key, key), form=form, written=written)


def _term(written: str) -> Token:
    """A word of code, which is no other form and no other word of the same meaning."""
    key, form = inflection(written)
    known = key in _SINGLE or key in _SINGLE.values()
    return Token(f"`{written}" if known or form != "base" else key, written=written)


def _without_articles(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    opens = definite = False
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        written = token.written.lower()
        if written in ARTICLES or (written in DETERMINERS and _is_noun(after)):
            opens, definite = True, written == "the"
        elif token.key not in HARMLESS_WORDS and not _repeats(token, kept):
            kept.append(token._replace(opens=opens, definite=definite))
            opens = definite = False
    return kept


def _repeats(token: Token, before: Sequence[Token]) -> bool:
    """Whether it is the `per` or `every` of `once per day`, which is read as `every day`."""
    return token.key in {"every", "per"} and bool(before) and before[-1].key == "every"


def _is_noun(token: Token | None) -> bool:
    """Whether a determiner belongs to the token after it: not in `this is` or `this must`."""
    if token is None or token.kind != "word":
        return False
    return token.key not in _NO_NOUNS


def _with_equivalents(tokens: Sequence[Token]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        length, keys = _longest_phrase(tokens, at)
        if length:
            first = tokens[at]
            found += [Token(keys[0], form=first.form, opens=first.opens, written=first.written)]
            found += [Token(key) for key in keys[1:]]
        else:
            found.append(tokens[at])
            length = 1
        at += length
    return found


def joined(verb: Token, particle: Token) -> Tokens:
    """A verb beside its particle, which may be another verb: `turn` and `off`."""
    return tuple(_with_equivalents([verb, particle]))


def _longest_phrase(tokens: Sequence[Token], at: int) -> tuple[int, tuple[str, ...]]:
    for length in range(min(_MAX_PHRASE, len(tokens) - at), 1, -1):
        keys = tuple(token.key for token in tokens[at : at + length])
        if keys in _PHRASES:
            return length, _PHRASES[keys]
    return 0, ()


def _without_auxiliaries(tokens: Sequence[Token]) -> Iterator[Token]:
    """Without what only builds tense: `will`, the `do` of `do not`, the `have` of `have been`."""
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        following = tokens[place + 2] if place + 2 < len(tokens) else None
        # `store at 2 to 8 °C` is `store between 2 and 8 °C`.
        at_range = token.key == "at" and after is not None and ".." in after.key
        if not at_range and not _is_auxiliary(token, after, following):
            yield token._replace(form="s") if _is_going_on(tokens, place) else token


def _is_going_on(tokens: Sequence[Token], place: int) -> bool:
    """Whether it is the verb of `is heating`, of which `is` is not read."""
    token = tokens[place]
    if token.form != "ing" or not place or token.opens:
        return False
    before = place - 1
    if tokens[before].key in {"not", "never"} or tokens[before].written.endswith("ly"):
        before -= 1
    return before >= 0 and tokens[before].key == "be" and token.key in VERBS


def _is_auxiliary(token: Token, after: Token | None, following: Token | None) -> bool:
    if token.key == "will":
        return True
    if after is None or token.key not in {"do", "have", "be"}:
        return False
    between = after.key in {"not", "never"} or after.written.endswith("ly")
    verb = following if between else after
    if token.key == "do":
        return after.key in {"not", "neednot"}
    if verb is None or verb.opens:
        return False
    if token.key == "have":
        return verb.form == "ed"
    return verb.form == "ing" and (verb.key == "be" or verb.key in VERBS)


def needed_keys(tokens: Tokens) -> frozenset[str]:
    """The keys that no rewriting puts there or takes away."""
    return frozenset(
        token.key
        for token in tokens
        if token.key not in _REWRITTEN
        and not token.key.startswith(("#>", "#<="))
        and not token.is_mark
    )


def word_keys(words: Iterable[str]) -> frozenset[str]:
    """The keys of words as they stand in a lexicon."""
    return frozenset(_word(word).key for word in words)


def _normal_keys(phrase: str) -> tuple[str, ...]:
    return tuple(inflection(word).key for word in phrase.split())


def _read_equivalents() -> tuple[dict[str, str], dict[tuple[str, ...], tuple[str, ...]]]:
    """Which word stands for a word, and which words for a phrase."""
    # A single word stands for phrases, never the other way round.
    groups = [sorted(group, key=lambda phrase: " " in phrase) for group in EQUIVALENTS]
    single: dict[str, str] = {}
    for first, *others in groups:
        if " " not in first:
            single |= {
                _normal_keys(one)[0]: _normal_keys(first)[0] for one in others if " " not in one
            }
    phrases: dict[tuple[str, ...], tuple[str, ...]] = {}
    for first, *others in groups:
        stands = tuple(single.get(key, key) for key in _normal_keys(first))
        for one in others:
            keys = tuple(single.get(key, key) for key in _normal_keys(one))
            if keys != stands:
                phrases[keys] = stands
    return single, phrases


_SINGLE, _PHRASES = _read_equivalents()
_MAX_PHRASE = max(map(len, _PHRASES))
_SHORT_WORDS = frozenset({"it", "us", "is", "or", "and", "no", "not", "in", "on", "at", "he", "am"})
_REWRITTEN = (
    FIXED_WORDS
    | {"by default"}
    | word_keys(
        {*MEASURE_VERBS, *MEASURE_VERBS.values(), *MEASURE_ADJECTIVES, *MEASURE_ADJECTIVES.values()}
        | {"be", "have", "exceed", "you", "do", "use", "default", "!"}
    )
)
VERBS = frozenset(_SINGLE.get(key, key) for key in (inflection(word).key for word in VERB_WORDS))
