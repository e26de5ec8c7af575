"""Sections are read under their own headings, and nothing is read twice."""

from collections.abc import Sequence
from dataclasses import replace

from sourcebook.answering.evidence import Passage, Section, selection_evidence
from sourcebook.answering.passage_reading import read_passages
from sourcebook.answering.statements import read_statements
from sourcebook.core.readings import ReadablePassage, Reading
from tests.unit.answering.passages import passage
from tests.unit.answering.readers import FakeReader

SAILS = "Sails drive the boat.\n\n"
KEEL = "## Keel\n\nA keel keeps it upright. It is heavy."


class CountingReader(FakeReader):
    """Scores a text by its length, and each part of it by its own."""

    def __init__(self) -> None:
        super().__init__({})

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        self.read_passages += passages
        return [
            Reading(len(one.text), tuple(float(part.end - part.start) for part in one.parts))
            for one in passages
        ]


def of_two_sections(number: int = 1) -> Passage:
    plain = passage(number, SAILS + KEEL)
    sections = (Section(0, "Sails", "/#sails"), Section(len(SAILS), "Keel", "/#keel"))
    return replace(plain, source=replace(plain.source, title="Boat", sections=sections))


async def test_each_section_is_read_under_its_own_heading() -> None:
    told, reader = of_two_sections(), CountingReader()

    (reading,) = await read_passages(reader, "What?", [told], read_statements([told]))

    assert [(one.heading, one.text) for one in reader.read_passages] == [
        ("Boat > Sails", SAILS),
        ("Boat > Keel", KEEL),
    ]
    assert reading.relevance == len(KEEL)


async def test_the_scores_are_those_of_the_statements_wherever_they_stand() -> None:
    passages = [of_two_sections(1), passage(2, "It floats."), of_two_sections(3)]
    quotable = read_statements(passages)

    readings = await read_passages(CountingReader(), "What?", passages, quotable)

    scores = {place: score for reading in readings for place, score in reading.scores.items()}
    assert scores == {
        place: one.statement.end - one.statement.start for place, one in enumerate(quotable)
    }


async def test_a_section_with_nothing_to_quote_is_not_read() -> None:
    plain = passage(1, "It floats.\n\n   \n")
    sections = (Section(0, "Boat", "/"), Section(12, "Blank", "/#blank"))
    told, reader = replace(plain, source=replace(plain.source, sections=sections)), CountingReader()

    await read_passages(reader, "What?", [told], read_statements([told]))

    assert [one.text for one in reader.read_passages] == ["It floats.\n\n"]


async def test_what_stands_before_the_first_section_is_read_under_the_main_heading() -> None:
    plain, reader = of_two_sections(), CountingReader()
    source = replace(plain.source, heading="Fleet", sections=plain.source.sections[1:])
    told = replace(plain, source=source)

    await read_passages(reader, "What?", [told], read_statements([told]))

    assert [one.heading for one in reader.read_passages] == ["Boat > Fleet", "Boat > Keel"]


async def test_a_blank_passage_is_read_as_it_is() -> None:
    (reading,) = await read_passages(CountingReader(), "What?", [passage(1, "  ")], ())

    assert (reading.relevance, reading.scores) == (2, {})


async def test_a_selection_is_read_under_no_heading() -> None:
    selection, reader = selection_evidence("It floats."), CountingReader()

    await read_passages(reader, "What?", selection, read_statements(selection))

    assert [one.heading for one in reader.read_passages] == [""]
