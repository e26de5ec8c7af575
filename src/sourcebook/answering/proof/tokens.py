"""Reads a sentence as tokens that are equal where the words say the same.

Equal are: figures of one value, contractions and what they stand for, small and large letters of
plain words, and sentences with and without what only opens them, such as `Note that`.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from sourcebook.answering.proof.figures import ordinal, read_figure
from sourcebook.answering.proof.lexemes import MAX_CHARACTERS, Lexeme, read_lexemes

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
}
_ENDINGS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_OPENINGS = (
    *("note that", "please note that", "please note", "remember that", "be aware that", "note"),
    *("keep in mind that", "it is important to note that", "it should be noted that"),
    *("in addition", "additionally", "in other words", "in short", "yes", "in summary"),
)
_EVIDENCE = frozenset(
    {"documentation", "document", "documents", "docs", "text", "book", "manual", "passage", "guide"}
    | {"evidence", "source", "sources", "notes", "article", "page", "section", "chapter", "excerpt"}
    | {"instructions", "handbook", "leaflet", "description", "recipe", "rules", "protocol"}
)
_SAYING = frozenset({"says", "say", "states", "state", "notes", "explains", "mentions"})


class Token(NamedTuple):
    """A word, figure, piece of code or mark, by what it is compared with."""

    key: str
    kind: TokenKind = "word"

    @property
    def is_mark(self) -> bool:
        return self.kind == "mark"


Tokens: TypeAlias = tuple[Token, ...]


@lru_cache(maxsize=4_096)
def read_tokens(text: str, *, of_claim: bool = False) -> Tokens:
    """The tokens of a sentence without its last mark; none if it is too long to be read whole.

    A claim may name the evidence before it or after it: `According to the report, …`. In the
    evidence itself, that is somebody else's report.
    """
    if len(text) > MAX_CHARACTERS:
        return ()
    lexemes = list(_expanded([*_read_is(read_lexemes(text))]))
    while lexemes and lexemes[-1].kind == "mark" and lexemes[-1].text in ".!…。":
        del lexemes[-1]
    return tuple(_tokens(_bare(lexemes) if of_claim else lexemes))


def _expanded(lexemes: Sequence[Lexeme]) -> Iterator[Lexeme]:
    for lexeme in lexemes:
        lower = lexeme.text.lower()
        if lexeme.kind != "word" or ("'" not in lower and lower != "cannot"):
            yield lexeme
        elif lower in _CONTRACTIONS:
            yield from (Lexeme(word, "word") for word in _CONTRACTIONS[lower].split())
        else:
            yield from _split_ending(lexeme)


def _read_is(lexemes: Sequence[Lexeme]) -> Iterator[Lexeme]:
    """`the lamp's lit` as `the lamp is lit`; `the lamp's wick` stays."""
    for place, lexeme in enumerate(lexemes):
        after = lexemes[place + 1].text.lower() if place + 1 < len(lexemes) else ""
        if lexeme.text.lower().endswith("'s") and after.endswith("ed"):
            yield Lexeme(lexeme.text[:-2], "word")
            yield Lexeme("is", "word")
        else:
            yield lexeme


def _split_ending(lexeme: Lexeme) -> Iterator[Lexeme]:
    for ending, word in _ENDINGS.items():
        if lexeme.text.lower().endswith(ending):
            yield Lexeme(lexeme.text[: -len(ending)], "word")
            yield Lexeme(word, "word")
            return
    yield lexeme


def _bare(lexemes: list[Lexeme]) -> list[Lexeme]:
    """A claim without what opens it and what names the evidence."""
    words = [lexeme.text.lower() for lexeme in lexemes]
    for opening in _OPENINGS:
        parts = opening.split()
        if words[: len(parts)] != parts or len(words) <= len(parts):
            continue
        marked = words[len(parts)] in {",", ":"}
        if marked or parts[-1] == "that":
            return _bare(lexemes[len(parts) + marked :])
    start = _naming_end(words) or _own_place_end(words)
    if start:
        return _bare(lexemes[start:])
    for length in (4, 5):
        if words[-length : 1 - length] == [","] and _naming_end([*words[1 - length :], ","]):
            return lexemes[:-length]
    return lexemes


def _naming_end(words: Sequence[str]) -> int:
    """Where `According to the guide,`, `As the text says,` or `The notes say that` ends."""
    if words[:2] == ["according", "to"]:
        at = 2 + (words[2:3] == ["the"])
        named = words[at : at + 2]
        return at + 2 if named[:1] and named[0] in _EVIDENCE and named[1:] == [","] else 0
    if words[:2] == ["as", "the"] and len(words) > 4:
        says = words[2] in _EVIDENCE and words[3] in _SAYING and words[4] == ","
        return 5 if says else 0
    if words[:1] == ["the"] and len(words) > 3 and words[1] in _EVIDENCE:
        return 4 if words[2] in _SAYING and words[3] == "that" else 0
    return 0


def _own_place_end(words: Sequence[str]) -> int:
    """Where `In this course,` or `Under this policy,` ends: a text is about itself."""
    if words[:1] and words[0] in {"in", "under", "for", "on"} and words[1:2] == ["this"]:
        return next((end for end in (4, 5) if words[end - 1 : end] == [","]), 0)
    return 0


def _tokens(lexemes: Sequence[Lexeme]) -> Iterator[Token]:
    at = 0
    while at < len(lexemes):
        figure = None if _counts_nothing(lexemes, at) else read_figure(lexemes, at)
        nth = ordinal(lexemes, at)
        if nth is not None and not (figure and figure.key.startswith("@")):
            yield Token(nth.key)
            at = nth.end
        elif figure is not None:
            yield Token(figure.key, "figure")
            at = figure.end
        else:
            token = _token(lexemes[at])
            if token is not None:
                yield token
            at += 1


def _counts_nothing(lexemes: Sequence[Lexeme], at: int) -> bool:
    """`no one` and `one another` count nothing."""
    if lexemes[at].text.lower() != "one":
        return False
    before = lexemes[at - 1].text.lower() if at else ""
    after = lexemes[at + 1].text.lower() if at + 1 < len(lexemes) else ""
    return before in {"no", "the"} or after == "another"


def _token(lexeme: Lexeme) -> Token | None:
    text = lexeme.text
    if lexeme.kind == "mark":
        return Token("—" if text in {"–", "-"} else text, "mark")
    if lexeme.kind in {"code", "term"}:
        return Token(text, "code")
    if lexeme.kind == "sign":
        # A hyphen joins words that may as well stand apart.
        return None if text in {"-", "–"} else Token(text)
    # `IT` is not `it`, and `US` not `us`.
    return Token(text if text.isupper() and len(text) > 1 else text.lower())
