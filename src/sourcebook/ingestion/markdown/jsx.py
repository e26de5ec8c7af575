"""JSX tags in markdown: where one ends, and whether a line has nothing else."""

import re

from sourcebook.ingestion.markdown.spans import Scan

MAX_TAG_LENGTH = 10_000

_NAME = re.compile(r"</?(?:[A-Za-z][\w.-]*(?=[\s/>])|(?=/?>))")
_ATTRIBUTES = re.compile(r"[\w\s:=/$@-]*+")
_BRACE = re.compile(r"[{}]")
_SPACE = re.compile(r"[ \t]*+")
_END_OF_LINE = re.compile(r"[ \t]*+(?=[\r\n]|\Z)")


def scan_tag_lines(source: str, start: int, *, any_tag: bool) -> Scan:
    """Read tags from `start` to the end of a line; found if there is nothing between them.

    Unless `any_tag`, each must look like JSX rather than HTML: a capital, or a value in braces.
    """
    position = start
    while True:
        scan = _scan_tag(source, position)
        if not scan.found:
            return scan
        if not any_tag and not _is_component(source, position, scan.reached):
            return Scan(scan.reached, found=False)
        end_of_line = _END_OF_LINE.match(source, scan.reached)
        if end_of_line:
            return Scan(end_of_line.end(), found=True)
        space = _SPACE.match(source, scan.reached)
        position = space.end() if space else scan.reached


def _scan_tag(source: str, start: int) -> Scan:
    limit = min(len(source), start + MAX_TAG_LENGTH)
    name = _NAME.match(source, start, limit)
    if name is None:
        return Scan(start, found=False)
    position = name.end()
    while True:
        attributes = _ATTRIBUTES.match(source, position, limit)
        position = attributes.end() if attributes else position
        if position >= limit:
            return Scan(limit, found=False)
        match source[position]:
            case ">":
                return Scan(position + 1, found=True)
            case '"' | "'" as quote:
                closing = source.find(quote, position + 1, limit)
            case "{":
                closing = _closing_brace(source, position, limit)
            case _:
                return Scan(position, found=False)
        if closing < 0:
            return Scan(limit, found=False)
        position = closing + 1


def _closing_brace(source: str, start: int, limit: int) -> int:
    depth = 0
    for brace in _BRACE.finditer(source, start, limit):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return -1


def _is_component(source: str, start: int, end: int) -> bool:
    tag = source[start:end]
    return tag.lstrip("</")[:1].isupper() or "={" in tag
