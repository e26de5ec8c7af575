"""Splits Markdown into chunks and records where each chunk is in the source.

- A section (from a heading of level 1 or 2 to the next) that fits into a chunk is never divided. A
  longer one is packed block by block. Neighbours are joined to fill a chunk; nothing is dropped.
- Every chunk but the first begins with the last lines or sentences of the previous one.
- White space between chunks is in no chunk, unless an overlap reaches across it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sourcebook.core.documents import Span
from sourcebook.core.text import is_blank
from sourcebook.ingestion.chunking.exclusions import find_exclusions
from sourcebook.ingestion.chunking.headings import Outline, Trail, read_outline
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS, ChunkLimits
from sourcebook.ingestion.chunking.measure import Measure
from sourcebook.ingestion.chunking.merging import Part, merge
from sourcebook.ingestion.chunking.packing import pack
from sourcebook.ingestion.chunking.sections import group_sections, read_sections
from sourcebook.ingestion.chunking.split_points import Overlaps
from sourcebook.text.blocks import BlockKind, read_blocks, walk
from sourcebook.text.spans import Lines, blank_out, cut_out, subtract, union

# Part of every fingerprint: raise it when the same source would be split differently, or read into
# other statements. Each file is then read once more, and what was embedded is not embedded again.
MARKDOWN_CHUNKER_VERSION = 5

# A shorter section is no part of its own: a vector of a few tokens is similar to anything.
MIN_PART_TOKENS = 32

_LINE_END = re.compile(r"\r\n|\r|\n")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class HeadingInChunk:
    """A heading, and from which character of the chunk's text on it applies."""

    start: int
    title: str
    anchor: str | None


@dataclass(frozen=True, slots=True)
class MarkdownChunk:
    """The joined text of some spans of the source, and the headings it belongs to.

    The first `overlap` characters of the text repeat the end of the previous chunk. `parts` are its
    sections, those below MIN_PART_TOKENS joined; each has the heading that most of it is under. The
    overlap is in a part only if the chunk begins inside a section. `headings` apply to most of the
    text;
    `all_headings` says which heading is the nearest one where; it has no title where there is none.
    Lines are counted from 1; `span_lines` has the one that each span begins on.
    """

    spans: tuple[Span, ...]
    text: str
    overlap: int
    parts: tuple[HeadingInChunk, ...]
    headings: tuple[str, ...]
    section_title: str | None
    anchor: str | None
    all_headings: tuple[HeadingInChunk, ...]
    first_line: int
    last_line: int
    span_lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChunkedMarkdown:
    """The chunks of a source in reading order, the spans that are in no chunk, and its title.

    That of a source with parts is the name of its first part. `first_heading` may be of any level.
    """

    chunks: tuple[MarkdownChunk, ...]
    excluded: tuple[Span, ...]
    title: str | None
    has_parts: bool
    first_heading: str | None


def chunk_markdown(
    source: str,
    tokens: Sequence[tuple[int, int]],
    *,
    body_start: int = 0,
    description: Span | None = None,
    mdx: bool = False,
    limits: ChunkLimits = MARKDOWN_LIMITS,
    anchors: Mapping[int, str] | None = None,
) -> ChunkedMarkdown:
    """Split a source whose tokens lie at the given offsets.

    A `description` before the body is its first paragraph. `anchors` are those of a converted page,
    by the start of their headings; without them, anchors are made as a website of markdown files
    makes them.
    """
    if source.startswith(_BOM):
        body_start = max(body_start, len(_BOM))
    head = _without_description(source, body_start, description)
    exclusions = union((*head, *find_exclusions(source, body_start, mdx=mdx)))
    # Same length, same lines: the parser sees no exclusions, and every offset stays true.
    text = blank_out(source, exclusions)
    measure = Measure(tokens, exclusions)
    blocks = read_blocks(text, description.start if description else body_start, mdx=mdx)
    outline = read_outline(source, blocks, anchors)
    solid = [block.span for block in walk(blocks) if block.kind is BlockKind.SOLID]
    starts = sorted({block.start for block in walk(blocks)})
    overlaps = Overlaps(text, starts, solid, outline, measure, limits=limits)
    groups = group_sections(read_sections(blocks), measure, limits)
    parts = [
        Part(span, continues=number > 0)
        for group in groups
        for number, span in enumerate(pack(text, group, measure, limits, reserved=limits.overlap))
        if not is_blank(text[span.start : span.end])
    ]
    whole = merge(parts, measure, limits)
    writer = _Writer(source, exclusions, measure, outline, overlaps)
    chunks = tuple(
        writer.write(chunk, previous)
        for previous, chunk in zip([None, *whole], whole, strict=False)
    )
    kept = union(span for chunk in chunks for span in chunk.spans)
    excluded = subtract(Span(0, len(source)), kept)
    return ChunkedMarkdown(
        chunks, excluded, outline.title, outline.has_parts, outline.first_heading
    )


