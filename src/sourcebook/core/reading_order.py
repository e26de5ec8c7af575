"""The order in which the files of a book are read."""

import re
from typing import TypeAlias

from sourcebook.core.lesson_links import stands_for_folder

Key: TypeAlias = tuple[tuple[int, tuple[tuple[int, int, str], ...]], ...]
_NUMBERS = re.compile(r"(\d+)")
_EXTENSION = re.compile(r"\.[^.]*$")
# Longer ones are no numbers that anybody counts with.
_MAX_DIGITS = 12


def reading_order(path: str) -> Key:
    """Return a sort key: a folder's own page before its files, and 10 after 9."""
    *folders, name = path.split("/")
    is_page = stands_for_folder(_EXTENSION.sub("", name), folders)
    places = [(1, _natural(folder)) for folder in folders]
    return (*places, (0 if is_page else 1, _natural(name)))


def _natural(name: str) -> tuple[tuple[int, int, str], ...]:
    parts = (part for part in _NUMBERS.split(name.lower()) if part)
    return tuple(
        (0, int(part), part)
        if part.isdecimal() and part.isascii() and len(part) <= _MAX_DIGITS
        else (1, 0, part)
        for part in parts
    )
