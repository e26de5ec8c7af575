"""Stores documents that clients post: splits them, embeds what is new, and writes them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from sourcebook.core.chunk_links import link_chunks
from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Document, Extent, TokenSpans
from sourcebook.core.errors import (
    EmbeddingFailed,
    InvalidInput,
    ModelChanged,
    NotFound,
    RateLimited,
    SourcebookError,
    refuses_all,
)
from sourcebook.core.jobs import Fence
from sourcebook.core.metadata import check_metadata
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.core.posted_documents import PostedDocument, PostReceipt, PutStatus, lasting
from sourcebook.core.text import is_blank, strip_control_characters
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import DocumentVersion
from sourcebook.ingestion.chunk_writer import ChunkWriter, new_version
from sourcebook.ingestion.chunking.limits import TEXT_LIMITS, ChunkLimits, chunker_id
from sourcebook.ingestion.chunking.plain_text import TEXT_CHUNKER_VERSION, chunk_text
from sourcebook.ingestion.identity import chunk_ids, hash_text, same_metadata
from sourcebook.ingestion.lazy_collection import LazyCollection

log = logging.getLogger(__name__)

MAX_TEXT_LENGTH = 20_000_000


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A posting that differs from what is stored, split into chunks."""

    status: PutStatus
    document: Document
    chunks: tuple[Chunk, ...]
    hashes: tuple[str, ...]

    @property
    def receipt(self) -> PostReceipt:
        return PostReceipt(self.document.id, self.status, len(self.chunks))

    def version(self, embeddings: Mapping[str, Embedding]) -> DocumentVersion:
        return new_version(self.document, self.chunks, self.hashes, embeddings)


