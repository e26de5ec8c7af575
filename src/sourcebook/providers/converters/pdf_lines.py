"""The lines of a block of a PDF: where each begins in its text, and where it stands on the page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from liteparse.types import AnnotationRect, LayoutBlock, ParsedPage, TextItem

from sourcebook.providers.converters.hyphens import HYPHENS, Spelling
from sourcebook.providers.converters.text_builder import clean

# A box is so much larger than its words; it is drawn around them.
_MARGIN = 1.0
# How far lines of one heading are from each other, in sizes of their letters.
MAX_LEADING = 1.5
# A line that begins so much further left than a list is none of its items.
_INDENT = 3.0
# A narrower gap, in sizes of the letters, is no space.
_MIN_SPACE = 0.1
# A line ended on purpose if there was so much more room than the next word needs.
_SLACK = 1.5
# Blocks of one column begin within so many points of each other.
_SAME_COLUMN = 20.0
_ENDS = (".", "!", "?", ":", ";")
# A line that ends in mid-sentence did so on purpose only if so much of its width is empty.
_MIN_ROOM = 0.4
# What the texts of blocks have a backslash before, and those of lines do not.
_ESCAPED = re.compile(r"[\\*_]")


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A part of a page, in its own units, from the top left."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, item: TextItem) -> bool:
        x, y = item.x + item.width / 2, item.y + item.height / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


def around(found: AnnotationRect | None) -> Rectangle | None:
    if found is None:
        return None
    right, bottom = found.x + found.width, found.y + found.height
    return Rectangle(found.x - _MARGIN, found.y - _MARGIN, right + _MARGIN, bottom + _MARGIN)


def around_items(items: Sequence[TextItem]) -> Rectangle | None:
    """Return what holds all of the items."""
    if not items:
        return None
    left, top = min(item.x for item in items), min(item.y for item in items)
    right = max(item.x + item.width for item in items)
    bottom = max(item.y + item.height for item in items)
    return around(AnnotationRect(left, top, right - left, bottom - top))


@dataclass(frozen=True, slots=True)
class Line:
    """Where a line of a block begins in its text, and where it stands on the page.

    A line that `is_apart` begins something else, though the layout counts it to the block.
    """

    start: int
    area: Rectangle | None
    is_apart: bool = False


def read_lines(
    page: ParsedPage, block: LayoutBlock, text: str, spelling: Spelling
) -> tuple[str, list[Line]]:
    """Return the text with its hyphens, and its lines; one line if they are not its text."""
    area = around(block.bbox)
    whole = text, [Line(0, area)]
    if area is None or block.kind not in {"heading", "paragraph", "list_item"}:
        return whole
    right = _right_edge(page, area)
    found: list[Line] = []
    items: list[TextItem] = []
    reached = 0
    for item in page.text_items:
        words = _words(item, block.marker if not items else None)
        # The box of a heading is that of its first line.
        goes_on = bool(found) and text[reached:].lstrip().startswith(words)
        if not words or not (area.holds(item) or goes_on):
            continue
        items.append(item)
        start = text.find(words, reached)
        if start < 0:
            # At the end of a line a word may have been divided.
            words = words.rstrip(HYPHENS)
            start = text.find(words, reached)
            end = start + len(words)
            is_plain = item.text.rstrip().endswith("-")  # the others are made for the ends of lines
            if start >= 0 and is_plain and spelling.keeps_hyphen(text[:end], text[end:]):
                words, text = f"{words}-", f"{text[:end]}-{text[end:]}"
        if start < 0:
            if _is_marker(words):
                continue
            return whole
        is_apart = bool(found) and _is_apart(block.kind, items, right)
        found.append(Line(start, around_items([item]), is_apart))
        reached = start + len(words)
    return (text, found) if found else whole


def join_lines(items: Sequence[TextItem], spelling: Spelling) -> tuple[str, list[Line]]:
    """Return the text of items that are known to belong together, and their lines."""
    text = ""
    lines: list[Line] = []
    for above, item in zip([None, *items], items, strict=False):
        words = clean(_words(item, None))
        if above is not None and text:
            text = _before_next(text, words, above, item, spelling)
        lines.append(Line(len(text), around_items([item])))
        text += words
    return text, lines


def _before_next(text: str, words: str, above: TextItem, item: TextItem, spelling: Spelling) -> str:
    """Return a text with the space, the hyphen or nothing that stands before the next words."""
    if is_beside(above, item):
        gap = item.x - above.x - above.width
        return text if gap < _MIN_SPACE * item.height else f"{text} "
    stem = text.rstrip(HYPHENS)
    if stem == text or not stem[-1:].isalnum():
        return f"{text} "
    return text if text.endswith("-") and spelling.keeps_hyphen(stem, words) else stem


def part_lines(page: ParsedPage, items: Sequence[TextItem], lines: Sequence[Line]) -> list[Line]:
    """Mark the lines of a paragraph that begin another one."""
    area = around_items(items)
    if area is None:
        return list(lines)
    right = _right_edge(page, area)
    ends = [False, *(_is_new_paragraph(above, item, right) for above, item in pairwise(items))]
    return [replace(line, is_apart=is_apart) for line, is_apart in zip(lines, ends, strict=True)]


def _words(item: TextItem, marker: str | None) -> str:
    """Return the words of a line as the text of its block has them."""
    words = " ".join(item.text.split())
    if marker and len(words) > len(marker):
        words = words.removeprefix(marker).lstrip()
    return _ESCAPED.sub(r"\\\g<0>", words)


def _is_apart(kind: str, items: Sequence[TextItem], right: float) -> bool:
    """Return whether the last line begins something else than the one above it.

    That is another heading, what stands left of the list that it follows, or a new paragraph.
    """
    above, item = items[-2:]
    if kind == "heading":
        size = above.font_size or above.height
        return item.y + item.height - above.y - above.height > MAX_LEADING * size
    left = items[0].x - _INDENT
    is_left_of_list = kind == "list_item" and item.x < left <= above.x
    return is_left_of_list or _is_new_paragraph(above, item, right)


def is_beside(above: TextItem, item: TextItem) -> bool:
    """Return whether an item stands on the same line as the one before it."""
    return item.y < above.y + above.height / 2


def _right_edge(page: ParsedPage, area: Rectangle) -> float:
    """Return how far right a column goes: the blocks that begin where this one does."""
    boxes = (block.bbox for block in page.blocks or [] if block.kind in {"paragraph", "list_item"})
    column = [box for box in boxes if box and abs(box.x - area.left) < _SAME_COLUMN]
    return max((box.x + box.width for box in column), default=area.right)


def _is_new_paragraph(above: TextItem, item: TextItem, right: float) -> bool:
    """Return whether the line above ended on purpose: the next word would have fitted on it."""
    if is_beside(above, item):
        return False
    first, *_ = item.text.split()
    room = right - above.x - above.width
    needed = item.width * (len(first) + 1) / len(item.text)
    ended = above.text.rstrip().endswith(_ENDS)
    return room > needed * _SLACK and (ended or _is_listed(first, room / (right - item.x)))


def _is_listed(first: str, room: float) -> bool:
    """Return whether a short line and one with a capital or a number are lines of a list."""
    return room > _MIN_ROOM and (first[0].isupper() or first[0].isdigit())


def divide(text: str, lines: Sequence[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Divide a block where its lines stand apart."""
    begins = [0, *(at for at, line in enumerate(lines) if line.is_apart), len(lines)]
    for first, last in pairwise(begins):
        begin = lines[first].start if first else 0
        end = lines[last].start if last < len(lines) else len(text)
        moved = [replace(line, start=line.start - begin) for line in lines[first:last]]
        yield text[begin:end].strip(), moved


def _is_marker(words: str) -> bool:
    return len(words) <= 3  # a bullet or a number, which is no text of a list item
