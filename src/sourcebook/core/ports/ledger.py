"""The role of the ledger: the SQL database that everything else can be rebuilt from."""

from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from typing import Protocol

from sourcebook.core.book_source import FileProblem
from sourcebook.core.books import KeptLayout
from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import (
    Chunk,
    Document,
    DocumentGroup,
    DocumentHeader,
    Page,
    WholeDocument,
)
from sourcebook.core.feedback import Mark, UnansweredQuestion
from sourcebook.core.filters import Filter
from sourcebook.core.health import Checkable
from sourcebook.core.jobs import (
    Fence,
    ImportItem,
    ImportTally,
    IngestJob,
    ItemResult,
    JobKind,
    JobRequest,
    Outcome,
    Progress,
    Recall,
)
from sourcebook.core.metadata import Metadata
from sourcebook.core.mirrors import Deaths, MirroredChunk, MirrorSource
from sourcebook.core.self_tests import ProbeCounts, SelfTest
from sourcebook.core.statistics import IndexSize, JobCounts
from sourcebook.core.vectors import (
    Embedding,
    PointRef,
)
from sourcebook.core.writes import (
    AbandonedWrite,
    ChunkVersion,
    DeadChunk,
    DocumentVersion,
    UnusedEmbedding,
    Write,
)


class CollectionLedger(Protocol):
    """The collections and their generations."""

    async def create(self, collection: Collection) -> None:
        """Record a new collection; AlreadyExists if the name is taken."""
        ...

    async def get(self, name: str) -> Collection:
        """The collection of that name; NotFound if there is none."""
        ...

    async def by_id(self, collection_id: str) -> Collection | None:
        """The collection of that id, also one that readers cannot ask for."""
        ...

    async def all(self, *, hidden: bool = False) -> list[Collection]:
        """Every collection, by name; those that readers cannot ask for only if wanted."""
        ...

    async def change_metadata(
        self, name: str, change: Callable[[Metadata], Metadata]
    ) -> Collection:
        """Replace the metadata by what `change` makes of them, in one step."""
        ...

    async def move(self, collection: Collection, generation: Generation) -> bool:
        """Give it another generation and retire the index it had; False if it changed since.

        The index that is kept for a rollback is retired too, unless the model stays the same.
        """
        ...

    async def switch(
        self, collection: Collection, generation: Generation, fence: Fence | None = None
    ) -> bool:
        """Take a generation of another model into use, in one step; False if it changed since.

        Also False if the job of the fence was asked to end.

        The index it had is kept as `previous`, and the one that was kept before is retired. The
        metadata name the new model, and every live chunk has as many vectors as are remembered
        of its text and that model. The job of the fence has nothing in the making any more.
        """
        ...

    async def replace(self, old: Collection, new: Collection, fence: Fence | None = None) -> bool:
        """Give the name of `old` to `new`, which is being built, in one step.

        False if one of them changed since. The old one is retired, so that readers can finish.
        The job of the fence has nothing in the making any more.
        """
        ...

    async def delete(self, name: str) -> Collection:
        """Remove a collection with all it holds; its index is left to be cleared away."""
        ...

    async def discard(self, collection_id: str) -> None:
        """Remove one that readers cannot ask for, if it is still there. Conflict if they can."""
        ...


