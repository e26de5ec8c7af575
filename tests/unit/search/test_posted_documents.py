"""Readers of the posted documents find what is there, and counts that are true."""

import pytest

from sourcebook.core.documents import DocumentHeader
from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.ports import DocumentLedger, Ledger
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.search.posted_documents import DocumentQuery, DocumentStatistics, PostedDocuments
from sourcebook.search.searcher import Searcher
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeClock

ARM = PostedDocument(
    "nas", "/arm", "Arm", "The arm lifts steel.", tags=("arm", "x"), metadata={"a": 1}
)
LEG = PostedDocument(
    "nas", "/leg", "Leg", "The leg walks far.", tags=("leg",), metadata={"a": True}
)
NOTE = PostedDocument("web", "/note", "Note", "Paragraph of words. " * 900, metadata={"a": 1.0})


@pytest.fixture
def documents(use_cases: UseCases) -> PostedDocuments:
    return use_cases.documents


@pytest.fixture
async def filled(use_cases: UseCases, clock: FakeClock) -> None:
    for posting in (ARM, LEG, NOTE):
        await use_cases.inbox.put(posting)
        clock.now_s += 10


async def titles(documents: PostedDocuments, wanted: DocumentQuery) -> list[str]:
    headers, _ = await documents.list(wanted)
    return [str(header.metadata["title"]) for header in headers]


async def test_before_the_first_document_everything_is_empty(documents: PostedDocuments) -> None:
    assert await documents.list(DocumentQuery()) == ([], 0)
    assert (await documents.search("arm", 5, 0.0, DocumentQuery())).hits == ()
    assert await documents.statistics() == DocumentStatistics()
    with pytest.raises(NotFound):
        await documents.get("x")


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (DocumentQuery(), ["Arm", "Leg", "Note"]),
        (DocumentQuery(source="nas"), ["Arm", "Leg"]),
        (DocumentQuery(source="nowhere"), []),
        (DocumentQuery(tags=["leg", "arm"]), ["Arm", "Leg"]),
        (DocumentQuery(tags=[]), ["Arm", "Leg", "Note"]),
        (DocumentQuery(source="nas", tags=["x"]), ["Arm"]),
        (DocumentQuery(source="web", tags=["x"]), []),
        (DocumentQuery(metadata={"a": 1}), ["Arm", "Note"]),
        (DocumentQuery(metadata={"a": True}), ["Leg"]),
        (DocumentQuery(metadata={"source": "nas"}), []),
    ],
)
async def test_lists_and_searches_mean_the_same_documents(
    documents: PostedDocuments, wanted: DocumentQuery, found: list[str]
) -> None:
    assert await titles(documents, wanted) == found
    hits = (await documents.search("the arm and the leg", 20, 0.0, wanted)).hits
    assert {str(hit.chunk.metadata["title"]) for hit in hits} == set(found)


@pytest.mark.usefixtures("filled")
async def test_pages_follow_one_another(documents: PostedDocuments) -> None:
    first, total = await documents.list(DocumentQuery(), limit=2)
    second, _ = await documents.list(DocumentQuery(), limit=2, offset=2)

    assert total == 3
    assert [header.id for header in [*first, *second]] == [
        posting.document_id for posting in (ARM, LEG, NOTE)
    ]


@pytest.mark.usefixtures("filled")
async def test_no_hit_is_below_the_least_score(documents: PostedDocuments) -> None:
    everything = (await documents.search("arm steel", 20, 0.0, DocumentQuery())).hits
    good = (await documents.search("arm steel", 20, everything[0].score, DocumentQuery())).hits

    assert [hit.score for hit in everything] == sorted(
        (hit.score for hit in everything), reverse=True
    )
    assert good[0] == everything[0]
    assert len(good) < len(everything)


@pytest.mark.usefixtures("filled")
async def test_a_document_comes_with_its_text_and_chunks(documents: PostedDocuments) -> None:
    header, whole = await documents.get(NOTE.document_id)

    assert header.id == whole.document.id == NOTE.document_id
    assert whole.document.text == NOTE.text
    assert header.metadata["chunk_count"] == len(whole.chunks) > 1
    for unknown in ("x", "a\x00b"):
        with pytest.raises(NotFound):
            await documents.get(unknown)


def test_a_filter_of_too_many_terms_is_refused() -> None:
    with pytest.raises(InvalidInput):
        _ = DocumentQuery(tags=["t"] * 51).filter
    assert DocumentQuery().filter == EVERYTHING


class Counting:
    """The ledger's documents; counts how often all headers are read."""

    def __init__(self, inner: DocumentLedger) -> None:
        self._inner = inner
        self.scans = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def headers(self, collection_id: str, filter_: Filter) -> list[DocumentHeader]:
        self.scans += 1
        return await self._inner.headers(collection_id, filter_)


class CountingLedger:
    """A ledger whose documents count."""

    def __init__(self, inner: Ledger) -> None:
        self._inner = inner
        self.documents = Counting(inner.documents)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


@pytest.mark.usefixtures("filled")
async def test_the_counts_are_true_and_made_once_for_each_state(
    ledger: Ledger, use_cases: UseCases, clock: FakeClock
) -> None:
    counting = CountingLedger(ledger)
    searcher: Searcher = use_cases.searcher
    documents = PostedDocuments(counting, searcher, "documents")  # type: ignore[arg-type]

    first = await documents.statistics()
    again = await documents.statistics()
    scans_before = counting.documents.scans
    await use_cases.inbox.delete(ARM.document_id)
    after = await documents.statistics()

    chunks = first.by_source["web"][1]
    assert (first.documents, first.chunks) == (3, 2 + chunks)
    assert (first.by_source["nas"], first.by_source["web"][0], chunks > 1) == ((2, 2), 1, True)
    assert (first.oldest_s, first.newest_s) == (clock.now_s - 30, clock.now_s - 10)
    assert (again, scans_before) == (first, 1)
    assert (after.documents, after.by_source["nas"]) == (2, (1, 1))
    assert counting.documents.scans == 2


async def test_the_counts_of_another_collection_are_its_own(use_cases: UseCases) -> None:
    await use_cases.catalog.create("plain", {}, "minilm")

    assert await use_cases.documents.statistics("plain") == DocumentStatistics()
    assert await use_cases.documents.statistics("nowhere") == DocumentStatistics()
