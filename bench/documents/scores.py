"""Compares a converted text with what its document says."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.documents.source import SourceDocument, words_of

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$")


@dataclass(frozen=True, slots=True)
class Kept:
    """How much of a document its text keeps.

    `in_order` counts the sentences of the longest run that stands in reading order.
    """

    headings: int
    found_headings: int
    right_headings: int
    sentences: int
    found_sentences: int
    in_order: int

    def __add__(self, other: "Kept") -> "Kept":
        fields = self.__slots__
        return Kept(*(getattr(self, each) + getattr(other, each) for each in fields))

    @property
    def heading_precision(self) -> float:
        """The share of the text's headings that are headings of the document."""
        return self.right_headings / max(1, self.found_headings)

    @property
    def heading_recall(self) -> float:
        """The share of the document's headings that are headings of the text."""
        return self.right_headings / max(1, self.headings)

    @property
    def text_share(self) -> float:
        """The share of sentences that are in the text."""
        return self.found_sentences / max(1, self.sentences)

    @property
    def order_share(self) -> float:
        """The share of those that stand in reading order."""
        return self.in_order / max(1, self.found_sentences)


NOTHING = Kept(0, 0, 0, 0, 0, 0)


def compare(document: SourceDocument, text: str) -> Kept:
    """Count what the text of a converted document keeps."""
    expected, found = Counter(document.headings), Counter(headings_in(text))
    del found[" ".join(words_of(document.name))]  # the title, which programs write above the text
    words = f" {' '.join(words_of(text))} "
    sentences = document.sentences
    places = [place for one in sentences if (place := words.find(f" {one} ")) >= 0]
    return Kept(
        headings=expected.total(),
        found_headings=found.total(),
        right_headings=(expected & found).total(),
        sentences=len(sentences),
        found_sentences=len(places),
        in_order=_longest_rise(places),
    )


def headings_in(text: str) -> list[str]:
    """Return the words of the headings of a markdown text."""
    found: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (heading := _HEADING.match(line)):
            found.append(" ".join(words_of(heading[1])))
    return found


def _longest_rise(places: Sequence[int]) -> int:
    """Return the length of the longest subsequence that only rises."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)
