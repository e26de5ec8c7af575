"""A sentence of an answer, taken apart for the check."""

import re
from dataclasses import dataclass

from sourcebook.answering.names import names
from sourcebook.answering.words import Word, read_words

# Words like `the` and `of` say how a sentence is built. A copy has them all, free invention few.
FUNCTION_WEIGHT = 0.25
_BULLET = re.compile(r"\s*(?:[-*+•>]\s+|#{1,6}\s+|\d+[.)]\s+)*")


@dataclass(frozen=True, slots=True)
class Claim:
    """The words of a claim. A set of them is a number with one bit for each of `stems`."""

    text: str
    words: tuple[Word, ...]
    stems: tuple[str, ...]
    content: int
    names: tuple[tuple[str, ...], ...]

    @property
    def figures(self) -> tuple[int, ...]:
        """Which of the words are numbers."""
        return tuple(place for place, word in enumerate(self.words) if word.is_figure)

    @property
    def total(self) -> float:
        """How much all of its words weigh."""
        return self.weight((1 << len(self.stems)) - 1)

    def weight(self, covered: int) -> float:
        """How much a set of its words weighs."""
        content = (covered & self.content).bit_count()
        return content + FUNCTION_WEIGHT * (covered.bit_count() - content)

    def share(self, *covered: int) -> float:
        """How much of all its words some sets of them are together."""
        together = 0
        for some in covered:
            together |= some
        return self.weight(together) / self.total


def read_claim(text: str) -> Claim:
    """Take a sentence apart. The sign before an item of a list is not part of it."""
    bullet = _BULLET.match(text)
    plain = text[bullet.end() :] if bullet else text
    words = read_words(plain)
    kinds = {word.stem: word.kind for word in words}
    content = sum(1 << bit for bit, kind in enumerate(kinds.values()) if kind == "content")
    return Claim(plain, words, tuple(kinds), content, names(plain))
