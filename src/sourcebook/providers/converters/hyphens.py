"""Decides whether a hyphen at the end of a line belongs to its word, like that of `kube-proxy`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

HYPHENS = "-\u00ad\u2010"
# Shorter parts of a divided word are too often words themselves: in-formation.
MIN_PART = 3
_WORD = re.compile(r"\w(?:[\w-]*\w)?")
_LAST = re.compile(r"[^\s(\[\"'“‘]+$")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The words of a document, in small letters, and whether it divides words at line ends."""

    words: frozenset[str]
    divides: bool

    def keeps_hyphen(self, before: str, after: str) -> bool:
        """Return whether a hyphen stays between the end of a line and what goes on after it."""
        parts = _parts(before, after)
        if parts is None:
            return False
        left, right = parts
        if f"{left}-{right}" in self.words:
            return True
        if left + right.partition("-")[0] in self.words:
            return False
        if not left.isalpha() or "-" in right or not self.divides:
            return True  # names like io/is-default-class are not divided by rules of spelling
        return min(len(left), len(right)) >= MIN_PART and {left, right} <= self.words


def read_spelling(lines: Sequence[str]) -> Spelling:
    """Look at how the lines of a document are written.

    It divides words unless most of what its lines divide has the hyphen elsewhere, too.
    """
    words = frozenset(_whole_words(lines))
    joined = hyphened = 0
    for line, following in pairwise(lines):
        parts = _parts(line.rstrip()[:-1], following) if line.rstrip().endswith("-") else None
        if parts is not None and "-".join(parts) in words:
            hyphened += 1
        elif parts is not None:
            joined += "".join(parts) in words
    return Spelling(words, divides=joined >= hyphened)


def _whole_words(lines: Iterable[str]) -> Iterator[str]:
    """Yield the words that no line divides, and the parts of those with hyphens."""
    divided = False
    for line in lines:
        words = _WORD.findall(line.lower())[1 if divided else 0 :]
        divided = line.rstrip().endswith(tuple(HYPHENS))
        for word in words[:-1] if divided else words:
            yield word
            yield from word.split("-")


def _parts(before: str, after: str) -> tuple[str, str] | None:
    """Return the parts of the word that a line divides."""
    last, first = _LAST.search(before.lower()), _WORD.match(after.strip().lower())
    return None if last is None or first is None else (last[0], first[0])
