"""Everything that the evidence says, sentence by sentence, some of it with its meaning."""

from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given

from sourcebook.answering.sentence_embedder import SentenceEmbedder, cosine
from sourcebook.answering.statements import (
    MAX_EMBEDDED,
    embed_statements,
    governing_lead,
    governing_lead_of_each,
    read_statements,
    with_antecedent,
)
from sourcebook.core.documents import Extent, Span
from tests.fakes import FakeEmbedder
from tests.fuzz.profile import trying
from tests.unit.answering.passages import passage
from tests.unit.ingestion.chunking.texts import PLAIN_BLOCK, documents


def test_statements_stand_in_order_with_their_passages_and_kinds() -> None:
    found = read_statements(
        [passage(1, "# Arms\n\nArms turn. Legs walk."), passage(2, "- Wheels roll.")]
    )

    assert [(one.statement.passage, one.kind, one.statement.text) for one in found] == [
        (1, "heading", "Arms"),
        (1, "prose", "Arms turn."),
        (1, "prose", "Legs walk."),
        (2, "item", "Wheels roll."),
    ]


@trying(short=100, long=5_000)
@given(documents(PLAIN_BLOCK))
def test_a_statement_has_what_a_reader_sees_at_its_place(text: str) -> None:
    for one in read_statements([passage(1, text)]):
        written = iter(text[one.statement.start : one.statement.end])
        assert one.statement.text != ""
        assert all(char in written for char in one.statement.text if not char.isspace())


def test_a_statement_shows_no_marks_and_its_span_has_them() -> None:
    text = "Use the **[ros2 bag](https://example.org/bag)** tool.[^1] It _records_."

    first, second = (one.statement for one in read_statements([passage(1, text)]))

    assert (first.text, second.text) == ("Use the ros2 bag tool.", "It records.")
    assert text[first.start : first.end].endswith("(https://example.org/bag)** tool.[^1]")


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("Der Knoten wird vom Dienst überwacht. Überwachte Knoten antworten.", "uberwacht"),
        ("Le nœud est surveillé par le service. Nœuds surveillés.", "surveil"),
        ("El nodo es vigilado por el servicio. Nodos vigilados.", "vigil"),
    ],
)
def test_words_are_read_in_the_language_of_their_passage(text: str, stem: str) -> None:
    first, second = read_statements([passage(1, text)])

    assert stem in first.statement.content & second.statement.content


@pytest.mark.parametrize(
    ("text", "governed"),
    [
        ("You must not:\n\n- Open the lid.\n- Wash the drum.", ["Open the lid.", "Wash the drum."]),
        ("## What not to do\n\n1. Open the lid.", ["Open the lid."]),
        ("On Linux:\n\n- Open a shell.\n\nClose it.", ["Open a shell."]),
        ("The steps are:\n\n- Open the lid.", []),
        ("For example:\n\n- Open the lid.", []),
        ("Avoid:\n\n- Lids.\n\n  They burn.\n\n- Drums.", ["Lids.", "They burn.", "Drums."]),
        ("Avoid:\n\n- Parts:\n  - Lids.\n\nGo.", ["Parts:", "Lids."]),
        ("- On Linux:\n  - Go.\n\n    Rest.\n- Stop.", ["Go.", "Rest."]),
        ("- Lids.\n\n  On Linux:\n\n  - Go.\n- Stop.", ["Go."]),
        ("- Lids:\n  - Go.\n\n  On Linux:\n\n  - Rest.\n- Stop.", ["Rest."]),
        ("- On Linux:\n\n  Go.\n\n- Stop.", ["Go."]),
        ("Avoid:\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\nGo.", ["| 1 | 2 |"]),
        ("Avoid:\n\nLids\n: Hot.\n\nDrums\n: Cold.", ["Lids : Hot.", "Drums : Cold."]),
        ("Avoid:\n\n<table><tr><td>Lids</td><td>Drums</td></tr></table>", ["Lids Drums"]),
        ("Avoid:\n\n- Lids:\n\n  | A | B |\n\n- Drums.", ["Lids:", "| A | B |", "Drums."]),
        ('"It is safe. It holds," she said. It broke.', ['"It is safe.', 'It holds," she said.']),
        ("She left. “Nobody came.” It rained.", ["“Nobody came.”"]),
        ('"Auto" is the default. A 5" disk fits. It spins.', []),
    ],
)
def test_what_is_denied_limited_or_spoken_says_nothing_alone(
    text: str, governed: list[str]
) -> None:
    found = [one.statement for one in read_statements([passage(1, text)])]

    assert [one.text for one in found if one.is_governed] == governed


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Avoid:\n\n- Lids.\n\n  They burn.\n\n- Drums.", ["Avoid:", "Drums."]),
        ("Avoid:\n\n- On Linux:\n  - Drums.", ["Avoid:", "On Linux:", "Drums."]),
        ("Avoid:\n\n- Parts:\n  - Drums.", ["Avoid:", "Drums."]),
        ("Avoid:\n\n- Lids.\n\n  Do. It is.", ["Avoid:", "Do.", "It is."]),
    ],
)  # fmt: skip
def test_an_item_comes_with_all_that_may_deny_it(text: str, whole: list[str]) -> None:
    found = read_statements([passage(1, text)])

    places = with_antecedent(found, len(found) - 1)

    assert [found[place].statement.text for place in places] == whole


