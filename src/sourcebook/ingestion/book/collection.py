"""The collection that holds the books: created on first use, rebuilt unseen by readers."""

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import replace

from sourcebook.core.collections import Collection, hidden_name
from sourcebook.core.documents import DocumentHeader, WholeDocument
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.filters import Not, OneOf
from sourcebook.core.indexes import BOOK_KIND, KIND_KEY, fresh_index, new_generation
from sourcebook.core.jobs import Fence
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.ingestion.book.lessons import embedded_text
from sourcebook.ingestion.book.writer import WriteTarget
from sourcebook.ingestion.chunk_writer import ChunkWriter, new_version
from sourcebook.ingestion.identity import hash_text, new_id
from sourcebook.ingestion.lazy_collection import LazyCollection

ABOUT = {KIND_KEY: BOOK_KIND, "description": "Books, kept indexed from their files"}
MAX_ROUNDS = 20
RECENT_JOBS = 1_000


class BookCollection:
    """Finds, creates and rebuilds the collection of that name."""

    def __init__(
        self, ledger: Ledger, store: VectorStore, models: EmbeddingModels, name: str
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self.name = name
        self._lazy = LazyCollection(ledger, store, models, name, ABOUT)
        self._writer = ChunkWriter(ledger, store)

    async def find(self) -> Collection | None:
        """Return the collection, or None if nothing was indexed yet."""
        return await self._lazy.find()

    async def find_with_model(self) -> tuple[Collection | None, Embedder]:
        """Return the collection, if there is one yet, and the model that embeds its lessons."""
        return await self._lazy.find_with_model()

    async def get_or_create(self) -> tuple[Collection, Embedder]:
        """Return the collection to write to and its model."""
        return await self._lazy.get_or_create()

    async def headers(self, collection: Collection | None, book_id: str) -> list[DocumentHeader]:
        """Return the headers of a book's documents."""
        if collection is None:
            return []
        return await self._ledger.documents.headers(collection.id, OneOf("book_id", (book_id,)))

    async def begin_rebuild(
        self, live: Collection, building: str | None, fence: Fence
    ) -> tuple[Collection, Embedder]:
        """Create a hidden collection to fill, or continue with the one named by `building`."""
        await self.clear_abandoned()
        embedder = self._models.wanted(live)
        begun = await self._ledger.collections.by_id(building) if building else None
        if begun is not None and begun.generation.model_revision == embedder.revision:
            return begun, embedder
        await self.discard(building)
        collection_id = new_id()
        fresh = replace(
            live,
            id=collection_id,
            name=hidden_name(collection_id),
            generation=new_generation(embedder),
            revision=0,
            count=0,
            state="building",
        )
        # Recorded first: whatever happens next, an unfinished collection can be found and removed.
        await self._ledger.jobs.build(fence, collection_id)
        async with fresh_index(self._store, fresh.generation, fresh.metadata):
            await self._ledger.collections.create(fresh)
        return fresh, embedder

    async def swap_in(self, to: WriteTarget, book_id: str, kept: Set[str]) -> None:
        """Replace the live collection by the new one.

        Other books, and the `kept` documents of this book, are copied over first.
        """
        carried: dict[str, str] = {}
        for _ in range(MAX_ROUNDS):
            live = await self._ledger.collections.get(self.name)
            _refuse_another_model(live, to.collection)
            others = await self._ledger.documents.headers(
                live.id, Not(OneOf("book_id", (book_id,)))
            )
            others += [h for h in await self.headers(live, book_id) if h.id in kept]
            await self._carry_over(live, others, to, carried)
            fresh = await self._ledger.collections.by_id(to.collection.id)
            if fresh is None:
                raise NotFound("The collection that was being built is gone")
            if await self._ledger.collections.replace(live, fresh, to.fence):
                return
        raise Conflict(
            f"Collection {self.name!r} is written to all the time; try again in a moment"
        )

    async def discard(self, collection_id: str | None) -> None:
        """Remove a collection whose rebuild was given up."""
        if collection_id is not None:
            await self._ledger.collections.discard(collection_id)

    async def clear_abandoned(self) -> None:
        """Remove unfinished collections whose jobs have ended."""
        # The collections first: a job records what it will build before it creates it.
        collections = await self._ledger.collections.all(hidden=True)
        jobs = await self._ledger.jobs.recent(RECENT_JOBS)
        wanted = {job.building for job in jobs if not job.finished}
        for collection in collections:
            if collection.state == "building" and collection.id not in wanted:
                # It may have been swapped in meanwhile; then it must stay.
                with suppress(Conflict):
                    await self.discard(collection.id)

    async def _carry_over(
        self,
        live: Collection,
        wanted: Sequence[DocumentHeader],
        to: WriteTarget,
        carried: dict[str, str],
    ) -> None:
        """Copy documents; `carried` maps document ids to the versions that are copied already."""
        documents = self._ledger.documents
        gone = carried.keys() - {header.id for header in wanted}
        if gone:
            await documents.delete(to.collection.id, sorted(gone), to.fence)
        for header in wanted:
            if carried.get(header.id) == header.version:
                continue
            whole = await documents.whole(live.id, header.id)
            if whole is not None:
                await self._copy(whole, to)
                carried[header.id] = header.version

    async def _copy(self, whole: WholeDocument, to: WriteTarget) -> None:
        texts = [embedded_text(chunk) for chunk in whole.chunks]
        hashes = [hash_text(text) for text in texts]
        by_hash = dict(zip(hashes, texts, strict=True))
        embeddings = (await self._writer.embed(to.embedder, by_hash)).by_hash
        copy = new_version(whole.document, whole.chunks, hashes, embeddings)
        await self._writer.write(to.collection, [copy], embeddings, to.fence)


def _refuse_another_model(live: Collection, fresh: Collection) -> None:
    if live.wanted_model != fresh.wanted_model:
        raise Conflict(
            f"Collection {live.name!r} was given model {live.wanted_model!r} while a new one was"
            f" built with {fresh.wanted_model!r}; run it again"
        )
