"""A statement is quoted with the whole block that it stands in, or with a part around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.blocks import block_around
from sourcebook.answering.statements import read_statements
from tests.fuzz.profile import trying
from tests.unit.answering.passages import passage
from tests.unit.ingestion.chunking.texts import PLAIN_BLOCK, documents

LIMIT = 200
STEPS = "Do this:\n\n1. Open the valve.\n2. Light the flame.\n3. Close the door.\n"
LONG_LIST = "Bring these:\n\n" + "".join(f"- tool number {n} of the crew\n" for n in range(40))
TABLE = "| Plan | Price |\n|---|---|\n" + "".join(f"| plan{n} | {n} euros |\n" for n in range(40))


def said(text: str, word: str, limit: int = LIMIT) -> list[str]:
    """What is quoted for the first statement with a word."""
    quotable = read_statements([passage(1, text)])
    best = next(place for place, one in enumerate(quotable) if word in one.shown)
    return [quotable[place].shown for place in block_around(quotable, best, limit).places]


@pytest.mark.parametrize(
    ("text", "word", "block"),
    [
        ("One. Two.\n\nThree. Four.", "Four", ["Three.", "Four."]),
        (STEPS, "flame", ["Do this:", "Open the valve.", "Light the flame.", "Close the door."]),
        ("## Heat\n\nRun it:\n\n```\nheat\n```", "heat", ["Run it:", "```\nheat\n```"]),
        ("| A | B |\n|---|---|\n| 1 | two |\n| 3 | 4 |", "two", ["A: 1; B: two", "A: 3; B: 4"]),
    ],
    ids=["paragraph", "list with its leader", "code with its sentence", "table"],
)  # fmt: skip
def test_a_short_block_is_whole(text: str, word: str, block: list[str]) -> None:
    assert said(text, word) == block


def test_of_a_long_list_the_leader_and_what_stands_around_are_quoted() -> None:
    leader, *items = said(LONG_LIST, "number 20 ")

    numbers = [int(item.split()[2]) for item in items]
    assert leader == "Bring these:"
    assert 20 in numbers
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert sum(map(len, items)) <= LIMIT


def test_of_a_long_table_one_row_is_quoted() -> None:
    assert said(TABLE, "plan20") == ["Plan: plan20; Price: 20 euros"]


def test_a_statement_that_is_too_long_is_quoted_alone() -> None:
    long = "The boat sails " + "on and " * 60 + "on."

    assert said(f"One. {long} Two.", "boat") == [long]


@pytest.mark.parametrize(
    ("text", "word", "first"),
    [
        ("You must not:\n\n- open it\n- shake it\n", "shake", "You must not:"),
        ("## Never do this\n\n- open the hot valve\n", "valve", "Never do this"),
        ("The arm is steel.\n\nIt holds a lot.", "holds", "The arm is steel."),
    ],
)
def test_what_denies_a_block_or_is_meant_by_it_comes_before_it(
    text: str, word: str, first: str
) -> None:
    assert said(text, word)[0] == first


@trying(60, long=2_000)
@given(documents(PLAIN_BLOCK), st.integers(20, 400))
def test_a_block_holds_its_statement_and_only_what_stands_in_its_passage(
    text: str, limit: int
) -> None:
    quotable = read_statements([passage(1, "Another one."), passage(2, text)])
    for best in range(1, len(quotable)):
        places = block_around(quotable, best, limit).places

        assert best in places or quotable[best].kind in {"heading", "header"}
        assert all(quotable[place].statement.passage == 2 for place in places)
        assert len(set(places)) == len(places)
