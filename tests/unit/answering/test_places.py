"""A reader is told where to look on: beside an answer, and after a refusal."""

from dataclasses import replace

import pytest

from sourcebook.answering.evidence import Section, Source
from sourcebook.answering.extractive import best_blocks
from sourcebook.answering.places import MAX_LINE_CHARACTERS, closest_places, further_places
from sourcebook.core.answers import ClosestPlace, Question
from tests.unit.answering.briefs import brief, evidence

TEXT = "# Boats\n\nBoats float. They are red.\n\n## Fees\n\nA berth has a price."
ASKED = Question("What does the crane cost?")


def harbour() -> Source:
    sections = (Section(0, "Boats", "/b"), Section(TEXT.index("## Fees"), "Fees", "/b#fees"))
    return Source("/b", "Harbour", "Boats", sections=sections)


@pytest.mark.parametrize(
    ("probability", "text"), [(0.1, ""), (0.2, "A berth has a price."), (None, "")]
)
def test_the_closest_place_has_the_block_that_may_help_if_a_reader_is_not_sure(
    probability: float | None, text: str
) -> None:
    told = brief({"price": 1.0}, TEXT, probability=probability)
    passages = (replace(told.passages[0], source=harbour()),)

    places = closest_places(ASKED, replace(evidence(told), passages=passages))

    assert places == (ClosestPlace("Harbour", "Fees", "/b#fees", text),)


def test_what_may_help_is_the_first_place() -> None:
    told = brief({"price": 1.0}, "The crane is blue.", "A berth has a price.", probability=0.4)

    first, second = closest_places(ASKED, evidence(told))

    assert (first.title, first.text) == ("Title 2", "A berth has a price.")
    assert (second.title, second.text) == ("Title 1", "")


def test_nothing_is_close_beside_a_selection() -> None:
    told = brief({"price": 1.0}, TEXT, probability=0.4)

    assert closest_places(replace(ASKED, selection=TEXT), evidence(told)) == ()


def test_other_places_that_answer_nearly_as_well_are_named_with_a_line() -> None:
    long = f"A berth costs {'very ' * 50}much."
    told = brief({"9": 1.0, "much": 0.5, "blue": 0.4}, "It costs 9 euros.", long, "It is blue now.")

    [place] = further_places(told, best_blocks(told))

    assert place.title == "Title 2"
    assert place.text.startswith("A berth costs")
    assert len(place.text.rstrip("…")) <= MAX_LINE_CHARACTERS


def test_what_was_quoted_is_no_further_place() -> None:
    told = brief({"9": 1.0, "10": 0.9}, "It costs 9 euros.\n\nOr it costs 10 euros.")

    assert further_places(told, best_blocks(told)) == ()


def test_a_place_with_a_text_opens_at_its_words_in_the_reading_room() -> None:
    told = brief({"price": 1.0}, TEXT, probability=0.4)
    source = Source("/?book=b#/read/d", "Harbour", "Boats")
    found = replace(told.passages[0], source=source)

    [place] = closest_places(ASKED, replace(evidence(told), passages=(found,)))

    start = TEXT.index("A berth")
    assert place.url == f"/?book=b#/read/d?from={start}&to={len(TEXT)}"
