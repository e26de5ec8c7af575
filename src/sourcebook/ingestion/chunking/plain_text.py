"""Splits plain text into chunks: at paragraphs where they fit, else at sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sourcebook.core.documents import Span, TokenSpans
from sourcebook.core.text import is_blank
from sourcebook.ingestion.chunking.headings import Outline
from sourcebook.ingestion.chunking.limits import TEXT_LIMITS, ChunkLimits
from sourcebook.ingestion.chunking.measure import Measure
from sourcebook.ingestion.chunking.packing import pack
from sourcebook.ingestion.chunking.split_points import Overlaps
from sourcebook.text.blocks import Block, BlockKind
from sourcebook.text.spans import Lines

# Stored with every posted document: raise it when the same text would be split differently.
TEXT_CHUNKER_VERSION = 2

_LINE = r"\S(?:[^\r\n]*\S)?"
_PARAGRAPH = re.compile(rf"{_LINE}(?:[^\S\r\n]*(?:\r\n|\r|\n)[^\S\r\n]*{_LINE})*")


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Where a chunk is; its first `overlap` characters repeat the end of the previous chunk."""

    span: Span
    overlap: int
    first_line: int
    last_line: int


def chunk_text(
    text: str, tokens: TokenSpans, limits: ChunkLimits = TEXT_LIMITS
) -> tuple[TextChunk, ...]:
    """Split a text whose tokens lie at the given offsets; white space between chunks is dropped."""
    paragraphs = list(_paragraphs(text))
    if not paragraphs:
        return ()
    measure = Measure(tokens, ())
    starts = [paragraph.start for paragraph in paragraphs]
    overlaps = Overlaps(text, starts, (), Outline(()), measure, limits=limits)
    lines = Lines(text)
    cuts: list[TextChunk] = []
    previous: Span | None = None
    for span in pack(text, paragraphs, measure, limits):
        if is_blank(text[span.start : span.end]):
            continue
        start = span.start if previous is None else overlaps.start(previous, span)
        if previous is not None and start <= previous.start:
            # All of a short chunk is no overlap: nobody should find the same text twice.
            start = span.start
        overlap = 0 if previous is None else max(0, previous.end - start)
        cuts.append(
            TextChunk(
                Span(start, span.end), overlap, lines.number(start), lines.number(span.end - 1)
            )
        )
        previous = span
    return tuple(cuts)


def _paragraphs(text: str) -> Iterator[Block]:
    for found in _PARAGRAPH.finditer(text):
        yield Block(BlockKind.TEXT, found.start(), found.end())
