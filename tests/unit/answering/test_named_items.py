"""An item is named by what it begins with, a row by its first cell."""

import pytest

from sourcebook.answering.named_items import named_items
from sourcebook.answering.statements import read_statements
from sourcebook.search.words import content_words
from tests.unit.answering.passages import passage

ITEMS = "- lost: nobody saw it. Not once.\n- **held** \u2013 it waits.\n- `--sent` - it goes.\n"
LOOSE = (
    "- lost: nobody saw it.\n\n  Not once. Nor twice.\n\n- held: it waits.\n\n"
    "  ```\n  wait\n  ```\n\n  For long.\n\n- sent: it goes.\n\n```\ngo\n```\n"
)
ROWS = "| Key | Use |\n|---|---|\n| lost | nobody saw it |\n| held | it waits |\n"
TERMS = "Lost\n: Nobody saw it.\n\nHeld\n: It waits.\n"


def named(question: str, text: str) -> list[str]:
    quotable = read_statements([passage(1, text)])
    found = named_items(quotable, frozenset(content_words(question)))
    return [quotable[place].shown for items in found for place in items.named]


@pytest.mark.parametrize(
    ("question", "text", "shown"),
    [
        ("What does lost mean?", ITEMS, ["lost: nobody saw it.", "Not once."]),
        ("What does held mean?", ITEMS, ["held \u2013 it waits."]),
        ("What does --sent do?", ITEMS, ["`--sent` - it goes."]),
        (
            "What does lost mean?",
            LOOSE,
            ["lost: nobody saw it.", "Not once.", "Nor twice."],
        ),
        (
            "What does held mean?",
            LOOSE,
            ["held: it waits.", "```\nwait\n```", "For long."],
        ),
        ("What does sent mean?", LOOSE, ["sent: it goes."]),
        ("What does lost mean?", ROWS, ["Key: lost; Use: nobody saw it"]),
        ("What is held?", TERMS, ["Held: It waits."]),
    ],
)
def test_what_a_question_names_is_found(question: str, text: str, shown: list[str]) -> None:
    assert named(question, text) == shown


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which statuses are there?", ITEMS),
        ("Is it lost or held?", ROWS),
        ("Who saw it?", ITEMS),
        # What stands over the list names all of it.
        ("What does lost mean?", f"## Lost\n\n{ROWS}"),
    ],
)
def test_what_names_nothing_or_all_of_a_list_names_no_item(question: str, text: str) -> None:
    assert named(question, text) == []
