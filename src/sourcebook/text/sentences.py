"""Splits text into sentences, also while the text is still arriving."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sourcebook.text.sentence_ends import CodeMarks, is_sentence_end

_CLOSING = r"[\"'”’)\]*_`»]*+"
# Of citations, and of footnotes.
_MARKERS = r"(?:\s*\[[\d.]+(?:,\s*[\d.]+)*\]|\[\^[^\]\s]{1,40}\])*"
# While the text is arriving, `[` may still become a marker that belongs to the sentence before.
_NO_MARKER = r"(?!\[[\d.,\s]*(?:\]|\Z))"
_END = re.compile(
    rf"""
      (?P<block> ^[ \t]*(?P<fence>```|~~~)[^\n]*(?:\n|\Z)
          (?s:.*?)(?:^[ \t]*(?P=fence)[^\n]*$|\Z) )               # code, kept whole
    | (?P<line> ^[ \t]*(?:\#{{1,6}}[ \t]|\|)[^\n]*(?=\n|\Z) )     # a heading or a row of a table
    | (?P<gap> (?<!\n)(?=\r?\n[ \t]*\r?\n) )                    # only where a run of lines begins
    | (?P<item> (?=\r?\n[ \t]*(?:[-*+•][ \t]|\d{{1,2}}[.)][ \t]|\#{{1,6}}[ \t]|>|\||```|~~~)) )
    | (?P<ids> \[[\d.,\ ]*\d\.\d+\](?=[ \t]*\r?\n) )            # of statements, at a line's end
    | (?<![。！？])(?P<wide> [。！？]++{_CLOSING}{_MARKERS} )
    | (?<![.!?…؟۔])(?P<stop> [.!?…؟۔]++ ) {_CLOSING}{_MARKERS} (?=\s+{_NO_MARKER}(?P<next>\S))
    """,
    re.VERBOSE | re.MULTILINE,
)
# An unfinished sentence is read again once it has grown by this fraction.
REREAD_FRACTION = 16


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

    What is given out, one after another, is what was fed, always.
    """

    def __init__(self) -> None:
        self._text = ""
        self._given = 0
        self._read_again_at = 0

    def feed(self, piece: str) -> list[str]:
        """The sentences that are known to be complete, each with the white space after it."""
        self._text += piece
        if len(self._text) < self._read_again_at:
            return []
        *complete, last = self._parts()
        self._given = len(self._text) - len(last)
        # A sentence that does not end is not read again with every letter that it grows by.
        self._read_again_at = len(self._text) + len(last) // REREAD_FRACTION
        return complete

    def rest(self) -> list[str]:
        """The sentences that have not been given out, once all of the text is there."""
        return [one for one in self._parts() if one]

    def _parts(self) -> list[str]:
        begins = [one.start for one in _sentences(self._text, self._given)][1:]
        places = [self._given, *begins, len(self._text)]
        return [self._text[begin:end] for begin, end in pairwise(places)]


def _sentences(text: str, start: int) -> Iterator[Sentence]:
    begin = start
    for end in _ends(text, start):
        sentence = _trimmed(text, begin, end)
        if sentence is not None:
            yield sentence
        begin = end


def _ends(text: str, start: int) -> Iterator[int]:
    begin, marks = start, CodeMarks(text, start)
    for found in _END.finditer(text, start):
        in_code = marks.is_open_at(found.start())
        if found["block"] is not None and text[begin : found.start()].strip():
            yield found.start()
        elif found["stop"] is not None and not is_sentence_end(
            text, begin, found.start(), found["stop"], found.start("next"), in_code=in_code
        ):
            continue
        begin = found.end()
        marks = CodeMarks(text, begin)
        yield begin
    yield len(text)


def _trimmed(text: str, begin: int, end: int) -> Sentence | None:
    inside = text[begin:end]
    kept = inside.strip()
    if not kept:
        return None
    first = begin + len(inside) - len(inside.lstrip())
    return Sentence(kept, first, first + len(kept))
