"""Documents, the chunks that are cut from them, and the hits that a search finds."""

from dataclasses import dataclass

from sourcebook.core.metadata import Metadata


@dataclass(frozen=True, slots=True)
class Document:
    """A text that somebody gave us, under an id that is theirs."""

    id: str
    text: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that can be found; `ordinal` is its place in reading order."""

    id: str
    document_id: str
    ordinal: int
    text: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found. `cosine` is the raw similarity, from -1 to 1."""

    chunk: Chunk
    cosine: float

    @property
    def score(self) -> float:
        """The similarity from 0 to 1 that thresholds apply to."""
        return min(1.0, max(0.0, self.cosine))

    @property
    def distance(self) -> float:
        """The cosine distance from 0 to 2."""
        return 1.0 - self.cosine


@dataclass(frozen=True, slots=True)
class Page:
    """A slice of the documents that match, and how many match in all."""

    documents: tuple[Document, ...]
    total: int
