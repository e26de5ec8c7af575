"""Plain text, tables and notebooks: what stays of them, and where it stands."""

import json

import pytest

from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters import notebook, table, text

NOTEBOOK = {
    "nbformat": 4,
    "metadata": {"language_info": {"name": "julia"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Arms\n", "An arm has joints."]},
        {
            "cell_type": "code",
            "source": "wave()",
            "outputs": [
                {"output_type": "stream", "text": ["done\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
                {"output_type": "stream", "text": "x" * 10_000},
            ],
        },
        {"cell_type": "code", "source": "", "outputs": []},
    ],
}


def test_plain_text_stays_as_it_is() -> None:
    assert text.convert(b"# no heading\r\n  a * b\x07\n").text == "# no heading\n  a * b\n"


def test_text_that_is_not_utf8_is_read_with_a_warning() -> None:
    document = text.convert("Prüfstand – 3 kg".encode("windows-1252"))

    assert document.text == "Prüfstand – 3 kg"
    assert "Save it as UTF-8" in document.warnings[0]


def test_every_row_of_a_table_knows_its_number() -> None:
    document = table.convert(b"part;mass\narm;3 kg\n\nleg;5 | 6 kg\n")

    rows = {place.row: document.text[place.start : place.end] for place in document.locations}
    assert rows[2] == "| arm | 3 kg |"
    assert rows[4] == "| leg | 5 \\| 6 kg |"


def test_apostrophes_in_a_cell_are_no_quotes() -> None:
    document = table.convert(b"part,note\narm,\"write 'a','b','c'\nand go\"\nleg,none\n")

    rows = {place.row: document.text[place.start : place.end] for place in document.locations}
    assert rows[2] == "| arm | write 'a','b','c' and go |"
    assert rows[3] == "| leg | none |"


def test_a_long_table_repeats_its_head_so_that_each_chunk_has_it() -> None:
    rows = "".join(f"part {n},{n} kg\n" for n in range(300))
    document = table.convert(b"part,mass\n" + rows.encode())

    tables = document.text.split("\n\n")
    assert len(tables) > 3
    assert all(one.startswith("| part | mass |\n| --- | --- |\n") for one in tables)
    assert sum(place.row is not None for place in document.locations) == 301


def test_a_table_without_end_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 2)

    with pytest.raises(BookUnreadable, match="more than 2 rows"):
        table.convert(b"a\n1\n2\n3\n")


def test_a_notebook_keeps_text_code_and_short_outputs_by_cell() -> None:
    document = notebook.convert(json.dumps(NOTEBOOK).encode())

    cells = {place.cell: document.text[place.start : place.end] for place in document.locations}
    assert cells[1] == "# Arms\nAn arm has joints."
    assert cells[2] == "```julia\nwave()\n```\n\n```text\ndone\n```"
    assert set(cells) == {1, 2}


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000])
def test_a_notebook_that_is_no_json_is_a_problem(content: bytes) -> None:
    with pytest.raises(BookUnreadable, match="no valid JSON"):
        notebook.convert(content)


@pytest.mark.parametrize("content", [b'{"cells": 3}', b'{"cells": [3, {"source": 4}]}', b"[]"])
def test_a_notebook_of_other_shapes_is_empty(content: bytes) -> None:
    assert notebook.convert(content).text == ""
