"""Splits Markdown into segments that can be quoted: sentences, list items, table rows, code."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Literal, TypeAlias

from sourcebook.core.documents import Span
from sourcebook.text.blocks import Block, read_blocks
from sourcebook.text.definition_lists import (
    Definition,
    quotable_meanings,
    read_definition,
    read_facts,
)
from sourcebook.text.html_tables import HtmlBlock, html_blocks
from sourcebook.text.markup import MaskedText, end_of_cut_code, mask_markup
from sourcebook.text.sentences import split_sentences
from sourcebook.text.spans import blank_out, subtract, union

# A header is the row of a table that names its columns; a definition is a term with its meaning.
SegmentKind: TypeAlias = Literal["prose", "item", "row", "header", "definition", "heading", "code"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_QUOTES = re.compile(r"(?<![^\r\n])(?:[ \t]*+>)++")
_ITEM = re.compile(
    r"[ \t]*+(?:(?:[-*+]|(?P<number>\d{1,9})[.)])(?:[ \t]++|(?=[\r\n])|\Z))*+(?:\[[ xX]\][ \t]+)?"
)
# Lines that are marks alone: `:::note`, `!!! warning "Title"`, `[!NOTE]`, `{: .note }`; and
# `=== "macOS"`, which heads what stands on a tab.
_MARKS = re.compile(
    r"(?<![^\r\n])[ \t>]*+(?P<marks>(?::::|(?:!!!|\?\?\?\+?)[ \t]++\w)[^\r\n]*+"
    r"|(?:\[![A-Za-z]{3,12}\]|\{:[^{}\r\n]*+\}|===\+?[ \t]++([\"'])(?P<tab>[^\"'\r\n]{1,80})\2)"
    r"[ \t]*+(?=[\r\n]|\Z))"
)
_HASHES = re.compile(r"[ \t]*+#{1,6}(?=\s|\Z)")
_SETEXT = re.compile(r"[\r\n][ \t]*+(?:=++|-++)\s*\Z")
_RULE = re.compile(r"\s*+=[=\s]*+\Z")
_ROW = re.compile(r"[ \t]*+\|")
_RULE_OF_TABLE = re.compile(r"[\s|:\-]+\Z")
_FIRST_LINE = re.compile(
    r"\s*+(?![-*+•>|#`~]|\d+[.)]\s)(?P<title>\S[^\r\n]{0,98}[^\s.!?…,;:。！？])[ \t]*"
    r"(?:\r\n|\r|\n)(?P<gap>[ \t]*(?:\r\n|\r|\n)\s*+)?(?=[^\S\r\n]*\S)"
)
# "**Options**" in a line of its own: a heading that was not marked as one.
_BOLD_LINE = re.compile(r"\s*+(\*\*|__)(?![\s*_])[^*_\r\n.!?]{1,80}+\1:?+\s*+\Z")
# "Problem: The printer is silent." in lines of their own, as a ticket has them.
_LABELLED = re.compile(
    r"[ \t]*+(?:\*\*|__)?[^\W\d_a-z][\w /-]{1,30}(?::(?:\*\*|__)?|(?:\*\*|__):)[ \t]++\S"
)
# Pages may come in one line: `<h1>Kettle</h1><p>It boils.</p>`.
_BLOCK_TAG = re.compile(
    r"<(?:/?(?:p|li|ul|ol|dl|dt|dd|div|section|article|blockquote|table|thead|tbody|tfoot|tr|td|th"
    r"|details|summary|figure|figcaption|center)|/h[1-6]|(?P<heading>h[1-6]))\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_ANSWER_LABEL = re.compile(
    r"(?:\*\*|__)?(?:A|Answer|Antwort|Réponse|Respuesta)(?:\*\*|__)?[ ]?[:.](?:\*\*|__)?\s++(?=\S)"
)
MAX_TITLE_WORDS = 12


@dataclass(frozen=True, slots=True)
class Segment:
    """Something of a text that can be quoted on its own: text[start:end].

    A row of an HTML table has its cells, which no pipes tell, and the number of the table; a
    definition has its term and then what that means, and a single fact the heading above it and
    itself. What stands in a list has its `depth` there, a heading its level, and the first sentence
    of an item the bullet that it is shown with, "- " or "3. ". Its `block` is the paragraph, the
    list, the table or the code that it is part of, with the sentence that introduces that.

    What a reader sees of it, and of each of its cells, is `shown` and `values`. What is nothing but
    links to other places of the book `leads_away`. What is `is_governed` says nothing by itself:
    what introduces its list denies or limits it, or it is part of what somebody says.
    """

    start: int
    end: int
    kind: SegmentKind
    block: Span
    cells: tuple[Span, ...] = ()
    table: int = 0
    depth: int = 0
    bullet: str = ""
    shown: str = ""
    values: tuple[str, ...] = ()
    leads_away: bool = False
    is_governed: bool = False

    @property
    def in_item(self) -> bool:
        """Whether it is of a later paragraph of an item."""
        return self.depth > 0 and self.kind == "prose"

    @property
    def is_of_list(self) -> bool:
        """Whether it is an item, or a paragraph of one."""
        return self.kind == "item" or self.in_item

    @property
    def margin(self) -> int:
        """How far it stands from the left: later paragraphs of an item farther than its first."""
        return 2 * self.depth + self.in_item


def split_segments(text: str, masked: MaskedText | None = None) -> tuple[Segment, ...]:
    """Every piece that a reader can see, in order; they do not overlap.

    `masked` is the text without its markup, if that is known.
    """
    reader = _Reader(text, (masked or mask_markup(text)).words)
    return tuple(_with_leaders(text, [*_without_labels(reader.plain, reader.read())]))


def split_selection(text: str) -> tuple[Segment, ...]:
    """Every piece of what a reader has selected, where a title has lost its marks."""
    title = _title(text)
    if title is None:
        return split_segments(text)
    # As many blanks as the title has signs: every offset stays true.
    rest = " " * title.end + text[title.end :]
    heading = Segment(title.start, title.end, "heading", title)
    return (heading, *split_segments(rest))


def _title(text: str) -> Span | None:
    """The first line, if it reads like a title: short, without a stop, and broken on purpose."""
    found = _FIRST_LINE.match(text)
    if found is None or not (found["gap"] or _breaks_early(found["title"], text[found.end() :])):
        return None
    title = found["title"]
    if title[0].islower() or len(title.split()) > MAX_TITLE_WORDS:
        return None
    return Span(*found.span("title"))


def _breaks_early(line: str, rest: str) -> bool:
    """Whether the first word after a line would have fitted into it, and begins a sentence."""
    first = rest.split(maxsplit=1)[0]
    widest = max(map(len, rest.splitlines()))
    return not first[0].islower() and len(line) + 1 + len(first) <= widest


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a block stands: how deep in lists, in which outermost one, first in its item?"""

    depth: int = 0
    whole: Span | None = None
    begins_item: bool = False


