"""The chunker for plain text: paragraphs stay whole where they fit, sentences where they do not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sourcebook.core.documents import Span, TokenSpans
from sourcebook.core.metadata import is_blank
from sourcebook.ingestion.markdown.blocks import Block, Kind
from sourcebook.ingestion.markdown.budget import Budget
from sourcebook.ingestion.markdown.lines import Lines
from sourcebook.ingestion.markdown.measure import Measure
from sourcebook.ingestion.markdown.outline import Outline
from sourcebook.ingestion.markdown.overlaps import Overlaps
from sourcebook.ingestion.markdown.packing import pack

# Part of what a posted document was made by: raise it when the same text would be cut otherwise.
SENTENCES_VERSION = 1
# Four windows of a model that reads 256 tokens, two of one that reads 512.
SIZES = Budget(target=800, limit=1_016, smallest=128, overlap=75)

_LINE = r"\S(?:[^\r\n]*\S)?"
_PARAGRAPH = re.compile(rf"{_LINE}(?:[^\S\r\n]*(?:\r\n|\r|\n)[^\S\r\n]*{_LINE})*")


@dataclass(frozen=True, slots=True)
class TextCut:
    """One chunk: where it stands, and how many of its first characters the one before has too."""

    span: Span
    overlap: int
    first_line: int
    last_line: int


def cut_sentences(text: str, tokens: TokenSpans, sizes: Budget = SIZES) -> tuple[TextCut, ...]:
    """Cut a text whose tokens lie at the given offsets. White space between chunks is in none."""
    paragraphs = list(_paragraphs(text))
    if not paragraphs:
        return ()
    measure = Measure(tokens, ())
    overlaps = Overlaps(text, (), Outline(()), measure, sizes)
    lines = Lines(text)
    cuts: list[TextCut] = []
    previous: Span | None = None
    for span in pack(text, paragraphs, measure, sizes):
        if is_blank(text[span.start : span.end]):
            continue
        start = span.start if previous is None else overlaps.start(previous, span)
        if previous is not None and start <= previous.start:
            # All of a short chunk is no overlap: nobody should find the same text twice.
            start = span.start
        overlap = 0 if previous is None else max(0, previous.end - start)
        cuts.append(
            TextCut(Span(start, span.end), overlap, lines.number(start), lines.number(span.end - 1))
        )
        previous = span
    return tuple(cuts)


def _paragraphs(text: str) -> Iterator[Block]:
    for found in _PARAGRAPH.finditer(text):
        yield Block(Kind.TEXT, found.start(), found.end())
