"""A question that points at its page is answered from that page, within its own bounds."""

from dataclasses import replace

import pytest

from sourcebook.answering.evidence import Passage
from sourcebook.answering.page_hints import addresses_of, find_on_page, points_at_page
from sourcebook.answering.retriever import Retrieved
from sourcebook.core.answers import PageHint, Question
from tests.unit.answering.passages import ROS, passage

PAGE = PageHint("https://docs.example/nodes/?a=1#top", "Nodes | Robot docs")
POINTING = Question("What does this page say about topics?", page=PAGE)


class PageRetrieval:
    """Has passages for one field of the sources, and remembers what it was asked."""

    def __init__(self, known_by: str | None, *passages: Passage) -> None:
        self._known_by = known_by
        self._passages = passages or (passage(1, ROS),)
        self.asked: list[tuple[Question, str]] = []

    async def retrieve(self, question: Question, text: str) -> Retrieved:
        self.asked.append((question, text))
        is_known = self._known_by in question.sources
        return Retrieved(self._passages if is_known else (), ("book",))


@pytest.mark.parametrize(
    ("question", "points"),
    [
        ("What does this page say about topics?", True),
        ("What does this mean?", True),
        ("What is this page about?", True),
        ("Summarize this page", True),
        ("Why is the knee limited here?", True),
        ("What does this command do?", True),
        ("What is a topic?", False),
        ("Where is the tutorial?", False),
        ("Is there a page about nodes?", False),
    ],
)
def test_a_question_points_at_its_page_by_its_own_words(question: str, points: bool) -> None:
    assert points_at_page(question) is points


async def test_the_page_is_known_by_its_address() -> None:
    retrieval = PageRetrieval("source_url")

    found = await find_on_page(retrieval, POINTING, "topics")

    assert found is not None
    ((asked, text),) = retrieval.asked
    assert text == "topics"
    assert asked.sources == {
        "source_url": ("https://docs.example/nodes/", "https://docs.example/nodes")
    }


async def test_else_the_page_is_known_by_its_title_without_the_name_of_the_site() -> None:
    retrieval = PageRetrieval("page_title")

    assert await find_on_page(retrieval, POINTING, "topics") is not None

    asked, _ = retrieval.asked[-1]
    assert asked.sources == {"page_title": ("Nodes | Robot docs", "Nodes", "Robot docs")}


async def test_a_page_that_is_not_indexed_gives_nothing() -> None:
    assert await find_on_page(PageRetrieval(None), POINTING, "topics") is None


async def test_a_question_about_something_else_is_not_searched_for_on_the_page() -> None:
    retrieval = PageRetrieval("source_url")

    assert await find_on_page(retrieval, replace(POINTING, text="What is a node?"), "x") is None
    assert await find_on_page(retrieval, replace(POINTING, page=None), "x") is None
    assert retrieval.asked == []


async def test_a_page_never_widens_what_a_question_may_see() -> None:
    retrieval = PageRetrieval("source_url")
    bound = replace(
        POINTING,
        book_ids=("arms",),
        hardware_tier=1,
        sources={"source_url": ("https://docs.example/other",), "page_title": ("Other",)},
    )

    assert await find_on_page(retrieval, bound, "topics") is None

    assert retrieval.asked == []


async def test_a_question_about_the_whole_page_is_searched_for_by_its_title() -> None:
    retrieval = PageRetrieval("source_url")

    await find_on_page(retrieval, replace(POINTING, text="What is this page about?"), "x")

    assert retrieval.asked[0][1] == PAGE.title


async def test_the_passages_of_a_whole_page_are_in_the_order_of_the_page() -> None:
    late, early = passage(1, ROS, start=900), passage(2, ROS, start=100)
    retrieval = PageRetrieval("source_url", late, early)

    found = await find_on_page(retrieval, replace(POINTING, text="Summarize this page"), "x")

    assert found is not None
    assert found.passages == (replace(early, number=1), replace(late, number=2))


@pytest.mark.parametrize(
    ("url", "also"),
    [
        ("https://d.example/a/index.html#x", "https://d.example/a"),
        ("https://d.example/a.html", "https://d.example/a"),
        ("https://d.example/a", "https://d.example/a/"),
        ("https://d.example/a/?token=1", "https://d.example/a"),
        ("http://[no-address/#x", "http://[no-address"),
    ],
)
def test_a_page_has_several_addresses(url: str, also: str) -> None:
    addresses = addresses_of(url)

    assert also in addresses
    assert not any("?" in one or "#" in one for one in addresses)
