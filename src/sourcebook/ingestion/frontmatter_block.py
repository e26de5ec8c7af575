"""Where the front matter of a file begins and ends."""

import re
from dataclasses import dataclass

from sourcebook.ingestion.frontmatter_yaml import Entry

# As generous as the parsers that authors know: blank lines before it, longer rules.
_OPENING = re.compile(r"\s*+-{3,}+[^\S\r\n]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?<=[\r\n])(?:-{3,}|\.\.\.)[^\S\r\n]*(?:\r\n|\r|\n|\Z)")
_NEWLINE = re.compile(r"\r\n?")
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))*+")

_FIELD = re.compile(r"^[ \t{-]*[\"']?[\w-]{1,60}[\"']?[ \t]*:(?=\s|\Z)", re.MULTILINE)

BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Block:
    """The text between the markers, if there is an opening one, and where the body begins."""

    text: str | None
    closed: bool
    body_start: int
    start: int = 0

    @property
    def has_fields(self) -> bool:
        """Tell whether a line of it looks like `name: value`; else it is text between rules."""
        return self.text is not None and _FIELD.search(self.text) is not None


def find_block(source: str) -> Block:
    """Find the block that begins with the first line; a byte order mark before it is no text."""
    start = len(BOM) if source.startswith(BOM) else 0
    opening = _OPENING.match(source, start)
    if opening is None:
        return Block(None, closed=False, body_start=start)
    # From the last character of the opening line, which the closing marker looks back at.
    closing = _CLOSING.search(source, opening.end() - 1)
    if closing is None:
        rest = _lines(source[opening.end() :])
        paragraph = _PARAGRAPH.match(rest)
        return Block(paragraph[0] if paragraph else "", False, body_start=start, start=start)
    return Block(_lines(source[opening.end() : closing.start()]), True, closing.end(), start)


def salvage(text: str, name: str) -> list[Entry]:
    """The values of a field, from plain lines `name: value` of a block that is no valid YAML."""
    line = re.compile(
        rf"^[ \t]*(?:-[ \t]+)?[\"']?{re.escape(name)}[\"']?[ \t]*:"
        r"(?P<value>[^\n]*(?:\n[ \t]*-[ \t][^\n]*|\n[ \t]+[^\n]+)*)",
        re.MULTILINE | re.IGNORECASE,
    )
    values = (re.sub(r"(?<!\S)#[^\n]*", "", found["value"]) for found in line.finditer(text))
    return [Entry(name, value.strip(), value.strip()) for value in values]


def _lines(text: str) -> str:
    return _NEWLINE.sub("\n", text)
