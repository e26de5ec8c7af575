"""Reads a sentence of an answer as a claim: its words, figures, names and denials."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.search.words import Word, read_words

# Words like `the` and `of` say how a sentence is built. A copy has them all, free invention few.
FUNCTION_WEIGHT = 0.25
# A denial rarely reaches further: "does not copy the incoming message" denies all three.
MAX_DENIAL_REACH = 3
MAX_LOOK_BACK = 40
# "Not only A but also B" denies nothing.
_TAKEN_BACK = frozenset({"only", "just", "mere"})
_BULLET = re.compile(r"\s*(?:[-*+•>]\s+|#{1,6}\s+|\d+[.)]\s+)*")
_CODE = re.compile(r"`+([^`]+)`+")
_TOKEN = re.compile(r"[~/]?[^\W_][\w]*(?:[./:@][^\W_]\w*|::\w+)*")
# An underscore or a dot inside, a path, `camelCase`, or letters with digits.
_MADE_BY_CODE = re.compile(r"_|^[/~]|[.:@]|[a-z][A-Z]|[^\W\d_]\d")
_OPENING = re.compile(r"(?:^|[.!?:;]\s+|\n)[\s\"'“‘(\[*_>#•+-]*(?:\d+[.)]\s+)?[\"'“‘(\[*_]*$")


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
        """The weight of all its words."""
        return self.weight((1 << len(self.stems)) - 1)

    def weight(self, covered: int) -> float:
        """The weight of a set of its words."""
        content = (covered & self.content).bit_count()
        return content + FUNCTION_WEIGHT * (covered.bit_count() - content)

    def share(self, *covered: int) -> float:
        """The share of its weight that some sets of words cover together."""
        together = 0
        for some in covered:
            together |= some
        return self.weight(together) / self.total


def read_claim(text: str) -> Claim:
    """Read a sentence as a claim, without the bullet before a list item."""
    bullet = _BULLET.match(text)
    plain = text[bullet.end() :] if bullet else text
    words = read_words(plain)
    kinds = {word.stem: word.kind for word in words}
    content = sum(1 << bit for bit, kind in enumerate(kinds.values()) if kind == "content")
    return Claim(plain, words, tuple(kinds), content, names(plain))


def names(text: str) -> tuple[tuple[str, ...], ...]:
    """Each name as its words: `ROS_DOMAIN_ID` as `ros domain id`.

    A capital letter at the beginning of a sentence makes no name.
    """
    found: dict[tuple[str, ...], None] = {}
    for code in _CODE.finditer(text):
        for token in _TOKEN.finditer(code[1]):
            found[_parts(token[0])] = None
    for token in _TOKEN.finditer(text):
        if _is_name(text, token):
            found[_parts(token[0])] = None
    return tuple(parts for parts in found if parts)


def _is_name(text: str, token: re.Match[str]) -> bool:
    written = token[0]
    if _MADE_BY_CODE.search(written):
        return True
    if not written[0].isupper() or written == "I":
        return False
    if len(written) > 1 and written.isupper():
        return True
    # So few signs stand before a sentence; a longer row of them would be read again and again.
    return _OPENING.search(text, max(0, token.start() - MAX_LOOK_BACK), token.start()) is None


def _parts(written: str) -> tuple[str, ...]:
    words = read_words(written)
    # `e.g.` and the `The` of a title are no names.
    if not any(word.kind == "content" and len(word.text) > 1 for word in words):
        return ()
    return tuple(word.stem for word in words)


def denied(words: Sequence[Word]) -> tuple[tuple[str, ...], ...]:
    """For each denial, the stems of the content words it reaches."""
    found = []
    for place, word in enumerate(words):
        if word.kind != "denial":
            continue
        after = words[place + 1 :]
        if after and after[0].stem in _TAKEN_BACK:
            continue
        reached = tuple(one.stem for one in after if one.kind == "content")[:MAX_DENIAL_REACH]
        if reached:
            found.append(reached)
    return tuple(found)


def contradicts(claim: Sequence[Word], evidence: Sequence[Word]) -> bool:
    """Return whether one of two sentences denies what the other says."""
    if _content(claim) == _content(evidence):
        # The same sentence but for its small words: then each denial must be there too.
        return _count(claim) != _count(evidence)
    in_claim, in_evidence = denied(claim), denied(evidence)
    claimed = {word.stem for word in claim}
    denied_there = {stem for reached in in_evidence for stem in reached}
    denied_here = {stem for reached in in_claim for stem in reached}
    if any(denied_there.isdisjoint(reached) for reached in in_claim):
        return True
    return any(
        claimed.issuperset(reached[:2]) and denied_here.isdisjoint(reached)
        for reached in in_evidence
    )


def _content(words: Sequence[Word]) -> set[str]:
    return {word.stem for word in words if word.kind == "content"}


def _count(words: Sequence[Word]) -> int:
    return sum(word.kind == "denial" for word in words)
