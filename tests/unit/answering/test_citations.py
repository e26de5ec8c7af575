"""The sources of an answer: numbered, quoted word for word, and each there once."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.citations import MAX_QUOTE_LENGTH, CitationList, citation_json
from sourcebook.answering.evidence import Passage, Section, Source, selection_evidence
from sourcebook.core.answers import SELECTION_TITLE, SELECTION_URL
from sourcebook.core.documents import Extent, Location, Span
from tests.fuzz.profile import trying
from tests.unit.answering.passages import passage
from tests.unit.ingestion.chunking.texts import line_of

LONG_TEXT = " ".join(f"Sentence number {n} is here." for n in range(200))


def words_of(count: int) -> str:
    return ("word " * count).strip()


def test_sources_are_numbered_in_the_order_of_their_first_use_and_keep_their_numbers() -> None:
    sources = CitationList()
    one, two, three = (passage(n, f"Passage {n} says this.") for n in (1, 2, 3))
    span = Span(0, 10)

    given_out = [sources.number(each, span) for each in (three, one, three, two, one)]

    assert given_out == [1, 2, 1, 3, 2]
    assert [citation.number for citation in sources.citations()] == [1, 2, 3]
    assert [citation.chunk_id for citation in sources.citations()] == [
        "chunk-3",
        "chunk-1",
        "chunk-2",
    ]


@pytest.mark.spec("004 FR-005")
def test_a_citation_names_its_source_and_quotes_it_word_for_word() -> None:
    source = "# Title\n\nRobots move. Arms turn.\n"
    evidence = passage(4, source[9:], start=9, first_line=3, score=0.6)
    sources = CitationList()

    sources.number(evidence, Span(13, 23))
    [citation] = sources.citations()

    assert citation.start is not None
    assert source[citation.start : citation.end] == citation.quote == "Arms turn."
    assert (citation.url, citation.title) == ("/docs/document-4", "Title 4")
    assert (citation.heading, citation.score) == ("Heading 4", 0.6)
    assert (citation.first_line, citation.last_line) == (3, 3)
    assert (citation.file, citation.document_id) == ("document-4.md", "document-4")


def test_a_citation_into_a_pdf_names_the_page_and_the_boxes_of_its_quote() -> None:
    text = "Robots move. Arms turn."
    lines = (
        Location(0, 13, page=7, boxes=((0.1, 0.2, 0.3, 0.02),)),
        Location(13, 23, page=8, boxes=((0.1, 0.1, 0.4, 0.02),)),
    )
    evidence = replace(passage(1, text), extent=Extent((Span(0, 23),), 1, 1, locations=lines))
    sources = CitationList()

    sources.number(evidence, Span(13, 23))
    [citation] = sources.citations()

    said = citation_json(citation)
    assert (said["page"], said["boxes"]) == (8, [[0.1, 0.1, 0.4, 0.02]])
    assert said["source_url"] == "/docs/document-1#page=8"
    assert "slide" not in said


def test_documents_of_the_same_id_in_two_collections_are_two_sources() -> None:
    older, newer = (
        replace(one, source=replace(one.source, collection=name))
        for one, name in (
            (passage(1, "Robots move.", document="n1"), "older"),
            (passage(2, "Robots move.", document="n1"), "newer"),
        )
    )
    sources = CitationList()

    numbers = [sources.number(each, Span(0, 12)) for each in (older, newer, older)]

    assert numbers == [1, 2, 1]
    assert [citation.collection for citation in sources.citations()] == ["older", "newer"]


@pytest.mark.spec("004 FR-005")
def test_a_citation_names_the_section_that_its_quote_stands_in() -> None:
    text = "## Joints\n\nJoints turn.\n\n## Links\n\nLinks are stiff."
    sections = (Section(0, "Joints", "/docs/arm#joints"), Section(25, "Links", "/docs/arm#links"))
    source = Source("/docs/arm#joints", "Arm", "Joints", sections=sections)
    evidence = Passage(1, text, source, 0.9)
    sources = CitationList()

    sources.number(evidence, Span(text.index("Links are"), len(text)))
    [citation] = sources.citations()

    assert (citation.heading, citation.url) == ("Links", "/docs/arm#links")


def test_near_uses_of_a_passage_are_one_source_that_quotes_them_all() -> None:
    evidence = passage(1, LONG_TEXT)
    sources = CitationList()

    numbers = [
        sources.number(evidence, Span(*span)) for span in ((300, 320), (100, 120), (310, 400))
    ]
    [citation] = sources.citations()

    assert numbers == [1, 1, 1]
    assert (citation.start, citation.end) == (100, 400)


def test_uses_under_two_headings_are_two_sources() -> None:
    text = "The knee bends.\n\n## Arms\n\nThe arm turns."
    evidence = passage(1, text)
    sources = CitationList()

    assert [sources.number(evidence, Span(0, 15)), sources.number(evidence, Span(26, 40))] == [1, 2]
    assert [one.quote for one in sources.citations()] == ["The knee bends.", "The arm turns."]


def test_uses_that_lie_far_apart_are_two_sources() -> None:
    evidence = passage(1, LONG_TEXT)
    sources = CitationList()

    assert [sources.number(evidence, Span(*span)) for span in ((0, 26), (600, 626), (0, 26))] == [
        1,
        2,
        1,
    ]
    assert len(sources.citations()) == 2


def test_what_a_comment_parts_is_quoted_before_and_after_it() -> None:
    source = "| port {/* of the page */}| 8090, or the one that is set |"
    spans = (Span(0, 7), Span(26, len(source)))
    text = "".join(source[one.start : one.end] for one in spans)
    evidence = replace(passage(1, text), extent=Extent(spans, 1, 1))
    sources = CitationList()

    assert sources.numbers(evidence, Span(0, len(text))) == (1, 2)
    assert sources.numbers(evidence, Span(2, 6)) == (1,)
    assert [one.quote for one in sources.citations()] == [source[:7], source[26:]]
    for one in sources.citations():
        assert source[one.start : one.end] == one.quote


def test_of_what_is_in_many_parts_the_longest_is_quoted() -> None:
    spans = tuple(Span(10 * n, 10 * n + n) for n in range(1, 7))
    evidence = replace(passage(1, "x" * 21), extent=Extent(spans, 1, 1))
    sources = CitationList()

    assert sources.numbers(evidence, Span(0, 21)) == (1,)
    assert [one.quote for one in sources.citations()] == ["x" * 6]


def test_a_long_quote_is_cut_at_the_end_of_a_word() -> None:
    sources = CitationList()

    sources.number(passage(1, words_of(300)), Span(0, 1499))
    [citation] = sources.citations()

    assert len(citation.quote) == 499
    assert citation.quote.endswith(" word")


def test_a_quote_without_white_space_is_cut_all_the_same() -> None:
    sources = CitationList()

    sources.number(passage(1, "w" * 3_000), Span(0, 3_000))

    assert sources.citations()[0].quote == "w" * MAX_QUOTE_LENGTH


def test_a_quote_never_reaches_over_what_the_chunk_left_out() -> None:
    source = "Robots <!-- who? -->move their arms."
    extent = Extent((Span(0, 7), Span(20, len(source))), 1, 1)
    torn = Passage(1, "Robots move their arms.", Source("/docs/a", "A", "B"), 1.0, extent)
    sources = CitationList()

    sources.number(torn, Span(0, len(torn.text)))
    [citation] = sources.citations()

    assert citation.quote == "move their arms."
    assert source[citation.start : citation.end] == citation.quote


def test_what_two_neighbouring_chunks_share_is_one_source() -> None:
    source = "Robots move. Arms turn. Legs walk."
    before = passage(1, source[:23], document="lesson")
    behind = passage(2, source[13:], start=13, document="lesson")
    sources = CitationList()

    assert sources.number(before, Span(13, 23)) == 1
    assert sources.number(behind, Span(0, 10)) == 1
    assert len(sources.citations()) == 1


def test_the_same_words_in_two_documents_are_two_sources() -> None:
    sources = CitationList()

    assert [sources.number(passage(n, "Robots move."), Span(0, 12)) for n in (1, 2)] == [1, 2]


def test_a_passage_whose_place_is_unknown_is_quoted_without_one() -> None:
    sources = CitationList()

    sources.number(Passage(1, "Robots move.", Source("a", "A", ""), 0.3), Span(0, 12))
    [citation] = sources.citations()

    assert citation.quote == "Robots move."
    assert (citation.start, citation.end, citation.first_line) == (None, None, None)


def test_a_citation_is_shown_in_the_words_of_the_specification() -> None:
    sources = CitationList()
    sources.number(selection_evidence("Robots move.\r\nArms turn.")[0], Span(14, 24))

    told = citation_json(sources.citations()[0])

    assert told["source_url"] == SELECTION_URL
    assert told["page_title"] == SELECTION_TITLE
    assert told["chunk_text"] == "Arms turn."
    assert told["relevance_score"] == 1.0
    assert [told[name] for name in ("char_start", "char_end")] == [14, 24]
    assert [told[name] for name in ("line_start", "line_end")] == [2, 2]
    assert told["lesson_url"] is None


@st.composite
def torn_passages(draw: st.DrawFn) -> tuple[str, list[Passage]]:
    """A source, and overlapping chunks of it, each in one to three spans."""
    source = draw(st.text(st.sampled_from("ab c.\n\r👩"), min_size=20, max_size=1_500))
    passages = []
    for number in range(1, 4):
        ends = draw(
            st.lists(st.integers(0, len(source)), min_size=6, max_size=6, unique=True).map(sorted)
        )
        spans = tuple(
            Span(ends[at], ends[at + 1]) for at in range(0, 2 * draw(st.integers(1, 3)), 2)
        )
        text = "".join(source[span.start : span.end] for span in spans)
        lines = line_of(source, spans[0].start), line_of(source, spans[-1].end - 1)
        where = Source("/docs/a", "A", "B", document_id=draw(st.sampled_from(["x", "y"])))
        passages.append(Passage(number, text, where, 1.0, Extent(spans, *lines)))
    return source, passages


@trying(short=150, long=10_000)
@given(torn_passages(), st.data())
def test_whatever_is_used_every_quote_is_short_verbatim_and_there_once(
    case: tuple[str, list[Passage]], data: st.DataObject
) -> None:
    source, passages = case
    sources = CitationList()
    used = []
    for _ in range(8):
        each = data.draw(st.sampled_from(passages))
        places = st.integers(0, len(each.text) - 1)
        start, last = sorted((data.draw(places), data.draw(places)))
        used.append((sources.number(each, Span(start, last + 1)), each, Span(start, last + 1)))

    citations = sources.citations()

    assert [citation.number for citation in citations] == list(range(1, len(citations) + 1))
    assert {number for number, _, _ in used} == set(range(1, len(citations) + 1))
    for citation in citations:
        assert 0 < len(citation.quote) <= MAX_QUOTE_LENGTH
        assert citation.quote == source[citation.start : citation.end]
    quoted_places = {(one.document_id, one.start, one.end) for one in citations}
    assert len(quoted_places) == len(citations)
    for number, each, span in used:
        parts = list(each.stretch(span))
        if len(parts) == 1 and span.end - span.start <= MAX_QUOTE_LENGTH:
            quoted, there = citations[number - 1], parts[0][1]
            assert quoted.start is not None
            assert quoted.end is not None
            assert quoted.start <= there.start < there.end <= quoted.end