@trying(short=100, long=5_000)
@given(documents(PLAIN_BLOCK))
def test_what_has_a_governing_lead_says_nothing_alone(text: str) -> None:
    found = read_statements([passage(1, f"Avoid:\n\n- Lids.\n\n{text}")])
    doubted = [replace(one, statement=replace(one.statement, is_governed=True)) for one in found]

    for place, one in enumerate(found):
        assert one.statement.is_governed or governing_lead(doubted, place) is None


def test_code_is_a_statement_as_it_is_written() -> None:
    (one,) = read_statements([passage(1, "```py\n**x** = [1](2)\n```")])

    assert one.statement.text == "```py\n**x** = [1](2)\n```"


async def test_prose_gets_its_meaning_and_headings_and_code_do_not() -> None:
    embedder = FakeEmbedder()
    text = "# Arms\n\nArms turn.\n\n```sh\nls\n```\n\n| Wheels | roll |"

    vector, found = await embed_statements(
        "Do arms turn?", read_statements([passage(1, text)]), SentenceEmbedder(embedder)
    )

    known = {one.statement.text: one.statement.vector for one in found}
    assert [text for text, one in known.items() if one is not None] == [
        "Arms turn.",
        "| Wheels | roll |",
    ]
    assert sorted(embedder.queries) == sorted(["Do arms turn?", "Arms turn.", "| Wheels | roll |"])
    near, far = known["Arms turn."], known["| Wheels | roll |"]
    assert near is not None
    assert far is not None
    assert cosine(vector, near) > cosine(vector, far)


async def test_of_very_many_sentences_those_nearest_to_the_question_are_embedded() -> None:
    embedder = FakeEmbedder()
    text = " ".join([*(f"Filler stands at {n}." for n in range(200)), "Arms turn."])

    _, found = await embed_statements(
        "Do arms turn?", read_statements([passage(1, text)]), SentenceEmbedder(embedder)
    )

    embedded = [one for one in found if one.statement.vector is not None]
    assert len(embedded) == MAX_EMBEDDED
    assert len(embedder.queries) == MAX_EMBEDDED + 1
    assert embedded[-1].statement.text == "Arms turn."
    assert embedded[0].statement.text == "Filler stands at 0."


async def test_no_statements_leave_the_meaning_of_the_question() -> None:
    vector, found = await embed_statements("Do arms turn?", (), SentenceEmbedder(FakeEmbedder()))

    assert len(vector) == 64
    assert found == ()


