"""A term of a definition list is quoted with what it means."""

import pytest

from sourcebook.answering.statements import read_statements
from sourcebook.search.words import content_words
from sourcebook.text.definition_lists import MAX_DEFINITION
from tests.unit.answering.passages import passage


def quoted(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.shown) for one in read_statements([passage(1, text)])]


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        ("Hull\n: The body. It floats.", "Hull: The body. It floats."),
        ("Hull\n\n:   The body.", "Hull: The body."),
        ("**Hull**\n: The body\n  of a boat.", "Hull: The body of a boat."),
        ("Hull\n: The body.\n: Its form.", "Hull: The body. Its form."),
        ("Hull\nBody\n: What floats.", "Hull, Body: What floats."),
        ("> Hull\n> Body\n> : What floats.", "Hull, Body: What floats."),
        ("<dl><dt>Hull\n  body</dt><dt>Body</dt><dd>So.</dd></dl>", "Hull body, Body: So."),
        ("What is a hull?\n: What floats.", "What is a hull? What floats."),
        ("--hull\n: What floats.", "--hull: What floats."),
        ("Hull\r\n: The body.", "Hull: The body."),
        ("Hull:\n: The body.", "Hull: The body."),
        ("Hull\n: The body\n: Its form", "Hull: The body; Its form"),
        ("Hull\n: The body.\n{: .term }", "Hull: The body."),
        ("Hull\n: The body.\n:::", "Hull: The body."),
        ("Hull\n: The body.\n\nDefault: `steel`", "Hull: The body. Default: `steel`"),
        (
            "Hull\n: The body\n\n*Type:* text\n\nDefault: 1",
            "Hull: The body; Type: text; Default: 1",
        ),
    ],
)
def test_a_term_is_shown_before_its_meaning(entry: str, shown: str) -> None:
    assert quoted(f"# Words\n\n{entry}\n\nKeel\n: A beam.\n\nThe end.") == [
        ("heading", "Words"),
        ("definition", shown),
        ("definition", "Keel: A beam."),
        ("prose", "The end."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Boats float.\n: They do.",
        "A line that is far too long for anybody to take it for a term of such definitions\n: So.",
        "- Hull\n: They do.",
        "| a |\n: They do.",
        "Hull\n:They do.",
        "Hull\n\n\n: They do.",
        "```\nHull\n: They do.\n```",
    ],
)
def test_other_colons_define_nothing(text: str) -> None:
    assert "definition" not in [kind for kind, _ in quoted(text)]


def test_of_a_long_meaning_the_first_sentence_stands_with_the_term() -> None:
    found = quoted("Hull\n: It floats. " + "Boats have one. " * (MAX_DEFINITION // 10))

    assert found[:2] == [("definition", "Hull: It floats."), ("prose", "Boats have one.")]


def test_entries_need_no_empty_line_between_them() -> None:
    assert quoted("Hull\n: The body.\nKeel\n: A beam.\n  It is long.") == [
        ("definition", "Hull: The body."),
        ("definition", "Keel: A beam. It is long."),
    ]


@pytest.mark.parametrize(
    ("fact", "shown"),
    [
        ("Default: `0`", "HULL_DEPTH: Default: `0`"),
        ("**Type:** number", "HULL_DEPTH: Type: number"),
        ("Allowed values: 0 to 9", "HULL_DEPTH: Allowed values: 0 to 9"),
    ],
)
def test_a_single_fact_under_a_heading_is_shown_after_its_name(fact: str, shown: str) -> None:
    assert quoted(f"## HULL_DEPTH\n\n{fact}\n\nHow deep it goes.") == [
        ("heading", "HULL_DEPTH"),
        ("prose", shown),
        ("prose", "How deep it goes."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## HULL\n\nDefault: all of what stands\nin two lines.",
        "## HULL\n\nDefaults are set elsewhere.",
        "## HULL\n\nIt floats.\n\nDefault: `0`",
        "Hull floats.\n\nDefault: `0`",
        "## HULL\n\nRequired: never any of these:\n\n- `turbo`",
        "## <!-- hull -->\n\nDefault: `0`",
    ],
)
def test_other_lines_are_no_single_facts(text: str) -> None:
    assert not any(one.is_fact for one in read_statements([passage(1, text)]))


def test_the_quote_of_a_fact_begins_with_its_name() -> None:
    text = "## HULL_DEPTH\n\nDefault: `0`\n\nHow deep it goes."

    fact = read_statements([passage(1, text)])[1]

    assert text[fact.cited.start : fact.cited.end] == "HULL_DEPTH\n\nDefault: `0`"
    assert frozenset(content_words("HULL_DEPTH")) < fact.content


@pytest.mark.parametrize("heading", ["## Hull ##", "# Hull ¶", "### `Hull`", "## Hull\t#"])
def test_marks_after_a_heading_are_not_of_its_name(heading: str) -> None:
    assert ("prose", "Hull: Default: 0") in [
        (kind, shown.replace("`", "")) for kind, shown in quoted(f"{heading}\n\nDefault: 0")
    ]


def test_a_sign_at_the_end_of_a_name_is_of_it() -> None:
    assert ("prose", "C#: Default: 12") in quoted("## C#\n\nDefault: 12")


def test_a_fact_after_an_entry_alone_is_of_that() -> None:
    assert quoted("HULL\n: How deep it goes.\n\nDefault: 30") == [
        ("definition", "HULL: How deep it goes. Default: 30")
    ]


def test_facts_are_of_the_entries_that_have_several_terms_too() -> None:
    text = "fast\n: Skips checks.\n\nDefault: no\n\n-s\n--safe\n: Runs checks.\n\nDefault: yes"

    assert quoted(text) == [
        ("definition", "fast: Skips checks. Default: no"),
        ("definition", "-s, --safe: Runs checks. Default: yes"),
    ]


def test_a_list_knows_nothing_of_an_earlier_one() -> None:
    entries = "slow\n: Waits.\n\nsafe\n: Runs checks.\n\nDefault: slow"

    assert quoted(f"fast\n: Skips checks.\n\nDefault: no\n\nOthers follow.\n\n{entries}")[-1] == (
        "prose",
        "Default: slow",
    )


def test_a_fact_after_the_last_entry_is_of_the_list_unless_each_entry_has_one() -> None:
    of_the_list = quoted("fast\n: Skips checks.\n\nsafe\n: Runs all checks.\n\nDefault: fast")
    of_each = quoted(
        "fast\n: Skips checks.\n\nDefault: no\n\nsafe\n: Runs all checks.\n\nDefault: yes"
    )

    assert of_the_list[-2:] == [
        ("definition", "safe: Runs all checks."),
        ("prose", "Default: fast"),
    ]
    assert of_each == [
        ("definition", "fast: Skips checks. Default: no"),
        ("definition", "safe: Runs all checks. Default: yes"),
    ]


def test_facts_make_no_definition_too_long_to_be_quoted() -> None:
    meaning = "It floats. " * (MAX_DEFINITION // 11 - 1)

    found = quoted(f"Hull\n: {meaning.strip()}\n\nDefault: {'x' * 60}\n\nKeel\n: A beam.")

    assert found == [
        ("definition", f"Hull: {meaning.strip()}"),
        ("prose", f"Hull: Default: {'x' * 60}"),
        ("definition", "Keel: A beam."),
    ]
