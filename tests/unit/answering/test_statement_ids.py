"""A language model names statements by ids like 2.3: these decide what leaves for a line."""

import asyncio
from collections.abc import Sequence

import pytest

from sourcebook.answering.answer_checker import AnswerChecker
from sourcebook.answering.evidence import Passage
from sourcebook.answering.prompts import with_evidence
from sourcebook.answering.statement_ids import statement_ids
from sourcebook.answering.statements import read_statements
from sourcebook.core.answers import SentenceCounts
from sourcebook.core.claims import ClaimPair
from tests.fakes import FakeJudge
from tests.unit.answering.passages import checker, passage, released, saying

DRYER = """# Dryer

The dryer holds six pairs of boots. It runs on 230 V.

Before cleaning, you must not:

- open the lid,
- wash the drum.

These are the programmes.

| Programme | Heat | Time |
|---|---|---|
| Wool | 30 °C | 60 minutes |

Start it with this command:

```sh
dry --all  # see [1.1]
```

Can I dry silk?
"""
GATE = "The gate opens at seven. Bring a lamp, see [9.9]. Dogs stay outside."
EVIDENCE = (passage(1, DRYER), passage(2, GATE))


async def said(*lines: str, evidence: Sequence[Passage] = EVIDENCE) -> tuple[str, SentenceCounts]:
    checking = checker(evidence)
    return "".join(await released(checking, [f"{line}\n" for line in lines])), checking.counts


def test_what_can_be_quoted_has_an_id_that_begins_with_its_passage() -> None:
    quotable = read_statements(EVIDENCE)
    ids = {one: quotable[place].shown for one, place in statement_ids(quotable).items()}

    assert ids["1.1"] == "The dryer holds six pairs of boots."
    assert ids["1.4"] == "open the lid,"
    assert ids["1.9"].startswith("```sh")
    assert ids["2.3"] == "Dogs stay outside."
    assert not any("silk" in text for text in ids.values())


def test_the_prompt_shows_each_statement_after_its_id_and_headings_without() -> None:
    lines = with_evidence("How hot?", EVIDENCE, read_statements(EVIDENCE)).split("\n")

    assert "# Dryer" in lines
    assert "[1.1] The dryer holds six pairs of boots." in lines
    assert "[1.7] Wool: Heat 30 °C, Time 60 minutes." in lines
    assert "[2.1] The gate opens at seven." in lines
    assert "Can I dry silk?" in lines


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("Your boots fit in, six pairs of them. [1.1]", "The dryer holds six pairs of boots. [1]"),
        # Words of another language have none in common with what they stand on.
        ("Hunde müssen draußen bleiben. [2.3]", "Dogs stay outside. [1]"),
        ("狗必须留在外面。[2.3]", "Dogs stay outside. [1]"),
        ("[2.1] At seven you can come in.", "The gate opens at seven. [1]"),
        ("[2.1]", "The gate opens at seven. [1]"),
        (
            "It may not be washed when you clean it. [1.5]",
            "Before cleaning, you must not: wash the drum. [1]",
        ),
        ("For wool, take 30 degrees. [1.7]", "Wool: Heat 30 °C, Time 60 minutes. [1]"),
        (
            "You can run it from a shell. [1.9]",
            "Start it with this command:\n\n```sh\ndry --all  # see [1.1]\n```\n\n[1]",
        ),
        (
            "What is forbidden? [1.3]",
            "Before cleaning, you must not:\n- open the lid,\n- wash the drum. [1]",
        ),
    ],
)
async def test_what_a_line_names_leaves_instead_of_it(line: str, instead: str) -> None:
    assert await said(line) == (instead, SentenceCounts(quoted=1))


async def test_statements_that_stand_together_are_quoted_as_prose_with_one_marker() -> None:
    text, counts = await said("Six pairs fit in, and 230 V are needed. [1.1][1.2]")

    assert text == "The dryer holds six pairs of boots. It runs on 230 V. [1]"
    assert counts == SentenceCounts(quoted=1)


async def test_what_denies_a_list_is_quoted_once_for_items_that_follow_one_another() -> None:
    text, _ = await said(
        "Keep it shut. [1.4]", "Do not rinse it. [1.5]", "Dogs stay outside. [2.3]", "No. [1.3]"
    )

    assert text == (
        "Before cleaning, you must not: open the lid, [1] wash the drum. [1] Dogs stay outside. [2]"
    )


async def test_statements_of_two_passages_keep_a_marker_each() -> None:
    text, _ = await said("Boots go in, and hounds do not. [1.1, 2.3]")

    assert text == "The dryer holds six pairs of boots. [1] Dogs stay outside. [2]"


async def test_the_lines_of_an_answer_are_prose() -> None:
    text, _ = await said("The gate opens at seven. [2.1]", "Dogs stay outside. [2.3]")

    assert text == "The gate opens at seven. [1] Dogs stay outside. [1]"


