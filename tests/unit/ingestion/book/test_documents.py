"""A book of other files than markdown: what is indexed of them, and what is said of the rest."""

import pytest

from sourcebook.core.documents import ConvertedDocument, Span, WholeDocument
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import BookUnreadable
from sourcebook.core.locations import locate
from sourcebook.core.ports import FileFormat, Ledger
from sourcebook.ingestion.book.layout_choice import LayoutSettings
from tests.books import ROS, BookWorld, lesson_text
from tests.converters import our_converters
from tests.memory_store import MemoryStore

PAGE, TABLE = "guide/wren.html", "parts.csv"
HTML = b"""<html><title>Wren</title><h1 id="wren">Wren</h1><p>Wren is a robot.</p>
<h2 id="arm-part">Its arm</h2><p>The arm has a mass of three kilograms.</p></html>"""


class Conversions:
    """Our converters; a test can raise their versions or have them refuse a file."""

    def __init__(self) -> None:
        self._inner = our_converters()
        self.extensions = self._inner.extensions
        self.raised = 0
        self.refused: bytes | None = None

    def recognize(self, path: str, content: bytes) -> FileFormat | None:
        found = self._inner.recognize(path, content)
        return None if found is None else FileFormat(found.id, found.version + self.raised)

    async def convert(self, file_format: FileFormat, content: bytes) -> ConvertedDocument:
        if self.refused is not None and self.refused in content:
            raise BookUnreadable("It is locked with a password")
        version = file_format.version - self.raised
        return await self._inner.convert(FileFormat(file_format.id, version), content)


@pytest.fixture
def conversions() -> Conversions:
    return Conversions()


@pytest.fixture
def world(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, conversions: Conversions
) -> BookWorld:
    world = BookWorld(ledger, store, models, layout=LayoutSettings(), conversion=conversions)
    world.source.files = {PAGE: HTML, TABLE: b"part,mass\narm,3 kg\nleg,5 kg\n"}
    return world


async def lesson(world: BookWorld, path: str) -> WholeDocument:
    found = await world.lesson(path)
    assert found is not None
    return found


async def test_the_text_of_a_document_is_what_its_chunks_are_cut_from(world: BookWorld) -> None:
    job = await world.ingest()

    assert job.status == "completed"
    page = await lesson(world, PAGE)
    assert page.document.text.startswith("# Wren\n\nWren is a robot.")
    for chunk in page.chunks:
        assert chunk.extent is not None
        assert chunk.text == page.document.text[chunk.extent.start : chunk.extent.end]


async def test_a_place_in_the_text_leads_to_the_place_in_the_file(world: BookWorld) -> None:
    await world.ingest()

    table = await lesson(world, TABLE)
    extent = table.chunks[0].extent
    assert extent is not None
    start = table.document.text.index("leg")
    found = locate(extent.locations, Span(start, start + 3))
    assert found is not None
    assert found.row == 3


async def test_a_heading_of_a_page_has_the_anchor_of_the_page(world: BookWorld) -> None:
    await world.ingest()

    about = (await lesson(world, PAGE)).chunks[0].metadata
    assert about["section_titles"] == ["Wren", "Its arm"]
    assert about["section_anchors"] == ["", "arm-part"]


async def test_a_document_names_its_format_and_its_title(world: BookWorld) -> None:
    await world.ingest()

    about = (await lesson(world, PAGE)).document.metadata
    assert about["format"] == "html"
    assert about["lesson_title"] == "Wren"


@pytest.mark.parametrize(
    ("title", "first", "named"),
    [("Wren", "1. Overview", "Wren"), ("Wren - Robots, edition 3", "Wren", "Wren")],
)
async def test_a_page_of_several_parts_is_not_named_after_the_first(
    world: BookWorld, title: str, first: str, named: str
) -> None:
    world.source.files[PAGE] = (
        f"<html><title>{title}</title><h1>{first}</h1><p>Wren is a robot.</p>"
        "<h1>2. Its arm</h1><p>The arm has a mass of three kilograms.</p></html>"
    ).encode()

    await world.ingest()

    assert (await lesson(world, PAGE)).document.metadata["lesson_title"] == named


async def test_a_new_version_of_a_converter_reads_its_files_again(
    world: BookWorld, conversions: Conversions
) -> None:
    world.source.write("notes.md", "# Notes\n\nSome text.")
    await world.ingest()
    conversions.raised = 1

    job = await world.ingest()

    assert job.progress.files_processed == 2
    assert job.progress.files_skipped == 1


async def test_a_file_that_cannot_be_converted_is_one_problem(
    world: BookWorld, conversions: Conversions
) -> None:
    conversions.refused = b"Wren"

    job = await world.ingest()

    assert job.status == "partial"
    assert [(one.path, one.message) for one in job.warnings] == [
        (PAGE, "It is locked with a password")
    ]
    assert await world.paths() == {TABLE}


async def test_a_file_that_is_damaged_later_stays_as_it_was_indexed(world: BookWorld) -> None:
    await world.ingest()
    world.source.files[PAGE] = b"\0\1\2 damaged"

    job = await world.ingest()

    assert job.progress.files_failed == 1
    assert "no HTML file" in job.warnings[0].message
    assert (await lesson(world, PAGE)).chunks


async def test_files_of_other_kinds_that_fit_no_pattern_are_counted(world: BookWorld) -> None:
    world.source.write(ROS, lesson_text("Topics", "Publishers"))
    world.source.other_files = {".png": 2, ".csv": 1}

    job = await world.ingest(patterns=("lessons",))

    assert job.progress.other_files == {".png": 2, ".csv": 2, ".html": 1}
    assert job.progress.files_unmatched == 0
    assert not job.warnings


async def test_a_pattern_can_name_documents(world: BookWorld) -> None:
    job = await world.ingest(patterns=("**/*.html",))

    assert await world.paths() == {PAGE}
    assert job.progress.other_files == {".csv": 1}
