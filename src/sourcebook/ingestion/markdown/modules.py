"""ES module statements in markdown: where an `import` or `export` ends."""

import re

from sourcebook.ingestion.markdown.spans import Scan

MAX_STATEMENT_LENGTH = 20_000

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


def import_end(source: str, start: int, paragraph_end: int) -> int | None:
    """The end of an import, if it has the form of ES modules, which Python's has not."""
    found = _IMPORT.match(source, start, paragraph_end)
    return found.end() if found else None


def is_export(source: str, start: int, paragraph_end: int, *, mdx: bool) -> bool:
    """Tell whether an export begins here."""
    pattern = _EXPORT_IN_MDX if mdx else _EXPORT
    return pattern.match(source, start, paragraph_end) is not None


def scan_export(source: str, start: int) -> Scan:
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
            return Scan(found.start(), found=True)
    return Scan(limit, found=depth <= 0 and limit == len(source))
