"""Splits text into sentences, also while the text is still arriving."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sourcebook.core.sentence_ends import is_sentence_end

_CLOSING = r"[\"'”’)\]*_`»]*+"
# Of citations, and of footnotes.
_MARKERS = r"(?:\s*\[\d+(?:,\s*\d+)*\]|\[\^[^\]\s]{1,40}\])*"
# While the text is arriving, `[` may still become a marker that belongs to the sentence before.
_NO_MARKER = r"(?!\[[\d,\s]*(?:\]|\Z))"
_END = re.compile(
    rf"""
      (?P<block> ^[ \t]*(?P<fence>```|~~~)[^\n]*(?:\n|\Z)
          (?s:.*?)(?:^[ \t]*(?P=fence)[^\n]*$|\Z) )               # code, kept whole
    | (?P<line> ^[ \t]*(?:\#{{1,6}}[ \t]|\|)[^\n]*(?=\n|\Z) )     # a heading or a row of a table
    | (?P<gap> (?=\r?\n[ \t]*\r?\n) )
    | (?P<item> (?=\r?\n[ \t]*(?:[-*+•][ \t]|\d{{1,2}}[.)][ \t]|\#{{1,6}}[ \t]|>|\||```|~~~)) )
    | (?<![。！？])(?P<wide> [。！？]++{_CLOSING}{_MARKERS} )
    | (?<![.!?…؟۔])(?P<stop> [.!?…؟۔]++ ) {_CLOSING}{_MARKERS} (?=\s+{_NO_MARKER}(?P<next>\S))
    """,
    re.VERBOSE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is what stands from `start` to before `end`; no white space at either end."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences in order; headings, items of lists and blocks of code are some of them."""
    return tuple(_sentences(text, 0))


class SentenceStream:
    """Gives out the sentences of a text that arrives in pieces.

    What is given out, one after another, and then the rest is what was fed, always.
    """

    def __init__(self) -> None:
        self._text = ""
        self._given = 0

    def feed(self, piece: str) -> list[str]:
        """The sentences that are complete now, each with the white space that follows it."""
        self._text += piece
        found = list(_sentences(self._text, self._given))
        released = []
        for following in found[1:]:
            released.append(self._text[self._given : following.start])
            self._given = following.start
        return released

    def rest(self) -> str:
        """What has not been given out."""
        return self._text[self._given :]


def _sentences(text: str, start: int) -> Iterator[Sentence]:
    begin = start
    for end in _ends(text, start):
        sentence = _trimmed(text, begin, end)
        if sentence is not None:
            yield sentence
        begin = end


def _ends(text: str, start: int) -> Iterator[int]:
    begin = start
    for found in _END.finditer(text, start):
        if found["block"] is not None and text[begin : found.start()].strip():
            yield found.start()
        elif found["stop"] is not None and not is_sentence_end(
            text, begin, found.start(), found["stop"], found.start("next")
        ):
            continue
        begin = found.end()
        yield begin
    yield len(text)


def _trimmed(text: str, begin: int, end: int) -> Sentence | None:
    inside = text[begin:end]
    kept = inside.strip()
    if not kept:
        return None
    first = begin + len(inside) - len(inside.lstrip())
    return Sentence(kept, first, first + len(kept))
