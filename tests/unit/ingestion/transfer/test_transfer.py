"""What is exported and imported again is the same, in another ledger, without embedding."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sourcebook.core.books import KeptLayout
from sourcebook.core.collections import Collection
from sourcebook.core.documents import (
    Chunk,
    Document,
    DocumentHeader,
    Extent,
    Span,
    WholeDocument,
)
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, InvalidInput
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Ledger
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.ingestion.book.lessons import embedded_text
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.identity import hash_text
from sourcebook.ingestion.lazy_collection import LazyCollection
from sourcebook.ingestion.posted.inbox import Inbox
from sourcebook.ingestion.transfer.exporter import Exporter
from sourcebook.ingestion.transfer.importer import Importer, ImportReport
from sourcebook.ingestion.transfer.records import (
    MovedChunk,
    MovedCollection,
    MovedDocument,
    MovedRecord,
    ReadRecord,
)
from sourcebook.ingestion.transfer.targets import Targets
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from tests.fakes import FakeClock, FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.memory_store import MemoryStore

LONG_TEXT = "\n\n".join(f"Paragraph {n} is about topic {n}. " * 30 for n in range(20))


@dataclass(frozen=True, slots=True)
class Place:
    """An installation, with a model that counts what it embeds."""

    ledger: Ledger
    store: MemoryStore
    embedder: FakeEmbedder

    @property
    def models(self) -> EmbeddingModels:
        return EmbeddingModels([self.embedder])

    async def take(
        self,
        *records: MovedRecord | InvalidInput,
        only: Sequence[str] = (),
        into: str | None = None,
        take_vectors: bool = True,
    ) -> ImportReport:
        targets = Targets(
            self.ledger, self.store, self.models, into=into, take_vectors=take_vectors
        )
        importer = Importer(self.ledger, self.store, targets)
        return await importer.take(_numbered(records), frozenset(only))

    async def exported(self, *, vectors: bool = True) -> list[MovedRecord]:
        exporter = Exporter(self.ledger)
        found = await exporter.collections()
        return [record async for record in exporter.records(found, vectors=vectors)]

    async def collection(self, name: str) -> Collection:
        return await self.ledger.collections.get(name)

    async def contents(self, name: str) -> list[tuple[DocumentHeader, WholeDocument | None]]:
        """All documents with their times, in order, without their versions."""
        id_ = (await self.collection(name)).id
        headers = await self.ledger.documents.headers(id_, EVERYTHING)
        return [
            (replace(header, version=""), await self.ledger.documents.whole(id_, header.id))
            for header in headers
        ]

    async def is_clean(self) -> bool:
        found = await Verifier(self.ledger, self.store).verify()
        return bool(found) and all(one.clean for one in found)


async def _numbered(records: Sequence[MovedRecord | InvalidInput]) -> AsyncIterator[ReadRecord]:
    for number, record in enumerate(records, start=1):
        yield ReadRecord(f"line {number}", record)


@pytest.fixture
async def here(
    ledger: Ledger, store: MemoryStore, embedder: FakeEmbedder, clock: FakeClock
) -> Place:
    """An installation with a plain collection, and one of documents that were split."""
    place = Place(ledger, store, embedder)
    await Catalog(ledger, store, place.models).create("parts", {"owner": "ada"}, "minilm")
    texts = [Document(id_, f"words of {id_}", {"n": 10**30, "id": id_}) for id_ in "cab"]
    await Ingestor(ledger, store, place.models).add("parts", texts)
    lazy = LazyCollection(ledger, store, place.models, "documents", {"description": "posted"})
    clock.now_s += 100
    await Inbox(ledger, store, lazy).put(PostedDocument("wiki", "a.md", "A", LONG_TEXT))
    return place


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Place]:
    """An empty installation with the same model, under another alias."""
    async with open_copied_ledger(tmp_path / "there.db", now_s=FakeClock(5_000_000.0)) as ledger:
        yield Place(ledger, MemoryStore(), FakeEmbedder("other-alias"))


async def test_with_vectors_everything_arrives_and_nothing_is_embedded(
    here: Place, there: Place
) -> None:
    report = await there.take(*await here.exported())

    assert report.complete
    assert (report.collections["parts"].created, report.collections["documents"].created) == (3, 1)
    for name in ("parts", "documents"):
        assert await there.contents(name) == await here.contents(name)
    assert there.embedder.batches == []
    assert await there.is_clean()


async def test_an_imported_collection_answers(here: Place, there: Place) -> None:
    await there.take(*await here.exported())

    found = await Searcher(there.ledger, there.store, there.models).search("parts", "b", 1)

    assert [hit.chunk.document_id for hit in found.hits] == ["b"]


async def test_a_collection_keeps_its_metadata_and_names_the_model_as_it_is_called_here(
    here: Place, there: Place
) -> None:
    await there.take(*await here.exported())

    metadata = (await there.collection("parts")).metadata
    assert (metadata["owner"], metadata["embedding_model"]) == ("ada", "other-alias")


async def test_without_vectors_the_same_is_embedded(here: Place, there: Place) -> None:
    report = await there.take(*await here.exported(vectors=False))

    chunks = report.collections["documents"].chunks_embedded
    assert chunks > 1
    assert await there.contents("documents") == await here.contents("documents")
    assert await there.is_clean()


async def test_vectors_of_another_model_are_not_taken(here: Place, there: Place) -> None:
    other = Place(there.ledger, there.store, FakeEmbedder("minilm", revision="rev-2"))

    report = await other.take(*await here.exported())

    assert report.collections["parts"].chunks_embedded == 3
    assert await other.is_clean()


async def test_vectors_can_be_left_out(here: Place, there: Place) -> None:
    report = await there.take(*await here.exported(), take_vectors=False)

    assert report.collections["parts"].chunks_embedded == 3


async def test_a_vector_whose_text_was_changed_is_not_taken(here: Place, there: Place) -> None:
    about, first, *_ = [r for r in await here.exported() if "documents" not in repr(r)]
    assert isinstance(first, MovedDocument)
    assert first.chunks is not None
    changed = replace(first, text="new words", chunks=(replace(first.chunks[0], text="new words"),))

    await there.take(about, changed)

    assert there.embedder.batches == [["new words"]]


async def test_an_import_that_is_run_again_does_nothing(here: Place, there: Place) -> None:
    records = await here.exported()
    await there.take(*records)
    before = await there.collection("parts")

    report = await there.take(*records)

    assert report.collections["parts"].unchanged == 3
    assert report.collections["documents"].unchanged == 1
    assert await there.collection("parts") == before


async def test_a_changed_document_is_replaced(here: Place, there: Place) -> None:
    await there.take(*await here.exported())
    ingestor = Ingestor(here.ledger, here.store, here.models)
    await ingestor.add("parts", [Document("a", "other words", {})])

    report = await there.take(*await here.exported())

    assert (report.collections["parts"].updated, report.collections["parts"].unchanged) == (1, 2)
    assert await there.is_clean()


async def test_an_export_can_be_imported_beside_the_original(here: Place) -> None:
    report = await here.take(*await here.exported(), only=["documents"], into="copy")

    assert report.complete
    assert [one.name for one in await here.ledger.collections.all()] == [
        "copy",
        "documents",
        "parts",
    ]
    assert await here.is_clean()


async def test_several_collections_do_not_get_one_name(here: Place, there: Place) -> None:
    report = await there.take(*await here.exported(), into="all")

    assert not report.complete
    assert "--as is for one collection" in report.problems[0].message


async def test_a_document_of_another_tool_needs_only_a_text(there: Place) -> None:
    report = await there.take(MovedDocument(None, "some words"), into="notes")
    again = await there.take(MovedDocument(None, "some words"), into="notes")

    assert report.collections["notes"].created == 1
    assert again.collections["notes"].unchanged == 1
    assert await there.is_clean()


async def test_problems_name_their_place_and_the_rest_is_taken_in(there: Place) -> None:
    placed = Extent((Span(0, 3),), 1, 1)
    report = await there.take(
        MovedCollection("notes"),
        InvalidInput("It is not JSON"),
        MovedDocument("blank", " ", collection="notes"),
        MovedDocument("lost", "no collection"),
        MovedDocument("moved", "abcdef", {}, "notes", (MovedChunk("abX", {}, extent=placed),)),
        MovedDocument("unplaced", "abcdef", {}, "notes", (MovedChunk("abc", {}),)),
        MovedDocument("good", "good words", collection="notes"),
        MovedCollection("bad name/"),
    )

    assert [problem.place for problem in report.problems] == [
        *(f"line {n}" for n in (2, 3, 4, 5, 6, 8)),
    ]
    assert report.failed == 6
    assert (report.stored, report.complete) == (1, False)


async def test_a_chunk_cannot_end_after_the_text(there: Place) -> None:
    chunk = MovedChunk("some words", {}, extent=Extent((Span(0, 1000),), 1, 1))

    report = await there.take(MovedDocument("a", "some words", {}, "notes", (chunk,)))

    assert [problem.message for problem in report.problems] == [
        "The 'spans' of chunk 1 end after the text of the document"
    ]


async def test_a_vector_of_the_wrong_length_is_a_problem_of_its_document(there: Place) -> None:
    chunk = MovedChunk("some words", {}, embedding=([1.0, 0.0],))
    report = await there.take(
        MovedCollection("notes", model_revision=there.embedder.revision),
        MovedDocument("a", "some words", {}, "notes", (chunk,)),
        MovedDocument("b", "other words", {}, "notes"),
    )

    (problem,) = report.problems
    assert problem.place == "line 2"
    assert problem.message == "Chunk 1 has a vector of 2 dimensions, not 64"
    assert report.stored == 1


async def test_a_document_that_comes_twice_ends_as_the_last_one(there: Place) -> None:
    await there.take(
        MovedDocument("a", "first words", collection="notes"),
        MovedDocument("a", "second words", collection="notes"),
    )

    ((_, whole),) = await there.contents("notes")
    assert whole is not None
    assert whole.document.text == "second words"
    assert await there.is_clean()


async def test_a_text_that_the_model_refuses_does_not_keep_others_out(there: Place) -> None:
    there.embedder.poison = "poison"

    report = await there.take(
        MovedDocument("a", "good words", collection="notes"),
        MovedDocument("b", "poison words", collection="notes"),
    )

    assert [problem.place for problem in report.problems] == ["line 2"]
    assert report.stored == 1


async def test_a_model_that_fails_stops_the_import(there: Place) -> None:
    there.embedder.failing = True

    report = await there.take(
        *(MovedDocument(str(n), f"words {n}", collection="notes") for n in range(250))
    )

    assert report.stopped == "The fake embedder was told to fail"
    assert report.stored == 0


async def test_a_lesson_brings_the_vectors_of_its_text_with_its_heading(there: Place) -> None:
    text = "The rest of a section."
    about: Metadata = {
        "section_starts": [0],
        "section_titles": ["Gears"],
        "section_anchors": ["gears"],
    }
    placed = Extent((Span(0, len(text)),), 1, 1)
    read = embedded_text(Chunk("c", "a", 0, text, about))
    assert read != text
    ((vector,),) = await FakeEmbedder().embed_documents([read])
    chunk = MovedChunk(text, about, "c", placed, hash_text(read), (vector,))

    await there.take(
        MovedCollection("book", {"kind": "book"}, model_revision=there.embedder.revision),
        MovedDocument("a", text, {}, "book", (chunk,)),
    )

    assert there.embedder.batches == []
    assert await there.is_clean()


async def test_which_files_are_lessons_arrives_and_what_was_chosen_there_stays(
    here: Place, there: Place
) -> None:
    for book_id in ("moved", "known"):
        await here.ledger.books.put(
            KeptLayout("parts", book_id, ("*.md",), ("x",), False, "docs", 1.0)
        )
    chosen = KeptLayout("copy", "known", ("*.mdx",), (), False, "mine", 2.0)
    await there.ledger.books.put(chosen)

    await there.take(*await here.exported(), only=["parts"], into="copy")

    assert await there.ledger.books.all("copy") == [
        chosen,
        KeptLayout("copy", "moved", ("*.md",), ("x",), False, "docs", 1.0),
    ]


async def test_a_draft_without_chunks_arrives(here: Place, there: Place) -> None:
    draft = MovedDocument("draft", "", {"draft": True}, "notes", chunks=())

    report = await there.take(draft)

    assert report.complete
    ((header, _),) = await there.contents("notes")
    assert header.metadata == {"draft": True}


async def test_a_collection_that_is_deleted_while_it_is_read_is_not_taken_for_complete(
    here: Place,
) -> None:
    exporter = Exporter(here.ledger)
    records = exporter.records(await exporter.collections(["parts"]), vectors=False)
    await anext(records)
    await here.ledger.collections.delete("parts")

    with pytest.raises(Conflict, match="export it again"):
        [record async for record in records]
