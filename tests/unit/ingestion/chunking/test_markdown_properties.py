"""Whatever the markdown, the chunks hold all of it, true to the source and within the limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS, ChunkLimits
from sourcebook.ingestion.chunking.markdown import chunk_markdown
from tests.fuzz.profile import trying
from tests.unit.ingestion.chunking.texts import (
    FENCE,
    JSX,
    PLAIN_BLOCK,
    SMALL,
    TOKENIZERS,
    Tokenize,
    check,
    documents,
    words,
)

LIMITS = st.sampled_from(
    [
        SMALL,
        MARKDOWN_LIMITS,
        ChunkLimits(target=12, maximum=14, minimum=3, overlap=2),
        ChunkLimits(target=5, maximum=5, minimum=1, overlap=0),
    ]
)


@pytest.mark.parametrize("tokenize", TOKENIZERS)
@trying(short=50, long=3_000)
@given(source=documents(st.one_of(PLAIN_BLOCK, JSX)), mdx=st.booleans(), limits=LIMITS)
def test_chunks_are_true_and_within_the_limit(
    tokenize: Tokenize, source: str, mdx: bool, limits: ChunkLimits
) -> None:
    cut = chunk_markdown(source, tokenize(source), mdx=mdx, limits=limits)
    check(source, cut, limits, tokenize)
    assert cut == chunk_markdown(source, tokenize(source), mdx=mdx, limits=limits)


@trying(short=50, long=3_000)
@given(
    source=st.text(
        alphabet=st.one_of(
            st.sampled_from("#-=`~<>{}/*!|:\n\r\t \\[]()'\"ab1.\ufeff\u200b\u0301\x00\u2028"),
            st.characters(),
        ),
        max_size=400,
    ),
    start=st.integers(0, 20),
    mdx=st.booleans(),
)
def test_any_text_at_all_is_cut(source: str, start: int, mdx: bool) -> None:
    start = min(start, len(source))
    cut = chunk_markdown(source, words(source), body_start=start, mdx=mdx, limits=SMALL)
    check(source, cut, SMALL, words)
    assert all(chunk.spans[0].start >= start for chunk in cut.chunks)


@trying(short=40, long=2_000)
@given(source=documents(PLAIN_BLOCK))
def test_of_plain_markdown_only_white_space_is_left_out(source: str) -> None:
    cut = chunk_markdown(source, words(source), limits=SMALL)
    left_out = "".join(source[span.start : span.end] for span in cut.excluded)
    assert not left_out.strip()


@trying(short=40, long=2_000)
@given(fence=FENCE, source=documents(PLAIN_BLOCK))
def test_a_fence_that_fits_is_never_torn(fence: str, source: str) -> None:
    source = f"## First\n\n{fence}\n\n## Second\n\n{source}"
    cut = chunk_markdown(source, words(source), limits=SMALL)
    start = source.index(fence)
    touching = [
        chunk
        for chunk in cut.chunks
        if any(span.start < start + len(fence) and start < span.end for span in chunk.spans)
    ]
    if len(words(fence)) <= SMALL.maximum:
        # Where it is repeated, as an overlap, it is repeated whole.
        assert touching
        assert all(fence in chunk.text for chunk in touching)


@trying(short=40, long=2_000)
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    limits=st.sampled_from([SMALL, ChunkLimits(target=25, maximum=30, minimum=8, overlap=4)]),
)
@pytest.mark.spec("002 FR-004")
def test_a_section_that_fits_is_never_divided(sizes: list[int], limits: ChunkLimits) -> None:
    sections = [
        f"## S{n}\n\n" + " ".join(f"w{n}." for _ in range(size)) for n, size in enumerate(sizes)
    ]
    source = "\n\n".join(sections)
    cut = chunk_markdown(source, words(source), limits=limits)
    texts = [chunk.text[chunk.overlap :] for chunk in cut.chunks]
    for section in sections:
        if len(words(section)) <= limits.maximum - limits.minimum:
            assert any(section in text for text in texts)


@trying(short=40, long=2_000)
@given(
    sections=st.lists(
        st.tuples(st.sampled_from(["##", "###"]), st.integers(1, 120)), min_size=1, max_size=8
    )
)
def test_every_chunk_stands_under_a_heading_that_covers_it(
    sections: list[tuple[str, int]],
) -> None:
    parts = ["# Title"]
    for number, (marks, length) in enumerate(sections):
        text = " ".join(f"w{number}x{i}." for i in range(length))
        parts.append(f"{marks} S{number}\n\n{text}")
    source = "\n\n".join(parts)
    for chunk in chunk_markdown(source, words(source), limits=SMALL).chunks:
        assert chunk.headings[0] == "Title"
        own = chunk.text[chunk.overlap :]
        if len(chunk.headings) == 3:
            assert f"w{chunk.headings[2].removeprefix('S')}x" in own
