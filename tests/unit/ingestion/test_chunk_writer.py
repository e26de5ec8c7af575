"""What a chunk says is read in its whole document before it is written."""

from dataclasses import replace

import pytest

from sourcebook.core.documents import Chunk, Document, Extent, Span
from sourcebook.core.writes import ChunkVersion, DocumentVersion
from sourcebook.ingestion.chunk_writer import with_statements
from sourcebook.text.kept_segments import unpack_segments

CODE = "```\nls\n# all\n```"


def version_of(text: str, *spans: Span) -> DocumentVersion:
    chunks = [
        Chunk(str(number), "a", number, text[span.start : span.end], {}, Extent((span,), 1, 1))
        for number, span in enumerate(spans)
    ]
    rows = tuple(ChunkVersion(chunk, "v1", "hash", 1) for chunk in chunks)
    return DocumentVersion(Document("a", text, {}), "v1", "hash", rows)


def said(row: ChunkVersion) -> list[tuple[str, str]] | None:
    found = unpack_segments(row.statements, row.chunk.text) if row.statements else None
    return None if found is None else [(one.kind, one.shown) for one in found]


def test_each_chunk_says_what_its_document_tells() -> None:
    border = CODE.index("# all")
    version = version_of(CODE, Span(0, border), Span(border, len(CODE)))

    first, second = with_statements(version).chunks

    assert (said(first), said(second)) == ([("code", "```\nls")], [("code", "# all\n```")])


def test_a_chunk_without_a_place_is_its_document() -> None:
    (row,) = version_of("Arms turn.", Span(0, 10)).chunks
    version = replace(
        version_of("Arms turn."), chunks=(replace(row, chunk=replace(row.chunk, extent=None)),)
    )

    assert said(with_statements(version).chunks[0]) == [("prose", "Arms turn.")]


def test_nothing_is_kept_of_a_chunk_that_is_not_where_it_says() -> None:
    (row,) = version_of("Arms turn.", Span(0, 4)).chunks
    moved = replace(row, chunk=replace(row.chunk, text="Legs walk."))

    (found,) = with_statements(replace(version_of("Arms turn."), chunks=(moved,))).chunks

    assert found.statements is None


@pytest.mark.parametrize(
    "spans", [(Span(11, 22), Span(0, 10)), (Span(0, 10), Span(5, 22)), (Span(5, 2), Span(0, 10))]
)
def test_nothing_is_kept_of_a_chunk_that_stands_in_another_order(spans: tuple[Span, ...]) -> None:
    text = "Arms turn. Legs walk."

    version = version_of(text, Span(0, 10))
    chunk = version.chunks[0].chunk
    moved = replace(
        chunk,
        text="".join(text[one.start : one.end] for one in spans),
        extent=Extent(spans, 1, 1),
    )
    row = replace(version.chunks[0], chunk=moved)

    (found,) = with_statements(replace(version, chunks=(row,))).chunks

    assert said(found) is None
