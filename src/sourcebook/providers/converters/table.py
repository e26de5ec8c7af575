"""Converts tables of comma- or tab-separated values: small markdown tables, each with the head."""

import csv
import io
from collections.abc import Iterator

from sourcebook.core.documents import ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.text import decode_text
from sourcebook.providers.converters.text_builder import TextBuilder, clean, table_head, table_row

# A table as long as this fits into one chunk, so that every row is found together with the head.
MAX_TABLE_CHARACTERS = 1_000
MAX_ROWS = 200_000
MAX_FIELD_CHARACTERS = 100_000
_DELIMITERS = ",;\t|"
_SAMPLE = 20_000


def convert(content: bytes) -> ConvertedDocument:
    """Convert a table; its first row is the head. Rows are counted from 1, the head included."""
    text, warnings = decode_text(content)
    rows = list(_rows(clean(text)))
    builder = TextBuilder()
    if not rows:
        return builder.build(warnings=warnings)
    (_, head), *body = rows
    builder.add(table_head(head), Location(0, 0, row=rows[0][0]), end="\n")
    written = 0
    for number, cells in body:
        row = table_row([*cells, *[""] * (len(head) - len(cells))][: max(len(head), len(cells))])
        if written and written + len(row) > MAX_TABLE_CHARACTERS:
            builder.add(table_head(head).join(["\n", ""]), end="\n")
            written = 0
        builder.add(row, Location(0, 0, row=number), end="\n")
        written += len(row)
    return builder.build(warnings=warnings)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold something, with their numbers."""
    csv.field_size_limit(MAX_FIELD_CHARACTERS)
    # Quotes are those of the standard: apostrophes in cells would be taken for others.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        for number, row in enumerate(reader, 1):
            if number > MAX_ROWS:
                raise BookUnreadable(
                    f"The table has more than {MAX_ROWS:,} rows; divide it into several files"
                )
            if any(cell.strip() for cell in row):
                yield number, row
    except csv.Error as error:
        raise BookUnreadable(
            f"The table cannot be read after row {reader.line_num}: {error}"
        ) from None


def _delimiter(text: str) -> str:
    try:
        return csv.Sniffer().sniff(text[:_SAMPLE], delimiters=_DELIMITERS).delimiter
    except csv.Error:
        return ","
