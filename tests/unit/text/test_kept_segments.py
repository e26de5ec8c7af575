"""What a chunk says is read in its whole document, and kept."""

import re
import zlib
from itertools import pairwise

import pytest
from hypothesis import given

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.chunking.markdown import chunk_markdown
from sourcebook.text.kept_segments import pack_segments, segments_of_chunks, unpack_segments
from sourcebook.text.segments import Segment
from sourcebook.text.shown import read_text
from tests.fuzz.profile import trying
from tests.unit.ingestion.chunking.texts import JSX, PLAIN_BLOCK, documents

SMALL = ChunkLimits(target=12, maximum=20, minimum=4, overlap=4)


def cut(source: str, *borders: int) -> list[tuple[str, tuple[Segment, ...]]]:
    """The texts between some places of a source, with what each says."""
    spans = [Span(*border) for border in pairwise((0, *borders, len(source)))]
    found = segments_of_chunks(source, [(span,) for span in spans])
    return [(source[span.start : span.end], one) for span, one in zip(spans, found, strict=True)]


def said(segments: tuple[Segment, ...]) -> list[tuple[str, str]]:
    return [(one.kind, one.shown) for one in segments]


def test_a_chunk_that_begins_inside_code_knows_it() -> None:
    source = "Run it.\n\n```py\n# Why\nlist()\n# How\nset()\n```\n\nIt is done."

    first, second = cut(source, source.index("# How"))

    assert said(first[1]) == [("prose", "Run it."), ("code", "```py\n# Why\nlist()")]
    assert said(second[1]) == [("code", "# How\nset()\n```"), ("prose", "It is done.")]


def test_a_chunk_that_begins_inside_a_list_knows_how_deep_it_is() -> None:
    source = "1. Switch it off.\n   - Wait. Then wait again.\n2. Open it."

    _, second = cut(source, source.index("Then"))

    assert [(one.shown, one.depth, one.bullet) for one in second[1]] == [
        ("Then wait again.", 2, ""),
        ("Open it.", 1, "2. "),
    ]


def test_a_chunk_that_begins_under_a_leader_that_denies_knows_it() -> None:
    source = "You must not:\n\n- Open the lid.\n- Wash the drum.\n\nDo rest."

    _, second = cut(source, source.index("- Wash"))

    assert [(one.shown, one.is_governed) for one in second[1]] == [
        ("Wash the drum.", True),
        ("Do rest.", False),
    ]


@pytest.mark.parametrize(
    ("source", "border", "shown"),
    [
        ("Hull\n: The body. It floats.", "It floats", ("prose", "It floats.")),
        ("## HULL\n\nDefault: `0`\n", "Default", ("prose", "Default: 0")),
    ],
)
def test_a_chunk_says_nothing_that_stands_in_another(
    source: str, border: str, shown: tuple[str, str]
) -> None:
    _, (_, (only,)) = cut(source, source.index(border))

    assert (only.kind, only.shown.replace("`", "")) == shown
    assert only.values == ()


def test_a_cell_of_an_earlier_chunk_is_left_out() -> None:
    row = "<tr><td rowspan=2>Probe</td><td>least</td><td>4</td></tr>\n"
    source = f"<table>{row}<tr><td>most</td><td>88</td></tr></table>"

    first, second = cut(source, source.index("<tr><td>most"))

    assert [one.values for one in first[1]] == [("Probe", "least", "4")]
    assert [one.values for one in second[1]] == [("", "most", "88")]


@trying(short=150, long=5_000)
@given(documents(PLAIN_BLOCK | JSX))
def test_every_chunk_says_what_stands_at_its_spans_in_order(source: str) -> None:
    tokens = [found.span() for found in re.finditer(r"\w+|[^\w\s]", source)]
    chunks = chunk_markdown(source, tokens, limits=SMALL).chunks

    read = [*segments_of_chunks(source, [chunk.spans for chunk in chunks])]

    for chunk, segments in zip(chunks, read, strict=True):
        assert all(0 <= one.start < one.end <= len(chunk.text) for one in segments)
        assert all(one.end <= two.start for one, two in pairwise(segments))
        assert all(0 <= one.block.start <= one.block.end <= len(chunk.text) for one in segments)
        assert unpack_segments(pack_segments(segments, chunk.text), chunk.text) == segments


@trying(short=100, long=5_000)
@given(documents(PLAIN_BLOCK))
def test_a_document_of_one_chunk_is_read_as_its_text(text: str) -> None:
    (only,) = segments_of_chunks(text, [(Span(0, len(text)),)])

    assert only == read_text(text)


def test_what_another_text_said_is_not_taken_for_what_this_one_says() -> None:
    packed = pack_segments(read_text("Arms turn."), "Arms turn.")

    assert unpack_segments(packed, "Legs walk.") is None


@pytest.mark.parametrize(
    "packed",
    [
        pack_segments(read_text("Arms turn."), "Arms turn.")[:-3],
        b"no such thing",
        b"",
        *(zlib.compress(data) for data in (b"", b"\xff", b"[]", b"1", b"[1,2,3]", b"{}")),
    ],
)
def test_what_is_damaged_is_read_again(packed: bytes) -> None:
    assert unpack_segments(packed, "Arms turn.") is None


@pytest.mark.parametrize(
    ("names", "is_governed"), [("| Tool | Must never |", True), ("| Tool | Does |", False)]
)
def test_a_row_whose_header_denies_it_says_nothing_in_another_chunk(
    names: str, is_governed: bool
) -> None:
    source = f"{names}\n|---|---|\n| Brush | scrubs |\n| Cloth | dries |\n"

    (_, first), (_, second) = cut(source, source.index("| Cloth"))

    assert [one.is_governed for one in first] == [False, False]
    assert [one.is_governed for one in second] == [is_governed]
