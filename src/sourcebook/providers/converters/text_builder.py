"""Builds a converted text piece by piece, with the locations of the pieces."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sourcebook.core.documents import ConvertedDocument, Location
from sourcebook.core.text import strip_control_characters

PARAGRAPH = "\n\n"
_MARK = re.compile(r"#{1,6}(?:\s|$)|>|```|~~~")
# What says only that something is nowhere in particular.
NOWHERE = Location(0, 0)


class TextBuilder:
    """Collects the pieces of a text; a piece without a place is in no location."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._locations: list[Location] = []

    @property
    def length(self) -> int:
        """How many characters there are: where the next piece begins."""
        return self._length

    def add(self, text: str, at: Location = NOWHERE, *, end: str = PARAGRAPH) -> None:
        """Add a piece that stands there in the file, and what ends it."""
        text = clean(text)
        if not text.strip():
            return
        if at != NOWHERE:
            self._locations.append(replace(at, start=self._length, end=self._length + len(text)))
        self._write(text + end)

    def add_document(
        self, document: ConvertedDocument, at: Location = NOWHERE, *, goes_on: bool = False
    ) -> None:
        """Add a whole text; its own locations count where it has some, else the place given.

        One that goes on stands in the next line.
        """
        if goes_on:
            self._pieces[-1] = self._pieces[-1].removesuffix(PARAGRAPH) + "\n"
            self._length += len("\n") - len(PARAGRAPH)
        if not document.locations:
            self.add(document.text, at)
            return
        moved = self._length
        self._locations += [
            replace(place, start=place.start + moved, end=place.end + moved)
            for place in document.locations
        ]
        self._write(document.text + PARAGRAPH)

    def build(self, title: str | None = None, warnings: tuple[str, ...] = ()) -> ConvertedDocument:
        """Return the document; it ends with one line break."""
        text = "".join(self._pieces)
        kept = len(text.rstrip())
        ended = text[:kept] + "\n" if kept else ""
        inside = (place for place in self._locations if place.start < kept)
        locations = tuple(replace(place, end=min(place.end, kept)) for place in inside)
        return ConvertedDocument(ended, locations, clean_title(title), warnings)

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def anchored(found: Sequence[tuple[int, str]], end: int) -> tuple[Location, ...]:
    """Return the sections of a text: each anchor counts from where it stands to the next one."""
    bounds = pairwise([*found, (end, "")])
    return tuple(
        Location(start, stop, anchor=anchor)
        for (start, anchor), (stop, _) in bounds
        if start < stop
    )


def as_paragraph(text: str) -> str:
    """Return a text that markdown takes for a paragraph, whatever it begins with."""
    return f"\\{text}" if _MARK.match(text) else text


def clean(text: str) -> str:
    """Return the text with plain line breaks and without control characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n")
    return strip_control_characters(lines)


def clean_title(title: str | None) -> str | None:
    """Return a title in one line; None if there is none."""
    return " ".join(clean(title or "").split())[:500] or None


def table_row(cells: list[str]) -> str:
    """Return one row of a markdown table."""
    written = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(written)} |"


def table_head(cells: list[str]) -> str:
    """Return the first row of a markdown table, and the line below it."""
    return f"{table_row(cells)}\n|{' --- |' * len(cells)}"
