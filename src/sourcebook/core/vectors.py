"""Vectors and the points of an index: what a vector store keeps and gives back."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from sourcebook.core.documents import Chunk
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.metadata import Metadata

Vector: TypeAlias = Sequence[float]
# One text may need several vectors: one for each stretch that the model can read at once.
Embedding: TypeAlias = tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weights of a few of very many dimensions, as BM25 gives them."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TermQuery:
    """The terms of a question; `words` counts those that are single words, each once."""

    vector: SparseVector
    words: int


@dataclass(frozen=True, slots=True)
class IndexedField:
    """A metadata field that filters will ask for, and what kind of values it has."""

    name: str
    kind: Literal["text", "number"] = "text"


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """What a store must know to create an index; `id` is ours and safe as a file name.

    `fields` are indexed from the start by stores that have such indexes. Any other field can be
    filtered on as well.
    """

    id: str
    dimensions: int
    fields: tuple[IndexedField, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class PointRef:
    """Which version of which chunk a point stands for. `digest` covers its text and metadata.

    `terms` is the revision of the encoder that wrote the terms of its chunk; "" if the index has
    none. `ordinal` says which of the chunk's vectors it is, and `key` is the ledger's own name of
    the chunk version, where the store knows.
    """

    id: str
    chunk_id: str
    document_id: str
    version: str
    digest: str
    terms: str = field(default="", compare=False)
    ordinal: int | None = field(default=None, compare=False)
    key: int | None = field(default=None, compare=False)

    @property
    def foreign(self) -> bool:
        """True if another tool wrote the point: it stands for no chunk."""
        return not self.version


def foreign_ref(point_id: str) -> PointRef:
    """Return the reference of a point that another tool wrote into an index of ours."""
    return PointRef(point_id, chunk_id=point_id, document_id="", version="", digest="")


@dataclass(frozen=True, slots=True)
class Point:
    """One vector of one version of a chunk, with the metadata that filters look at.

    `vectors` is how many points the chunk has, and the reference's `ordinal` says which of them it
    is. The first has the terms of all of the chunk in `sparse`.
    """

    ref: PointRef
    metadata: Metadata
    dense: Vector
    sparse: SparseVector | None = None
    chunk: Chunk | None = None
    vectors: int = 1


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """Nearest points to a dense vector, and those with the terms of a sparse one, if it is given.

    `limit` counts for each of the two. Only what passes the filter is found. `context` are ids of
    points that a match is compared with; unknown ones are ignored. `among` are the ids of the only
    points to look at, if there are any; a store that cannot do that may look at all. With
    `by_terms_alone`, a match has only the points with the terms, with their cosines. Of a store
    that knows when chunks lived, only those are found that did at `revision`, if it is given.
    """

    dense: Vector
    limit: int
    filter: Filter = EVERYTHING
    sparse: SparseVector | None = None
    context: tuple[str, ...] = ()
    among: frozenset[str] = frozenset()
    by_terms_alone: bool = False
    revision: int | None = None


# A tuple: a search makes a hundred of them.
class ScoredPoint(NamedTuple):
    """A point that was found and its cosine similarity to the query."""

    ref: PointRef
    score: float


@dataclass(frozen=True, slots=True)
class TermMatches:
    """What a search by vector and by terms found.

    `nearest` are the nearest points, best first, and after them the other points of the chunks
    that were found by their terms, each with its cosine. `scores` are the BM25 scores by point id,
    best first; a chunk's first point stands for all of it. `context` has, by point id, the cosine
    of each point to the nearest point of the query's context.
    """

    nearest: tuple[ScoredPoint, ...]
    scores: Mapping[str, float]
    is_everything: bool
    context: Mapping[str, float] = field(default_factory=dict)


def check_vector(vector: Vector, dimensions: int) -> None:
    """Refuse vectors that would poison an index: wrong length, not finite, or zero."""
    if len(vector) != dimensions:
        raise EmbeddingFailed(
            f"The embedder gave a vector of {len(vector)} dimensions, not {dimensions}"
        )
    length = math.hypot(*vector)
    # Squared, as stores do: what overflows or vanishes there is as useless as infinity or zero.
    norm = length * length
    if not math.isfinite(norm):
        raise EmbeddingFailed("The embedder gave a vector that is not finite")
    if norm == 0.0:
        raise EmbeddingFailed("The embedder gave a zero vector, which is similar to nothing")
