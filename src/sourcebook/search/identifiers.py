"""Finds files, flags and names with signs in them that a question has with a slip of the finger.

Such are meant as they are typed, unless no document knows a part of one, and what was found has the
same with that part spelled right. Decision 0039 has the reasons.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from sourcebook.search.words import language_of, stands_in

# Another one that short is near by chance; of flags there are fewer.
MIN_LETTERS, MIN_LETTERS_OF_FLAG = 6, 5
# In shorter parts, two letters that changed places or another letter make another word.
MIN_PART_TO_SWAP, MIN_PART_TO_REPLACE = 5, 7
# So many identifiers of a question, and so many texts, are looked at.
MAX_IDENTIFIERS = 3
MAX_TEXTS = 15
# `Cargo.lock`, `HTTP_PROXY`, `std::env`, `kube-system/coredns`, `--no-minify`, `_Cargo.toml_`.
IDENTIFIER = re.compile(
    r"(?<![\w./@#$:'’?&=%\\\u0300-\u036f-])"
    r"(?:--?[^\W_]+(?:[._-]{1,2}[^\W_]+)*|_?[^\W_]+(?:[._:/-]{1,2}[^\W_]+)+)"
    r"(?!_*[^\W_]|[/@#$'’\u0300-\u036f-]|[.:]{1,2}[^\W_])"
)
_PART = re.compile(r"([^\W\d_]+)")
# What looks like a slip, and is another ending of files.
_ENDINGS = frozenset({"yml", "yaml", "jpg", "jpeg"})


class Slip(NamedTuple):
    """What was meant, as the texts have it, and the part of what was typed that differs."""

    meant: str
    part: str


def doubtful_identifiers(question: str, texts: Iterable[str]) -> list[str]:
    """Return identifiers of an English question that stand in none of the texts that it found."""
    found = (one[0] for one in IDENTIFIER.finditer(question))
    typed = dict.fromkeys(one for one in found if _is_long(one))
    if not typed or language_of(question) != "english":
        return []
    said = "\n".join(islice(texts, MAX_TEXTS)).lower()
    return [one for one in islice(typed, MAX_IDENTIFIERS) if not stands_in(said, one.lower())]


def find_slip(typed: str, texts: Sequence[str], question: str) -> Slip | None:
    """Return the identifier that most of the texts have, of those that are a slip away.

    None if two have as many, or the question has it itself: then it means another.
    """
    spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
    parts: dict[str, str] = {}
    for text in islice(dict.fromkeys(texts), MAX_TEXTS):
        for one in dict.fromkeys(_identifiers(text)):
            part = differing_part(typed, one)
            if part is not None:
                parts[one.lower()] = part
                spelled[one.lower()][one] += 1
    totals = {one: counts.total() for one, counts in spelled.items()}
    best = [one for one, count in totals.items() if count == max(totals.values())]
    if len(best) != 1 or stands_in(question.lower(), best[0]):
        return None
    (meant,) = best
    return Slip(spelled[meant].most_common(1)[0][0], parts[meant])


def differing_part(typed: str, other: str) -> str | None:
    """Return the part of an identifier that is a slip for that of another; None if none is.

    All else, signs and digits, must be the same.
    """
    ours, theirs = _PART.split(typed.lower()), _PART.split(other.lower())
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b]
    if len(ours) != len(theirs) or len(pairs) != 1:
        return None
    part, meant = pairs[0]
    return part if is_slip(part, meant) else None


def is_slip(part: str, meant: str) -> bool:
    """Return whether one letter inside is missing or too many, or two changed places.

    In a long part another letter may stand there. The first and the last one tell words apart
    (`get` and `set`, `http` and `https`).
    """
    if not part.isalpha() or not meant.isalpha() or {part, meant} <= _ENDINGS:
        return False
    start = _alike(part, meant)
    end = _alike(part[start:][::-1], meant[start:][::-1])
    left, right = part[start : len(part) - end], meant[start : len(meant) - end]
    if not start or not end:
        return False
    if not left or not right:
        return len(left + right) == 1
    if left == right[::-1]:
        return len(left) == 2 and len(part) >= MIN_PART_TO_SWAP
    return len(left) == len(right) == 1 and len(part) >= MIN_PART_TO_REPLACE


def _identifiers(text: str) -> Iterable[str]:
    for found in IDENTIFIER.finditer(text):
        # Underscores on both sides are marks of emphasis.
        emphasized = text[found.end() : found.end() + 1] == "_"
        yield found[0].removeprefix("_") if emphasized else found[0]


def _alike(one: str, other: str) -> int:
    """Return how many characters they have in common, from the beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _is_long(identifier: str) -> bool:
    least = MIN_LETTERS_OF_FLAG if identifier.startswith("--") else MIN_LETTERS
    return sum(map(len, _PART.findall(identifier))) >= least
