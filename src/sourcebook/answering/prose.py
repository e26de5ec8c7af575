"""Finds what can be quoted in a piece of markdown: its sentences, and its blocks of code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.answering.sentences import split_sentences

Kind: TypeAlias = Literal["prose", "item", "row", "heading", "code"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_FENCE = re.compile(r"[ ]{0,3}(?:[-*+>]\s+)?(```+|~~~+)")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_ADMONITION = re.compile(r"[ ]{0,3}:::")
_ROW = re.compile(r"[ \t]*\|")
_RULE_OF_TABLE = re.compile(r"[ \t|:\-]+$")


@dataclass(frozen=True, slots=True)
class Piece:
    """Something of a text that can be quoted on its own: text[start:end]."""

    start: int
    end: int
    kind: Kind


def pieces_of(text: str) -> tuple[Piece, ...]:
    """Every piece, in order; they do not overlap."""
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[Piece]:
    for block in _blocks(text):
        if block.kind in {"prose", "item"}:
            for sentence in split_sentences(text[block.start : block.end]):
                start, end = block.start + sentence.start, block.start + sentence.end
                yield Piece(start, end, block.kind)
        else:
            yield block


def _blocks(text: str) -> Iterator[Piece]:
    """Paragraphs, items, rows, headings and blocks of code, without their marks."""
    lines = [match.span() for match in _LINE.finditer(text) if match.group()]
    at = 0
    while at < len(lines):
        start, end = lines[at]
        line = text[start:end]
        fence = _FENCE.match(line)
        if fence:
            last = _end_of_fence(text, lines, at, fence.group(1))
            yield from _trimmed(text, start, lines[last][1], "code")
            at = last + 1
            continue
        at += 1
        if not line.strip() or _ADMONITION.match(line):
            continue
        if _HEADING.match(line):
            yield from _trimmed(text, start + len(line) - len(line.lstrip(" #")), end, "heading")
        elif _ROW.match(line):
            if not _RULE_OF_TABLE.match(line.strip()):
                yield from _trimmed(text, start, end, "row")
        else:
            at = _end_of_paragraph(text, lines, at)
            yield from _paragraph(text, start, lines[at - 1][1])


def _paragraph(text: str, start: int, end: int) -> Iterator[Piece]:
    """A paragraph or one item of a list, without its bullet or quotation mark."""
    kind: Kind = "prose"
    for mark in (_QUOTE, _ITEM):
        found = mark.match(text, start, end)
        if found:
            start = found.end()
            kind = "item" if mark is _ITEM else kind
    yield from _trimmed(text, start, end, kind)


def _end_of_paragraph(text: str, lines: list[tuple[int, int]], at: int) -> int:
    """The line behind the last one that belongs to the paragraph which begins before `at`."""
    while at < len(lines):
        line = text[slice(*lines[at])]
        if not line.strip() or any(
            mark.match(line) for mark in (_FENCE, _HEADING, _ITEM, _ADMONITION, _ROW, _UNDERLINE)
        ):
            break
        at += 1
    return at


def _end_of_fence(text: str, lines: list[tuple[int, int]], at: int, mark: str) -> int:
    for last in range(at + 1, len(lines)):
        line = text[slice(*lines[last])].strip().lstrip("> ")
        if line.startswith(mark) and not line.strip(mark[0]):
            return last
    return len(lines) - 1


def _trimmed(text: str, start: int, end: int, kind: Kind) -> Iterator[Piece]:
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end = start + len(text[start:end].rstrip())
    if start < end:
        yield Piece(start, end, kind)
