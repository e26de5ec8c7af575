"""Splits a sentence into what it is written with: words, numbers, code, signs and marks."""

import re
from typing import Literal, NamedTuple, TypeAlias

# A term is a word that is marked as code.
LexemeKind: TypeAlias = Literal["word", "term", "number", "code", "sign", "mark"]

# The rest of a longer text is left unread; a sentence of an answer or a book is far shorter.
MAX_CHARACTERS = 2_000

_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,300}\)")
_OPENING_MARKS = re.compile(r"\A(?:\s*(?:[-*+•>]\s+|#{1,6}\s+|\d{1,3}[.)]\s+))*")
# `Jan. 1976` is `January 1976`.
_SHORT_MONTH = re.compile(r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.(?=\s\d)")
_EMPHASIS = re.compile(r"(?<!\w)\*{1,3}|\*{1,3}(?!\w)|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_LEXEME = re.compile(
    r"""
      `{1,2}(?P<span>[^`]{1,200})`{1,2}
    | (?P<code>
        [A-Za-z]+://[^\s<>"']{1,300}
      | (?<![\w.)\]])(?:--?|~?/|\.)(?=[A-Za-z])[\w./-]{1,100}(?<![.])
      | [A-Za-z]\w{0,60}(?:(?:[_@\\]|::)\w{1,60}){1,10}
      | [A-Za-z]\w{0,60}(?:[./:]\w{1,60}){1,10}
      | \d{1,9}(?:\.\d{1,9}){2,6}
      | [A-Za-z]{1,20}\d\w{0,20}
      | [A-Z]{1,5}-\d\w{0,9}(?:-\d{1,9})?(?!\w)
      )
    | (?P<number>
        (?<![\w.])[-−+]?(?:\d{1,3}(?:[,\u00a0\u202f\x20]\d{3}){1,6}(?!\d)|\d{1,20})(?:\.\d{1,20})?
      )
    | (?P<word> [^\W\d_]+(?:['’][^\W\d_]+)?['’]? )
    | (?P<mark> [,;:()\[\]—.!?…|] | \s[–-]\s )
    | (?P<sign> (?<=\w)\*(?=\w) | [°℃][CF]?/?[a-zA-Z]{0,3}(?![A-Za-z]) | [^\s\w"“”„«»‘’'*#`] )
    | (?P<rest> \w+ )
    """,
    re.VERBOSE,
)
# Between thousands.
_SPACES = re.compile(r"[\u00a0\u202f ]")
# `e.g.` and `a.m.` would look like code.
_DOTTED = {
    "e.g.": "for example",
    "i.e.": "that is",
    "a.m.": "am",
    "p.m.": "pm",
    "e.g": "for example",
}


class Lexeme(NamedTuple):
    """A piece of a sentence as it is written."""

    text: str
    kind: LexemeKind


def read_lexemes(text: str) -> list[Lexeme]:
    """All pieces in order, without bullets, emphasis and the addresses of links."""
    plain = text[:MAX_CHARACTERS]
    plain = _OPENING_MARKS.sub("", plain, count=1)
    plain = _EMPHASIS.sub("", _IMAGE_OR_LINK.sub(r"\1", plain))
    plain = _SHORT_MONTH.sub(r"\1", plain)
    for dotted, words in _DOTTED.items():
        plain = plain.replace(dotted, words)
    return [_lexeme(found) for found in _LEXEME.finditer(plain)]


def _lexeme(found: re.Match[str]) -> Lexeme:
    if found["span"] is not None:
        inside = found["span"].strip()
        return Lexeme(inside, "term" if inside.isalpha() and inside.islower() else "code")
    if found["code"] is not None:
        return Lexeme(found["code"], "code")
    if found["number"] is not None:
        return Lexeme(_SPACES.sub(",", found["number"]).replace("−", "-"), "number")
    if found["word"] is not None:
        return Lexeme(found["word"].replace("’", "'"), "word")
    if found["mark"] is not None:
        return Lexeme(found["mark"].strip(), "mark")
    return Lexeme(found["sign"], "sign") if found["rest"] is None else Lexeme(found["rest"], "code")
