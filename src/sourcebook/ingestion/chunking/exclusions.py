"""Finds the parts of a Markdown file that readers never see: ES modules, JSX tags and comments.

Code fences are skipped. Docusaurus reads .md as MDX, so both are treated alike, except that plain
HTML and possibly indented code stay in a .md.
"""

import re
from dataclasses import dataclass

from sourcebook.core.documents import Span
from sourcebook.text.spans import union

MAX_TAG_LENGTH = 10_000
MAX_STATEMENT_LENGTH = 20_000
_NEWLINE = r"(?>\r\n|\r|\n)"
_LINE = re.compile(rf"(?P<indent>[ \t]*+)(?P<content>[^\r\n]*+)(?:{_NEWLINE}|\Z)")
_BLANK_LINES = re.compile(rf"(?:[ \t]*+{_NEWLINE})*+")
_PARAGRAPH_END = re.compile(rf"{_NEWLINE}[ \t]*+(?=[\r\n]|\Z)|\Z")
# Whatever may begin an exclusion or a fence; the text between is skipped quickly.
_SIGN = re.compile(
    rf"{_NEWLINE}[ \t]*+{_NEWLINE}(?P<statement>(?:import|export)\b)"
    r"|(?<![^\r\n])[ \t]*+(?P<tag><[A-Za-z/>])"
    r"|(?P<fence>`{3,}+|~{3,}+)"
    r"|(?P<comment><!--|\{/\*)"
)
_BEFORE_FENCE = re.compile(r"(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
_FENCE = re.compile(r"`{3,}+(?![^\r\n]*`)|~{3,}+")
_FENCE_END = re.compile(r"[ \t>]*+(?P<marks>`{3,}+|~{3,}+)[ \t]*+(?=[\r\n]|\Z)")
_INDENT = re.compile(r"[ \t]{0,8}")
_COMMENT_ENDS = {"<!--": re.compile(r"-->"), "{/*": re.compile(r"\*/\s*+\}")}
_NAME = re.compile(r"</?(?:[A-Za-z][\w.-]*(?=[\s/>])|(?=/?>))")
_ATTRIBUTES = re.compile(r"[\w\s:=/$@-]*+")
_BRACE = re.compile(r"[{}]")
_SPACE = re.compile(r"[ \t]*+")
_END_OF_LINE = re.compile(r"[ \t]*+(?=[\r\n]|\Z)")
_IMPORT = re.compile(
    r"import\b(?:[\s\w$*,{}]*?[\s}]from)?\s*([\"'])[^\"'\r\n]*\1"
    r"[ \t]*;?[ \t]*(?://[^\r\n]*)?(?=[\r\n]|\Z)"
)
_EXPORT = re.compile(
    r"export\s+(?:(?:async\s+)?(?:const|let|var|function|class)\b\s*[\w$]+\s*[=({<:]"
    r"|[*{][^\"']*?from\s*[\"'])"
)
# MDX reads every paragraph that begins with `export` as code; in a .md it may be prose.
_EXPORT_IN_MDX = re.compile(
    r"export\s+(?:default|const|let|var|function|async|class|type|interface)\b|export\s*[{*]"
)
_STRING_BRACKET_OR_BLANK_LINE = re.compile(
    r"(?P<string>\"(?:[^\"\\\r\n]|\\.)*+\"|'(?:[^'\\\r\n]|\\.)*+')"
    r"|[()\[\]{}]|(?:\r\n|\r|\n)[ \t]*(?=[\r\n]|\Z)"
)


def find_exclusions(source: str, start: int, *, mdx: bool) -> tuple[Span, ...]:
    """Return the excluded spans from `start` on, in order."""
    return _Scanner(source, mdx).scan(start)


@dataclass(frozen=True, slots=True)
class _Scan:
    """How far was read, and whether a complete construct ends there."""

    reached: int
    found: bool


class _Scanner:
    """Jumps from sign to sign and reads nothing twice, so that hostile files stay cheap."""

    def __init__(self, source: str, mdx: bool) -> None:
        self._source = source
        self._mdx = mdx
        self._spans: list[Span] = []
        self._line_start = 0
        self._line_with_fence = -1
        self._counted = self._backticks = 0
        self._paragraph_end = -1
        self._no_tag_before = 0
        self._no_export_before = 0
        self._never_closed: set[str] = set()

    def scan(self, start: int) -> tuple[Span, ...]:
        position = self._line_start = start
        position = self._statements_end(position) or position
        while sign := _SIGN.search(self._source, position):
            kind = sign.lastgroup or ""
            self._find_line(position, sign.start(kind))
            position = self._end(kind, sign.start(kind)) or sign.end()
        return union(self._spans)

    def _find_line(self, position: int, offset: int) -> None:
        newline = max(self._source.rfind(each, position, offset) for each in "\r\n")
        self._line_start = max(self._line_start, newline + 1)

    def _end(self, kind: str, start: int) -> int | None:
        """Return the end of what begins at the sign, if it is what it looks like."""
        match kind:
            case "statement":
                return self._statements_end(start)
            case "fence":
                return self._fence_end(start)
            case "tag":
                return self._tags_end(start)
            case _:
                return self._comment_end(start)

    def _statements_end(self, start: int) -> int | None:
        """Exclude the statements that follow one another from here."""
        position, end = start, None
        while True:
            blank = _BLANK_LINES.match(self._source, position)
            position = blank.end() if blank else position
            statement_end = self._statement_end(position)
            if statement_end is None:
                return end
            self._spans.append(Span(position, statement_end))
            position = end = statement_end

    def _statement_end(self, position: int) -> int | None:
        if self._source.startswith("import", position):
            return _import_end(self._source, position, self._end_of_paragraph(position))
        if self._source.startswith("export", position):
            return self._export_end(position, self._end_of_paragraph(position))
        return None

    def _export_end(self, position: int, paragraph_end: int) -> int | None:
        if not _is_export(self._source, position, paragraph_end, mdx=self._mdx):
            return None
        if position < self._no_export_before:
            return paragraph_end
        scan = _scan_export(self._source, position)
        if not scan.found:
            self._no_export_before = scan.reached
        return scan.reached if scan.found else paragraph_end

    def _end_of_paragraph(self, position: int) -> int:
        if position >= self._paragraph_end:
            found = _PARAGRAPH_END.search(self._source, position)
            self._paragraph_end = found.start() if found else len(self._source)
        return self._paragraph_end

    def _fence_end(self, start: int) -> int | None:
        """Skip the fence that opens here; only the first marks of a line can open one."""
        if self._line_with_fence == self._line_start:
            return None
        self._line_with_fence = self._line_start
        before = _BEFORE_FENCE.fullmatch(self._source, self._line_start, start)
        fence = _FENCE.match(self._source, start)
        if before is None or fence is None:
            return None
        line = _LINE.match(self._source, fence.end())
        while line and line.end() < len(self._source):
            position = line.end()
            closing = _FENCE_END.match(self._source, position)
            if closing and closing["marks"].startswith(fence[0]):
                return closing.end()
            line = _LINE.match(self._source, position)
            if ">" in before[0] and line and not line["content"].startswith(">"):
                return position
        return len(self._source)

    def _tags_end(self, start: int) -> int | None:
        """Exclude the lines from here that have JSX tags and nothing else."""
        if start < self._no_tag_before or self._may_be_code():
            return None
        scan = _scan_tag_lines(self._source, start, any_tag=self._mdx)
        if not scan.found:
            self._no_tag_before = scan.reached
            return None
        self._spans.append(Span(self._line_start, scan.reached))
        return scan.reached

    def _comment_end(self, start: int) -> int | None:
        """Exclude the comment that opens here."""
        kind = "<!--" if self._source[start] == "<" else "{/*"
        if kind in self._never_closed or self._may_be_code():
            return None
        if self._is_in_backticks(start):
            return None
        # `<!-->` is a whole comment.
        closing = _COMMENT_ENDS[kind].search(self._source, start + 2)
        if closing is None:
            self._never_closed.add(kind)
            return None
        self._spans.append(Span(start, closing.end()))
        self._line_start = closing.end()
        return closing.end()

    def _is_in_backticks(self, offset: int) -> bool:
        """True if the number of backticks before it in its line is odd."""
        if self._counted < self._line_start:
            self._counted, self._backticks = self._line_start, 0
        self._backticks += self._source.count("`", self._counted, offset)
        self._counted = offset
        return self._backticks % 2 == 1

    def _may_be_code(self) -> bool:
        indent = _INDENT.match(self._source, self._line_start)
        return not self._mdx and indent is not None and len(indent[0].expandtabs(4)) >= 4


def _scan_tag_lines(source: str, start: int, *, any_tag: bool) -> _Scan:
    """Read tags from `start` to the end of a line; found if there is nothing between them.

    Unless `any_tag`, each must look like JSX rather than HTML: a capital, or a value in braces.
    """
    position = start
    while True:
        scan = _scan_tag(source, position)
        if not scan.found:
            return scan
        if not any_tag and not _is_component(source, position, scan.reached):
            return _Scan(scan.reached, found=False)
        end_of_line = _END_OF_LINE.match(source, scan.reached)
        if end_of_line:
            return _Scan(end_of_line.end(), found=True)
        space = _SPACE.match(source, scan.reached)
        position = space.end() if space else scan.reached


def _scan_tag(source: str, start: int) -> _Scan:
    limit = min(len(source), start + MAX_TAG_LENGTH)
    name = _NAME.match(source, start, limit)
    if name is None:
        return _Scan(start, found=False)
    position = name.end()
    while True:
        attributes = _ATTRIBUTES.match(source, position, limit)
        position = attributes.end() if attributes else position
        if position >= limit:
            return _Scan(limit, found=False)
        match source[position]:
            case ">":
                return _Scan(position + 1, found=True)
            case '"' | "'" as quote:
                closing = source.find(quote, position + 1, limit)
            case "{":
                closing = _closing_brace(source, position, limit)
            case _:
                return _Scan(position, found=False)
        if closing < 0:
            return _Scan(limit, found=False)
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


def _import_end(source: str, start: int, paragraph_end: int) -> int | None:
    """Return the end of an ES module import; a Python import in prose is none."""
    found = _IMPORT.match(source, start, paragraph_end)
    return found.end() if found else None


def _is_export(source: str, start: int, paragraph_end: int, *, mdx: bool) -> bool:
    pattern = _EXPORT_IN_MDX if mdx else _EXPORT
    return pattern.match(source, start, paragraph_end) is not None


def _scan_export(source: str, start: int) -> _Scan:
    """Read an export up to the first blank line outside all brackets."""
    limit = min(len(source), start + MAX_STATEMENT_LENGTH)
    depth = 0
    for found in _STRING_BRACKET_OR_BLANK_LINE.finditer(source, start, limit):
        if found["string"]:
            continue
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
        elif depth <= 0:
            return _Scan(found.start(), found=True)
    return _Scan(limit, found=depth <= 0 and limit == len(source))
