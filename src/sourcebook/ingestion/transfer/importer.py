"""Takes in collections and documents that come from elsewhere; vectors that fit are reused."""

from collections.abc import AsyncIterator, Callable, Sequence, Set
from dataclasses import dataclass, field

from sourcebook.core.collections import Collection
from sourcebook.core.errors import (
    EmbeddingFailed,
    InvalidInput,
    PoisonText,
    RateLimited,
    SourcebookError,
    Unavailable,
    refuses_all,
)
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.identity import same_document
from sourcebook.ingestion.overload_retry import OverloadRetry
from sourcebook.ingestion.transfer.incoming import IncomingDocument, incoming_document
from sourcebook.ingestion.transfer.records import MovedCollection, MovedDocument, ReadRecord
from sourcebook.ingestion.transfer.targets import ImportTarget, Targets

MAX_BATCH_DOCUMENTS = 100
MAX_BATCH_CHUNKS = 500
MAX_KEPT_PROBLEMS = 1_000


@dataclass(slots=True)
class CollectionTally:
    """What became of the documents of one collection, and of their chunks."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    chunks_embedded: int = 0
    chunks_reused: int = 0

    @property
    def stored(self) -> int:
        """How many documents are in the ledger now as they are in the source."""
        return self.created + self.updated + self.unchanged


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Why a record was not taken in, and where it is."""

    place: str
    message: str


@dataclass(slots=True)
class ImportReport:
    """What was taken in, by collection. `stopped` says why the rest was not read.

    Only the first problems are kept; `failed` counts them all.
    """

    collections: dict[str, CollectionTally] = field(default_factory=dict)
    problems: list[ImportProblem] = field(default_factory=list)
    failed: int = 0
    stopped: str | None = None

    def tally(self, collection: str) -> CollectionTally:
        """Return the tally of a collection, which is empty at first."""
        return self.collections.setdefault(collection, CollectionTally())

    def fail(self, place: str, message: str) -> None:
        """Note that a record was not taken in."""
        self.failed += 1
        if len(self.problems) < MAX_KEPT_PROBLEMS:
            self.problems.append(ImportProblem(place, message))

    @property
    def stored(self) -> int:
        """How many documents are in the ledger now as they are in the source."""
        return sum(tally.stored for tally in self.collections.values())

    @property
    def complete(self) -> bool:
        """True if everything was taken in."""
        return not self.failed and self.stopped is None