class _Reader:
    """Reads the segments of each block of a text."""

    def __init__(self, text: str, words: str) -> None:
        self._text = text
        self._words = words
        # Same length: what is quoted in markdown is read as if it were not, and offsets stay true.
        self.plain = _QUOTES.sub(lambda marks: " " * len(marks[0]), words)
        self._lines = [line.span() for line in _LINE.finditer(self.plain) if line[0]]
        self._starts = [start for start, _ in self._lines]
        self._rows = tuple(html_blocks(text, self.plain))
        self._hidden = union(Span(row.start, row.end) for row in self._rows)
        self._done = 0
        self._entry: Definition | None = None

    def read(self) -> Iterator[Segment]:
        """The segments in order."""
        begin = self._done = end_of_cut_code(self._text)
        # The last line of code that began before the text is its fence.
        code = self._segments(Span(0, max(0, self._text.rfind("\n", 0, begin))), "code")
        marks = [*_MARKS.finditer(self._words, begin)]
        hidden = union([*self._hidden, *(Span(*found.span("marks")) for found in marks)])
        source = blank_out(self._words, hidden)
        tabs = (Span(*found.span("tab")) for found in marks if found["tab"])
        found = chain(
            code,
            self._html_segments(),
            (Segment(tab.start, tab.end, "heading", tab) for tab in tabs),
            self._walk(read_blocks(source, begin, mdx=True), _Place()),
        )
        end = 0
        for segment in sorted(found, key=lambda one: one.start):
            # Marks and tags in code are code.
            if segment.start >= end:
                yield segment
                end = segment.end

    def _html_segments(self) -> Iterator[Segment]:
        for _, rows in groupby(self._rows, key=_number_of_table):
            together = [*rows]
            whole = Span(together[0].start, max(row.end for row in together))
            for row in together:
                block = whole if row.table else Span(row.start, row.end)
                yield Segment(row.start, row.end, row.kind, block, row.cells, row.table)

    def _walk(self, blocks: Iterable[Block], place: _Place) -> Iterator[Segment]:
        for block in blocks:
            match block.role:
                case "list":
                    whole = place.whole or block.span.trimmed(self.plain)
                    yield from self._walk(block.children, _Place(place.depth + 1, whole))
                case "item":
                    yield from self._walk(block.children, replace(place, begins_item=True))
                case "quotation":
                    yield from self._walk(block.children, place)
                case _ if block.end > self._done:
                    yield from self._leaf(block, place)
            place = replace(place, begins_item=False)

    def _leaf(self, block: Block, place: _Place) -> Iterator[Segment]:
        """The segments of a block that has no other blocks in it."""
        if block.role == "paragraph":
            yield from self._paragraph(block, place)
            return
        self._entry = None
        marks = _ITEM.match(self.plain, block.start) if place.begins_item else None
        inside = Span(marks.end() if marks else block.start, block.end)
        if block.role == "heading":
            yield from self._heading(inside, block.level)
        elif block.role == "table":
            yield from self._table(inside, place)
        elif block.role == "code":
            yield from self._segments(inside, "code", place)

    def _segments(
        self, span: Span, kind: SegmentKind, place: _Place | None = None
    ) -> Iterator[Segment]:
        """A span without the white space around it, if anything is left."""
        span = span.trimmed(self.plain)
        place = place or _Place()
        if span.start < span.end:
            yield Segment(span.start, span.end, kind, place.whole or span, depth=place.depth)

    def _paragraph(self, block: Block, place: _Place) -> Iterator[Segment]:
        """The entries of a definition list, or sentences."""
        at = self._line_at(max(block.start, self._done))
        last = bisect_left(self._starts, block.end)
        while at < last and not place.begins_item:
            entry = read_definition(self.plain, self._lines, at, self._entry)
            if entry is None:
                break
            yield from self._definition(entry)
            at, self._entry = entry.after, entry
            self._done = self._lines[at - 1][1]
        if at < last:
            self._entry = None
            start = max(block.start, self._lines[at][0])
            yield from self._prose(Span(start, block.end), place)

    def _definition(self, one: Definition) -> Iterator[Segment]:
        """A term with its meaning, and what of that is too long to be quoted with it."""
        meanings = quotable_meanings(self.plain, one.term, one.meanings, one.facts)
        end = meanings[-1].end
        whole = Span(one.term.start, max(end, one.meanings[-1].end))
        yield Segment(one.term.start, end, "definition", whole, (one.term, *meanings))
        for meaning in one.meanings:
            rest = Span(max(end, meaning.start), max(end, meaning.end))
            yield from self._sentences(rest, "prose", _Place(whole=whole))
        for fact in one.facts:
            if fact.start >= end:
                yield Segment(fact.start, fact.end, "prose", fact, (one.term, fact))

    def _heading(self, span: Span, level: int) -> Iterator[Segment]:
        """A heading, and the single facts that stand directly under it."""
        written = self.plain[span.start : span.end]
        underline, hashes = _SETEXT.search(written), _HASHES.match(written)
        # `## Hull ##` is called Hull, and `## C#` is not called C.
        named = written[: underline.start() if underline and not hashes else None].rstrip(
            " \t\r\n¶"
        )
        open_end = named.rstrip("#") if hashes else named
        length = len(open_end if open_end.endswith((" ", "\t")) else named)
        begin = span.start + (hashes.end() if hashes else 0)
        name = Span(begin, max(begin, span.start + length)).trimmed(self.plain)
        yield from self._segments(name, "heading", _Place(level))
        after = bisect_left(self._starts, span.end)
        facts, after = read_facts(self.plain, self._lines, after)
        has_name = any(map(str.isalnum, self.plain[name.start : name.end]))
        for fact in facts:
            self._done = fact.end
            yield Segment(fact.start, fact.end, "prose", fact, (name, fact) if has_name else ())

    def _table(self, span: Span, place: _Place) -> Iterator[Segment]:
        """The header of a table, and its rows; what has no pipe came after them."""
        header, _, *rows = self._lines_of(span)
        place = replace(place, whole=place.whole or span.trimmed(self.plain))
        yield from self._segments(header, "header", place)
        for row in rows:
            if "|" in self.plain[row.start : row.end]:
                yield from self._segments(row, "row", place)
            else:
                yield from self._sentences(row, "prose", replace(place, whole=row))

    def _prose(self, span: Span, place: _Place) -> Iterator[Segment]:
        """The sentences of a paragraph or of an item's first one, each part on its own."""
        kind: SegmentKind = "prose"
        bullet = ""
        is_heading = _BOLD_LINE.match(self._text[span.start : span.end]) is not None
        if place.begins_item and (marks := _ITEM.match(self.plain, span.start, span.end)):
            kind, is_heading = "item", False
            bullet = f"{marks['number']}. " if marks["number"] else "- "
            span = Span(marks.end(), span.end)
        place = replace(place, whole=place.whole or span.trimmed(self.plain))
        for part, follows_heading_tag in self._between_tags(span):
            for one in self._apart(part):
                if _ROW.match(self.plain, one.start, one.end):
                    yield from self._row(one, place)
                elif is_heading or follows_heading_tag:
                    yield from self._segments(one, "heading")
                elif not _RULE.match(self.plain[one.start : one.end]):
                    for sentence in self._sentences(one, kind, place):
                        yield replace(sentence, bullet=bullet)
                        bullet = ""

    def _row(self, line: Span, place: _Place) -> Iterator[Segment]:
        """A row of a table that began before the text, or has no header."""
        if not _RULE_OF_TABLE.match(self.plain[line.start : line.end]):
            after = self.plain[line.end : self._line_end(line.end)]
            names = _ROW.match(after) and _RULE_OF_TABLE.match(after)
            yield from self._segments(line, "header" if names else "row", place)

    def _sentences(self, span: Span, kind: SegmentKind, place: _Place) -> Iterator[Segment]:
        for one in split_sentences(self.plain[span.start : span.end]):
            start, end = span.start + one.start, span.start + one.end
            block = place.whole or Span(start, end)
            yield Segment(start, end, kind, block, depth=place.depth)

    def _between_tags(self, whole: Span) -> Iterator[tuple[Span, bool]]:
        """What tags of blocks and rows of HTML tables part, and whether each is a heading."""
        at, is_heading = whole.start, False
        for tag in _BLOCK_TAG.finditer(self._text, whole.start, whole.end):
            if self.plain[tag.start()] != "<":  # else it is of code, where it is text
                yield from ((one, is_heading) for one in self._seen(at, tag.start()))
                at, is_heading = tag.end(), tag["heading"] is not None
        yield from ((one, is_heading) for one in self._seen(at, whole.end))

    def _seen(self, start: int, end: int) -> Sequence[Span]:
        return subtract(Span(start, end), self._hidden) if start < end else ()

    def _apart(self, part: Span) -> Iterator[Span]:
        """The lines of rows and of labels, and what stands between them."""
        has_labels = _LABELLED.match(self.plain, part.start, part.end) is not None
        begin, after_row = part.start, False
        for line in self._lines_of(part):
            is_row = _ROW.match(self.plain, line.start, line.end) is not None
            is_label = has_labels and _LABELLED.match(self.plain, line.start, line.end) is not None
            if begin < line.start and (is_row or after_row or is_label):
                yield Span(begin, line.start)
                begin = line.start
            after_row = is_row
        yield Span(begin, part.end)

    def _lines_of(self, span: Span) -> list[Span]:
        first, after = self._line_at(span.start), bisect_left(self._starts, span.end)
        return [
            Span(max(start, span.start), min(end, span.end))
            for start, end in self._lines[first:after]
        ]

    def _line_at(self, place: int) -> int:
        return max(0, bisect_right(self._starts, place) - 1)

    def _line_end(self, place: int) -> int:
        return self._lines[self._line_at(place)][1] if self._lines else place