class DocumentLedger(Protocol):
    """The documents and their chunks. A reader names the revision it reads at."""

    async def announce(self, write_id: str, index_id: str, point_ids: Sequence[str]) -> None:
        """Say which points are about to be written, so that a crash leaves no orphans."""
        ...

    async def commit(self, write: Write) -> None:
        """Make the write live in one step. IndexMoved if the collection has another index now.

        Conflict if it was not announced, or so long ago that its points were cleared away.
        """
        ...

    async def delete(
        self, collection_id: str, document_ids: Sequence[str], fence: Fence | None = None
    ) -> int:
        """Remove documents in one step; the number that existed."""
        ...

    async def empty(self, collection_id: str, generation: Generation) -> int:
        """Remove all documents in one step by moving to a new generation; how many there were."""
        ...

    async def get(self, collection_id: str, document_ids: Sequence[str]) -> Mapping[str, Document]:
        """The documents of these ids, by id, as far as they exist."""
        ...

    async def find(self, collection_id: str, filter_: Filter, limit: int, offset: int) -> Page:
        """Documents whose metadata match, in the order in which they first came.

        So many, or as many as together have no more than `MAX_PAGE_BYTES`.
        """
        ...

    async def headers(
        self, collection_id: str, filter_: Filter, limit: int | None = None, offset: int = 0
    ) -> list[DocumentHeader]:
        """The documents whose metadata match, without their texts, in the order they came."""
        ...

    async def headers_by(
        self, collection_id: str, filter_: Filter, field: str, limit: int, offset: int
    ) -> list[DocumentHeader]:
        """A page of the documents that match, without their texts, in the order of a field."""
        ...

    async def groups(
        self, collection_id: str, field: str, value: str | None = None
    ) -> list[DocumentGroup]:
        """How much there is of each text that a metadata field has, or of this one, in order."""
        ...

    async def header(self, collection_id: str, document_id: str) -> DocumentHeader | None:
        """One document without its text; None if there is no such document."""
        ...

    async def headers_of(
        self, collection_id: str, document_ids: Sequence[str]
    ) -> Mapping[str, DocumentHeader]:
        """The documents of these ids without their texts, by id, in the order they came."""
        ...

    async def count(self, collection_id: str, filter_: Filter) -> int:
        """How many documents match."""
        ...

    async def whole(self, collection_id: str, document_id: str) -> WholeDocument | None:
        """A document with all its chunks, of one version; None if there is no such document."""
        ...

    async def document_of(self, collection_id: str, chunk_id: str) -> str | None:
        """The id of the document that has this chunk now."""
        ...

    async def mend_links(self, collection_id: str) -> int:
        """Put links and order of all documents right, by where the chunks stand; how many."""
        ...

    async def field_values(self, collection_id: str, field: str) -> set[str]:
        """Every value that a metadata field has, as text; lists give their elements."""
        ...

    async def chunks_at(
        self, collection_id: str, revision: int, refs: Iterable[PointRef]
    ) -> Mapping[tuple[str, str], Chunk]:
        """The chunks, by (chunk id, version), that were live at that revision."""
        ...

    async def statements(self, chunk_ids: Sequence[str]) -> Mapping[str, bytes]:
        """What live chunks say, packed, by chunk id, as far as it was kept."""
        ...

    def walk(
        self, collection_id: str, born_after: int = 0
    ) -> AsyncIterator[Sequence[ChunkVersion]]:
        """All live chunks that came after that revision, in batches of whole documents."""
        ...

    def walk_documents(self, collection_id: str) -> AsyncIterator[Sequence[DocumentVersion]]:
        """All documents, whole, in batches, in the order in which they came.

        One that is written meanwhile is read as it was before or after, or not at all if it is new.
        """
        ...

    async def live(self, collection_id: str) -> set[tuple[str, str]]:
        """The (chunk id, version) of every live chunk."""
        ...

    async def live_at(self, collection_id: str, revision: int) -> set[tuple[str, str]]:
        """The (chunk id, version) of every chunk that was live at that revision."""
        ...


class VectorCache(Protocol):
    """Remembers the vectors of every text that was embedded, by text hash and model revision."""

    async def recall(
        self, model_revision: str, text_hashes: Sequence[str]
    ) -> Mapping[str, Embedding]:
        """The embeddings that are known, by text hash."""
        ...

    async def remember(self, model_revision: str, embeddings: Mapping[str, Embedding]) -> None:
        """Keep embeddings, by text hash."""
        ...

    async def reuse(
        self, model_revision: str, text_hashes: Sequence[str]
    ) -> Mapping[str, Embedding]:
        """Recall for a write: they count as used from now on, so that no sweep takes them."""
        ...

    def unused(self) -> AsyncIterator[Sequence[UnusedEmbedding]]:
        """Walk over what no chunk of any collection needs, in batches.

        The embeddings of another model are needed while a reindex runs: it may be its new one.
        """
        ...

    async def forget(self, unused: Sequence[UnusedEmbedding]) -> int:
        """Delete these, except those that were used since they were found; return how many."""
        ...


