"""Collections and documents on their way from one ledger to another."""

from dataclasses import dataclass, field
from typing import TypeAlias

from sourcebook.core.books import KeptLayout
from sourcebook.core.documents import Extent
from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import Embedding


@dataclass(frozen=True, slots=True)
class MovedCollection:
    """A collection; the vectors of its documents are of this model, if any are given.

    `books` say which files of its books are lessons.
    """

    name: str
    metadata: Metadata = field(default_factory=dict)
    model: str | None = None
    model_revision: str | None = None
    books: tuple[KeptLayout, ...] = ()


@dataclass(frozen=True, slots=True)
class MovedChunk:
    """A chunk. `embedded_hash` is that of the text that was embedded, which `embedding` is of."""

    text: str
    metadata: Metadata
    id: str | None = None
    extent: Extent | None = None
    embedded_hash: str | None = None
    embedding: Embedding = ()


@dataclass(frozen=True, slots=True)
class MovedDocument:
    """A document with its chunks in reading order; without any given, it is one chunk.

    A draft has no text, and an empty tuple of chunks. `version` is that of the ledger it comes
    from; another ledger gives it one of its own.
    """

    id: str | None
    text: str
    metadata: Metadata = field(default_factory=dict)
    collection: str | None = None
    chunks: tuple[MovedChunk, ...] | None = None
    created_at_s: float | None = None
    updated_at_s: float | None = None
    version: str | None = None


MovedRecord: TypeAlias = MovedCollection | MovedDocument


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A record and where it was found: the number of its line or row, from 1, or its id.

    What could not be read is an InvalidInput.
    """

    place: str
    content: MovedRecord | InvalidInput
