"""Reads and writes citation markers: [2] and 【2】 name a passage, [2.3, 2.4] statements of it."""

import re
from bisect import bisect_left
from collections.abc import Iterable

# A writer that goes astray may write a number of any length; nothing has such an id.
MAX_ID_LENGTH = 9

_ID = r"\d++(?:\.\d++)?+"
_IDS = rf"[\[【]\s*+({_ID}(?:\s*+[,;]\s*+{_ID})*+)\s*+[\]】]"
_MARKER = re.compile(rf"(?:(?<![ \t])[ \t]++)?{_IDS}(?!\()")
MAX_MARKER_LENGTH = 40
# Nobody nests markers deeper than this; in a text that does, no bracket stays.
MAX_PASSES = 8
_BRACKETS = re.compile(r"[\[\]【】]")
_LAST = re.compile(r"(?<!\s)\s*+\[(?P<number>\d{1,6})\](?P<space>\s*+)\Z")
_AT_END = re.compile(rf"(?<!\s)(?:\s*+{_IDS})++(?P<space>\s*+)\Z")
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)\s++(?=[.!?,;:…。！？]+\Z)")
# Blocks of code, and code in a line.
_CODE = re.compile(
    r"(?<![^\n])[ \t]*+(```|~~~).*?(?:\n[ \t]*+\1|\Z)|(?<!`)(`++)[^`\n]++\2(?!`)", re.DOTALL
)


def without_markers(sentence: str) -> tuple[str, tuple[str, ...]]:
    """A sentence without its markers, and the ids that they held, each once."""
    ids: dict[str, None] = {}
    bare, before, passes = sentence, "", 0
    # What stood around a marker may be one without it: [[1]2].
    while bare != before and passes < MAX_PASSES:
        bare, before, passes = _taken(bare, ids), bare, passes + 1
    if bare != before:
        bare = _BRACKETS.sub("", bare)
    if bare == sentence:
        return sentence, ()
    body = bare.strip()
    space = sentence[len(sentence.rstrip()) :]
    return _SPACE_BEFORE_STOP.sub("", body) + space, tuple(ids)


def without_end_markers(sentence: str) -> tuple[str, tuple[str, ...]]:
    """A sentence without the markers at its end, and their ids: the others may be its own."""
    found = _AT_END.search(sentence, max(0, len(sentence) - MAX_MARKER_LENGTH))
    if found is None:
        return sentence, ()
    return sentence[: found.start()] + found["space"], without_markers(found[0])[1]


def without_last_marker(sentence: str) -> tuple[str, int | None]:
    """A sentence without the one marker at its end, if it has one, and its number."""
    found = _LAST.search(sentence, max(0, len(sentence) - MAX_MARKER_LENGTH))
    if found is None:
        return sentence, None
    return sentence[: found.start()] + found["space"], int(found["number"])


def marked(sentence: str, numbers: Iterable[int | str]) -> str:
    """A sentence with markers after it, before the white space at its end."""
    body = sentence.rstrip()
    # Nothing else may follow the end of a code block in its line.
    gap = "\n\n" if body.endswith(("```", "~~~")) else " "
    return f"{body}{gap}{''.join(f'[{number}]' for number in numbers)}{sentence[len(body) :]}"


def _taken(sentence: str, ids: dict[str, None]) -> str:
    # An index in code, like `axes[0]`, cites nothing.
    code = [found.span() for found in _CODE.finditer(sentence)]
    starts = [start for start, _ in code]

    def take(marker: re.Match[str]) -> str:
        before = bisect_left(starts, marker.end() - 1)
        if before and marker.end() - 1 < code[before - 1][1]:
            return marker[0]
        for one in re.findall(r"[\d.]+", marker[1]):
            if len(one) <= MAX_ID_LENGTH:
                ids.setdefault(one)
        return ""

    return _MARKER.sub(take, sentence)