def _number_of_table(row: HtmlBlock) -> int:
    return abs(row.table)


def _without_labels(plain: str, segments: Iterable[Segment]) -> Iterator[Segment]:
    """What a list of questions and answers has before an answer is no part of it."""
    is_asked = False
    for one in segments:
        label = _ANSWER_LABEL.match(plain, one.start, one.end) if is_asked else None
        yield replace(one, start=label.end()) if label else one
        is_asked = plain[one.start : one.end].rstrip("*_").endswith("?")


def _with_leaders(text: str, segments: Iterable[Segment]) -> Iterator[Segment]:
    """The segments, where a block begins with the sentence that introduces it.

    One before code does, and one that ends with a colon before a list or a table.
    """
    runs = [[*run] for _, run in groupby(segments, key=lambda one: one.block)]
    wide = [run[0].block for run in runs]
    for number in range(len(runs) - 1, 0, -1):
        last, first = runs[number - 1][-1], runs[number][0]
        leads = text[last.start : last.end].rstrip("*_ ").endswith((":", "："))
        in_list = first.depth > 0 and first.kind != "heading"
        follows = in_list or first.kind in {"row", "header", "code"}
        if last.kind != "prose" or last.depth or not follows or not (leads or first.kind == "code"):
            continue
        wide[number] = Span(last.block.start, first.block.end)
        if leads:
            wide[number - 1] = wide[number]
    for run, block in zip(runs, wide, strict=True):
        yield from (replace(one, block=block) for one in run)
