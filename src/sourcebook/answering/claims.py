"""A sentence of an answer, taken apart for the check."""

import re
from dataclasses import dataclass
from functools import cached_property

from sourcebook.answering.names import names
from sourcebook.answering.words import Word, read_words

# Words like `the` and `of` say how a sentence is built. A copy has them all, free invention few.
FUNCTION_WEIGHT = 0.25
_BULLET = re.compile(r"\s*(?:[-*+•>]\s+|#{1,6}\s+|\d+[.)]\s+)*")


@dataclass(frozen=True)
class Claim:
    """The words of a claim. A set of them is a number with one bit for each of `stems`."""

    text: str
    words: tuple[Word, ...]
    stems: tuple[str, ...]
    weights: tuple[float, ...]
    names: tuple[tuple[str, ...], ...]

    @property
    def has_content(self) -> bool:
        """Tell whether it says anything by itself."""
        return any(word.kind == "content" for word in self.words)

    @cached_property
    def figures(self) -> tuple[int, ...]:
        """Which of the words are numbers."""
        return tuple(place for place, word in enumerate(self.words) if word.is_figure)

    def weight(self, covered: int) -> float:
        """How much a set of its words weighs."""
        return sum(weight for bit, weight in enumerate(self.weights) if covered >> bit & 1)

    def share(self, *covered: int) -> float:
        """How much of all its words some sets of them are together."""
        together = 0
        for some in covered:
            together |= some
        return self.weight(together) / sum(self.weights)


def read_claim(text: str) -> Claim:
    """Take a sentence apart. The sign before an item of a list is not part of it."""
    bullet = _BULLET.match(text)
    plain = text[bullet.end() :] if bullet else text
    words = read_words(plain)
    weights: dict[str, float] = {}
    for word in words:
        own = 1.0 if word.kind == "content" else FUNCTION_WEIGHT
        weights[word.stem] = weights.get(word.stem, 0.0) + own
    return Claim(plain, words, tuple(weights), tuple(weights.values()), names(plain))
