"""Other tools' collections: which model their vectors are of, and their points as documents."""

import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sourcebook.core.collections import MODEL_KEY
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Embedder
from sourcebook.core.text import is_blank, shorten
from sourcebook.core.vectors import Vector
from sourcebook.ingestion.transfer.records import (
    MovedChunk,
    MovedCollection,
    MovedDocument,
    ReadRecord,
)

# Vectors of the same model on another runtime agree to 0.999 and better; those of another model,
# or of the same one with another prompt, stay far below.
MIN_COSINE = 0.99
COMPARED_TEXTS = 5


@dataclass(frozen=True, slots=True)
class ForeignPoint:
    """A point of another tool, with its text and metadata as adopted collections show them."""

    id: str
    text: str
    metadata: Metadata
    vector: Vector


class ForeignCollection(Protocol):
    """A collection that another tool filled. Raises RetrievalUnavailable."""

    @property
    def name(self) -> str:
        """Its name in the other store."""
        ...

    @property
    def metadata(self) -> Metadata:
        """What the other tool noted about it."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    async def count(self) -> int:
        """How many points it has."""
        ...

    def points(self) -> AsyncIterator[Sequence[ForeignPoint]]:
        """All points, in batches."""
        ...


class ForeignStore(Protocol):
    """A store of another tool. Raises RetrievalUnavailable."""

    async def names(self) -> list[str]:
        """The names of all collections that another tool filled."""
        ...

    async def collection(self, name: str) -> ForeignCollection:
        """The collection of that name; NotFound, or ConfigurationError if it cannot be read."""
        ...


@dataclass(frozen=True, slots=True)
class VectorCheck:
    """How the stored vectors of a few texts compare with what a model gives for them."""

    model: str
    compared: int
    min_cosine: float

    @property
    def passed(self) -> bool:
        """True if the vectors are that model's."""
        return self.compared > 0 and self.min_cosine >= MIN_COSINE


def model_for(
    collection: ForeignCollection, models: EmbeddingModels, model_id: str | None
) -> Embedder:
    """Return the model that the vectors should be of: named, noted, or the only one that fits.

    InvalidInput if that cannot be told.
    """
    if model_id is not None:
        return models.chosen(model_id)
    noted = collection.metadata.get(MODEL_KEY)
    known = models.find(noted) if isinstance(noted, str) else None
    fitting = [model for model in models if model.dimensions == collection.dimensions]
    if known is None and len(fitting) == 1:
        known = fitting[0]
    if known is None:
        raise InvalidInput(
            f"Say with --model which model made the vectors of {collection.name!r}, which have"
            f" {collection.dimensions} dimensions. Loaded: {_listed(models)}"
        )
    return known


async def check_vectors(collection: ForeignCollection, embedder: Embedder) -> VectorCheck:
    """Embed a few texts and compare; nothing passes if the lengths differ."""
    if collection.dimensions != embedder.dimensions:
        return VectorCheck(embedder.id, 0, 0.0)
    async for points in collection.points():
        # Short ones: a long text may have been cut by the other tool.
        readable = [point for point in points if not is_blank(point.text)]
        sample = sorted(readable, key=lambda point: len(point.text))[:COMPARED_TEXTS]
        embedded = await embedder.embed_documents([point.text for point in sample])
        cosines = [
            max(_cosine(point.vector, vector) for vector in embedding)
            for point, embedding in zip(sample, embedded, strict=True)
        ]
        return VectorCheck(embedder.id, len(cosines), min(cosines, default=0.0))
    return VectorCheck(embedder.id, 0, 0.0)


async def foreign_records(
    collection: ForeignCollection, embedder: Embedder, *, with_vectors: bool
) -> AsyncIterator[ReadRecord]:
    """Yield the collection and each of its points as a document of one chunk, under its own id."""
    name = collection.name
    revision = embedder.revision if with_vectors else None
    about = MovedCollection(name, collection.metadata, embedder.id, revision)
    yield ReadRecord(name, about)
    async for points in collection.points():
        for point in points:
            yield ReadRecord(f"{name}, point {shorten(point.id, 60)}", _document(name, point))


def _document(collection: str, point: ForeignPoint) -> MovedDocument | InvalidInput:
    if is_blank(point.text):
        return InvalidInput(
            "It has no text: name the field that holds it with --text-field, if there is one"
        )
    chunk = MovedChunk(point.text, point.metadata, embedding=(point.vector,))
    return MovedDocument(
        point.id, point.text, point.metadata, collection=collection, chunks=(chunk,)
    )


def _cosine(one: Vector, other: Vector) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    lengths = math.hypot(*one) * math.hypot(*other)
    return product / lengths if lengths else 0.0


def _listed(models: EmbeddingModels) -> str:
    return ", ".join(f"{model.id} ({model.dimensions})" for model in models) or "none"
