"""What an answer cites is, to the letter, what stands in the source at the place it names."""

import pytest
from hypothesis import given

from sourcebook.answering.blocks import block_around
from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.quotation import Quotation
from sourcebook.answering.statements import Quotable, read_statements
from sourcebook.core.answers import Citation
from sourcebook.core.documents import Extent
from sourcebook.ingestion.chunking.markdown import chunk_markdown
from sourcebook.text.kept_segments import pack_segments, segments_of_chunks
from tests.fuzz.profile import trying
from tests.unit.ingestion.chunking.texts import JSX, PLAIN_BLOCK, SMALL, documents, words

FORMATS = [
    "> Pumps:\n>\n> 1. one pump hums\n>    - softly in the cold\n> 2. two pumps roar\n",
    "| Pump | Sound |\n|---|---|\n| old `a|b` | a *low* hum \\| roar |\n| new | none at all |\n",
    "<table><tr><th>Pump</th><th>Sound</th></tr><tr><td rowspan=2>old</td><td>hum</td></tr>\n"
    "<tr><td>roar &amp; hiss</td></tr></table>\n\nThey are quiet now.\n",
    "Pump\n: What moves *water*.\n: What hums.\n\n<dl><dt>Valve</dt><dd>It shuts</dd></dl>\n",
    "---\ntitle: Pumps\n---\n\n# Pumps\n\nThey hum. {/* a note */} They roar <!-- b --> aloud.\n",
    "Do this:\n\n- first\n\n  ```sh\n  pump --on\n  ```\n\n- then wait. It hums.\n",
]


def passages_of(source: str) -> list[Passage]:
    """The chunks of a document with what is kept of each, as a search finds them."""
    chunks = chunk_markdown(source, words(source), limits=SMALL).chunks
    found = segments_of_chunks(source, [chunk.spans for chunk in chunks])
    return [
        Passage(
            number,
            chunk.text,
            Source("/a", "A", "A", "a.md", f"chunk-{number}", "document"),
            0.8,
            Extent(chunk.spans, 1, 1 + source.count("\n")),
            kept=pack_segments(segments, chunk.text),
        )
        for number, (chunk, segments) in enumerate(zip(chunks, found, strict=True), 1)
    ]


def citations_of(passages: list[Passage]) -> list[tuple[Quotable, Citation]]:
    """Each statement that can be the best, with each citation of the block that it stands in."""
    quotable = read_statements(passages)
    cited = []
    for place, one in enumerate(quotable):
        if one.kind in {"heading", "header"}:
            continue
        quotation = Quotation(passages)
        for _ in quotation.text_of(quotable, [block_around(quotable, place, 400)]):
            cited += [(one, citation) for citation in quotation.sources.citations()]
    return cited


def check(source: str) -> None:
    for one, citation in citations_of(passages_of(source)):
        assert citation.start is not None
        assert citation.end is not None
        assert source[citation.start : citation.end] == citation.quote
        if citation.statement is not None:
            start, end = citation.statement.start, citation.statement.end
            assert citation.start <= start < end <= citation.end, one.shown
            assert source[start:end].strip() == source[start:end]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("source", FORMATS)
def test_a_citation_is_a_slice_of_its_source_in_every_format(source: str, newline: str) -> None:
    check(source.replace("\n", newline))


@trying(short=60, long=3_000)
@given(documents(PLAIN_BLOCK | JSX))
def test_a_citation_is_a_slice_of_its_source(source: str) -> None:
    check(source)
