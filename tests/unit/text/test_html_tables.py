"""HTML in Markdown is quoted as the same thing in Markdown would be."""

import pytest

from sourcebook.answering.statements import read_statements
from sourcebook.text.html_tables import MAX_ROW, MAX_SPANNING_COLUMNS
from tests.unit.answering.passages import passage

HEAD = "<tr><th>Flag</th><th>Default</th></tr>"


def quoted(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.shown) for one in read_statements([passage(1, text)])]


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ("<tr><td>jobs</td><td>4</td></tr>", ["Flag: jobs; Default: 4"]),
        ("<tr>\n<td>jobs</td>\n<td>\n4\n</td>\n</tr>", ["Flag: jobs; Default: 4"]),
        ("<tr><td>a<td>4<tr><td>b<td>80", ["Flag: a; Default: 4", "Flag: b; Default: 80"]),
        ('<TR id="a"><TD>a</TD><TD><b>4</b> <i>each</i></TD></TR>', ["Flag: a; Default: 4 each"]),
        ("<tr><td>jobs</td><td></td></tr>", ["Flag: jobs"]),
        ("<tr><td>jobs</td><td>&nbsp;</td></tr>", ["Flag: jobs"]),
        ("<tr><td>a | b</td><td>4</td></tr>", ["Flag: a | b; Default: 4"]),
        ("<tr><th>jobs</th><td>4</td></tr>", ["Flag: jobs; Default: 4"]),
        ("<tr><td>jobs</td><td>4</td><td>more</td></tr>", ["jobs; 4; more"]),
        ("<tr><td>One.<p>Two.</p></td><td>4</td></tr>", ["Flag: One. Two.; Default: 4"]),
    ],
)  # fmt: skip
def test_a_row_is_shown_with_the_names_of_its_columns(rows: str, shown: list[str]) -> None:
    found = quoted(f"Flags:\n\n<table>\n{HEAD}\n{rows}\n</table>\n\nThe end.")

    assert found[:2] == [("prose", "Flags:"), ("header", "Flag Default")]
    assert found[2:] == [*(("row", one) for one in shown), ("prose", "The end.")]


def test_what_stands_in_the_head_of_a_table_names_its_columns() -> None:
    text = (
        "<thead><tr><td>A</td><td>B</td></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody>"
    )

    assert quoted(text) == [("header", "A B"), ("row", "A: 1; B: 2")]


def test_a_cell_over_all_columns_leaves_them_their_names() -> None:
    text = f"<table>{HEAD}<tr><th colspan=2>Speed</th></tr><tr><td>jobs</td><td>4</td></tr></table>"

    assert quoted(text)[-1] == ("row", "Flag: jobs; Default: 4")


def test_a_row_without_a_header_is_shown_alone() -> None:
    assert quoted("4</td></tr>\n<tr><td>port</td><td>80</td></tr>\n</table>") == [
        ("prose", "4"),
        ("row", "port; 80"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<table><tr><td>Arms turn. Legs walk.</td></tr></table>",
        "<table><tr><td>\n\nArms turn.\n\nLegs walk.\n\n</td><td></td></tr></table>",
        "<table><tr><td><table><tr><td>Arms turn. Legs walk.</td></tr></table></td></tr></table>",
    ],
)
def test_a_table_for_the_layout_is_prose(text: str) -> None:
    assert quoted(text) == [("prose", "Arms turn."), ("prose", "Legs walk.")]


@pytest.mark.parametrize(
    "text", ["```html\n<tr><td>a</td><td>b</td></tr>\n```", "<!-- <tr><td>a -->"]
)
def test_code_and_comments_hold_no_rows(text: str) -> None:
    assert not [kind for kind, _ in quoted(text) if kind != "code"]