@pytest.mark.parametrize("ids", ["", " [9.9]", " [2.99]", " [0.1]", " [1.0]", " [2]"])
async def test_a_line_without_a_valid_id_is_replaced_by_the_closest_statement(ids: str) -> None:
    assert await said(f"The gate opens at eight.{ids}") == (
        "The gate opens at seven. [1]",
        SentenceCounts(quoted=1),
    )


async def test_a_line_that_is_clearly_about_another_statement_than_it_names_gets_that() -> None:
    assert await said("The gate opens at eight. [2.3]") == (
        "The gate opens at seven. [1]",
        SentenceCounts(quoted=1),
    )


async def test_a_copy_under_a_wrong_id_cites_where_it_stands() -> None:
    assert await said("Dogs stay outside. [1.1]") == (
        "Dogs stay outside. [1]",
        SentenceCounts(proven=1),
    )


async def test_an_id_in_the_text_of_a_document_names_nothing() -> None:
    text, counts = await said("Bring a lamp, see [9.9]. [2.2]")

    assert (text, counts) == ("Bring a lamp, see [9.9]. [1]", SentenceCounts(proven=1))


async def test_an_id_in_code_stays_code() -> None:
    text, _ = await said("```sh\ndry --all  # see [1.1]\n```\n[1.9]")

    assert text == "```sh\ndry --all  # see [1.1]\n```\n\n[1]"


async def test_no_id_reaches_a_reader() -> None:
    text, _ = await said("The gate opens [2.1] at seven. [2.1]", "Come at seven. [2.1][7.7][2.1]")

    assert text == "The gate opens at seven. [1]"


@pytest.mark.parametrize("refusal", ["NONE", "None.", "**NONE**", "`NONE` [1]"])
async def test_none_is_a_refusal_and_ends_the_answer(refusal: str) -> None:
    checking = checker(EVIDENCE)

    assert await released(checking, [f"{refusal}\n\n", "Dogs stay outside. [2.3]\n"]) == []
    assert checking.says_it_is_missing


async def test_none_of_a_statement_is_an_answer() -> None:
    assert (await said("None [2.3]"))[0] == "Dogs stay outside. [1]"


async def cited(line: str) -> tuple[str, SentenceCounts]:
    checking = AnswerChecker(EVIDENCE, read_statements(EVIDENCE), lets_cited=True)
    return "".join(await released(checking, [line])), checking.counts


@pytest.mark.parametrize(
    "line",
    [
        "You can come in at seven. [2.1]",
        "Six pairs of boots fit, and the voltage is 230 V. [1.1][1.2]",
        "You must not wash the drum before cleaning. [1.5]",
        "Wool takes 60 minutes at 30 °C. [1.7]",
    ],
)
async def test_in_cited_a_line_stands_on_all_that_it_names(line: str) -> None:
    text, counts = await cited(line)

    assert (text, counts.cited) == (f"{line.partition(' [')[0]} [1]", 1)


@pytest.mark.parametrize(
    "line",
    [
        "You can come in at nine. [2.1]",
        "Wash the drum before cleaning. [1.5]",
        "Wool takes 30 minutes at 60 degrees. [1.1]",
    ],
)
async def test_in_cited_a_line_that_the_guard_does_not_let_through_is_quoted(line: str) -> None:
    text, counts = await cited(line)

    assert counts == SentenceCounts(quoted=1)
    assert line.partition(" [")[0] not in text


class SlowJudge(FakeJudge):
    """Finds everything borne, once it is allowed to; remembers its calls."""

    def __init__(self) -> None:
        super().__init__(threshold=0.5)
        self.calls: list[list[str]] = []
        self.allowed = asyncio.Event()

    async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
        self.calls.append([pair.claim for pair in pairs])
        await self.allowed.wait()
        return [1.0] * len(pairs)


JUDGED = ["You can come in at seven. [2.1]", "Hounds wait outside. [2.3]", "Take a lamp. [2.2]"]


async def test_claims_that_come_while_a_judge_reads_are_judged_in_one_call() -> None:
    judge = SlowJudge()
    checking = AnswerChecker(EVIDENCE, read_statements(EVIDENCE), judge=judge)
    asyncio.get_running_loop().call_later(0.2, judge.allowed.set)

    text = "".join(await released(checking, [f"{line}\n" for line in JUDGED]))

    assert text == ("You can come in at seven. [1] Hounds wait outside. [1] Take a lamp. [1]")
    assert checking.counts == SentenceCounts(judged=3)
    assert [len(call) for call in judge.calls] == [1, 2]


async def test_who_stops_listening_ends_the_judge() -> None:
    judge = SlowJudge()
    checking = AnswerChecker(EVIDENCE, read_statements(EVIDENCE), judge=judge)
    sentences = checking.released(saying("The gate opens at seven. [2.1]\n", f"{JUDGED[1]}\n"))

    assert await anext(sentences) == "The gate opens at seven. [1]"
    waiting = asyncio.ensure_future(anext(sentences))
    await asyncio.sleep(0.1)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await sentences.aclose()

    assert judge.calls
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
