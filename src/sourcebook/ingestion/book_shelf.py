"""The collection that books stand in: found or created, and rebuilt beside the one in use."""

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import replace

from sourcebook.core.collections import Collection, hidden_name
from sourcebook.core.documents import DocumentHeader, WholeDocument
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.filters import Not, OneOf
from sourcebook.core.fresh_index import fresh_index, new_generation
from sourcebook.core.indexed_fields import BOOK_KIND, KIND_KEY
from sourcebook.core.jobs import Fence
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.ingestion.book_writer import Target
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.identity import hash_text, new_id
from sourcebook.ingestion.lazy_collection import LazyCollection
from sourcebook.ingestion.lessons import embedded_text
from sourcebook.ingestion.versions import new_version

ABOUT = {KIND_KEY: BOOK_KIND, "description": "Books, kept indexed from their files"}
MAX_ROUNDS = 20
RECENT_JOBS = 1_000


class BookShelf:
    """Knows the collection of the books by its name."""

    def __init__(
        self, ledger: Ledger, store: VectorStore, models: EmbeddingModels, name: str
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._name = name
        self._lazy = LazyCollection(ledger, store, models, name, ABOUT)
        self._writer = ChunkWriter(ledger, store)

    async def find(self) -> Collection | None:
        """The collection, if there is one yet."""
        return await self._lazy.find()

    async def look(self) -> tuple[Collection | None, Embedder]:
        """The collection, if there is one yet, and the model that lessons are embedded with."""
        return await self._lazy.look()

    async def ready(self) -> tuple[Collection, Embedder]:
        """The collection to write to, created if need be, and its model."""
        return await self._lazy.ready()

    async def headers(self, collection: Collection | None, book_id: str) -> list[DocumentHeader]:
        """What is indexed of a book."""
        if collection is None:
            return []
        return await self._ledger.documents.headers(collection.id, OneOf("book_id", (book_id,)))

    async def begin_anew(
        self, live: Collection, building: str | None, fence: Fence
    ) -> tuple[Collection, Embedder]:
        """A collection to build beside the live one; the one that was begun before, if any."""
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
        # Noted first: whatever happens next, what was begun can be found and cleared away.
        await self._ledger.jobs.build(fence, collection_id)
        async with fresh_index(self._store, fresh.generation, fresh.metadata):
            await self._ledger.collections.create(fresh)
        return fresh, embedder

    async def put_in_place(self, to: Target, book_id: str, kept: Set[str]) -> None:
        """Let the new collection take the live one's name, with all that only that one holds.

        That is other books, and the `kept` documents of this one.
        """
        carried: dict[str, str] = {}
        for _ in range(MAX_ROUNDS):
            live = await self._ledger.collections.get(self._name)
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
            f"Collection {self._name!r} is written to all the time; try again in a moment"
        )

    async def discard(self, collection_id: str | None) -> None:
        """Clear away a collection that was begun and is not wanted any more."""
        if collection_id is not None:
            await self._ledger.collections.discard(collection_id)

    async def clear_abandoned(self) -> None:
        """Clear away what was begun by jobs that have ended."""
        # The collections first: a job says what it will build before that comes into being.
        collections = await self._ledger.collections.all(hidden=True)
        jobs = await self._ledger.jobs.recent(RECENT_JOBS)
        wanted = {job.building for job in jobs if not job.finished}
        for collection in collections:
            if collection.state == "building" and collection.id not in wanted:
                # It may have taken its place in the meantime; then it is not ours to discard.
                with suppress(Conflict):
                    await self.discard(collection.id)

    async def _carry_over(
        self,
        live: Collection,
        wanted: Sequence[DocumentHeader],
        to: Target,
        carried: dict[str, str],
    ) -> None:
        """Copy documents; `carried` says which versions are there already."""
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

    async def _copy(self, whole: WholeDocument, to: Target) -> None:
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