def test_a_row_in_a_quotation_is_read_without_its_marks() -> None:
    text = f"> <table>\n> {HEAD}\n> <tr>\n> <td>jobs</td>\n> <td>4</td>\n> </tr>\n> </table>"

    assert quoted(text) == [("header", "Flag Default"), ("row", "Flag: jobs; Default: 4")]


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        ("<dt>Hull</dt><dd>The body. It floats.</dd>", "Hull: The body. It floats."),
        ("<dt>\n<b>Hull</b>\n</dt>\n<dd>\nThe body.\n</dd>", "Hull: The body."),
        ("<dt>Hull<dd>The body.<dd>Its form.", "Hull: The body. Its form."),
        ("<dt>-h</dt>\n<dt>--help</dt>\n<dd>Shows help.</dd>", "-h, --help: Shows help."),
    ],
)
def test_a_term_is_quoted_with_what_it_means(inside: str, shown: str) -> None:
    found = quoted(f"Words:\n<dl>\n{inside}\n<dt>Keel</dt><dd>A beam.</dd>\n</dl>\nThe end.")

    assert found == [
        ("prose", "Words:"),
        ("definition", shown),
        ("definition", "Keel: A beam."),
        ("prose", "The end."),
    ]


def test_a_term_with_paragraphs_is_their_heading() -> None:
    found = quoted("<dl><dt>Hull</dt><dd>\n\nIt floats.\n\nIt sinks.\n\n</dd></dl>")

    assert found == [("heading", "Hull"), ("prose", "It floats."), ("prose", "It sinks.")]


def test_of_a_long_meaning_the_first_sentence_stands_with_the_term() -> None:
    found = quoted(f"<dl><dt>Hull</dt><dd>It floats. {'It is red. ' * 60}</dd></dl>")

    assert found[:2] == [("definition", "Hull: It floats."), ("prose", "It is red.")]


def test_a_cell_over_all_columns_is_quoted_with_what_stands_under_it() -> None:
    flags = "".join(
        f'<tr><td colspan="2">--{flag}</td></tr>\n<tr><td></td><td><p>{text}</p></td></tr>\n'
        for flag, text in (("port int", "The port."), ("log", "Where to log. Or not."))
    )

    assert quoted(f"<table><tbody>\n{flags}</tbody></table>") == [
        ("definition", "--port int: The port."),
        ("definition", "--log: Where to log. Or not."),
    ]


def test_a_row_with_long_texts_is_prose() -> None:
    found = quoted(f"<tr><td>Hull</td><td>It floats. {'It is red. ' * 100}</td></tr>")

    assert ("prose", "It is red.") in found


@pytest.mark.parametrize("before", [f"<table>{HEAD}", "| Flag | Default |\n|---|---|\n| a | 1 |\n"])
def test_the_columns_of_one_table_do_not_name_those_of_another(before: str) -> None:
    other = "<table><tr><td>tarn-full</td><td>40 MB</td></tr></table>"

    assert quoted(f"{before}\n\n{other}")[-1] == ("row", "tarn-full; 40 MB")


def test_a_name_over_several_columns_names_none_of_them() -> None:
    head = "<tr><th>Sensor</th><th colspan=2>Limit</th></tr>"
    rows = (
        "<tr><td rowspan=2>Probe</td><td>least</td><td>4 °C</td></tr>"
        "<tr><td>most</td><td>88 °C</td></tr>"
    )

    found = quoted(f"<table>{head}{rows}</table>")

    assert found[1:] == [("row", "Probe; least; 4 °C"), ("row", "Probe; most; 88 °C")]


SENSORS = "<tr><th>Sensor</th><th>Bound</th><th>Value</th></tr>"


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        (
            "<tr><td rowspan=2>Probe</td><td>least</td><td>4</td></tr>"
            "<tr><td>most</td><td>88</td></tr><tr><td>Lamp</td><td>most</td><td>60</td></tr>",
            [
                "Sensor: Probe; Bound: least; Value: 4",
                "Sensor: Probe; Bound: most; Value: 88",
                "Sensor: Lamp; Bound: most; Value: 60",
            ],
        ),
        (
            "<tr><td rowSpan={3}>Probe</td><td>least</td><td rowspan='2'>4</td></tr>"
            "<tr><td>most</td></tr><tr><td>rest</td><td>1</td></tr>",
            [
                "Sensor: Probe; Bound: least; Value: 4",
                "Sensor: Probe; Bound: most; Value: 4",
                "Sensor: Probe; Bound: rest; Value: 1",
            ],
        ),
        # A text over several rows is no key.
        (
            f"<tr><td rowspan=2>{'So it is. ' * 30}</td><td>least</td><td>4</td></tr>"
            "<tr><td>most</td><td>88</td></tr>",
            [
                f"Sensor: {'So it is. ' * 29}So it is.; Bound: least; Value: 4",
                "Bound: most; Value: 88",
            ],
        ),
    ],
)
def test_a_cell_over_several_rows_belongs_to_each(rows: str, shown: list[str]) -> None:
    found = quoted(f"<table>{SENSORS}{rows}</table>")

    assert found[1:] == [("row", one) for one in shown]


