"""Reads a sentence as tokens that are equal where the words say the same.

Equal are: figures of one value, contractions and what they stand for, small and large letters of
plain words, and sentences with and without what only opens them, such as `Note that`.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from sourcebook.answering.proof.figures import ordinal, read_figure
from sourcebook.answering.proof.lexemes import MAX_CHARACTERS, Lexeme, read_lexemes
from sourcebook.answering.proof.openings import without_opening
from sourcebook.answering.proof.spelling import in_english

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


class Token(NamedTuple):
    """A word, figure, piece of code or mark, by what it is compared with."""

    key: str
    kind: TokenKind = "word"

    @property
    def is_mark(self) -> bool:
        return self.kind == "mark"


Tokens: TypeAlias = tuple[Token, ...]


@lru_cache(maxsize=4_096)
def read_tokens(text: str, *, of_claim: bool = False, language: str = "en") -> Tokens:
    """The tokens of a sentence without its last mark; none if it is too long to be read whole.

    A claim may name the evidence before it or after it: `According to the report, …`. In the
    evidence itself, that is somebody else's report.
    """
    if len(text) > MAX_CHARACTERS:
        return ()
    text = in_english(without_opening(text, language) if of_claim else text, language)
    lexemes = list(_expanded([*_read_is(read_lexemes(text))]))
    while lexemes and lexemes[-1].kind == "mark" and lexemes[-1].text in ".!…。":
        del lexemes[-1]
    return tuple(_tokens(lexemes))


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
