"""Reads the segments of a whole document for each of its chunks, and packs them to be kept.

A chunk may begin inside code, or in a list under "You must not:", which only its document tells.
"""

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sourcebook.core.documents import Span
from sourcebook.text.governing import denied_rows, with_governed
from sourcebook.text.markup import mask_markup
from sourcebook.text.segments import Segment, split_segments
from sourcebook.text.shown import TextView
from sourcebook.text.spans import blank_out, subtract, union

# Kept with what was read: raise it when the same text would be read otherwise.
READER_REVISION = "2"


def segments_of_chunks(
    source: str, chunks: Sequence[Sequence[Span]]
) -> Iterator[tuple[Segment, ...]]:
    """The segments of each chunk, whose text is what its spans of the source hold, joined.

    What is in no chunk is not read.
    """
    kept = union(span for spans in chunks for span in spans)
    text = blank_out(source, subtract(Span(0, len(source)), kept))
    masked = mask_markup(text)
    view = TextView(text, masked)
    shown = [seen for one in split_segments(text, masked) if (seen := view.show(one)) is not None]
    found = [*with_governed(shown)]
    ends = [one.end for one in found]
    denied = dict(denied_rows(found))
    for spans in chunks:
        if not spans:
            yield ()
            continue
        window = _Window(spans, text)
        first = bisect_right(ends, window.whole.start)
        inside = (
            # A row says nothing without a header that denies it.
            (window.cut(one, view), denied.get(one.start, window.whole.start) < window.whole.start)
            for one in _before(found, first, window.whole.end)
        )
        yield tuple(
            replace(one, is_governed=one.is_governed or is_denied)
            for one, is_denied in inside
            if one is not None
        )


def pack_segments(segments: Sequence[Segment], text: str) -> bytes:
    """The segments of a text in as few bytes as it takes, with what tells that they are of it."""
    rows = [_row(one, text) for one in segments]
    data = json.dumps([_check(text), rows], ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(data.encode(errors="surrogatepass"), 1)


def unpack_segments(packed: bytes, text: str) -> tuple[Segment, ...] | None:
    """The segments of a text; None if they are those of another one, or were read otherwise.

    The same for what cannot be read: the text is there, and is read again.
    """
    try:
        check, rows = json.loads(zlib.decompress(packed).decode(errors="surrogatepass"))
        return tuple(_segment(row, text) for row in rows) if check == _check(text) else None
    except (zlib.error, ValueError, TypeError):
        return None


class _Window:
    """What a chunk shows of its document."""

    def __init__(self, spans: Sequence[Span], text: str) -> None:
        self.whole = Span(spans[0].start, spans[-1].end)
        self._spans = spans
        self._starts = [span.start for span in spans]
        self._text = text
        self._begins = [0]
        for span in spans:
            self._begins.append(self._begins[-1] + span.end - span.start)

    def cut(self, one: Segment, view: TextView) -> Segment | None:
        """A segment as it stands in the chunk, which may have only a part of it."""
        whole = self.whole
        if one.start < whole.start or one.end > whole.end:
            part = self._inside(Span(one.start, one.end)).trimmed(self._text)
            bullet = one.bullet if part.start == one.start else ""
            shown = view.show(replace(one, start=part.start, end=part.end, bullet=bullet))
            if shown is None:
                return None
            one = shown
        if any(cell != self._inside(cell) for cell in one.cells):
            one = self._with_own_cells(one)
        here = self._here(Span(one.start, one.end))
        block, cells = self._here(self._inside(one.block)), tuple(map(self._here, one.cells))
        return replace(one, start=here.start, end=here.end, block=block, cells=cells)

    def _with_own_cells(self, one: Segment) -> Segment:
        """A segment without the cells that are not in the chunk; nothing else is to be quoted."""
        if one.kind not in {"row", "header"}:
            # A meaning without its term, or a fact without its name.
            kind = "prose" if one.kind == "definition" else one.kind
            return replace(one, kind=kind, cells=(), values=())
        every = [(cell, cell == self._inside(cell)) for cell in one.cells]
        values = zip(one.values, every, strict=True)
        cells = tuple(cell if is_own else Span(one.start, one.start) for cell, is_own in every)
        return replace(
            one, cells=cells, values=tuple(said if own else "" for said, (_, own) in values)
        )

    def _inside(self, span: Span) -> Span:
        """The part of a span that the chunk has; an empty one if it has none."""
        start = min(max(span.start, self.whole.start), self.whole.end)
        return Span(start, max(start, min(span.end, self.whole.end)))

    def _here(self, span: Span) -> Span:
        return Span(self._offset(span.start), self._offset(span.end))

    def _offset(self, place: int) -> int:
        """Where a place of the document is in the chunk's text; between two spans, their border."""
        number = max(0, bisect_right(self._starts, place) - 1)
        inside = min(place - self._starts[number], self._begins[number + 1] - self._begins[number])
        return self._begins[number] + max(0, inside)


def _before(found: Sequence[Segment], first: int, end: int) -> Iterator[Segment]:
    for number in range(first, len(found)):
        if found[number].start >= end:
            return
        yield found[number]


def _check(text: str) -> str:
    data = text.encode(errors="surrogatepass")
    return f"{READER_REVISION}-{zlib.crc32(data)}"


def _row(one: Segment, text: str) -> list[object]:
    # Most segments are shown as they are written.
    shown = None if one.shown == text[one.start : one.end] else one.shown
    cells = [place for cell in one.cells for place in (cell.start, cell.end)]
    block = (one.block.start, one.block.end)
    rest = (one.table, one.depth, one.bullet, one.values, one.leads_away + 2 * one.is_governed)
    return [one.start, one.end, one.kind, *block, shown, cells, *rest]


def _segment(row: Sequence[Any], text: str) -> Segment:
    start, end, kind, first, last, shown, cells, table, depth, bullet, values, flags = row
    return Segment(
        start,
        end,
        kind,
        Span(first, last),
        cells=tuple(map(Span, cells[::2], cells[1::2])),
        table=table,
        depth=depth,
        bullet=bullet,
        shown=text[start:end] if shown is None else shown,
        values=tuple(values),
        leads_away=bool(flags & 1),
        is_governed=bool(flags & 2),
    )
