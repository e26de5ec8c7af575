"""What in a markdown file is no text for readers: modules, JSX tags and comments.

One pass over the lines that steps over code fences. Docusaurus reads .md as MDX, so both kinds are
treated alike, except that plain HTML and what may be indented code stay in a .md.
"""

import re

from sourcebook.core.documents import Span
from sourcebook.ingestion.markdown.jsx import scan_tag_lines
from sourcebook.ingestion.markdown.modules import import_end, is_export, scan_export
from sourcebook.ingestion.markdown.spans import union

_NEWLINE = r"(?>\r\n|\r|\n)"
_LINE = re.compile(rf"(?P<indent>[ \t]*+)(?P<content>[^\r\n]*+)(?:{_NEWLINE}|\Z)")
_BLANK_LINES = re.compile(rf"(?:[ \t]*+{_NEWLINE})*+")
_PARAGRAPH_END = re.compile(rf"{_NEWLINE}[ \t]*+(?=[\r\n]|\Z)|\Z")
# Whatever may begin something that is left out, or a fence; the rest is stepped over quickly.
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


def find_exclusions(source: str, start: int, *, mdx: bool) -> tuple[Span, ...]:
    """The spans from `start` on that no reader sees, in order."""
    return _Scanner(source, mdx).scan(start)


class _Scanner:
    """Goes from sign to sign; what was read once is not read again, so hostile files stay cheap."""

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
        """Read from `start`, where a line begins, to the end of the source."""
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
        """The end of what begins at the sign, if it is what it looks like."""
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
        """Leave out the statements that follow one another from here."""
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
            return import_end(self._source, position, self._end_of_paragraph(position))
        if self._source.startswith("export", position):
            return self._export_end(position, self._end_of_paragraph(position))
        return None

    def _export_end(self, position: int, paragraph_end: int) -> int | None:
        if not is_export(self._source, position, paragraph_end, mdx=self._mdx):
            return None
        if position < self._no_export_before:
            return paragraph_end
        scan = scan_export(self._source, position)
        if not scan.found:
            self._no_export_before = scan.reached
        return scan.reached if scan.found else paragraph_end

    def _end_of_paragraph(self, position: int) -> int:
        if position >= self._paragraph_end:
            found = _PARAGRAPH_END.search(self._source, position)
            self._paragraph_end = found.start() if found else len(self._source)
        return self._paragraph_end

    def _fence_end(self, start: int) -> int | None:
        """Step over the fence that opens here; only the first marks of a line can open one."""
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
        """Leave out the lines from here that have JSX tags and nothing else."""
        if start < self._no_tag_before or self._may_be_code():
            return None
        scan = scan_tag_lines(self._source, start, any_tag=self._mdx)
        if not scan.found:
            self._no_tag_before = scan.reached
            return None
        self._spans.append(Span(self._line_start, scan.reached))
        return scan.reached

    def _comment_end(self, start: int) -> int | None:
        """Leave out the comment that opens here."""
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
        """Tell whether the backticks before it in its line do not pair up."""
        if self._counted < self._line_start:
            self._counted, self._backticks = self._line_start, 0
        self._backticks += self._source.count("`", self._counted, offset)
        self._counted = offset
        return self._backticks % 2 == 1

    def _may_be_code(self) -> bool:
        indent = _INDENT.match(self._source, self._line_start)
        return not self._mdx and indent is not None and len(indent[0].expandtabs(4)) >= 4