def test_a_cell_over_several_rows_does_not_reach_into_another_table() -> None:
    first = f"<table>{SENSORS}<tr><td rowspan=9>Probe</td><td>least</td><td>4</td></tr></table>"
    other = "<table><tr><td>most</td><td>88</td></tr></table>"

    assert quoted(f"{first}\n\n{other}")[-1] == ("row", "most; 88")


@pytest.mark.parametrize("part", ["tbody", "tfoot"])
def test_a_cell_over_several_rows_does_not_reach_into_another_part_of_its_table(part: str) -> None:
    first = "<tbody><tr><td rowspan=9>Linux</td><td>80</td></tr></tbody>"
    other = f"<{part}><tr><td>Windows</td><td>90</td></tr></{part}>"

    assert quoted(f"<table>{first}{other}</table>") == [
        ("row", "Linux; 80"),
        ("row", "Windows; 90"),
    ]


@pytest.mark.parametrize("body", ["<tbody>", ""])
def test_a_name_over_rows_after_the_head_names_its_column(body: str) -> None:
    head = "<thead><tr><th rowspan=2>Key</th><th>Value</th></tr></thead>"
    rows = "<tr><td>port</td><td>80</td></tr><tr><td>host</td><td>x</td></tr>"

    assert quoted(f"<table>{head}{body}{rows}</table>")[1:] == [
        ("row", "Key: port; Value: 80"),
        ("row", "Key: host; Value: x"),
    ]


def test_of_names_in_two_rows_the_lower_ones_name_the_columns() -> None:
    upper = "<tr><th rowspan=2>Sensor</th><th colspan=2>Limit</th></tr>"
    head = f"<thead>{upper}<tr><th>least</th><th>most</th></tr></thead>"
    row = "<tr><td>Probe</td><td>4</td><td>88</td></tr>"

    assert quoted(f"<table>{head}{row}</table>")[-1] == (
        "row",
        "Sensor: Probe; least: 4; most: 88",
    )


def test_a_cell_over_no_columns_is_over_one() -> None:
    rows = (
        "<tr><td colspan=0 rowspan=3>Probe</td><td rowspan=2>least</td><td>4</td></tr>"
        "<tr><td>88</td></tr><tr><td>most</td><td>90</td></tr>"
    )

    assert quoted(f"<table>{rows}</table>") == [
        ("row", "Probe; least; 4"),
        ("row", "Probe; least; 88"),
        ("row", "Probe; most; 90"),
    ]


def test_a_row_has_no_more_than_some_cells_of_earlier_rows() -> None:
    first = "<tr>" + 277 * "<td rowspan=999>a</td>" + "</tr>"

    found = quoted(f"<table>{first}<tr><td>b</td><td>c</td></tr></table>")

    assert found[-1] == ("row", "; ".join([*MAX_SPANNING_COLUMNS * "a", "b", "c"]))


def test_a_row_is_not_longer_with_the_cells_of_earlier_rows() -> None:
    spanning = f"<td rowspan=9>{'So it is. ' * 15}</td>"

    found = quoted(f"<table><tr>{7 * spanning}</tr><tr><td>b</td><td>c</td></tr></table>")

    assert ("row", "b; c") not in found
    assert all(len(shown) <= MAX_ROW for _, shown in found)
