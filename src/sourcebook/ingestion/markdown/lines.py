"""Lines as markdown has them: ended by LF, CRLF or CR, and by nothing else."""

import re
from bisect import bisect_right

_NEWLINE = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"\s*+")
_LARGEST_INDENT = 200


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(newline.end() for newline in _NEWLINE.finditer(text))]
        self._length = len(text)

    def __len__(self) -> int:
        return len(self._starts)

    def start(self, index: int) -> int:
        """The offset of line `index`, counted from 0; the end of the text if there is none."""
        return self._starts[index] if index < len(self._starts) else self._length

    def number(self, offset: int) -> int:
        """The line that the character at the offset is in, counted from 1."""
        return bisect_right(self._starts, offset)


def skip_blank_lines(text: str, position: int, end: int) -> int:
    """The start of the first line from the position on that is not blank, or the position itself.

    Of a monstrous indentation only the last characters count.
    """
    space = _SPACE.match(text, position, end)
    content = space.end() if space else position
    newline = max(text.rfind(each, position, content) for each in "\r\n")
    return max(position, newline + 1, content - _LARGEST_INDENT) if content < end else end


def trim_end(text: str, start: int, end: int) -> int:
    """The end without the white space before it."""
    return start + len(text[start:end].rstrip())
