"""What a question's subject is, is looked for where the nearest passages do not say it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sourcebook.answering.definitions import LOOKED_AT, with_definition
from sourcebook.answering.evidence import Passage
from sourcebook.answering.retriever import Retrieved
from sourcebook.core.answers import Question
from tests.unit.answering.passages import passage
from tests.unit.answering.retrievals import WiderRetrieval

BESIDE = "Wren objects are kept in memory. Configure Wren with a file."
FOUND = Retrieved(tuple(passage(number, BESIDE) for number in (1, 2, 3)), ("book",))
ASKED = Question("what is wren", top_k=3, hardware_tier=2)


def finding(*texts: str, is_away: bool = False) -> WiderRetrieval:
    passages = (passage(number, text) for number, text in enumerate(texts, 1))
    return WiderRetrieval(*passages, is_away=is_away)


def texts_of(passages: Sequence[Passage]) -> list[str]:
    return [one.text for one in passages]


async def test_the_last_passages_give_way_to_what_says_what_it_is() -> None:
    said = "Welcome!\n\n**Wren** is a small language."
    retrieval = finding(BESIDE, said)

    found = await with_definition(retrieval, ASKED, ASKED.text, FOUND)

    assert texts_of(found.passages) == [BESIDE, BESIDE, said]
    assert [one.number for one in found.passages] == [1, 2, 3]


async def test_it_is_looked_for_within_the_same_bounds() -> None:
    retrieval = finding()

    found = await with_definition(retrieval, ASKED, ASKED.text, FOUND)

    assert found == FOUND
    ((asked, text),) = retrieval.asked
    assert asked == replace(ASKED, top_k=LOOKED_AT)
    assert text == "What is wren? Introduction and overview"


@pytest.mark.parametrize(
    "text",
    [
        "Wren is a small language.",
        "It began in 2013. The Wren is one of them.",
        "# Birds\n\n> _Wren_ is an interpreter",
        "WrenLang (short: Wren) is a small language.",
        "Wren (a language) is the smallest.",
        "Wrens sing. Wren is\na language.",
    ],
)
async def test_what_it_is_may_be_said_in_several_ways(text: str) -> None:
    found = await with_definition(finding(text), ASKED, ASKED.text, FOUND)

    assert text in texts_of(found.passages)


@pytest.mark.parametrize(
    "text",
    [
        "Wren is fast.",
        "Wren is for games.",
        "A plan for Wren is a must.",
        "Wren objects are the values.",
        "Wrench is a tool.",
    ],
)
async def test_what_is_said_beside_it_defines_nothing(text: str) -> None:
    found = await with_definition(finding(text), ASKED, ASKED.text, FOUND)

    assert found == FOUND


@pytest.mark.parametrize(
    "question",
    [
        "how do I install wren",
        "what is the default port",
        "what is a very long given name",
        "what is it",
    ],
)
async def test_no_other_question_costs_a_second_search(question: str) -> None:
    retrieval = finding("Wren is a language.")

    assert await with_definition(retrieval, ASKED, question, FOUND) == FOUND
    assert not retrieval.asked


async def test_what_was_found_already_is_enough() -> None:
    retrieval = finding("Wren is a language.")
    known = replace(FOUND, passages=(passage(1, "Wren is a language for games."),))

    assert await with_definition(retrieval, ASKED, ASKED.text, known) == known
    assert not retrieval.asked


async def test_what_a_changelog_says_it_is_does_not_do() -> None:
    said = passage(1, "Wren is a language for games.")
    changelog = replace(said, source=replace(said.source, title="Changelog"))
    known = replace(FOUND, passages=(changelog,))

    found = await with_definition(finding("Wren is a small language."), ASKED, ASKED.text, known)

    assert "Wren is a small language." in texts_of(found.passages)


async def test_what_was_found_stays_if_no_more_can_be_searched() -> None:
    found = await with_definition(finding(is_away=True), ASKED, ASKED.text, FOUND)

    assert found == FOUND


async def test_nothing_found_stays_nothing() -> None:
    nothing = Retrieved((), ("book",))

    assert (
        await with_definition(finding("Wren is a bird."), ASKED, "what is wren", nothing) == nothing
    )
