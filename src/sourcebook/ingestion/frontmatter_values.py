"""How each field of the front matter is read, and what is used when it cannot be."""

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from sourcebook.core.shortening import shortened
from sourcebook.ingestion.frontmatter_yaml import Entry, remove_unprintable

USUAL_LEVEL = "A2"
LOWEST_TIER, HIGHEST_TIER = 1, 4

_NUMBER = re.compile(r"(\d++)(?:\.\d++)?+")
_LEVEL = re.compile(r"(?<![^\W_])[ABC][12](?![^\W_])")
_LEVELS_IN_WORDS = {"BEGINNER": "A2", "INTERMEDIATE": "B1", "ADVANCED": "C1"}
_LAYER = re.compile(r"(?:layer|l)?[\s_-]*([1-4])", re.IGNORECASE)
_YES = frozenset({"true", "yes", "on", "y"})
_NO = frozenset({"false", "no", "off", "n", ""})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What a field is taken to be, and a sentence if that is not what is written."""

    value: T
    warning: str | None = None


def read_tier(entry: Entry) -> Reading[int]:
    """The largest integer anywhere in the value, from 1 to 4."""
    largest = max(_integers(entry.value), default=None)
    if largest is None:
        return Reading(LOWEST_TIER, _unusable(entry, f"holds no integer; used {LOWEST_TIER}"))
    tier = min(HIGHEST_TIER, max(LOWEST_TIER, largest))
    if tier != largest:
        return Reading(tier, _unusable(entry, f"is not from 1 to 4; used {tier}"))
    return Reading(tier)


def read_level(entry: Entry) -> Reading[str]:
    """A level of the European framework; of several, the lowest."""
    text = " ".join(_strings(entry.value)).upper()
    levels = _LEVEL.findall(text)
    levels += [level for word, level in _LEVELS_IN_WORDS.items() if word in text]
    if levels:
        return Reading(min(levels))
    return Reading(USUAL_LEVEL, _unusable(entry, f"is no level A1 to C2; used {USUAL_LEVEL}"))


def read_layer(entry: Entry) -> Reading[str | None]:
    """`2`, `L2` or `Layer 2`."""
    if _is_nothing(entry):
        return Reading(None)
    text = unicodedata.normalize("NFKC", entry.written or "").strip()
    found = _LAYER.fullmatch(text)
    if found is None:
        return Reading(None, _unusable(entry, "is no layer L1 to L4; left out"))
    return Reading(f"L{found[1]}")


def read_draft(entry: Entry) -> Reading[bool]:
    """Whether the lesson is not to be published yet."""
    text = "" if _is_nothing(entry) else (entry.written or "?").strip().lower()
    if text in _YES | _NO:
        return Reading(text in _YES)
    return Reading(False, _unusable(entry, "is neither true nor false; used false"))


def read_number(entry: Entry) -> Reading[float | int | None]:
    """A finite number, also one in quotes."""
    if _is_nothing(entry):
        return Reading(None)
    value = entry.value
    if isinstance(value, str):
        value = _number(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
        return Reading(value)
    return Reading(None, _unusable(entry, "is no number; left out"))


def read_text(entry: Entry, most: int) -> Reading[str | None]:
    """A text on one line; numbers and dates as they are written."""
    if _is_nothing(entry):
        return Reading(None)
    if entry.written is None:
        return Reading(None, _unusable(entry, "is no text; left out"))
    text = " ".join(remove_unprintable(entry.written).split())
    if len(text) > most:
        return Reading(text[:most].rstrip(), _unusable(entry, f"is cut after {most} characters"))
    return Reading(text or None)


def _integers(value: object) -> Iterator[int]:
    for part in _scalars(value):
        if isinstance(part, bool) or part is None:
            continue
        if isinstance(part, int):
            yield part
        elif isinstance(part, float):
            if math.isfinite(part):
                yield int(part)
        else:
            # Four digits tell enough, and a million of them would take long to read.
            for number in _NUMBER.finditer(str(part)):
                yield int(number[1].lstrip("0")[:4] or "0")


def _strings(value: object) -> Iterator[str]:
    return (part for part in _scalars(value) if isinstance(part, str))


def _scalars(value: object) -> Iterator[object]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [part for pair in one.items() for part in pair]
        elif isinstance(one, list | tuple | set):
            waiting += one
        else:
            yield one


def _number(text: str) -> float | int | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_nothing(entry: Entry) -> bool:
    return entry.value is None


def _unusable(entry: Entry, consequence: str) -> str:
    shown = entry.written if entry.written is not None else _shown(entry.value)
    shown = shortened(" ".join(remove_unprintable(shown).split()), 40)
    return f"{entry.name} {shown!r} {consequence}"


def _shown(value: object) -> str:
    kind = "a mapping" if isinstance(value, dict) else "a list"
    return f"{kind} of {len(value)}" if isinstance(value, dict | list | tuple | set) else kind
