"""Takes in documents that tools post: cut, embedded as far as they are new, and stored."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from sourcebook.core.chain import linked
from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Document, Extent, TokenSpans
from sourcebook.core.errors import (
    EmbeddingFailed,
    InvalidInput,
    ModelChanged,
    NotFound,
    RateLimited,
    SourcebookError,
)
from sourcebook.core.jobs import Fence
from sourcebook.core.metadata import check_metadata, is_blank
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.core.postings import Posting, PutStatus, Receipt, clean, lasting
from sourcebook.core.refusals import refuses_all
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import DocumentVersion
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.identity import chunk_ids, hash_text, same_metadata
from sourcebook.ingestion.lazy_collection import LazyCollection
from sourcebook.ingestion.sentences import SENTENCES_VERSION, cut_sentences
from sourcebook.ingestion.versions import new_version

log = logging.getLogger(__name__)

MAX_TEXT_LENGTH = 20_000_000


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A posting that differs from what is stored, cut into chunks."""

    status: PutStatus
    document: Document
    chunks: tuple[Chunk, ...]
    hashes: tuple[str, ...]

    @property
    def receipt(self) -> Receipt:
        return Receipt(self.document.id, self.status, len(self.chunks))

    def version(self, embeddings: Mapping[str, Embedding]) -> DocumentVersion:
        return new_version(self.document, self.chunks, self.hashes, embeddings)


class Inbox:
    """The collection of posted documents, as those who post see it."""

    def __init__(self, ledger: Ledger, store: VectorStore, collection: LazyCollection) -> None:
        self._ledger = ledger
        self._collection = collection
        self._writer = ChunkWriter(ledger, store)
        self._turns = _Turns()

    async def put(self, posting: Posting) -> Receipt:
        """Store a document, unless it is there already just like this."""
        (result,) = await self.put_all([posting])
        if isinstance(result, SourcebookError):
            raise result
        return result

    async def put_all(
        self, postings: Sequence[Posting], fence: Fence | None = None
    ) -> list[Receipt | SourcebookError]:
        """Store documents; a result for each, in order. One that fails does not harm the others."""
        results: list[Receipt | SourcebookError] = []
        for some in _without_repeats(postings):
            async with self._turns.of(posting.document_id for posting in some):
                results += await self._put(some, fence)
        return results

    async def delete(self, document_id: str) -> None:
        """Remove a document; NotFound if there is none."""
        async with self._turns.of([document_id]):
            collection = await self._collection.find()
            # Looked for first: deleting what is not there would still be a commit.
            if collection is None or not await self._holds(collection, document_id):
                raise NotFound(f"Document {document_id} not found")
            await self._ledger.documents.delete(collection.id, [document_id])

    async def _holds(self, collection: Collection, document_id: str) -> bool:
        return await self._ledger.documents.header(collection.id, document_id) is not None

    async def _put(
        self, postings: Sequence[Posting], fence: Fence | None
    ) -> list[Receipt | SourcebookError]:
        try:
            return await self._put_once(postings, fence)
        except ModelChanged:
            # They were embedded with the model that the collection had until a moment ago.
            return await self._put_once(postings, fence)

    async def _put_once(
        self, postings: Sequence[Posting], fence: Fence | None
    ) -> list[Receipt | SourcebookError]:
        collection, embedder = await self._collection.ready()
        known = await self._ledger.documents.get(
            collection.id, [posting.document_id for posting in postings]
        )
        prepared: list[_Prepared | Receipt | SourcebookError] = []
        for posting in postings:
            try:
                before = known.get(posting.document_id)
                prepared.append(await _prepare(posting, before, collection, embedder))
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
        """Write documents together, or one by one if one of them cannot be embedded."""
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


async def _prepare(
    posting: Posting, before: Document | None, collection: Collection, embedder: Embedder
) -> _Prepared | Receipt:
    """Tell what a posting changes, and cut it if it changes anything."""
    # In a thread, as the cutting: a text of many megabytes would hold up other requests.
    posting = await asyncio.to_thread(_cleaned, posting)
    check_metadata(posting.about)
    if before is not None and _says_the_same(before, posting):
        count = before.metadata.get("chunk_count")
        return Receipt(before.id, "unchanged", count if isinstance(count, int) else 0)
    (tokens,) = await embedder.tokenize([posting.text])
    status: PutStatus = "created" if before is None else "updated"
    return await asyncio.to_thread(_cut, posting, collection, tokens, status)


def _says_the_same(before: Document, posting: Posting) -> bool:
    """A client's hash says nothing here: it may match although the text differs."""
    same = same_metadata(lasting(before.metadata), lasting(posting.about))
    as_now = before.metadata.get("cut_by") == SENTENCES_VERSION
    return same and as_now and before.text == posting.text


def _cut(
    posting: Posting, collection: Collection, tokens: TokenSpans, status: PutStatus
) -> _Prepared:
    cuts = cut_sentences(posting.text, tokens)
    texts = [posting.text[cut.span.start : cut.span.end] for cut in cuts]
    hashes = [hash_text(text) for text in texts]
    ids = chunk_ids(collection.name, posting.document_id, hashes)
    about = posting.about
    chunks = linked(
        [
            Chunk(
                id=ids[ordinal],
                document_id=posting.document_id,
                ordinal=ordinal,
                text=texts[ordinal],
                metadata={**about, "chunk_index": ordinal},
                extent=Extent((cut.span,), cut.first_line, cut.last_line, cut.overlap),
            )
            for ordinal, cut in enumerate(cuts)
        ]
    )
    about |= {
        "chunk_count": len(chunks),
        "text_length": len(posting.text),
        "cut_by": SENTENCES_VERSION,
    }
    document = Document(posting.document_id, posting.text, about)
    return _Prepared(status, document, tuple(chunks), tuple(hashes))


def _cleaned(posting: Posting) -> Posting:
    text = clean(posting.text)
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
    return replace(posting, text=text, title=clean(posting.title))


def _without_repeats(postings: Sequence[Posting]) -> Iterable[Sequence[Posting]]:
    """The postings in order, cut wherever a document comes again: each is put in its turn."""
    some: list[Posting] = []
    seen: set[str] = set()
    for posting in postings:
        if posting.document_id in seen:
            yield some
            some, seen = [], set()
        some.append(posting)
        seen.add(posting.document_id)
    if some:
        yield some


class _Turns:
    """Lets those who write the same document go one after another."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, document_ids: Iterable[str]) -> AsyncIterator[None]:
        """Hold all of them. In one order for everybody, so that nobody waits in a circle."""
        async with AsyncExitStack() as stack:
            for document_id in sorted(set(document_ids)):
                await stack.enter_async_context(self._turn(document_id))
            yield

    @asynccontextmanager
    async def _turn(self, document_id: str) -> AsyncIterator[None]:
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
