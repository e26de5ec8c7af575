"""Lists, reads, counts and searches the documents that tools posted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader, WholeDocument, chunk_count
from sourcebook.core.errors import NotFound
from sourcebook.core.filters import EVERYTHING, AllOf, Filter, OneOf, all_of, check_filter
from sourcebook.core.metadata import Scalar
from sourcebook.core.ports import Ledger
from sourcebook.core.posted_documents import OWN_PREFIX
from sourcebook.core.search_modes import SearchMode
from sourcebook.search.explanation import FoundHits
from sourcebook.search.searcher import Searcher, SearchResult


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Which documents: of a source, with any of the tags, with these metadata of their own."""

    source: str | None = None
    tags: Sequence[str] | None = None
    metadata: Mapping[str, Scalar] | None = None

    @property
    def filter(self) -> Filter:
        """Matches the wanted documents."""
        parts = list(self._parts())
        return check_filter(all_of(parts)) if parts else EVERYTHING

    def _parts(self) -> Iterator[Filter]:
        if self.source is not None:
            yield OneOf("source", (self.source,))
        if self.tags:
            yield OneOf("tags", tuple(self.tags))
        if self.metadata:
            yield AllOf(
                tuple(OneOf(OWN_PREFIX + name, (value,)) for name, value in self.metadata.items())
            )


@dataclass(frozen=True, slots=True)
class DocumentStatistics:
    """How much is stored: documents, chunks, both by source, and when the first and last came."""

    documents: int = 0
    chunks: int = 0
    by_source: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    oldest_s: float | None = None
    newest_s: float | None = None


class PostedDocuments:
    """Reads the collection of posted documents; as long as there is none, it is empty."""

    def __init__(self, ledger: Ledger, searcher: Searcher, collection_name: str) -> None:
        self._ledger = ledger
        self._searcher = searcher
        self._name = collection_name
        # What was counted, by collection, at which revision: nothing changes without a new one.
        self._counted: dict[str, tuple[int, DocumentStatistics]] = {}

    async def list(
        self, wanted: DocumentQuery, limit: int | None = None, offset: int = 0
    ) -> tuple[list[DocumentHeader], int]:
        """PostedDocuments in the order in which they first came, and how many there are in all."""
        collection = await self._collection()
        if collection is None:
            return [], 0
        documents = self._ledger.documents
        total = await documents.count(collection.id, wanted.filter)
        return await documents.headers(collection.id, wanted.filter, limit, offset), total

    async def get(self, document_id: str) -> tuple[DocumentHeader, WholeDocument]:
        """A document with its text and its chunks; NotFound if there is none."""
        collection = await self._collection()
        whole = None
        if collection is not None:
            whole = await self._ledger.documents.whole(collection.id, document_id)
        if collection is None or whole is None:
            raise NotFound(f"Document {document_id} not found")
        header = await self._ledger.documents.header(collection.id, document_id)
        if header is None:
            raise NotFound(f"Document {document_id} not found")
        return header, whole

    async def search(
        self,
        question: str,
        limit: int,
        least_score: float,
        wanted: DocumentQuery,
        *,
        previous: str = "",
        mode: SearchMode | None = None,
        embed_by_s: float | None = None,
    ) -> FoundHits:
        """The chunks that fit the question best, none below the least score."""
        try:
            found: SearchResult | None = await self._searcher.search(
                self._name,
                question,
                limit,
                wanted.filter,
                least_score=least_score,
                previous=previous,
                mode=mode,
                embed_by_s=embed_by_s,
            )
        except NotFound:
            found = None
        if found is None or not found.hits:
            # An empty collection asks nothing of the store, which may be away.
            await self._searcher.check_store()
        return FoundHits(found)

    async def statistics(self, collection_name: str | None = None) -> DocumentStatistics:
        """How much is stored here, or in another collection; nothing if there is none."""
        collection = await self._collection(collection_name)
        if collection is None:
            return DocumentStatistics()
        revision, counted = self._counted.get(collection.id, (None, DocumentStatistics()))
        if revision != collection.revision:
            counted = _count(await self._ledger.documents.headers(collection.id, EVERYTHING))
            self._counted[collection.id] = collection.revision, counted
        return counted

    async def _collection(self, name: str | None = None) -> Collection | None:
        try:
            return await self._ledger.collections.get(name or self._name)
        except NotFound:
            return None


def _count(headers: Iterable[DocumentHeader]) -> DocumentStatistics:
    by_source: dict[str, tuple[int, int]] = {}
    arrivals_s = []
    for header in headers:
        source = str(header.metadata.get("source") or "")
        documents, chunks = by_source.get(source, (0, 0))
        by_source[source] = documents + 1, chunks + chunk_count(header.metadata)
        arrivals_s.append(header.created_at_s)
    return DocumentStatistics(
        documents=len(arrivals_s),
        chunks=sum(chunks for _, chunks in by_source.values()),
        by_source=by_source,
        oldest_s=min(arrivals_s, default=None),
        newest_s=max(arrivals_s, default=None),
    )
