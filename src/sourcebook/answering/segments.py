"""Splits markdown into segments that can be quoted: sentences, list items, table rows, code."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sourcebook.answering.definition_lists import (
    Definition,
    quotable_meanings,
    read_definition,
    read_facts,
)
from sourcebook.answering.html_blocks import html_blocks
from sourcebook.answering.sentences import split_sentences
from sourcebook.core.documents import Span
from sourcebook.core.markup import MaskedText, begins_block, end_of_cut_code, mask_markup

# A header is the row of a table that names its columns; a definition is a term with its meaning.
SegmentKind: TypeAlias = Literal["prose", "item", "row", "header", "definition", "heading", "code"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_QUOTES = re.compile(r"(?<![^\r\n])(?:[ \t]*+>)++")
_BULLET = r"(?:[-*+]|\d{1,9}[.)])[ \t]+"
_FENCE = re.compile(rf"[ \t]*+(?:{_BULLET})*(```+(?=[^`]*$)|~~~+)")
_HEADING = re.compile(r"[ \t]*+#{1,6}(?:\s|$)")
_RULE = re.compile(r"[ \t]*+([-=*_])(?:[ \t]*+\1)*+\s*$")
_UNDERLINE = re.compile(r"[ \t]*+(?:=++|-++)\s*$")
_ITEM = re.compile(rf"[ \t]*+{_BULLET}(?:\[[ xX]\][ \t]+)?")
# Only a list that begins with 1 may follow a line of a paragraph at once: "between 0 and\n255. If".
_LATER_ITEM = re.compile(r"[ \t]*+(?!1[.)])\d{1,9}[.)][ \t]")
# Lines that are marks alone: `:::note`, `!!! warning "Title"`, `[!NOTE]`, `{: .note }`.
_ADMONITION = re.compile(
    r"[ \t]*+(?::::|(?:!!!|\?\?\?\+?)[ \t]++\w|\[![A-Za-z]{3,12}\]\s*$|\{:[^{}\r\n]*+\}\s*$)"
)
# `=== "macOS"` heads what stands on a tab.
_TAB = re.compile(r"[ \t]*+===\+?[ \t]++([\"'])(?P<title>[^\"'\r\n]{1,80})\1\s*$")
_ROW = re.compile(r"[ \t]*+\|")
_RULE_OF_TABLE = re.compile(r"[\s|:\-]+$")
# Of a table whose rows have no pipes around them.
_OPEN_RULE = re.compile(r"[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-+:?[ \t]*+)+\|?\s*$")
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
    r"<(?:/?(?:p|li|ul|ol|dl|dt|dd|div|section|article|blockquote)|/h[1-6]"
    r"|(?P<heading>h[1-6]))\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_ANSWER_LABEL = re.compile(
    r"(?:\*\*|__)?(?:A|Answer|Antwort|Réponse|Respuesta)(?:\*\*|__)?[ ]?[:.](?:\*\*|__)?\s++(?=\S)"
)
MAX_TITLE_WORDS = 12
# Of the later paragraphs of an item: as wide as "- ".
MIN_ITEM_MARGIN = 2
_BREAKS = (_FENCE, _HEADING, _RULE, _ITEM, _ADMONITION, _TAB, _ROW)


@dataclass(frozen=True, slots=True)
class Segment:
    """Something of a text that can be quoted on its own: text[start:end].

    A row of an HTML table has its cells, which no pipes tell, and the number of the table; a
    definition has its term and then what that means, and a single fact the heading above it and
    itself. A later paragraph of an item is `in_item`. A sentence has the paragraph that it is of.
    """

    start: int
    end: int
    kind: SegmentKind
    cells: tuple[Span, ...] = ()
    table: int = 0
    in_item: bool = False
    paragraph: Span | None = None


def split_segments(text: str, masked: MaskedText | None = None) -> tuple[Segment, ...]:
    """Every piece that a reader can see, in order; they do not overlap.

    `masked` is the text without its markup, if that is known.
    """
    words = (masked or mask_markup(text)).words
    # Same length: what is quoted in markdown is read as if it were not, and offsets stay true.
    plain = _QUOTES.sub(lambda marks: " " * len(marks[0]), words)
    begin = end_of_cut_code(text)
    # Its last line is the fence.
    code = _trimmed(text, 0, max(0, text.rfind("\n", 0, begin)), "code")
    return (*code, *_moved(_around_html(plain[begin:], text[begin:]), begin))


def split_selection(text: str) -> tuple[Segment, ...]:
    """Every piece of what a reader has selected, where a title has lost its marks."""
    title = _title(text)
    if title is None:
        return split_segments(text)
    return (title, *_moved(split_segments(text[title.end :]), title.end))


def _title(text: str) -> Segment | None:
    """The first line, if it reads like a title: short, without a stop, and broken on purpose."""
    found = _FIRST_LINE.match(text)
    if found is None or not (found["gap"] or _breaks_early(found["title"], text[found.end() :])):
        return None
    title, start = found["title"], found.start("title")
    if title[0].islower() or len(title.split()) > MAX_TITLE_WORDS:
        return None
    return Segment(start, start + len(title), "heading")


def _breaks_early(line: str, rest: str) -> bool:
    """Whether the first word after a line would have fitted into it, and begins a sentence."""
    first = rest.split(maxsplit=1)[0]
    widest = max(map(len, rest.splitlines()))
    return not first[0].islower() and len(line) + 1 + len(first) <= widest


def _around_html(plain: str, text: str) -> Iterator[Segment]:
    """The rows of HTML tables, and what stands before, between and after them."""
    at = 0
    for block in html_blocks(text, plain):
        yield from _moved(_pieces(plain[at : block.start], text[at : block.start]), at)
        yield Segment(block.start, block.end, block.kind, block.cells, block.table)
        at = block.end
    yield from _moved(_pieces(plain[at:], text[at:]), at)


def _moved(segments: Iterable[Segment], by: int) -> Iterator[Segment]:
    for one in segments:
        cells = tuple(Span(by + cell.start, by + cell.end) for cell in one.cells)
        whole = one.paragraph and Span(by + one.paragraph.start, by + one.paragraph.end)
        yield replace(one, start=by + one.start, end=by + one.end, cells=cells, paragraph=whole)


def _pieces(plain: str, text: str) -> Iterator[Segment]:
    is_asked = False
    for piece in _sentences(plain, text):
        # What a list of questions and answers has before an answer is no part of it.
        label = _ANSWER_LABEL.match(plain, piece.start, piece.end) if is_asked else None
        yield replace(piece, start=label.end()) if label else piece
        is_asked = plain[piece.start : piece.end].rstrip("*_").endswith("?")


def _sentences(plain: str, text: str) -> Iterator[Segment]:
    in_item = False
    for block in _blocks(plain, text):
        if block.kind != "code":
            later = in_item and block.kind == "prose" and _is_indented(text, block.start)
            in_item = later or block.kind == "item"
        if block.kind in {"prose", "item"} and not block.cells:
            for sentence in split_sentences(plain[block.start : block.end]):
                start, end = block.start + sentence.start, block.start + sentence.end
                whole = Span(block.start, block.end)
                yield Segment(start, end, block.kind, in_item=later, paragraph=whole)
        else:
            yield block


def _is_indented(text: str, start: int) -> bool:
    """Whether what begins here stands as deep as the text of an item."""
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    margin = text[line:start]
    return margin.isspace() and (len(margin) >= MIN_ITEM_MARGIN or "\t" in margin)


def _blocks(plain: str, text: str) -> Iterator[Segment]:
    """Paragraphs, items, rows, headings and blocks of code, without their marks."""
    lines = [match.span() for match in _LINE.finditer(plain) if match.group()]
    at = 0
    entry: Definition | None = None
    while at < len(lines):
        start, end = lines[at]
        line = plain[start:end]
        if definition := read_definition(plain, lines, at, entry):
            yield from _definition(plain, definition)
            at, entry = definition.after, definition
            continue
        entry = None if line.strip() else entry
        if _opens_table(plain, lines, at):
            yield from _trimmed(plain, start, end, "header")
            at += 2
            while at < len(lines) and "|" in plain[slice(*lines[at])]:
                yield from _trimmed(plain, *lines[at], "row")
                at += 1
            continue
        fence = _FENCE.match(line)
        if fence:
            last = _end_of_fence(plain, lines, at, fence.group(1))
            yield from _trimmed(plain, start, lines[last][1], "code")
            at = last + 1
            continue
        at += 1
        if not line.strip() or _ADMONITION.match(line) or _RULE.match(line):
            continue
        if tab := _TAB.match(line):
            yield Segment(start + tab.start("title"), start + tab.end("title"), "heading")
        elif _HEADING.match(line):
            facts, at = read_facts(plain, lines, at)
            yield from _heading(plain, start, end, facts)
        elif _ROW.match(line):
            if not _RULE_OF_TABLE.match(line):
                names = at < len(lines) and _is_rule_of_table(plain[slice(*lines[at])])
                yield from _trimmed(plain, start, end, "header" if names else "row")
        else:
            at = _end_of_paragraph(plain, text, lines, at)
            last = lines[at - 1][1]
            underlined = at < len(lines) and _UNDERLINE.match(plain[slice(*lines[at])])
            is_heading = bool(underlined) or _BOLD_LINE.match(text[start:last]) is not None
            for part, opens_heading in _between_tags(plain, text, Span(start, last)):
                heading = is_heading or opens_heading
                yield from _paragraph(plain, part.start, part.end, heading=heading)


def _heading(plain: str, start: int, end: int, facts: Sequence[Span]) -> Iterator[Segment]:
    """A heading, and the single facts that stand directly under it."""
    line = plain[start:end]
    begin = start + len(line) - len(line.lstrip(" \t#"))
    yield from _trimmed(plain, begin, end, "heading")
    # `## Hull ##` is called Hull, and `## C#` is not called C.
    named = line.rstrip(" \t\r\n¶")
    open_end = named.rstrip("#")
    length = len(open_end if open_end.endswith((" ", "\t")) else named)
    name = Span(begin, max(begin, start + length)).trimmed(plain)
    has_name = any(map(str.isalnum, plain[name.start : name.end]))
    for fact in facts:
        yield Segment(fact.start, fact.end, "prose", (name, fact) if has_name else ())


def _definition(plain: str, one: Definition) -> Iterator[Segment]:
    """A term with its meaning, and what of that is too long to be quoted with it."""
    meanings = quotable_meanings(plain, one.term, one.meanings, one.facts)
    end = meanings[-1].end
    yield Segment(one.term.start, end, "definition", (one.term, *meanings))
    for meaning in one.meanings:
        yield from _trimmed(plain, max(end, meaning.start), meaning.end, "prose")
    for fact in one.facts:
        if fact.start >= end:
            yield Segment(fact.start, fact.end, "prose", (one.term, fact))


def _opens_table(plain: str, lines: list[tuple[int, int]], at: int) -> bool:
    """Whether a line names the columns of a table without pipes around its rows."""
    line = plain[slice(*lines[at])]
    if "|" not in line or _ROW.match(line) or at + 1 == len(lines):
        return False
    return _OPEN_RULE.match(plain[slice(*lines[at + 1])]) is not None


def _is_rule_of_table(line: str) -> bool:
    return _ROW.match(line) is not None and _RULE_OF_TABLE.match(line) is not None


def _between_tags(plain: str, text: str, whole: Span) -> Iterator[tuple[Span, bool]]:
    """The parts of a paragraph that tags of blocks part, and whether each is a heading."""
    at, is_heading = whole.start, False
    for tag in _BLOCK_TAG.finditer(text, whole.start, whole.end):
        if plain[tag.start()] == "<":
            continue  # of code, where it is text
        yield Span(at, tag.start()), is_heading
        at, is_heading = tag.end(), tag["heading"] is not None
    yield Span(at, whole.end), is_heading


def _paragraph(text: str, start: int, end: int, *, heading: bool) -> Iterator[Segment]:
    """A paragraph, which a line under it makes a heading, or an item without its bullet."""
    item = _ITEM.match(text, start, end)
    if item:
        yield from _trimmed(text, item.end(), end, "item")
    else:
        yield from _trimmed(text, start, end, "heading" if heading else "prose")


def _end_of_paragraph(plain: str, text: str, lines: list[tuple[int, int]], at: int) -> int:
    """The line after the last one that belongs to the paragraph which begins before `at`."""
    quoted = _is_quoted(text, lines[at - 1])
    first = plain[slice(*lines[at - 1])]
    is_item, is_labelled = _ITEM.match(first) is not None, _LABELLED.match(first) is not None
    while at < len(lines):
        line = plain[slice(*lines[at])]
        if not line.strip() or (
            any(mark.match(line) for mark in _BREAKS) and (is_item or not _LATER_ITEM.match(line))
        ):
            break
        if not quoted and _is_quoted(text, lines[at]):
            # A chunk may begin in the middle of a quoted line.
            if at > 1 or not line.lstrip()[:1].islower():
                break
            quoted = True
        if begins_block(text[slice(*lines[at])]) or (is_labelled and _LABELLED.match(line)):
            break
        at += 1
    return at


def _end_of_fence(text: str, lines: list[tuple[int, int]], at: int, mark: str) -> int:
    for last in range(at + 1, len(lines)):
        line = text[slice(*lines[last])].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return last
    return len(lines) - 1


def _is_quoted(text: str, line: tuple[int, int]) -> bool:
    return text[slice(*line)].lstrip().startswith(">")


def _trimmed(text: str, start: int, end: int, kind: SegmentKind) -> Iterator[Segment]:
    span = Span(start, end).trimmed(text)
    if span.start < span.end:
        yield Segment(span.start, span.end, kind)
