"""Finds files, paths, flags and names with signs in them that a question has with a slip.

Such are meant as they are typed, unless nothing has one of them and what was found has one that
differs by a slip of the finger. Decision 0039 has the reasons.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from sourcebook.search.words import stands_in

# Another one that short is near by chance.
MIN_LETTERS = 6
# In a shorter one another letter makes another name: `Next.js` and `Nest.js`.
MIN_LETTERS_TO_REPLACE = 10
# So many identifiers of a question are looked at.
MAX_IDENTIFIERS = 3
# `Cargo.lock`, `HTTP_PROXY`, `std::env`, `kube-system/coredns`, `--no-minify`, `_Cargo.toml_`.
IDENTIFIER = re.compile(
    r"(?<![\w./@#$:'’-])"
    r"(?:--?[^\W_]+(?:[._-]{1,2}[^\W_]+)*|_?[^\W_]+(?:[._:/-]{1,2}[^\W_]+)+)"
    r"(?!_*[^\W_]|[/@#$'’-]|[.:][^\W_])"
)
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+")


def doubtful_identifiers(question: str, texts: Iterable[str]) -> list[str]:
    """Return identifiers of a question that stand in none of the texts that it found."""
    typed = dict.fromkeys(found[0] for found in IDENTIFIER.finditer(question))
    long = [one for one in typed if _letters(one) >= MIN_LETTERS]
    if not long:
        return []
    said = "\n".join(texts).lower()
    return [one for one in long if not stands_in(said, one.lower())][:MAX_IDENTIFIERS]


def meant_identifier(typed: str, texts: Sequence[str]) -> str | None:
    """Return the identifier that most of the texts have, of those that are a slip away.

    None if one of them has what was typed.
    """
    wanted = typed.lower()
    if any(stands_in(text.lower(), wanted) for text in texts):
        return None
    counts = Counter(
        one
        for text in texts
        # An underscore may be a mark of emphasis.
        for one in {found[0].removeprefix("_") for found in IDENTIFIER.finditer(text)}
        if is_slip(wanted, one.lower())
    )
    return max(counts, key=counts.__getitem__, default=None)


def is_slip(typed: str, other: str) -> bool:
    """Return whether one letter or sign is missing or too many, or two changed places.

    Another sign may stand there, in a long identifier another letter too, and no other digit. A
    plural is no slip.
    """
    if abs(len(typed) - len(other)) > 1 or _DIGITS.findall(typed) != _DIGITS.findall(other):
        return False
    start = _alike(typed, other)
    end = _alike(typed[start:][::-1], other[start:][::-1])
    left, right = typed[start : len(typed) - end], other[start : len(other) - end]
    if not _LETTER.search(typed[:start]) or not (left or right):
        return False
    if not left or not right:
        return len(left + right) == 1 and (left + right != "s" or end > 0)
    if left == right[::-1]:
        return len(left) == 2
    if len(left) > 1 or len(right) > 1:
        return False
    signs = not left.isalnum() and not right.isalnum()
    return signs or (
        left.isalpha() and right.isalpha() and _letters(typed) >= MIN_LETTERS_TO_REPLACE
    )


def _alike(one: str, other: str) -> int:
    """Return how many characters they have in common, from the beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _letters(identifier: str) -> int:
    return len(_LETTER.findall(identifier))
