"""Plans what is copied from another tool's store: each collection with its model and vectors."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ConfigurationError, InvalidInput, NotFound
from sourcebook.core.ports import Embedder
from sourcebook.ingestion.transfer.foreign import (
    MIN_COSINE,
    ForeignCollection,
    ForeignStore,
    VectorCheck,
    check_vectors,
    foreign_records,
    model_for,
)
from sourcebook.ingestion.transfer.records import ReadRecord


@dataclass(frozen=True, slots=True)
class PlannedCollection:
    """A collection that can be copied; with `embed`, its texts are embedded here."""

    collection: ForeignCollection
    points: int
    embedder: Embedder
    check: VectorCheck
    embed: bool = False

    @property
    def name(self) -> str:
        return self.collection.name

    @property
    def problem(self) -> str | None:
        """Why its vectors cannot be used, unless its texts are to be embedded."""
        if self.embed or self.check.passed:
            return None
        model, size = self.embedder.id, self.embedder.dimensions
        if size != self.collection.dimensions:
            reason = (
                f"its vectors have {self.collection.dimensions} dimensions, and those of {model!r}"
                f" have {size}"
            )
        elif not self.check.compared:
            reason = "none of its first points has a text to compare a vector with"
        else:
            reason = (
                f"its vectors are not those of {model!r}: of {self.check.compared} texts, the least"
                f" similar has cosine {self.check.min_cosine:.3f}, and {MIN_COSINE} is needed"
            )
        return f"{reason}. Name the right model with --model, or embed its texts with --embed"


@dataclass(frozen=True, slots=True)
class RefusedCollection:
    """A collection that cannot be copied, and why."""

    name: str
    problem: str


async def plan_import(
    store: ForeignStore,
    names: Sequence[str],
    models: EmbeddingModels,
    *,
    model: str | None = None,
    embed: bool = False,
) -> list[PlannedCollection | RefusedCollection]:
    """Look at the collections of these names, or at all of the store; nothing is written."""
    found: list[PlannedCollection | RefusedCollection] = []
    for name in list(dict.fromkeys(names)) or await store.names():
        try:
            found.append(await _planned(store, name, models, model, embed=embed))
        except (InvalidInput, ConfigurationError, NotFound) as error:
            found.append(RefusedCollection(name, error.message))
    return found


async def planned_records(planned: Sequence[PlannedCollection]) -> AsyncIterator[ReadRecord]:
    """Yield the records of all these collections."""
    for one in planned:
        records = foreign_records(one.collection, one.embedder, with_vectors=not one.embed)
        async for record in records:
            yield record


async def _planned(
    store: ForeignStore, name: str, models: EmbeddingModels, model: str | None, *, embed: bool
) -> PlannedCollection:
    collection = await store.collection(name)
    embedder = _first(models, model) if embed else model_for(collection, models, model)
    check = VectorCheck(embedder.id, 0, 0.0) if embed else await check_vectors(collection, embedder)
    return PlannedCollection(collection, await collection.count(), embedder, check, embed)


def _first(models: EmbeddingModels, model: str | None) -> Embedder:
    return models.chosen(model or next(iter(models.ids), None))
