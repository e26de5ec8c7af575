"""Without a language model the block that answers best is quoted, and more beside it in doubt."""

from dataclasses import replace

import pytest

from sourcebook.answering.evidence import selection_evidence
from sourcebook.answering.extractive import (
    MAX_CHARACTERS,
    MAX_CHARACTERS_BESIDE,
    ExtractiveWriter,
    best_blocks,
)
from sourcebook.answering.quotation import plain_text
from sourcebook.answering.statements import read_statements
from sourcebook.answering.writers import Brief
from tests.unit.answering.briefs import brief

KEEL = "The keel holds the boat upright. It is made of iron."
SAIL = "The sail drives the boat on. It is made of cloth."
RUDDER = "The rudder turns the boat around. It is made of oak."


def quoted(told: Brief) -> list[str]:
    return [plain_text(told.quotable, block) for block in best_blocks(told)]


async def test_the_paragraph_of_the_best_statement_is_quoted_whole() -> None:
    told = brief({"iron": 1.0}, f"{SAIL}\n\n{KEEL}")

    assert quoted(told) == [KEEL]
    assert [text async for text in ExtractiveWriter().write(told)] == [KEEL]


@pytest.mark.parametrize(("probability", "count"), [(0.95, 1), (0.94, 2), (0.89, 3), (None, 3)])
def test_the_less_sure_the_more_is_quoted(probability: float | None, count: int) -> None:
    ranks = {"upright": 1.0, "drives": 0.9, "turns": 0.8}

    told = brief(ranks, KEEL, SAIL, RUDDER, probability=probability)

    assert quoted(told) == [KEEL, SAIL, RUDDER][:count]


@pytest.mark.parametrize(("probability", "rank"), [(0.5, 0.3), (None, 0.6)])
def test_what_is_much_worse_than_the_best_is_not_quoted_beside_it(
    probability: float | None, rank: float
) -> None:
    ranks = {"upright": 1.0, "drives": rank, "turns": 0.1}

    told = brief(ranks, KEEL, SAIL, RUDDER, probability=probability)

    assert quoted(told) == [KEEL]


def test_what_stands_in_the_same_passage_keeps_its_order() -> None:
    told = brief({"turns": 1.0, "upright": 0.5, "drives": 0.4}, f"{KEEL}\n\n{RUDDER}", SAIL)

    assert quoted(replace(told, probability=0.5)) == [KEEL, RUDDER, SAIL]


def test_what_says_the_same_is_said_once() -> None:
    told = brief({"upright": 1.0, "drives": 0.5}, KEEL, KEEL, SAIL, probability=0.94)

    assert quoted(told) == [KEEL, SAIL]


def test_a_block_beside_the_best_one_has_less_room() -> None:
    long = " ".join(f"Boat {number} sails on the wide sea." for number in range(40))
    told = brief({"Boat 20 ": 1.0, "Boat 35 ": 0.5}, long, probability=0.94)

    first, second = quoted(told)

    assert MAX_CHARACTERS_BESIDE < len(first) <= MAX_CHARACTERS
    assert len(second) <= MAX_CHARACTERS_BESIDE


@pytest.mark.parametrize(
    "text",
    [
        "# The keel holds the boat upright",
        "Does the keel hold the boat upright?",
        "```sh\nhold the boat upright\n```",
        "- [upright keels](keels.md)",
        "upright",
        "Hold it so:\n\n```sh\nhold the boat upright\n",
        f"{'12:01:07 upright [boat]; ' * 60}",
    ],
    ids=["heading", "question", "code without its sentence", "link", "word", "cut code", "log"],
)
def test_what_says_nothing_by_itself_is_not_quoted(text: str) -> None:
    told = brief({"upright": 1.0, "cloth": 0.1}, text, SAIL)

    assert quoted(told) == [SAIL]


def test_nothing_is_quoted_of_nothing() -> None:
    assert best_blocks(brief({})) == ()


def test_what_a_selection_is_about_is_said_first() -> None:
    text = f"{KEEL}\n\n{SAIL}"
    passages = selection_evidence(text)
    quotable = read_statements(passages)
    told = Brief("What is this about?", "selected_text", passages, quotable, (0.0, 0.0, 1.0, 1.0))

    assert quoted(told) == [KEEL]
    assert quoted(replace(told, mode="general", on_page=True)) == [KEEL]
    assert quoted(replace(told, question="What drives the boat?"))[0] == SAIL


@pytest.mark.parametrize(
    "text",
    [
        "## Common misconceptions\n\nThe keel is made of iron. It rusts.",
        "## Myths\n\n### Keels\n\nThe keel is made of iron. It rusts.",
        "## Myths\n\nIn salt water:\n\n- The keel is made of iron.\n- It rusts.\n",
    ],
)
def test_what_its_heading_takes_back_is_not_quoted(text: str) -> None:
    assert quoted(brief({"iron": 1.0}, text, SAIL)) in ([], [SAIL])