def _without_description(source: str, body_start: int, description: Span | None) -> Sequence[Span]:
    """What is left out before the body; two line ends part the description from it."""
    head = Span(0, body_start)
    if description is None:
        return (head,)
    line_ends = [Span(*end.span()) for end in _LINE_END.finditer(source, description.end, head.end)]
    return subtract(head, union((description, *line_ends[-2:])))


class _Writer:
    """Turns the span of a chunk into its text, overlap and headings."""

    def __init__(
        self,
        source: str,
        exclusions: Sequence[Span],
        measure: Measure,
        outline: Outline,
        overlaps: Overlaps,
    ) -> None:
        self._source = source
        self._exclusions = exclusions
        self._measure = measure
        self._outline = outline
        self._overlaps = overlaps
        self._lines = Lines(source)

    def write(self, chunk: Span, previous: Span | None) -> MarkdownChunk:

        start, overlap = chunk.start, 0
        if previous is not None:
            start = self._overlaps.start(previous, chunk)
            if start < previous.end:
                overlap = self._measure.characters(start, previous.end)
        spans = subtract(Span(start, chunk.end), self._exclusions)
        trail: Trail = self._outline.trail(chunk, self._measure)
        return MarkdownChunk(
            spans=spans,
            text=cut_out(self._source, spans),
            overlap=overlap,
            parts=tuple(self._parts(start, chunk)),
            headings=tuple(heading.title for heading in trail),
            section_title=trail[-1].title if trail else None,
            anchor=trail[-1].anchor if trail else None,
            all_headings=tuple(self._headings(Span(start, chunk.end))),
            first_line=self._lines.number(spans[0].start),
            last_line=self._lines.number(spans[-1].end - 1),
            span_lines=tuple(self._lines.number(span.start) for span in spans),
        )

    def _parts(self, start: int, chunk: Span) -> Iterator[HeadingInChunk]:
        begins = [chunk.start]
        for section in self._outline.sections(chunk)[1:]:
            before = self._measure.tokens(begins[-1], section.start)
            after = self._measure.tokens(section.start, chunk.end)
            if min(before, after) >= MIN_PART_TOKENS:
                begins.append(section.start)
        continues = self._outline.heading_at(chunk.start) is None
        for begin, end in pairwise([*begins, chunk.end]):
            trail = self._outline.trail(Span(begin, end), self._measure)
            at = start if continues and begin == chunk.start else begin
            title, anchor = (trail[-1].title, trail[-1].anchor) if trail else ("", None)
            yield HeadingInChunk(self._measure.characters(start, at), title, anchor)

    def _headings(self, span: Span) -> Iterator[HeadingInChunk]:
        headings = self._outline.headings_in(span)
        if headings and headings[0].start > span.start:
            yield HeadingInChunk(0, "", None)  # an introduction, under no heading
        for heading in headings:
            start = self._measure.characters(span.start, max(span.start, heading.start))
            yield HeadingInChunk(start, heading.title, heading.anchor)