class Importer:
    """Writes documents in batches, each in one step; what is there already is recognized.

    So an import that was interrupted is simply run again.
    """

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        targets: Targets,
        *,
        retry: OverloadRetry | None = None,
    ) -> None:
        self._ledger = ledger
        self._targets = targets
        self._writer = ChunkWriter(ledger, store)
        self._retry = retry or OverloadRetry()

    async def take(
        self,
        records: AsyncIterator[ReadRecord],
        only: Set[str] = frozenset(),
        show: Callable[[ImportReport], None] = lambda report: None,
    ) -> ImportReport:
        """Take in all records, or those of the collections in `only`; `show` is told in between.

        A service that is down ends the import; a bad record does not.
        """
        report = ImportReport()
        try:
            async for target, batch in self._batches(records, only, report):
                await self._put(target, batch, report)
                show(report)
        except (Unavailable, InvalidInput) as error:
            report.stopped = error.message
        return report

    async def _batches(
        self, records: AsyncIterator[ReadRecord], only: Set[str], report: ImportReport
    ) -> AsyncIterator[tuple[ImportTarget, list[IncomingDocument]]]:
        """Yield documents of one collection at a time, none of them twice in a batch."""
        batch = _Batch()
        async for record in records:
            found = await self._prepared(record, only, report)
            if found is None:
                continue
            target, document = found
            if batch.target is not None and not batch.takes(target, document):
                yield batch.target, batch.documents
                batch = _Batch()
            batch.add(target, document)
        if batch.target is not None:
            yield batch.target, batch.documents

    async def _prepared(
        self, record: ReadRecord, only: Set[str], report: ImportReport
    ) -> tuple[ImportTarget, IncomingDocument] | None:
        """Return the document of a record and where it goes, unless it is no document or bad."""
        content = record.content
        if isinstance(content, InvalidInput):
            report.fail(record.place, content.message)
            return None
        name = content.name if isinstance(content, MovedCollection) else content.collection
        if only and name not in only:
            return None
        try:
            if isinstance(content, MovedCollection):
                report.tally((await self._targets.describe(content)).collection.name)
                return None
            target = await self._targets.get(content.collection)
            return target, _incoming(record.place, content, target)
        except Unavailable:
            raise
        except SourcebookError as error:
            report.fail(record.place, error.message)
            return None

    async def _put(
        self, target: ImportTarget, batch: Sequence[IncomingDocument], report: ImportReport
    ) -> None:
        tally = report.tally(target.collection.name)
        known = await self._ledger.documents.get(
            target.collection.id, [one.document.id for one in batch]
        )
        changed = []
        for incoming in batch:
            before = known.get(incoming.document.id)
            if before is None or not same_document(before, incoming.document):
                changed.append(incoming)
            elif await self._has_chunks(target.collection, incoming):
                tally.unchanged += 1
            else:
                changed.append(incoming)
        for incoming, error in await self._write(target, changed, tally):
            report.fail(incoming.place, error.message)
            changed.remove(incoming)
        updated = sum(incoming.document.id in known for incoming in changed)
        tally.updated += updated
        tally.created += len(changed) - updated

    async def _has_chunks(self, collection: Collection, incoming: IncomingDocument) -> bool:
        whole = await self._ledger.documents.whole(collection.id, incoming.document.id)
        return whole is not None and [c.id for c in whole.chunks] == incoming.chunk_ids

    async def _write(
        self, target: ImportTarget, batch: Sequence[IncomingDocument], tally: CollectionTally
    ) -> list[tuple[IncomingDocument, EmbeddingFailed]]:
        """Write documents together, or one by one if one of them cannot be embedded.

        Returns those that could not.
        """
        if not batch:
            return []
        chunks = [chunk for incoming in batch for chunk in incoming.chunks]
        given = {chunk.embedded_hash: chunk.embedding for chunk in chunks if chunk.embedding}
        await self._ledger.vectors.remember(target.embedder.revision, given)
        try:
            texts = {chunk.embedded_hash: chunk.embedded_text for chunk in chunks}
            embedder = target.embedder
            embedded = await self._retry.call(lambda: self._writer.embed(embedder, texts))
        except EmbeddingFailed as error:
            if isinstance(error, RateLimited) or refuses_all(error):
                raise
            if len(batch) == 1:
                return [(batch[0], error)]
            one_by_one = [await self._write(target, [one], tally) for one in batch]
            failures = [failure for failed in one_by_one for failure in failed]
            if len(failures) == len(batch) and not isinstance(error, PoisonText):
                raise  # the fault is the model's, not theirs
            return failures
        versions = [incoming.version(embedded.by_hash) for incoming in batch]
        await self._writer.write(target.collection, versions, embedded.by_hash)
        tally.chunks_embedded += embedded.fresh
        tally.chunks_reused += len(chunks) - embedded.fresh
        return []


def _incoming(place: str, moved: MovedDocument, target: ImportTarget) -> IncomingDocument:
    dimensions = target.embedder.dimensions if target.takes_vectors else None
    return incoming_document(place, moved, target.collection.name, dimensions)


@dataclass(slots=True)
class _Batch:
    """Documents of one collection that are written together."""

    target: ImportTarget | None = None
    documents: list[IncomingDocument] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    chunks: int = 0

    def takes(self, target: ImportTarget, document: IncomingDocument) -> bool:
        return (
            target is self.target
            and document.document.id not in self.ids
            and len(self.documents) < MAX_BATCH_DOCUMENTS
            and self.chunks < MAX_BATCH_CHUNKS
        )

    def add(self, target: ImportTarget, document: IncomingDocument) -> None:
        self.target = target
        self.documents.append(document)
        self.ids.add(document.document.id)
        self.chunks += len(document.chunks)
