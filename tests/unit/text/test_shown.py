"""A row of a table is shown with the names of its columns."""

import pytest

from sourcebook.answering.statements import read_statements
from sourcebook.text.shown import read_cells, show_row
from tests.unit.answering.passages import passage

HEADER = "| Flag | Default |"


@pytest.mark.parametrize(
    ("header", "row", "shown"),
    [
        (HEADER, "| `--jobs` | 4 |", "Flag: `--jobs`; Default: 4"),
        (HEADER, "| `--jobs` |  |", "Flag: `--jobs`"),
        (HEADER, "| `a|b` | one \\| two |", "Flag: `a|b`; Default: one | two"),
        (HEADER, "| `open | 4 |", "Flag: `open; Default: 4"),
        (HEADER, "| only one |", "only one"),
        ("| | Default |", "| jobs | 4 |", "jobs; Default: 4"),
        ("| |", "| jobs | 4 |", "jobs; 4"),
    ],
)
def test_a_cell_stands_after_the_name_of_its_column(header: str, row: str, shown: str) -> None:
    assert show_row(read_cells(header), read_cells(row)) == shown


def test_a_row_has_the_header_of_its_own_table() -> None:
    text = "| A |\n|---|\n| 1 |\n\nThen another.\n\n| 2 |\n| 3 |\n"

    found = [one.shown for one in read_statements([passage(1, text)]) if one.kind == "row"]

    assert found == ["A: 1", "2", "3"]


def test_a_row_is_found_by_the_names_of_its_columns() -> None:
    text = "| Option | Default |\n|---|---|\n| jobs | 4 |\n"

    row = read_statements([passage(1, text)])[1]

    assert {"option", "default", "job"} <= row.content
