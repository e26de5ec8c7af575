"""What a writer commits to the ledger, and what is left to clear away."""

from dataclasses import dataclass, field

from sourcebook.core.documents import Chunk, Document
from sourcebook.core.jobs import Fence


@dataclass(frozen=True, slots=True)
class ChunkVersion:
    """A chunk as one version of its document has it; `vectors` is how many points stand for it.

    `statements` are what it says, packed as they were read in the whole document.
    """

    chunk: Chunk
    version: str
    text_hash: str
    vectors: int
    statements: bytes | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document, whole: it goes live with all of its chunks, or not at all.

    The times are those of the commit, unless they are given: an imported document keeps its own.
    """

    document: Document
    version: str
    text_hash: str
    chunks: tuple[ChunkVersion, ...]
    created_at_s: float | None = None
    updated_at_s: float | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """Documents whose points are in the index `index_id` already and that may now go live.

    With a fence, only as long as the job is still its holder's. Where a store is derived from the
    ledger there are no points to announce.
    """

    id: str
    collection_id: str
    index_id: str
    documents: tuple[DocumentVersion, ...]
    fence: Fence | None = None
    announced: bool = True


@dataclass(frozen=True, slots=True)
class DeadChunk:
    """A chunk version that no reader can see any more. `key` is the ledger's own."""

    key: int
    index_id: str
    chunk_id: str
    version: str
    vectors: int


@dataclass(frozen=True, slots=True)
class UnusedEmbedding:
    """Remembered vectors of a text that no chunk has, or of a model that no collection uses."""

    text_hash: str
    model_revision: str
    used_at_s: float
    size_bytes: int


@dataclass(frozen=True, slots=True)
class AbandonedWrite:
    """Points that were announced but never went live."""

    id: str
    index_id: str
    point_ids: tuple[str, ...]