def test_code_that_only_stands_for_a_file_says_nothing() -> None:
    text = (
        "Write this:\n\n```rust\n{{#include ../listings/ch01.rs}}\n```\n\n```rust\nlet a = 1;\n```"
    )

    found = read_statements([passage(1, text)])

    assert [one.statement.text for one in found if one.kind == "code"] == [
        "```rust\nlet a = 1;\n```"
    ]


def test_code_in_a_list_is_shown_without_its_margin() -> None:
    text = "1. Write:\n\n    ```sh\n    if a; then\n      b\n    fi\n    ```\n\n2. Go."

    (code,) = [one for one in read_statements([passage(1, text)]) if one.kind == "code"]

    assert code.statement.text == "```sh\nif a; then\n  b\nfi\n```"
    assert text[code.statement.start : code.statement.end].startswith("```sh\n    if")


def test_what_stands_under_a_heading_that_takes_it_back_says_nothing_by_itself() -> None:
    text = "## Misconceptions\n\nCoffee has iron.\n\n## Facts\n\nTea has none."

    found = read_statements([passage(1, text)])

    governed = {one.statement.text for one in found if one.statement.is_governed}
    assert governed == {"Coffee has iron."}


def test_what_takes_back_a_section_takes_back_its_own_sections_but_not_those_of_a_page() -> None:
    section = "## Misconceptions\n\n### Coffee\n\nIt has iron.\n\n## Facts\n\nTea has none."
    page = "# What was removed\n\nThe old lid.\n\n## Since then\n\nThe new lid is green."

    found = read_statements([passage(1, section), passage(2, page)])

    said = [one.statement for one in found if one.kind == "prose"]
    assert [one.text for one in said if one.is_governed] == ["It has iron.", "The old lid."]


def test_the_first_sentence_of_an_item_has_its_bullet() -> None:
    text = "1. Switch it off. Wait.\n2. Go on to step 3. Then rest.\n\n> * [x] Done."

    found = read_statements([passage(1, text)])

    assert [(one.bullet, one.shown) for one in found] == [
        ("1. ", "Switch it off."),
        ("", "Wait."),
        ("2. ", "Go on to step 3."),
        ("", "Then rest."),
        ("- ", "Done."),
    ]


@pytest.mark.parametrize(("rows", "first"), [(2, "Probe"), (5, "row4")])
def test_a_row_with_too_many_parts_before_it_is_cited_alone(rows: int, first: str) -> None:
    # Between rows, comments were left out of the source.
    parts = ["<table><tr><td rowspan=9>Probe</td><td>row0</td></tr>\n"]
    parts += [f"<tr><td>row{n} {'x' * 9}</td></tr>\n" for n in range(1, rows)]
    ends = list(accumulate(map(len, parts)))
    spans = tuple(
        Span(end - len(part) + 9 * n, end + 9 * n)
        for n, (part, end) in enumerate(zip(parts, ends, strict=True))
    )
    text = "".join(parts)

    last = read_statements([replace(passage(1, text), extent=Extent(spans, 1, 1))])[-1]

    assert last.shown == f"Probe; row{rows - 1} {'x' * 9}"
    assert text[last.cited.start :].startswith(first)


@trying(short=200, long=4_000)
@given(documents(PLAIN_BLOCK))
def test_all_leads_are_found_at_once_as_each_is(text: str) -> None:
    quotable = read_statements([passage(1, f"# Never\n\n{text}"), passage(2, text)])

    one_by_one = [governing_lead(quotable, place) for place in range(len(quotable))]

    assert governing_lead_of_each(quotable) == one_by_one


@pytest.mark.parametrize("item", ["- a b.\n", "- a b.\n  - c d.\n"])
def test_the_leads_of_a_long_list_are_found_in_proportion_to_it(item: str) -> None:
    quotable = read_statements([passage(1, "You must not:\n\n" + item * 4_000)])

    assert set(governing_lead_of_each(quotable)[1:]) <= {0}
