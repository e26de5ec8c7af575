"""What an index in memory is filled from: the chunks of a collection, as its ledger has them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class MirrorSource:
    """The chunks of a collection with the vectors of one model."""

    collection_id: str
    model_revision: str
    dimensions: int


# A tuple: a collection has very many.
class MirroredChunk(NamedTuple):
    """A chunk version with its vectors and terms; `key` is the ledger's own.

    `vectors` are all its vectors, one after another, in single precision; empty if none are
    remembered. `terms` are packed by `pack_terms`; None if they were never read.
    """

    key: int
    chunk_id: str
    document_id: str
    version: str
    born: int
    died: int | None
    vectors: bytes
    terms: bytes | None


@dataclass(frozen=True, slots=True)
class Deaths:
    """Which chunks died, by key, and when.

    `swept` is the last revision whose dead the ledger has forgotten: a mirror that is older
    cannot know who died, only who lives.
    """

    died: Sequence[tuple[int, int]]
    swept: int