class GarbageLedger(Protocol):
    """What no reader needs any more and the index may still hold. Times are Unix seconds."""

    async def dead_chunks(self, died_before_s: float, limit: int) -> list[DeadChunk]:
        """Chunk versions that died before that time."""
        ...

    async def forget_chunks(self, keys: Sequence[int]) -> None:
        """Their points are gone: drop the records too."""
        ...

    async def abandoned_writes(self, announced_before_s: float) -> list[AbandonedWrite]:
        """Writes that were announced before that time and never committed."""
        ...

    async def forget_write(self, write_id: str) -> None:
        """Its points are gone: drop the record too."""
        ...

    async def retired_collections(self, retired_before_s: float) -> list[Collection]:
        """Collections that were replaced before that time."""
        ...

    async def retired_indexes(self, retired_before_s: float) -> list[str]:
        """Indexes that no collection has used since that time."""
        ...

    async def forget_index(self, index_id: str) -> None:
        """It is dropped: drop the record too."""
        ...

    async def wanted_indexes(self) -> set[str]:
        """Those that a collection has or keeps for a rollback, that a job builds, or that stay."""
        ...


class JobLedger(Protocol):
    """The ingestion jobs: at most one running and one queued for each book.

    What a job of kind `reindex` was building is retired when it ends.
    """

    async def enqueue(self, request: JobRequest, delivery_id: str | None = None) -> IngestJob:
        """Record a job, durably. One that is queued already takes the request in.

        AlreadyExists if the delivery was taken before, and then nothing changes.
        """
        ...

    async def get(self, job_id: int) -> IngestJob:
        """The job of that number; NotFound if there is none."""
        ...

    async def recent(
        self, limit: int, book_id: str | None = None, kind: JobKind = "book"
    ) -> list[IngestJob]:
        """The latest jobs of a kind, newest first."""
        ...

    async def unfinished(self, book_id: str | None = None) -> list[IngestJob]:
        """The book jobs that wait or run, oldest first."""
        ...

    async def claim(self, lease_s: float, kind: JobKind = "book") -> IngestJob | None:
        """Take the oldest job that nobody works at. One that ended too many workers fails."""
        ...

    async def enqueue_import(self, documents: Sequence[Metadata]) -> IngestJob:
        """Record a job of kind `documents` with its items, durably and in one step."""
        ...

    async def unsettled(self, job_id: int, limit: int) -> list[ImportItem]:
        """Return the first items of a bulk import without a result; none once the job has ended."""
        ...

    async def settle(self, fence: Fence, results: Mapping[int, ItemResult]) -> None:
        """Record what became of items, by position. LeaseLost."""
        ...

    async def tally(self, job_id: int) -> ImportTally:
        """Return the progress of a bulk import; NotFound if there is none of that number."""
        ...

    async def beat(
        self, fence: Fence, progress: Progress, warnings: Sequence[FileProblem], lease_s: float
    ) -> bool:
        """Renew the lease and record progress; True if it should be cancelled. LeaseLost."""
        ...

    async def enqueue_reindex(self, collection_id: str, request: JobRequest) -> IngestJob:
        """Record a job of kind `reindex`, durably, or find the one that does the same already.

        NotFound if there is no such collection; Conflict if one waits or runs that does another.
        """
        ...

    async def compare(self, fence: Fence, recall: Recall) -> None:
        """Record how a new index compares with the old one. LeaseLost."""
        ...

    async def build(self, fence: Fence, building: str | None) -> None:
        """Record which collection the job builds, or which index a job of kind `reindex` does.

        An index that it built before is retired. LeaseLost.
        """
        ...

    async def finish(
        self, fence: Fence, outcome: Outcome, progress: Progress, warnings: Sequence[FileProblem]
    ) -> None:
        """End the job. LeaseLost."""
        ...

    async def let_go(self, fence: Fence) -> None:
        """Give the job back, to be gone on with at once; the attempt does not count."""
        ...

    async def let_all_go(self) -> None:
        """End every lease. Only for the sole owner, before it works: the holders are dead."""
        ...

    async def cancel(self, job_id: int) -> IngestJob:
        """End a queued job; ask a running one to end. NotFound; Conflict if it has ended."""
        ...

    async def latest_indexed(self, book_id: str) -> IngestJob | None:
        """The latest job that completed, or did a part."""
        ...

    async def count_unfinished(self) -> JobCounts:
        """How many jobs of each kind wait and run."""
        ...


class BookLedger(Protocol):
    """Which files of a book are lessons. A book is named by its collection's name and its id."""

    async def get(self, collection: str, book_id: str) -> KeptLayout | None:
        """What is kept with the book; None if nothing is."""
        ...

    async def all(self, collection: str) -> list[KeptLayout]:
        """What is kept with the books of a collection, by book id."""
        ...

    async def put(self, kept: KeptLayout, fence: Fence | None = None) -> None:
        """Keep it in place of what was kept with the book. LeaseLost."""
        ...

    async def delete(self, collection: str, book_id: str) -> bool:
        """Forget what is kept with the book, its self-test too; whether a layout was.

        It also goes when the collection is deleted, and stays when it is replaced.
        """
        ...


