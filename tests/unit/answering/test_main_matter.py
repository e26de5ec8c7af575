"""What tells of the subject comes in the place of what only names it."""

from dataclasses import replace

from sourcebook.answering.evidence import Passage
from sourcebook.answering.main_matter import with_main_matter
from sourcebook.answering.retriever import Retrieved
from sourcebook.core.answers import Question
from tests.unit.answering.passages import passage
from tests.unit.answering.retrievals import WiderRetrieval

ASKED = Question("How do boats sail?", top_k=3, hardware_tier=2)


def told(number: int, text: str, heading: str = "Sails") -> Passage:
    plain = passage(number, text)
    source = replace(plain.source, heading=heading, chunk_id=text)
    return replace(plain, source=source)


OBJECTIVES = told(2, "Learn to sail.", "Learning objectives")
FOUND = Retrieved((told(1, "Wind."), OBJECTIVES, told(3, "Water.")), ("book",))


async def texts(retrieval: WiderRetrieval, found: Retrieved = FOUND) -> list[str]:
    better = await with_main_matter(retrieval, ASKED, ASKED.text, "boats sail", found)
    assert [one.number for one in better.passages] == list(range(1, len(better.passages) + 1))
    return [one.text for one in better.passages]


async def test_the_next_that_tell_of_it_come_in_its_place_and_after_the_others() -> None:
    more = told(5, "See the manual.", "See also")
    retrieval = WiderRetrieval(*FOUND.passages, more, told(6, "A keel."), told(7, "A rudder."))

    assert await texts(retrieval) == ["Wind.", "Water.", "A keel."]
    ((question, text),) = retrieval.asked
    assert text == "boats sail"
    assert question == replace(ASKED, top_k=question.top_k)
    assert question.top_k > ASKED.top_k


async def test_the_nearest_passage_stays_whatever_it_is() -> None:
    found = replace(FOUND, passages=(replace(OBJECTIVES, number=1), told(2, "More.", "See also")))

    assert await texts(WiderRetrieval(told(6, "A keel.")), found) == ["Learn to sail.", "A keel."]


async def test_what_is_far_from_the_question_takes_no_place() -> None:
    far = replace(told(6, "A train."), score=0.5 * OBJECTIVES.score)

    assert await texts(WiderRetrieval(far)) == ["Wind.", "Water.", "Learn to sail."]


async def test_a_question_with_its_typo_corrected_asks_for_what_it_asks_for() -> None:
    found = replace(FOUND, corrected="What are the goals?")
    retrieval = WiderRetrieval()

    assert await texts(retrieval, found) == ["Wind.", "Learn to sail.", "Water."]
    assert retrieval.asked == []


async def test_it_stays_if_nothing_else_is_found() -> None:
    assert await texts(WiderRetrieval(*FOUND.passages)) == ["Wind.", "Water.", "Learn to sail."]


async def test_it_stays_if_no_more_can_be_searched() -> None:
    assert await texts(WiderRetrieval(is_away=True)) == ["Wind.", "Learn to sail.", "Water."]


async def test_what_tells_of_it_costs_no_second_search() -> None:
    retrieval = WiderRetrieval()

    assert await texts(retrieval, Retrieved((told(1, "Wind."),), ("book",))) == ["Wind."]
    assert retrieval.asked == []
