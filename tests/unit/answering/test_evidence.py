"""Passages know where they stand in their sources."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.evidence import (
    Passage,
    Section,
    Source,
    by_number,
    selection_evidence,
)
from sourcebook.core.answers import SELECTION_HEADING, SELECTION_TITLE, SELECTION_URL
from sourcebook.core.documents import Extent, Span
from sourcebook.ingestion.chunking.markdown import MarkdownChunk, chunk_markdown
from tests.fuzz.profile import trying
from tests.unit.ingestion.chunking.texts import (
    JSX,
    PLAIN_BLOCK,
    SMALL,
    documents,
    line_of,
    words,
)

ANYWHERE = Source("/docs/a", "A", "B")


def extent_of(chunk: MarkdownChunk) -> Extent:
    """Where a chunk stands, as it is kept."""
    lines = chunk.first_line, chunk.last_line
    return Extent(chunk.spans, *lines, chunk.overlap, chunk.span_lines)


def cut(source: str) -> list[Passage]:
    """The chunks that the real chunker makes of a source, as passages."""
    chunks = chunk_markdown(source, words(source), mdx=True, limits=SMALL).chunks
    return [Passage(n, c.text, under(c), 1.0, extent_of(c)) for n, c in enumerate(chunks, 1)]


def under(chunk: MarkdownChunk) -> Source:
    sections = (Section(one.start, one.title, "/docs/a") for one in chunk.all_headings)
    return replace(ANYWHERE, sections=tuple(sections))


def check(source: str, passage: Passage, span: Span) -> None:
    """A span of a passage is where the passage says it is."""
    parts = list(passage.stretch(span))
    here = "".join(passage.text[one.start : one.end] for one, _ in parts)
    assert here == passage.text[span.start : span.end]
    for one, there in parts:
        assert source[there.start : there.end] == passage.text[one.start : one.end]
    lines = passage.lines(span)
    if lines is not None:
        first, last = parts[0][1].start, parts[-1][1].end - 1
        assert lines == (line_of(source, first), line_of(source, last))


@trying(short=150, long=10_000)
@given(documents(st.one_of(PLAIN_BLOCK, JSX)), st.data())
def test_every_part_of_every_chunk_is_where_it_says(source: str, data: st.DataObject) -> None:
    for passage in cut(source):
        places = st.integers(0, len(passage.text) - 1)
        for _ in range(4):
            start, last = sorted((data.draw(places), data.draw(places)))
            check(source, passage, Span(start, last + 1))
            assert passage.lines(Span(start, last + 1)) is not None


@trying(short=150, long=10_000)
@given(documents(st.one_of(PLAIN_BLOCK, JSX)), st.data())
def test_some_sections_of_a_chunk_are_where_they_were(source: str, data: st.DataObject) -> None:
    for passage in cut(source):
        sections = [*passage.sections()]
        wanted = [data.draw(st.booleans()) for _ in sections]

        kept = passage.only(wanted)

        texts = [
            passage.text[span.start : span.end]
            for (_, span), is_wanted in zip(sections, wanted, strict=True)
            if is_wanted
        ]
        assert (kept.text if kept else "") == "".join(texts)
        if kept is not None:
            check(source, kept, Span(0, len(kept.text)))
            assert [kept.text[span.start : span.end] for _, span in kept.sections()] == texts


def torn(source: str, *spans: tuple[int, int]) -> Passage:
    """A passage of several spans of a source."""
    parts = tuple(Span(*span) for span in spans)
    text = "".join(source[part.start : part.end] for part in parts)
    lines = line_of(source, parts[0].start), line_of(source, parts[-1].end - 1)
    return Passage(1, text, ANYWHERE, 1.0, Extent(parts, *lines))


@pytest.mark.parametrize(
    "spans",
    [
        [(3, 40)],
        [(3, 12), (20, 40)],
        [(3, 12), (20, 26), (31, 40)],
        [(0, 1), (2, 3), (39, 41)],
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_sub_span_of_one_two_and_three_spans_is_where_it_says(
    spans: list[tuple[int, int]], newline: str
) -> None:
    source = "a\nbc\n\n👩‍🚀 d\ne f\n\ng h i\nj\nk\nl m\n\n\nn o\np q r s\n".replace("\n", newline)
    passage = torn(source, *spans)

    for start in range(len(passage.text)):
        for end in range(start + 1, len(passage.text) + 1):
            check(source, passage, Span(start, end))


def test_lines_between_things_that_were_left_out_are_known() -> None:
    source = "One.\n\n<!-- a\nb -->\n\nTwo.\n\n<!-- c -->\n\nThree.\n\n<!-- d -->\n\nFour.\n"

    (passage,) = cut(source)

    for word, line in {"One": 1, "Two": 6, "Three": 10, "Four": 14}.items():
        at = passage.text.index(word)
        assert passage.lines(Span(at, at + len(word))) == (line, line)


def test_a_chunk_of_an_earlier_release_knows_the_lines_of_its_first_and_its_last_span() -> None:
    source = "one\ntwo\n<!-- a\nb -->\nthree\n<!-- c -->\nfour\nfive\n"
    spans = [(0, 8), (source.index("three"), source.index("<!-- c")), (source.index("four"), 48)]
    passage = torn(source, *spans)

    def lines(word: str) -> tuple[int, int] | None:
        at = passage.text.index(word)
        return passage.lines(Span(at, at + len(word)))

    assert lines("two") == (2, 2)
    assert lines("three") is None
    assert lines("four\nfive") == (7, 8)


def test_a_passage_without_a_place_says_so() -> None:
    passage = Passage(1, "Robots move.", ANYWHERE, 0.5)

    assert list(passage.stretch(Span(0, 6))) == []
    assert passage.lines(Span(0, 6)) is None


@trying(short=100, long=5_000)
@given(
    st.text(st.sampled_from("ab \n\r👩\u200d🚀é"), min_size=1, max_size=60),
    st.tuples(st.integers(0, 59), st.integers(0, 59)),
)
def test_a_selection_is_its_own_source(selection: str, ends: tuple[int, int]) -> None:
    (passage,) = selection_evidence(selection)
    start, last = sorted(end % len(selection) for end in ends)

    [(here, there)] = passage.stretch(Span(start, last + 1))

    assert here == there == Span(start, last + 1)
    assert passage.lines(here) == (line_of(selection, start), line_of(selection, last))


def test_a_selection_is_named_as_the_specification_names_it() -> None:
    (passage,) = selection_evidence("Robots move.")

    assert passage.source == Source(SELECTION_URL, SELECTION_TITLE, SELECTION_HEADING)
    assert (passage.number, passage.score) == (1, 1.0)
    assert by_number([passage]) == {1: passage}