class Inbox:
    """Puts posted documents into their collection and deletes them from it."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        collection: LazyCollection,
        limits: ChunkLimits = TEXT_LIMITS,
    ) -> None:
        self._ledger = ledger
        self._collection = collection
        self._chunker = _Chunker(limits)
        self._writer = ChunkWriter(ledger, store)
        self._locks = _DocumentLocks()

    async def put(self, posting: PostedDocument) -> PostReceipt:
        """Store a document, unless it is stored already just like this."""
        (result,) = await self.put_all([posting])
        if isinstance(result, SourcebookError):
            raise result
        return result

    async def put_all(
        self, postings: Sequence[PostedDocument], fence: Fence | None = None
    ) -> list[PostReceipt | SourcebookError]:
        """Store documents and return a result for each, in order; one may fail and others not."""
        results: list[PostReceipt | SourcebookError] = []
        for some in _without_repeats(postings):
            async with self._locks.hold(posting.document_id for posting in some):
                results += await self._put(some, fence)
        return results

    async def delete(self, document_id: str) -> None:
        """Remove a document; NotFound if there is none."""
        async with self._locks.hold([document_id]):
            collection = await self._collection.find()
            # Looked up first: deleting what does not exist would still be a commit.
            if collection is None or not await self._holds(collection, document_id):
                raise NotFound(f"Document {document_id} not found")
            await self._ledger.documents.delete(collection.id, [document_id])

    async def _holds(self, collection: Collection, document_id: str) -> bool:
        return await self._ledger.documents.header(collection.id, document_id) is not None

    async def _put(
        self, postings: Sequence[PostedDocument], fence: Fence | None
    ) -> list[PostReceipt | SourcebookError]:
        try:
            return await self._put_once(postings, fence)
        except ModelChanged:
            # The collection moved to another model after the documents were embedded.
            return await self._put_once(postings, fence)

    async def _put_once(
        self, postings: Sequence[PostedDocument], fence: Fence | None
    ) -> list[PostReceipt | SourcebookError]:
        collection, embedder = await self._collection.get_or_create()
        known = await self._ledger.documents.get(
            collection.id, [posting.document_id for posting in postings]
        )
        prepared: list[_Prepared | PostReceipt | SourcebookError] = []
        for posting in postings:
            try:
                before = known.get(posting.document_id)
                prepared.append(
                    await self._chunker.prepare(posting, before, collection.name, embedder)
                )
            except InvalidInput as error:
                prepared.append(error)
        changed = [item for item in prepared if isinstance(item, _Prepared)]
        failures = await self._store(collection, embedder, changed, fence)
        return [
            failures.get(item.document.id, item.receipt) if isinstance(item, _Prepared) else item
            for item in prepared
        ]

    async def _store(
        self,
        collection: Collection,
        embedder: Embedder,
        changed: Sequence[_Prepared],
        fence: Fence | None,
    ) -> dict[str, SourcebookError]:
        """Write documents together, or one by one if one of them cannot be embedded.

        Returns the failures by document id.
        """
        if not changed:
            return {}
        try:
            texts = {
                text_hash: chunk.text
                for item in changed
                for chunk, text_hash in zip(item.chunks, item.hashes, strict=True)
            }
            embeddings = (await self._writer.embed(embedder, texts)).by_hash
            versions = [item.version(embeddings) for item in changed]
            await self._writer.write(collection, versions, embeddings, fence)
        except EmbeddingFailed as error:
            if len(changed) == 1 or isinstance(error, RateLimited) or refuses_all(error):
                return {item.document.id: error for item in changed}
            failures: dict[str, SourcebookError] = {}
            for item in changed:
                failures |= await self._store(collection, embedder, [item], fence)
            return failures
        return {}


class _Chunker:
    """Splits postings into chunks, unless they are stored already just like this."""

    def __init__(self, limits: ChunkLimits) -> None:
        self._limits = limits
        self._id = chunker_id(TEXT_CHUNKER_VERSION, limits, TEXT_LIMITS)

    async def prepare(
        self, posting: PostedDocument, before: Document | None, owner: str, embedder: Embedder
    ) -> _Prepared | PostReceipt:
        # In a thread, as the splitting: a text of many megabytes would hold up other requests.
        posting = await asyncio.to_thread(_cleaned, posting)
        check_metadata(posting.about)
        if before is not None and self._is_unchanged(before, posting):
            count = before.metadata.get("chunk_count")
            return PostReceipt(before.id, "unchanged", count if isinstance(count, int) else 0)
        (tokens,) = await embedder.tokenize([posting.text])
        status: PutStatus = "created" if before is None else "updated"
        return await asyncio.to_thread(self._split, posting, owner, tokens, status)

    def _is_unchanged(self, before: Document, posting: PostedDocument) -> bool:
        # A client's hash never says that the text is the same; a new one is stored all the same.
        same = same_metadata(lasting(before.metadata), lasting(posting.about))
        same = same and posting.hash in {None, before.metadata.get("hash")}
        return same and before.metadata.get("cut_by") == self._id and before.text == posting.text

    def _split(
        self, posting: PostedDocument, owner: str, tokens: TokenSpans, status: PutStatus
    ) -> _Prepared:
        parts = chunk_text(posting.text, tokens, self._limits)
        texts = [posting.text[part.span.start : part.span.end] for part in parts]
        hashes = [hash_text(text) for text in texts]
        ids = chunk_ids(owner, posting.document_id, hashes)
        about = posting.about
        chunks = link_chunks(
            [
                Chunk(
                    id=ids[ordinal],
                    document_id=posting.document_id,
                    ordinal=ordinal,
                    text=texts[ordinal],
                    metadata={**about, "chunk_index": ordinal},
                    extent=Extent(
                        (part.span,),
                        part.first_line,
                        part.last_line,
                        part.overlap,
                        (part.first_line,),
                    ),
                )
                for ordinal, part in enumerate(parts)
            ]
        )
        about |= {
            "chunk_count": len(chunks),
            "text_length": len(posting.text),
            "cut_by": self._id,
        }
        document = Document(posting.document_id, posting.text, about)
        return _Prepared(status, document, tuple(chunks), tuple(hashes))


def _cleaned(posting: PostedDocument) -> PostedDocument:
    text = strip_control_characters(posting.text)
    if is_blank(text):
        raise InvalidInput("text is required and must be a non-empty string")
    if len(text) > MAX_TEXT_LENGTH:
        raise InvalidInput(
            f"text has {len(text)} characters, {MAX_TEXT_LENGTH} at most; post it in parts"
        )
    if len(text) != len(posting.text):
        log.warning(
            "control_characters_removed",
            extra={"document": posting.document_id, "count": len(posting.text) - len(text)},
        )
    return replace(posting, text=text, title=strip_control_characters(posting.title))


def _without_repeats(postings: Sequence[PostedDocument]) -> Iterable[Sequence[PostedDocument]]:
    """Split the postings wherever a document comes again, so that each is put in its turn."""
    some: list[PostedDocument] = []
    seen: set[str] = set()
    for posting in postings:
        if posting.document_id in seen:
            yield some
            some, seen = [], set()
        some.append(posting)
        seen.add(posting.document_id)
    if some:
        yield some


class _DocumentLocks:
    """Makes writers of the same document wait for each other."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, document_ids: Iterable[str]) -> AsyncIterator[None]:
        # In one order for everybody, so that there is no deadlock.
        async with AsyncExitStack() as stack:
            for document_id in sorted(set(document_ids)):
                await stack.enter_async_context(self._lock(document_id))
            yield

    @asynccontextmanager
    async def _lock(self, document_id: str) -> AsyncIterator[None]:
        lock, waiting = self._locks.get(document_id, (asyncio.Lock(), 0))
        self._locks[document_id] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks[document_id]
            if waiting == 1:
                del self._locks[document_id]
            else:
                self._locks[document_id] = lock, waiting - 1
