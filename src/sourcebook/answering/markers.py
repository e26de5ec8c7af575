"""Citation markers in a text, like [1], [2, 3] or 【1】."""

import re

_MARKER = re.compile(r"[\[【]\s*(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\s*[\]】]")
_SPACE_BEFORE_END = re.compile(r"\s+(?=[.!?,;:]*\s*$)")
_CODE = re.compile(r"`[^`\n]*`")


def without_markers(sentence: str) -> tuple[str, tuple[int, ...]]:
    """A sentence without its markers, and the numbers that they held, each once."""
    numbers: dict[int, None] = {}

    def take(marker: re.Match[str]) -> str:
        if _in_code(sentence, marker):
            return marker.group()
        for number in re.findall(r"\d+", marker.group(1)):
            numbers.setdefault(int(number))
        return ""

    bare = _MARKER.sub(take, sentence)
    if numbers:
        bare = _SPACE_BEFORE_END.sub("", bare)
    return bare, tuple(numbers)


def marked(sentence: str, numbers: tuple[int, ...]) -> str:
    """A sentence with markers behind it, before the white space at its end."""
    body = sentence.rstrip()
    return f"{body} {''.join(f'[{number}]' for number in numbers)}{sentence[len(body) :]}"


def _in_code(sentence: str, marker: re.Match[str]) -> bool:
    """Tell whether it is an index in code, like `axes[0]`, rather than a citation."""
    return any(code.start() < marker.start() < code.end() for code in _CODE.finditer(sentence))
