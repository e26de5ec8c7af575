"""Answers without a language model: the sentences that answer best, word for word."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.evidence import Passage, selection_evidence
from sourcebook.answering.evidence_judge import Case, EvidenceJudge
from sourcebook.answering.extractive import (
    MAX_CHARACTERS,
    MAX_SENTENCES,
    ExtractiveWriter,
    best_sentences,
)
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.statements import read_statements
from sourcebook.answering.whole_statements import MAX_BLOCK_CHARACTERS
from sourcebook.answering.writers import Brief
from sourcebook.core.answers import Question
from tests.fakes import FakeEmbedder
from tests.fuzz.profile import trying
from tests.unit.answering.passages import GAZEBO, ROS, checker, passage
from tests.unit.ingestion.chunking.texts import PLAIN_BLOCK, documents
from tests.work import calls_of


async def brief(question: str, *texts: str) -> Brief:
    passages = tuple(passage(number, text) for number, text in enumerate(texts, 1))
    quotable = read_statements(passages)
    judge = EvidenceJudge(SentenceEmbedder(FakeEmbedder()))
    judgement = await judge.judge(Case(Question(question), question, passages, quotable))
    assert judgement is not None
    return Brief(question, "general", passages, quotable, judgement.ranks)


async def chosen(question: str, text: str, ranks: Mapping[str, float]) -> list[str]:
    """What is quoted if each statement has the rank of the first of these words that it has."""
    told = await brief(question, text)
    ranked = tuple(
        next(rank for word, rank in ranks.items() if word in one.shown) for one in told.quotable
    )
    return [one.shown for one in best_sentences(replace(told, ranks=ranked))]


async def written(question: str, *texts: str) -> str:
    return "".join(
        [piece async for piece in ExtractiveWriter().write(await brief(question, *texts))]
    )


async def test_the_sentence_that_answers_is_quoted_and_cited() -> None:
    assert await written("What does Gazebo simulate with physics?", ROS, GAZEBO) == (
        "Gazebo simulates worlds with physics. [2]"
    )


async def test_what_something_is_for_is_no_definition_of_it() -> None:
    said = await written(
        "What is a topic?", "Topics are for telling.", "A topic is a named stream of messages."
    )

    assert said.startswith("A topic is a named stream of messages. [2]")


async def test_beside_what_says_what_it_is_only_another_definition_is_quoted() -> None:
    text = "Wren is a small language. Wren has objects. A Wren program ends. Wren is a toy."
    ranks = {"small": 1.0, "objects": 1.0, "ends": 1.0, "toy": 0.9}

    assert await chosen("What is Wren?", text, ranks) == [
        "Wren is a small language.",
        "Wren is a toy.",
    ]
    assert len(await chosen("Tell me of Wren", text, ranks)) == 4


@pytest.mark.parametrize(
    ("question", "weak", "best"),
    [
        ("What is the deadline?", "Deadlines are listed elsewhere.", "Send it by 15 July."),
        ("What is Wren?", "Wren is welcoming everybody.", "It helps crews to plan boats."),
        ("What is a keel?", "A keel is inspected every year.", "It is the beam under a hull."),
    ],
)
async def test_what_only_begins_like_a_definition_puts_nothing_better_aside(
    question: str, weak: str, best: str
) -> None:
    said = await chosen(question, f"{weak}\n\n{best}", {weak: 0.5, best: 1.0})

    assert best in said


async def test_the_name_alone_says_nothing_of_what_it_is() -> None:
    text = "- Domain randomization\n- It varies lights."
    ranks = {"Domain": 1.0, "lights": 0.2}

    assert await chosen("What is domain randomization?", text, ranks) == ["It varies lights."]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the deadline?", "There is no deadline."),
        ("What is the fee?", "No fee"),
        ("What is the comment character?", "The comment character is `#`."),
        ("What is the escape character?", "Escape character: `\\`"),
    ],
)
async def test_a_denial_or_a_sign_is_more_than_the_name(question: str, answer: str) -> None:
    text = f"- {answer}\n- Hand it in at the office."

    assert answer in await chosen(question, text, {answer: 1.0, "": 0.1})


@pytest.mark.parametrize(
    ("question", "text", "best"),
    [
        (
            "What is a keel?",
            "The beam under it is called a keel.\n\n| Part | Price |\n|---|---|\n| Keel | 30 |",
            "The beam under it is called a keel.",
        ),
        (
            "What is `&` in C?",
            "Between numbers & keeps common bits.\n\n"
            "| Sign | Meaning |\n|---|---|\n| `+` | Adds both of its sides |",
            "Between numbers & keeps common bits.",
        ),
    ],
)
async def test_a_row_that_does_not_say_what_it_is_puts_nothing_better_aside(
    question: str, text: str, best: str
) -> None:
    said = await chosen(question, text, {best: 1.0, "": 0.5})

    assert said[0] == best


@pytest.mark.parametrize("joint", ["; a drain", ", whereas a drain", ", but a drain"])
async def test_what_contrasts_both_sides_is_quoted_before_what_begins_with_one(joint: str) -> None:
    best = f"A pump lifts water{joint} lets it go."
    text = f"{best}\n\n- Pumps are red.\n- Drains are blue."

    said = await chosen("How do pumps differ from drains?", text, {best: 1.0, "": 0.3})

    assert said == [best]


async def test_a_note_on_a_release_does_not_say_what_something_is() -> None:
    text = "## Hooks\n\n*New in version 1.4.*\n\nA list of scripts that are loaded."

    assert await chosen("What are hooks?", text, {"": 1.0}) == [
        "A list of scripts that are loaded."
    ]


@pytest.mark.parametrize(
    "signature",
    [
        "class boat.Sail(area=None, is_set=False)[source]",
        "boat.hoist(sail) -> None",
        "hoist(*sails)",
    ],
)
async def test_what_something_is_called_with_answers_nothing(signature: str) -> None:
    text = f"{signature}\n\nSails are hoisted at once."

    assert await chosen("Who hoists sails?", text, {signature: 1.0, "": 0.3}) == [
        "Sails are hoisted at once."
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "range(n) returns the numbers from 0 to n (exclusive).",
        "Student(s) must register by Friday (May 3).",
        "print() writes to standard output (the terminal).",
        "open(path) -> a file handle that must be closed.",
    ],
)
async def test_a_sentence_that_begins_like_a_signature_is_quoted(sentence: str) -> None:
    assert await chosen("What does it do?", sentence, {"": 1.0}) == [sentence]


async def test_a_fact_that_is_of_something_else_is_not_quoted_with_a_sentence() -> None:
    meaning = "It floats. " * 50
    text = f"Hull\n: {meaning.strip()}\n\nDefault: 30\n\nBoats are blue."

    said = await chosen("Which colour do boats have?", text, {"blue": 1.0, "": 0.1})

    assert said == ["Boats are blue."]


async def test_a_sentence_comes_with_the_facts_that_it_stands_under() -> None:
    text = "## ROBOTS_OBEY\n\nDefault: `False`\n\nScope: boats\n\nIf enabled, robots are obeyed."

    said = await chosen("Are robots obeyed?", text, {"If enabled": 1.0, "": 0.1})

    assert said == ["ROBOTS_OBEY: Default: `False`", "If enabled, robots are obeyed."]


async def test_code_whose_beginning_is_in_another_chunk_is_not_quoted() -> None:
    text = "Boat sails 12 knots\nBoat sails 13 knots\n```\n\nIt sails 11 knots."

    assert await chosen("How fast does the boat sail?", text, {"Boat": 1.0, "": 0.5}) == [
        "It sails 11 knots."
    ]


async def test_speech_without_a_stop_is_quoted_however_long_it_is() -> None:
    speech = "so today we look at the keel and how it holds the boat upright " * 20

    assert await chosen("What does the keel do?", speech, {"": 1.0}) == [speech.strip()]


async def test_what_is_too_long_for_a_sentence_is_not_quoted() -> None:
    log = "12:01:07 [boat] sails=12; " * 60
    said = await chosen(
        "How fast does the boat sail?", f"{log}\n\nBoats are fast.", {"12:01": 1, "": 0.5}
    )

    assert said == ["Boats are fast."]


INSTALLING = "## Install the boat\n\n```bash\nboat install\n```\n\n## Sail\n\n```bash\nsail\n```\n"


async def test_code_directly_under_the_heading_of_a_task_is_quoted_with_it() -> None:
    ranks = {"boat install": 1.0, "Install": 0.9, "Sail": 0.9, "sail": 0.9}

    said = await chosen("How do I install it?", INSTALLING, ranks)

    assert said == ["Install the boat", "```bash\nboat install\n```"]


async def test_code_before_steps_is_quoted_without_them() -> None:
    text = "## Install the boat\n\n```bash\nboat install\n```\n\n1. Open it.\n2. Close it.\n"

    said = await chosen("How do I install it?", text, {"boat install": 1.0, "": 0.1})

    assert said == ["Install the boat", "```bash\nboat install\n```"]


async def test_code_under_a_heading_is_quoted_for_no_other_question() -> None:
    assert await written("Is the boat installed?", INSTALLING) == ""


@pytest.mark.parametrize("between", ["", "These break it.\n\n", "## Sail\n\n```\nsail\n```\n\n"])
async def test_code_under_a_heading_that_is_denied_is_not_quoted(between: str) -> None:
    text = f"# Never do this\n\n{between}## Install the boat\n\n```bash\nboat install\n```\n"

    assert "boat install" not in await written("How do I install it?", text)


async def test_a_fact_is_quoted_with_the_heading_that_names_it_and_passes_the_check() -> None:
    made = await brief("What is the default of HULL_DEPTH?", "## HULL_DEPTH\n\nDefault: `7`\n")
    checking = checker(made.passages)

    said = [
        one async for one in checking.released(ExtractiveWriter().write(made), by_statement=True)
    ]

    assert said == ["HULL_DEPTH: Default: `7` [1]"]


@pytest.mark.spec("004 US1.2")
async def test_sentences_of_several_passages_are_put_together() -> None:
    said = await written(
        "How do robot arms turn?",
        "Robot arms turn by small motors.",
        "Robot arms turn inside thick cables.",
        GAZEBO,
    )

    assert "Robot arms turn by small motors. [1]" in said
    assert "Robot arms turn inside thick cables. [2]" in said
    assert "Gazebo" not in said


async def test_sentences_of_several_sections_are_paragraphs_of_their_own() -> None:
    first = "Robot arms turn by small motors. Robot arms turn inside thick cables."

    said = await written(
        "How do robot arms turn?", f"{first}\n\n## Care\n\nRobot arms turn quite slowly uphill."
    )

    assert said.split("\n\n") == [
        "Robot arms turn by small motors. [1] Robot arms turn inside thick cables. [1]",
        "Robot arms turn quite slowly uphill. [1]",
    ]


async def test_a_sentence_that_leans_on_the_one_before_brings_it_along() -> None:
    text = "The gripper is made of steel. It holds heavy objects firmly in place."

    assert await written("What holds heavy objects firmly in place?", text) == (
        "The gripper is made of steel. [1] It holds heavy objects firmly in place. [1]"
    )


async def test_what_says_the_same_is_said_once() -> None:
    said = await written("Do robot arms turn?", "Robot arms turn.", "Robot arms turn!")

    assert said == "Robot arms turn. [1]"


@pytest.mark.parametrize(
    "text",
    [
        "# Robot arms turn",
        "```sh\nrobot arms turn\n```",
        "Do robot arms turn?",
        "*Do robot arms turn?*",
    ],
)
async def test_headings_code_and_questions_answer_nothing(text: str) -> None:
    assert await written("Do robot arms turn?", text) == ""


async def test_lines_that_are_no_sentences_are_not_joined() -> None:
    text = "Robot arms turn left at noon\n\nSteel robot arms turn in Leeds"

    assert await written("Do robot arms turn?", text) == (
        "Robot arms turn left at noon [1]\n\nSteel robot arms turn in Leeds [1]"
    )


async def test_items_stand_on_lines_of_their_own() -> None:
    said = await written(
        "How do robot arms turn?", "- Robot arms turn left.\n- How arms turn: right."
    )

    assert said == "Robot arms turn left. [1]\n\nHow arms turn: right. [1]"


async def test_the_marks_of_a_quotation_are_not_quoted() -> None:
    said = await written("Do robot arms turn?", "> Robot arms\n> turn slowly.")

    assert said == "Robot arms turn slowly. [1]"


async def test_code_in_a_quotation_is_shown_without_its_marks() -> None:
    text = (
        "How robot arms turn:\n> > ```\n> > arm:\n> >   turn\n> >\n> >   > stop\n> > ```\n>\n> So."
    )

    assert await written("How do robot arms turn?", text) == (
        "How robot arms turn: [1]\n\n```\narm:\n  turn\n\n  > stop\n```"
    )


@pytest.mark.parametrize(
    "links",
    [
        "- [Do robot arms turn?](#turn)\n- [Robot arms of steel](#steel)",
        "1. [Do robot arms turn?](#turn)\n2. [Robot arms of steel](steel.html)",
        "[Robot arms turn](arms.md) | [Robot hands turn](hands.md)",
    ],
)
async def test_links_to_other_places_of_the_book_answer_nothing(links: str) -> None:
    assert await written("Do robot arms turn?", links) == ""


async def test_links_that_a_sentence_leads_to_are_quoted_with_it() -> None:
    text = "Robot arms turn in these parts:\n\n- [Left](#l)\n- [Right](#r)"

    assert await written("Which robot arms turn?", text) == (
        "Robot arms turn in these parts: [1]\n\n- Left [1]\n- Right [1]"
    )


async def test_a_link_to_another_site_may_answer() -> None:
    text = "- [Robot arms turn on this site](https://arms.example)"

    assert await written("Where do robot arms turn?", text) == "Robot arms turn on this site [1]"


async def test_nothing_to_quote_is_nothing_said() -> None:
    assert await written("Do robot arms turn?") == ""
    assert await written("Do robot arms turn?", "---\n\n...") == ""


WORDS = st.lists(
    st.sampled_from(["robot", "arm", "turn", "gazebo", "node", "not", "2", "it"]), max_size=8
)
SENTENCE = WORDS.map(lambda words: " ".join(["Robots", *words]) + ".")
PROSE = st.lists(SENTENCE, min_size=1, max_size=12).map(" ".join)


@pytest.mark.spec("004 FR-011")
@trying(short=80, long=4_000)
@given(WORDS.map(" ".join), st.lists(st.one_of(PROSE, documents(PLAIN_BLOCK)), max_size=3))
async def test_whatever_the_evidence_an_answer_is_short_and_stands_in_it(
    question: str, texts: list[str]
) -> None:
    made = await brief(question, *texts)
    chosen = best_sentences(made)

    assert len(chosen) <= 2 * MAX_SENTENCES
    assert sum(len(one.shown) for one in chosen[1:]) <= MAX_CHARACTERS
    assert len({(one.statement.passage, one.statement.start) for one in chosen}) == len(chosen)
    by_number: dict[int, Passage] = {each.number: each for each in made.passages}
    for one in chosen:
        text = by_number[one.statement.passage].text
        written = iter(text[one.statement.start : one.statement.end])
        assert all(char in written for char in one.statement.text if not char.isspace())


@trying(short=60, long=3_000)
@given(WORDS.map(" ".join), st.lists(PROSE, min_size=1, max_size=3))
async def test_what_is_quoted_passes_the_check(question: str, texts: list[str]) -> None:
    made = await brief(question, *texts)

    checking = checker(made.passages)
    passed = [one async for one in checking.released(ExtractiveWriter().write(made))]

    assert len(passed) == len(best_sentences(made))


RUN = "```sh\nrustup self uninstall\n```"


async def test_code_is_quoted_after_the_sentence_before_it_though_that_does_not_lead_to_it() -> (
    None
):
    text = "Docks can be built typed. It takes a flag.\n\n```\nmake-dock --typed harbour\n```"

    said = await written("make-dock typed harbour", "Boats are red.", text)

    assert said.startswith("Docks can be built typed. [2] It takes a flag. [2]\n\n```")
    assert "make-dock --typed harbour" in said


async def test_code_is_quoted_after_the_sentence_that_introduces_it() -> None:
    text = f"To remove the arm program, run:\n\n{RUN}\n\nThen rest."
    made = await brief("How do I remove the arm program?", text)
    checking = checker(made.passages)

    said = "".join([one async for one in checking.released(ExtractiveWriter().write(made))])

    assert said == f"To remove the arm program, run: [1]\n\n{RUN}\n\n[1]"


async def test_a_list_is_quoted_whole_after_the_sentence_that_introduces_it() -> None:
    said = await written(
        "Which parts does the robot arm have?",
        "The robot arm has these parts:\n\n- the hand\n- the elbow\n- the wrist\n\nIt is red.",
    )

    assert said == (
        "The robot arm has these parts: [1]\n\n- the hand [1]\n- the elbow [1]\n- the wrist [1]"
    )


async def test_a_sentence_is_not_quoted_without_what_it_introduces() -> None:
    said = await written(
        "How do I remove the arm program?", "Remove the arm program by hand.", "To remove it, run:"
    )

    assert said == "Remove the arm program by hand. [1]"


async def test_a_row_is_quoted_with_the_names_of_its_columns() -> None:
    text = "| Flag | Default |\n|---|---|\n| `--jobs` | 4 |\n| `--port` | 3000 |\n"

    said = await written("What is the default of --port?", text)

    assert "Flag: `--port`; Default: 3000 [1]" in said.split("\n")


async def test_a_row_with_the_names_of_its_columns_passes_the_check() -> None:
    text = "| Flag | What it does |\n|---|---|\n| `--port` | The port. Use 3000. |\n"
    one = await brief("What does --port do?", text)
    check = checker(one.passages)

    written_pieces = ExtractiveWriter().write(one)
    said = [piece async for piece in check.released(written_pieces, by_statement=True)]

    assert said == ["Flag: `--port`; What it does: The port. Use 3000. [1]"]
    assert check.sources.citations()[0].quote == "| `--port` | The port. Use 3000. |"


async def test_the_sentence_after_a_question_answers_it() -> None:
    text = "Can a robot have two heads? Yes, up to four of them."

    assert await written("Can a robot have two heads?", text) == "Yes, up to four of them. [1]"


async def test_of_a_comparison_each_side_is_quoted() -> None:
    said = await written(
        "What is the difference between servos and steppers?",
        "Servos measure where they are. Arms use them.",
        "Steppers count their steps. Printers use them.",
        GAZEBO,
    )

    assert "Servos measure where they are. [1]" in said
    assert "Steppers count their steps. [2]" in said
    assert "Gazebo" not in said


async def test_an_item_stands_on_a_line_of_its_own_after_the_check() -> None:
    text = "After five requests and the other requirements:\n\n- Find *two* sponsors.\n- Wait.\n"
    one = await brief("How many requests and other requirements?", text)

    pieces = checker(one.passages).released(ExtractiveWriter().write(one), by_statement=True)
    said = "".join([piece async for piece in pieces])

    assert said == (
        "After five requests and the other requirements: [1]\n\n"
        "- Find two sponsors. [1]\n- Wait. [1]"
    )


async def test_whoever_asks_how_gets_all_steps() -> None:
    said = await written(
        "How do I change the filter of the pump?",
        "To change the filter:\n\n1. Switch the pump off. Wait a minute.\n2. Pull the old filter"
        " out of the pump.\n3. Push the new one in.\n\nFilters last a year.",
    )

    assert said == (
        "To change the filter: [1]\n\n1. Switch the pump off. [1] Wait a minute. [1]"
        "\n2. Pull the old filter out of the pump. [1]\n3. Push the new one in. [1]"
    )


async def test_steps_keep_their_numbers_without_an_introduction_and_after_code() -> None:
    said = await written(
        "How do I change the filter of the pump?",
        "## Change the filter\n\n1. Switch the pump off:\n\n    ```sh\n    pump off\n    ```\n\n"
        "2. Pull the old filter out of the pump.",
    )

    assert said == (
        "1. Switch the pump off: [1]\n\n```sh\npump off\n```"
        "\n\n2. Pull the old filter out of the pump. [1]"
    )


async def test_whoever_asks_for_a_list_gets_all_of_it() -> None:
    table = "| Code | Meaning |\n|---|---|\n| 0 | it ended well |\n| 1 | it failed |"
    items = "- A cup of flour.\n- Three eggs.\n- Some salt."

    assert await written("Which exit codes are there?", f"## Exit codes\n\n{table}") == (
        "Code: 0; Meaning: it ended well [1]\n\nCode: 1; Meaning: it failed [1]"
    )
    said = await written("List all of the ingredients of the dough.", f"## Dough\n\n{items}")
    assert all(one in said for one in ("flour", "eggs", "salt"))


async def test_a_yes_comes_with_what_it_is_followed_by() -> None:
    text = "## Does it work offline?\n\nYes. Rules and scenes work in the local network."

    assert await written("Does it work in the local network?", text) == (
        "Yes. [1] Rules and scenes work in the local network. [1]"
    )


async def test_what_stands_first_under_a_name_defines_it() -> None:
    question = "What is dew pointing?"
    glossary = passage(1, "A way of laying bricks in damp weather. It was common in the north.")
    named = replace(glossary, source=replace(glossary.source, title="Dew-pointing"))
    passages = (named, passage(2, "Masons like dew pointing. It is cheap."))
    quotable = read_statements(passages)

    found = best_sentences(Brief(question, "general", passages, quotable, (0.7, 0.2, 1.0, 0.1)))

    assert found[0].shown == "A way of laying bricks in damp weather."


async def test_a_table_with_a_column_for_each_side_of_a_comparison_is_quoted_whole() -> None:
    text = (
        "| Property | LR-12 | LR-25 |\n|---|---|---|\n| Batch | 12 kg | 25 kg |\n"
        "| Power | 2 kW | 3 kW |\n"
    )

    found = await chosen("Difference between LR-12 and LR-25?", text, {"Batch": 1.0, "": 0.1})

    assert found == [
        "Property: Batch; LR-12: 12 kg; LR-25: 25 kg",
        "Property: Power; LR-12: 2 kW; LR-25: 3 kW",
    ]


async def test_the_less_sure_the_best_statement_is_the_more_is_quoted() -> None:
    ranks = (1.0, 0.6, 0.4)
    told = await brief("How long is it?", "It is red.", "Its length is on the label.", "It is new.")

    for probability, count in ((None, 1), (0.97, 1), (0.6, 2)):
        read = replace(told, ranks=ranks, probability=probability)
        assert len(best_sentences(read)) == count


async def test_what_is_far_from_the_best_comes_after_it() -> None:
    told = await brief("How long is it?", "Bees are red. Wrens are new. The label says its length.")
    ranked = replace(told, ranks=(0.6, 0.1, 1.0), probability=0.6)

    assert [one.shown for one in best_sentences(ranked)] == [
        "The label says its length.",
        "Bees are red.",
    ]


async def test_what_leans_on_the_best_stays_behind_it() -> None:
    text = "The cable is long. It has a label. Wrens are new. Bees know the length of cables."
    told = await brief("How long is the cable?", text)
    ranked = replace(told, ranks=(1.0, 0.6, 0.1, 0.9), probability=0.6)

    assert [one.shown for one in best_sentences(ranked)] == [
        "The cable is long.",
        "It has a label.",
        "Bees know the length of cables.",
    ]


async def test_a_side_of_a_comparison_is_quoted_for_itself() -> None:
    question = "liveness vs readiness probe"
    texts = (
        "A startup probe runs once, unlike a liveness or readiness probe.",
        "A liveness probe restarts what hangs.",
        "A readiness probe keeps requests away.",
    )
    passages = tuple(passage(number, text) for number, text in enumerate(texts, 1))

    found = best_sentences(
        Brief(question, "general", passages, read_statements(passages), (0.9, 0.4, 1.0))
    )

    assert {one.statement.passage for one in found} == {2, 3}


async def test_what_begins_with_a_side_need_not_be_as_good_as_other_statements() -> None:
    question = "What is the difference between a topic and a service?"
    text = (
        "A topic is a stream of messages. This lesson asks a question with a service."
        " A service is a pair of messages."
    )

    found = await chosen(question, text, {"stream": 1.0, "lesson": 0.24, "pair": 0.2})

    assert found == [
        "A topic is a stream of messages.",
        "A service is a pair of messages.",
    ]


async def test_what_only_comes_to_a_side_does_not_begin_with_it() -> None:
    question = "soft and hard stops, how do they differ?"
    text = (
        "You can set soft and hard stops. A soft stop brakes slowly."
        " However, even with the hard stop, gears may wear. A hard stop cuts the current."
    )

    found = await chosen(question, text, {"cuts": 0.5, "": 1.0})

    assert found == [
        "A soft stop brakes slowly.",
        "A hard stop cuts the current.",
    ]


async def test_of_each_side_what_begins_with_it_is_quoted() -> None:
    question = "Request vs RequestResponse"
    text = (
        "You can log at the levels Request and RequestResponse.\n\n"
        "- `Request` - the request alone\n- `RequestResponse` - the request and the response\n\n"
        "Each request costs time.\n"
    )

    found = await chosen(question, text, {"levels": 1.0, "": 0.6})

    assert found == [
        "`Request` - the request alone",
        "`RequestResponse` - the request and the response",
    ]


async def test_an_item_is_quoted_with_the_items_under_it() -> None:
    text = (
        "- Node.js version 20.0 or above:\n"
        "  - Check all boxes for dependencies.\n"
        "- A browser of this year\n"
    )

    assert await written("Which version of Node.js is needed?", text) == (
        "Node.js version 20.0 or above: [1]\n- Check all boxes for dependencies. [1]"
    )


async def test_an_item_that_goes_on_below_is_quoted_with_what_stands_there() -> None:
    text = (
        "We pay for:\n\n- coffee\n- first class, if\n  - it takes four hours, and\n"
        "  - your manager agrees\n- upgrades\n"
    )

    assert await written("Is first class allowed?", text) == (
        "first class, if [1]\n- it takes four hours, and [1]\n- your manager agrees [1]"
    )


async def test_items_of_items_are_set_in() -> None:
    text = (
        "What is not paid:\n\n- wine\n- first class, if\n  - it is short\n  - or slow\n- upgrades\n"
    )

    assert await written("What is not paid?", text) == (
        "What is not paid: [1]\n\n- wine [1]\n- first class, if [1]\n   - it is short [1]\n"
        "   - or slow [1]\n- upgrades [1]"
    )


async def test_a_symptom_is_quoted_with_its_cause_and_its_solution() -> None:
    text = (
        "**Symptom**: The arm is not found\n\n**Cause**: It is not sourced.\n\n"
        "**Solution**: Source it:\n\n```\nsource setup.bash\n```\n\nArms are made of steel."
    )

    assert await chosen("The arm is not found", text, {"Symptom": 1.0, "": 0.1}) == [
        "Symptom: The arm is not found",
        "Cause: It is not sourced.",
        "Solution: Source it:",
        "```\nsource setup.bash\n```",
    ]


async def test_a_line_that_names_what_code_does_is_quoted_with_the_code() -> None:
    text = "Undo a commit\n\n```\ngit reset HEAD^\n```\n\nUndo a merge\n\n```\ngit merge -a\n```"

    assert await written("How to undo a commit?", text) == (
        "Undo a commit [1]\n\n```\ngit reset HEAD^\n```"
    )


async def test_a_definition_that_leads_to_code_is_quoted_with_it() -> None:
    text = "Recovery\n: Lost files are listed so:\n\n```\nfsck\n```\n\nSmall boats float."

    assert await written("What is recovery?", text) == (
        "Recovery: Lost files are listed so: [1]\n\n```\nfsck\n```"
    )


async def test_rows_that_differ_in_one_cell_are_both_quoted() -> None:
    text = (
        "| Reason | Days | Paid |\n|---|---|---|\n| Bereavement, close family | 5 | yes |\n"
        "| Bereavement, others | 1 | yes |\n| Exams | 1 | no |\n"
    )

    found = await chosen("Bereavement leave", text, {"Bereavement": 1.0, "": 0.1})

    assert found == [
        "Reason: Bereavement, close family; Days: 5; Paid: yes",
        "Reason: Bereavement, others; Days: 1; Paid: yes",
    ]


async def test_what_says_where_to_read_is_quoted_only_if_nothing_comes_near_it() -> None:
    text = "See the manual for arms.\n\nArms are made of steel.\n\nFor arms, see elsewhere."

    assert await chosen("Arms?", text, {"manual": 1.0, "steel": 0.8, "": 0.9}) == [
        "Arms are made of steel."
    ]
    assert await chosen("Arms?", text, {"manual": 1.0, "": 0.1}) == ["See the manual for arms."]


async def test_an_example_is_quoted_after_what_it_is_an_example_of() -> None:
    text = "Foreign keys are off. For example:\n\n```\nCREATE TABLE t;\n```"

    assert await chosen("Are foreign keys on?", text, {"example": 1.0, "": 0.2}) == [
        "Foreign keys are off.",
        "For example:",
        "```\nCREATE TABLE t;\n```",
    ]


@pytest.mark.parametrize("leader", ["For example:", "It looks like this:", "Do the following:"])
async def test_an_example_of_what_stands_elsewhere_answers_nothing(leader: str) -> None:
    text = f"{leader}\n\n```\nCREATE TABLE t;\n```\n\n# Keys\n\nForeign keys are off."

    assert await chosen("Are foreign keys on?", text, {leader: 1.0, "CREATE": 0.9, "": 0.2}) == [
        "Foreign keys are off."
    ]


async def test_a_leader_that_says_what_follows_needs_nothing_before_it() -> None:
    text = "There are three modes:\n\n- slow\n- fast\n- safe"

    assert (await chosen("Which modes?", text, {"modes": 1.0, "": 0.2}))[0] == (
        "There are three modes:"
    )


@pytest.mark.parametrize(
    ("text", "denial"),
    [
        ("You must not:\n\n- hit pumps.\n- kick it.", "You must not:"),
        ("Never carry these\n\n- iron pumps.\n- food.", "Never carry these"),
        ("# Never do this\n\n## Pumping\n\n- Hit pumps.\n- Kick it.", "Never do this"),
        ("Do not keep these parts:\n\nProbe of pumps 4471\n\n## Other", "Do not keep these parts:"),
        ("You must not carry:\n\nIron pumps\n: They burst.", "You must not carry:"),
        ("Never use:\n\n| Pumps | Hoses |\n|---|---|\n| pumps 1 | b |\n| c | d |", "Never use:"),
    ],
)
@pytest.mark.parametrize("question", ["What about it?", "pumps vs hoses"])
async def test_what_denies_an_answer_is_quoted_before_it(
    question: str, text: str, denial: str
) -> None:
    assert (await chosen(question, text, {"pumps": 1.0, "": 0.1}))[0] == denial


async def test_a_part_of_a_sentence_is_quoted_with_what_it_goes_on_from() -> None:
    text = "You need:\n\n- water\n- a boat, with\n  - two oars,\n  - a sail\n\nIt is fun."

    assert await chosen("Are oars needed?", text, {"oars": 1.0, "": 0.2}) == [
        "You need:",
        "a boat, with",
        "two oars,",
    ]


async def test_a_part_of_a_sentence_tells_of_no_side_of_a_comparison() -> None:
    text = (
        "You need:\n\n- oars (not with sails),\n- water\n\nOars are of wood.\n\nSails are of linen."
    )

    assert await chosen("oars vs sails", text, {"not": 1.0, "wood": 0.4, "linen": 0.4, "": 0}) == [
        "Oars are of wood.",
        "Sails are of linen.",
    ]


async def test_a_sentence_that_leads_to_nothing_is_quoted_if_all_else_is_much_worse() -> None:
    text = "Needs version 20:\n\n## Other\n\nWrens sing at dawn."

    assert await chosen("Which version?", text, {"20": 1.0, "": 0.3}) == ["Needs version 20:"]


async def test_a_sentence_that_leads_to_a_sentence_is_quoted_with_it() -> None:
    text = "Keep these parts:\n\nProbe 4471 Bearing 2208\n\n## Other\n\nWrens sing at dawn."

    assert await chosen("Which parts?", text, {"parts": 1.0, "": 0.3}) == [
        "Keep these parts:",
        "Probe 4471 Bearing 2208",
    ]


async def test_what_stands_before_the_heading_of_that_name_defines_nothing() -> None:
    text = "Robots that walk are rare.\n\n## Gazebo\n\nWorlds are simulated with physics."

    said = await written("What is Gazebo?", text)

    assert said == "Worlds are simulated with physics. [1]"


async def test_a_single_word_is_no_answer() -> None:
    said = await written("export robot arms", "- robot-arms.pdf\n\nExport the robot by hand.")

    assert said == "Export the robot by hand. [1]"


async def test_a_message_that_is_asked_for_comes_with_what_it_means() -> None:
    text = (
        "The compiler then reports:\n\n```text\nerror: no method named next found\n```\n\n"
        "Wrens sing at dawn. Owls hoot at night."
    )

    assert await written("error: no method named next found", text) == (
        "The compiler then reports: [1]\n\n```text\nerror: no method named next found\n```"
        "\n\nWrens sing at dawn. [1]"
    )


def told_of(question: str, *passages: Passage) -> list[str]:
    """What is quoted of passages, the best first, if their first block of code is the best."""
    quotable = read_statements(passages)
    ranks = tuple(1.0 if one.kind == "code" else 0.1 for one in quotable)
    return [
        one.shown for one in best_sentences(Brief(question, "general", passages, quotable, ranks))
    ]


CODE = "```text\nerror: no method named next found\n```"


@pytest.mark.parametrize(
    ("document", "first_line", "overlap", "is_next"),
    [
        ("birds", 7, "", True),
        ("birds", 3, f"{CODE}\n\n", True),
        ("birds", 9, "", False),
        ("bees", 7, "", False),
    ],
    ids=["after it", "with an overlap", "further down", "of another document"],
)
def test_what_a_message_means_may_stand_in_the_next_passage(
    document: str, first_line: int, overlap: str, *, is_next: bool
) -> None:
    shown = passage(1, f"It reports:\n\n{CODE}", document="birds")
    text = f"{overlap}Wrens sing at dawn. Owls hoot at night."
    after = passage(2, text, document=document, first_line=first_line)

    said = told_of("error: no method named next found", shown, after)

    assert ("Wrens sing at dawn." in said) is is_next


async def test_a_term_is_quoted_with_its_definition_and_passes_the_check() -> None:
    text = "Hull\n: The body of a boat. It floats.\n\nKeel\n: The beam under it.\n"
    made = await brief("What is a hull?", text)
    checking = checker(made.passages)

    said = [
        one async for one in checking.released(ExtractiveWriter().write(made), by_statement=True)
    ]

    assert said == ["Hull: The body of a boat. It floats. [1]"]


async def test_whoever_asks_for_a_list_gets_all_definitions() -> None:
    text = "Boats have these parts:\n\nHull\n: What floats.\n\nKeel\n: What holds it upright.\n"

    said = await written("What are the parts of boats?", text)

    assert said.split("\n\n") == [
        "Boats have these parts: [1]",
        "Hull: What floats. [1]",
        "Keel: What holds it upright. [1]",
    ]


LAMPS = "## Lamps\n\nThe lamps have two colours.\n\n- Green: go.\n- Red: stop.\n"
OPTIONS = "| Option | Default |\n|---|---|\n| port | 80 |\n| log | off |\n"


async def test_a_list_of_what_is_asked_for_is_quoted_whole() -> None:
    by_item = {"colours": 0.1, "Lamps": 0.1, "Green": 0.9, "Red": 0.5}
    by_lead = {"colours": 0.9, "Lamps": 0.1, "Green": 0.1, "Red": 0.1}
    by_row = {"port": 0.9, "log": 0.5, "Option": 0.1}

    items = ["Green: go.", "Red: stop."]
    assert await chosen("What do the lamps mean?", LAMPS, by_item) == items
    assert await chosen("What do the colours mean?", LAMPS, by_lead) == [
        "The lamps have two colours.",
        *items,
    ]
    assert await chosen("Which options does it have?", OPTIONS, by_row) == [
        "Option: port; Default: 80",
        "Option: log; Default: off",
    ]


SENTENCE_OF_COLOURS = "It has the colours red and blue. Nice."


@pytest.mark.parametrize(
    ("question", "text", "best", "answer"),
    [
        # One of them is meant.
        ("Which options does it have for logs?", OPTIONS, "log", "Option: log; Default: off"),
        # The list is of something else.
        ("Which formats does it have?", LAMPS, "Red", "Red: stop."),
        ("Which formats does it have?", LAMPS, "colours", "The lamps have two colours."),
        # A sentence answers.
        ("Which colours has it?", SENTENCE_OF_COLOURS, "red", "It has the colours red and blue."),
    ],
)
async def test_a_list_is_not_quoted_whole_if_one_statement_answers(
    question: str, text: str, best: str, answer: str
) -> None:
    assert await chosen(question, text, {best: 0.9, "": 0.1}) == [answer]


ASKED = "## How do I install the boat lift?"
ITEMS = ("Dig a hole.", "Pour the concrete.", "Wait for a week.")


@pytest.mark.parametrize("loose", ["\n", "\n\n"])
@pytest.mark.parametrize("bullets", [("1. ", "2. ", "3. "), ("- ", "- ", "- ")])
@pytest.mark.parametrize("lead", [[], ["To have it stand:"]])
@pytest.mark.parametrize("asked", [ASKED, "**How do I install the boat lift?**"])
async def test_a_list_under_the_question_itself_is_quoted_whole(
    asked: str, lead: list[str], bullets: tuple[str, ...], loose: str
) -> None:
    items = loose.join(map("".join, zip(bullets, ITEMS, strict=True)))
    text = "\n\n".join([asked, *lead, items, "The lift is red."])

    found = await chosen("How do I install the boat lift?", text, {"Dig": 1.0, "": 0.1})

    assert found == [*lead, *ITEMS]


async def test_a_table_under_the_question_itself_is_quoted_whole() -> None:
    text = f"## How long do lamps last?\n\n{OPTIONS}"

    assert await chosen("How long do lamps last?", text, {"port": 1.0, "": 0.1}) == [
        "Option: port; Default: 80",
        "Option: log; Default: off",
    ]


async def test_a_list_under_another_question_is_not_quoted_whole() -> None:
    text = "## How do I install the boat?\n\n- Dig a hole.\n- Pour the concrete.\n"

    found = await chosen("How do I install the boat lift?", text, {"Dig": 1.0, "": 0.1})

    assert found == ["Dig a hole."]


STATUSES = (
    "The status of a parcel means:\n\n- lost: nobody has seen it. Not for days.\n"
    "- held: it waits for a payment.\n- sent: it is on its way.\n"
)
BY_LEAD = {"status": 1.0, "": 0.8}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does the status lost mean?", ["lost: nobody has seen it.", "Not for days."]),
        ("What does the status held mean?", ["held: it waits for a payment."]),
        (
            "What do the statuses held and sent mean?",
            ["held: it waits for a payment.", "sent: it is on its way."],
        ),
    ],
)
async def test_of_a_list_the_items_are_quoted_that_the_question_names(
    question: str, answer: list[str]
) -> None:
    assert await chosen(question, STATUSES, BY_LEAD) == answer


FLAGS = "You must not set these flags:\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "| Flag | Value |\n|---|---|\n| port | 80 |\n| host | x |\n",
        "- port: 80 it is.\n- host: x it is.\n",
        "port\n: 80 it is.\n\nhost\n: x it is.\n",
    ],
)
@pytest.mark.parametrize("best", ["must", "80"])
@pytest.mark.parametrize("question", ["What about the port?", "Which port flags are there?"])
async def test_what_a_question_names_comes_with_what_denies_it(
    question: str, best: str, text: str
) -> None:
    found = await chosen(question, FLAGS + text, {best: 1.0, "80": 0.9, "": 0.1})

    assert found[0] == FLAGS.strip()
    assert "80" in found[1]


LOOSE_STATUSES = STATUSES.replace(". Not", ".\n\n  Not").replace("\n- ", "\n\n- ")


@pytest.mark.parametrize("ranks", [BY_LEAD, {"held": 1.0, "Not": 0.95, "": 0.9}])
async def test_of_a_list_of_paragraphs_the_item_is_quoted_that_the_question_names(
    ranks: Mapping[str, float],
) -> None:
    held = await chosen("What does the status held mean?", LOOSE_STATUSES, ranks)
    lost = await chosen("What does the status lost mean?", LOOSE_STATUSES, ranks)

    assert held == ["held: it waits for a payment."]
    assert lost == ["lost: nobody has seen it.", "Not for days."]


async def test_a_list_is_quoted_whole_if_it_is_asked_for() -> None:
    assert len(await chosen("What does the status of a parcel mean?", STATUSES, BY_LEAD)) == 5
    assert len(await chosen("What do the statuses mean?", STATUSES, BY_LEAD)) == 5


async def test_of_a_table_the_row_is_quoted_that_the_question_names() -> None:
    ranks = {"port": 0.5, "": 0.9}

    assert await chosen("What is the default port?", OPTIONS, ranks) == [
        "Option: port; Default: 80"
    ]
    # An answer that is much better needs no name.
    ranks = {"port": 0.1, "": 0.9}
    assert await chosen("What is off by default, the port?", OPTIONS, ranks) == [
        "Option: log; Default: off"
    ]


async def test_a_row_is_quoted_with_the_cell_that_spans_it_and_cited_from_there() -> None:
    text = (
        "<table>\n<tr><th>Sensor</th><th>Bound</th><th>Value</th></tr>\n"
        '<tr><td rowspan="2">Probe</td><td>lowest</td><td>4 K</td></tr>\n'
        "<tr><td>highest</td><td>88 K</td></tr>\n</table>\n"
    )
    one = await brief("What is the highest value of the probe?", text)
    one = replace(one, ranks=tuple(float("highest" in each.shown) for each in one.quotable))
    check = checker(one.passages)

    said = [
        piece async for piece in check.released(ExtractiveWriter().write(one), by_statement=True)
    ]
    [citation] = check.sources.citations()

    assert said == ["Sensor: Probe; Bound: highest; Value: 88 K [1]"]
    assert text[citation.start : citation.end] == citation.quote
    assert citation.plain == "Probe lowest 4 K highest 88 K"


async def test_steps_are_quoted_with_the_paragraphs_that_stand_in_them() -> None:
    text = (
        "1. Switch the pump off.\n\n   The lamp goes out.\n\n2. Pull the filter.\n\n"
        "   ```sh\n   pump test\n   ```\n\n3. Push the new one in.\n\nFilters last a year.\n"
    )

    assert await chosen("How do I change the filter?", text, {"Pull": 1.0, "": 0.1}) == [
        "Switch the pump off.",
        "The lamp goes out.",
        "Pull the filter.",
        "```sh\npump test\n```",
        "Push the new one in.",
    ]


async def test_the_items_of_a_list_keep_their_bullets_after_code() -> None:
    text = "## How do I stop it?\n\nSo:\n\n- Run this:\n\n  ```sh\n  stop\n  ```\n\n- Wait.\n"

    assert (await written("How do I stop it?", text)).endswith("```\n\n- Wait. [1]")


async def test_what_has_the_very_name_of_a_list_answers_instead_of_its_neighbours() -> None:
    table = "| Key | Use |\n|---|---|\n| `log_level` | debug or error |\n| `port` | the port |\n"

    assert await chosen("What are the log levels?", table, {"log": 1.0, "": 0.3}) == [
        "Key: `log_level`; Use: debug or error"
    ]
    assert len(await chosen("What are the parts of a log?", table, {"log": 1.0, "": 0.3})) == 2


async def test_a_term_that_is_compared_is_quoted_though_it_names_the_other() -> None:
    text = "Leader\n: It orders messages.\n\nFollower\n: It copies what the leader orders.\n"

    assert await chosen("leader vs follower", text, {"Follower": 1.0, "": 0.5}) == [
        "Leader: It orders messages.",
        "Follower: It copies what the leader orders.",
    ]


async def test_sentences_between_the_question_and_its_list_are_quoted_with_it() -> None:
    text = "## How do I stop it?\n\nFirst rest. Then:\n\n- Run.\n- Wait for it.\n\nThe end."

    assert await chosen("How do I stop it?", text, {"Wait": 1.0, "": 0.1}) == [
        "First rest.",
        "Then:",
        "Run.",
        "Wait for it.",
    ]


async def test_what_stands_under_the_name_of_a_list_that_is_asked_for_is_near_it() -> None:
    text = f"## Switches\n\n{OPTIONS}\n## Keys\n\nThe key is sent with each request."

    assert await chosen("Which switches are there?", text, {"sent": 1.0, "port": 0.6, "": 0.1}) == [
        "Option: port; Default: 80",
        "Option: log; Default: off",
        "The key is sent with each request.",
    ]
    assert await chosen("Which doors are there?", text, {"sent": 1.0, "": 0.5}) == [
        "The key is sent with each request.",
    ]


def quoted_of_lists(items: int) -> None:
    lead = " ".join(f"word{n}" for n in range(130))
    lists = "".join(f"- a{n}: x{n}\n\np{n} q{n}.\n\n" for n in range(items))
    passages = selection_evidence(f"{lead}.\n\n{lists}")
    quotable = read_statements(passages)
    told = Brief("What is a zebra?", "general", passages, quotable, (1.0,) * len(quotable))
    best_sentences(told)


def test_a_long_selection_of_lists_is_quoted_in_proportion_to_its_length() -> None:
    half, whole = (calls_of(partial(quoted_of_lists, items)) for items in (120, 240))

    # What is quadratic makes four times as many.
    assert whole < 3 * half


class ThreadsOfReaders(tuple[float, ...]):
    """Ranks that know which threads have read them."""

    def __init__(self, _: object) -> None:
        self.threads: set[int] = set()

    def __iter__(self) -> Iterator[float]:
        self.threads.add(threading.get_ident())
        return super().__iter__()


async def test_others_are_served_while_the_best_sentences_are_found() -> None:
    told = await brief("What does Gazebo simulate with physics?", GAZEBO)
    ranks = ThreadsOfReaders(told.ranks)

    assert [one async for one in ExtractiveWriter().write(replace(told, ranks=ranks))]
    assert threading.get_ident() not in ranks.threads != set()


async def test_a_block_is_as_long_as_what_is_shown_of_it() -> None:
    cells = 4 * f"<td rowspan=99>{'word ' * 30}</td>"
    rows = "".join(f"<tr><td>port{n}</td></tr>" for n in range(9))
    ranks = {"have": 1.0, "": 0.9}

    found = await chosen(
        "Which ports does it have?",
        f"It may have these ports:\n\n<table><tr>{cells}<td>a</td></tr>{rows}</table>",
        ranks,
    )

    assert sum(map(len, found)) <= MAX_BLOCK_CHARACTERS
