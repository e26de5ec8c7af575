"""Whatever the text, its chunks hold all of it, true to the source and within the limit."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.text import is_blank
from sourcebook.ingestion.chunking.limits import MAX_CHUNK_CHARACTERS, TEXT_LIMITS, ChunkLimits
from sourcebook.ingestion.chunking.plain_text import TextChunk, chunk_text
from tests.fuzz.profile import trying
from tests.unit.ingestion.chunking.texts import (
    SMALL,
    TOKENIZERS,
    Tokenize,
    line_of,
    word_pieces,
    words,
)

LIMITS = st.sampled_from(
    [SMALL, TEXT_LIMITS, ChunkLimits(target=12, maximum=14, minimum=3, overlap=2)]
)
SENTENCES = st.lists(
    st.sampled_from(["robot", "arm.", "é", "e\u0301!", "👩\u200d🚀", "日本。", "1.", "“Why?”"]),
    min_size=1,
    max_size=12,
).map(" ".join)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=6).map("\n".join)
BLOCKS = st.one_of(
    PARAGRAPHS, st.sampled_from(["w" * 300, "a long line " * 30, "\u200b", "x" * 9_000])
)
TEXTS = st.builds(
    lambda parts, gap, newline, end: (gap.join(parts) + end).replace("\n", newline),
    st.lists(BLOCKS, max_size=14),
    st.sampled_from(["\n\n", "\n \t\n", "\n\n\n\n"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\n\n \n"]),
)
ANY_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(".!?…。\n\r\t \"')ab1\ufeff\u200b\u0301\u2028\x85"), st.characters()
    ),
    max_size=400,
)


def check(text: str, cuts: tuple[TextChunk, ...], limits: ChunkLimits, tokenize: Tokenize) -> None:
    """What holds for every text and all limits."""
    covered = [False] * len(text)
    offsets = tokenize(text)
    for cut in cuts:
        start, end = cut.span.start, cut.span.end
        assert 0 <= start < end <= len(text)
        assert not is_blank(text[start:end])
        covered[start:end] = [True] * (end - start)
        assert sum(at < end and start < to for at, to in offsets) <= limits.maximum
        assert end - start <= MAX_CHUNK_CHARACTERS
        assert (cut.first_line, cut.last_line) == (line_of(text, start), line_of(text, end - 1))
    assert all(there or is_blank(char) for there, char in zip(covered, text, strict=True))
    assert all(not cut.overlap for cut in cuts[:1])
    for one, two in pairwise(cuts):
        assert one.span.start < two.span.start
        assert one.span.end < two.span.end
        assert two.overlap == max(0, one.span.end - two.span.start)
        repeated = text[two.span.start : two.span.start + two.overlap]
        assert len(tokenize(repeated)) <= max(limits.overlap, limits.longest_overlap)


@pytest.mark.parametrize("tokenize", TOKENIZERS)
@trying(short=66, long=4_000)
@given(text=TEXTS, limits=LIMITS)
def test_chunks_are_true_and_within_the_limit(
    tokenize: Tokenize, text: str, limits: ChunkLimits
) -> None:
    cuts = chunk_text(text, tokenize(text), limits)

    check(text, cuts, limits, tokenize)
    assert cuts == chunk_text(text, tokenize(text), limits)


@trying(short=100, long=6_000)
@given(text=ANY_TEXT)
def test_any_text_at_all_is_cut(text: str) -> None:
    check(text, chunk_text(text, words(text), SMALL), SMALL, words)


@pytest.mark.spec("003 6 chunking")
@trying(short=40, long=2_000)
@given(text=TEXTS)
def test_a_short_text_is_one_chunk(text: str) -> None:
    fits = len(words(text)) <= TEXT_LIMITS.maximum and len(text.strip()) <= MAX_CHUNK_CHARACTERS

    cuts = chunk_text(text, words(text))

    assert len(cuts) == 1 or not fits or is_blank(text)


@pytest.mark.spec("003 6 chunking")
def test_a_long_text_is_cut_between_sentences_with_an_overlap() -> None:
    text = " ".join(f"Sentence number {n} says something about robots." for n in range(600))

    cuts = chunk_text(text, words(text))

    assert len(cuts) > 4
    pieces = [text[cut.span.start : cut.span.end] for cut in cuts]
    assert all(piece.startswith("Sentence") and piece.endswith("robots.") for piece in pieces)
    sizes = [len(words(piece)) for piece in pieces]
    assert all(512 <= size <= 1024 for size in sizes), sizes
    overlaps = [len(words(text[cut.span.start : cut.span.start + cut.overlap])) for cut in cuts[1:]]
    assert all(50 <= overlap <= 100 for overlap in overlaps), overlaps


@pytest.mark.spec("003 6 chunking")
def test_paragraphs_stay_whole() -> None:
    paragraphs = [f"Paragraph {n}. " + "It goes on and on. " * 40 for n in range(20)]
    text = "\n\n".join(paragraph.strip() for paragraph in paragraphs)

    cuts = chunk_text(text, words(text))

    for cut in cuts:
        own = text[cut.span.start + cut.overlap : cut.span.end].strip()
        assert re.match(r"Paragraph \d+\.", own)
        assert own.endswith("It goes on and on.")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_parts_paragraphs(newline: str) -> None:
    paragraphs = [f"{n} " + "word " * 600 + "end" for n in range(4)]
    text = (newline * 2).join(paragraphs)

    cuts = chunk_text(text, words(text))

    own = [text[cut.span.start + cut.overlap : cut.span.end].strip() for cut in cuts]
    assert own == paragraphs


@pytest.mark.spec("003 6 chunking")
def test_there_is_no_duplicate_tail() -> None:
    text = "word " * 1_100

    last = chunk_text(text, words(text))[-1]

    assert last.overlap < (last.span.end - last.span.start) / 2


def test_nothing_to_see_is_no_chunk() -> None:
    for text in ("", " \n\t ", "\u200b\ufeff", "\n" * 1_000):
        assert chunk_text(text, words(text)) == ()


def test_a_word_without_end_is_cut_all_the_same() -> None:
    text = "x" * 100_000

    cuts = chunk_text(text, word_pieces(text))

    check(text, cuts, TEXT_LIMITS, word_pieces)
    assert len(cuts) >= 100_000 / MAX_CHUNK_CHARACTERS