class SelfTestLedger(Protocol):
    """The latest self-test of each book. It goes, and stays, as its layout does."""

    async def get(self, collection: str, book_id: str) -> SelfTest | None:
        """The latest self-test of the book; None if there was none."""
        ...

    async def put(self, test: SelfTest, fence: Fence | None = None) -> None:
        """Keep it in place of the one before, and its report with the job of the fence. LeaseLost.

        The report names a few of the lost probes and counts them all.
        """
        ...

    async def counts(self) -> ProbeCounts:
        """How many probes of all books are in each state."""
        ...


class FeedbackLedger(Protocol):
    """What readers tell an author. The newest `most` of each kind are kept."""

    async def count_unanswered(self, asked: UnansweredQuestion, most: int) -> None:
        """Keep a question, or add its count to the one of the same key and take its words."""
        ...

    async def unanswered(self, limit: int) -> list[UnansweredQuestion]:
        """The questions that were asked most often, then most lately."""
        ...

    async def forget_unanswered(self, key: str | None = None) -> int:
        """Delete the question of that key, or all of them; how many there were."""
        ...

    async def put_mark(self, mark: Mark, most: int) -> None:
        """Keep a mark in place of the one of the same id."""
        ...

    async def marks(self, limit: int) -> list[Mark]:
        """The latest marks, newest first."""
        ...

    async def forget_marks(self) -> int:
        """Delete all marks; how many there were."""
        ...

    async def purge(self, before_s: float) -> int:
        """Delete what was last asked, or marked, before that time; how much there was."""
        ...


class MirrorLedger(Protocol):
    """What an index in memory is filled from, and kept up to date with."""

    async def index_ids(self) -> Sequence[str]:
        """The index of every collection."""
        ...

    async def source(self, index_id: str) -> MirrorSource | None:
        """What the index of that id mirrors; None if no collection uses it."""
        ...

    async def revision(self, collection_id: str) -> int | None:
        """The revision of a collection now; None if it is gone."""
        ...

    def born(
        self, source: MirrorSource, encoder: str, after: int, upto: int
    ) -> AsyncIterator[Sequence[MirroredChunk]]:
        """What was born between two revisions, in batches, in the order it came."""
        ...

    async def deaths(self, collection_id: str, after: int, upto: int) -> Deaths:
        """What died between two revisions."""
        ...

    async def live_keys(self, collection_id: str) -> Sequence[int]:
        """The keys of all chunks that are live."""
        ...

    async def metadata(self, keys: Sequence[int]) -> Mapping[int, str]:
        """The metadata of chunks as JSON, by key, as far as they exist."""
        ...

    async def texts(self, keys: Sequence[int]) -> Sequence[tuple[int, str, Metadata]]:
        """The keys, texts and metadata of chunks, as far as they exist."""
        ...

    async def remember_terms(self, encoder: str, terms: Mapping[int, bytes]) -> None:
        """Keep the terms of chunks, by key, so that nobody has to read them again."""
        ...


class Ledger(Checkable, Protocol):
    """The truth, in SQL: everything that the index can be rebuilt from."""

    async def installation(self) -> str:
        """The id of this installation, given once and kept: others may share our servers."""
        ...

    async def size(self) -> IndexSize:
        """How much readers can ask for. It is counted, without reading any text."""
        ...

    @property
    def collections(self) -> CollectionLedger:
        """The collections."""
        ...

    @property
    def documents(self) -> DocumentLedger:
        """The documents and chunks."""
        ...

    @property
    def vectors(self) -> VectorCache:
        """The embedding cache."""
        ...

    @property
    def garbage(self) -> GarbageLedger:
        """What is left to clear away."""
        ...

    @property
    def jobs(self) -> JobLedger:
        """The ingestion jobs."""
        ...

    @property
    def books(self) -> BookLedger:
        """Which files of each book are lessons."""
        ...

    @property
    def self_tests(self) -> SelfTestLedger:
        """Whether searches find the lessons of each book."""
        ...

    @property
    def mirrors(self) -> MirrorLedger:
        """What indexes in memory are filled from."""
        ...

    @property
    def feedback(self) -> FeedbackLedger:
        """Questions that were not answered, and readers' marks."""
        ...
