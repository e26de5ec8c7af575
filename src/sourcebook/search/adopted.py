"""Adopted collections: which model queries them, and how they are described beside ours."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sourcebook.core.collections import MODEL_KEY, Collection, Generation
from sourcebook.core.documents import Hit
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict, ModelNotLoaded, SourcebookError
from sourcebook.core.filters import Filter
from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import AdoptedCollection, Embedder
from sourcebook.core.vectors import Vector
from sourcebook.search.timings import SearchTimings, ms_since

log = logging.getLogger(__name__)

# A listing, and with it a readiness probe, waits no longer for somebody else's store.
COUNT_TIMEOUT_S = 1.0

NO_COLLECTIONS: Mapping[str, AdoptedCollection] = {}


@dataclass(frozen=True, slots=True)
class AdoptedIndex:
    """An adopted collection as an index that can be searched."""

    adopted: AdoptedCollection

    async def nearest(
        self, vector: Vector, limit: int, filter_: Filter
    ) -> tuple[list[Hit], SearchTimings]:
        """Return the `limit` nearest chunks that pass the filter, and how long that took."""
        started_s = time.perf_counter()
        hits = await self.adopted.nearest(vector, limit, filter_)
        # Whatever the other store makes of a filter: what leaves has passed it here.
        passed = [hit for hit in hits if filter_.matches(hit.chunk.metadata)]
        return passed[:limit], SearchTimings(index_ms=ms_since(started_s), rounds=1)


def query_model(adopted: AdoptedCollection, models: EmbeddingModels) -> Embedder:
    """Return the model that embeds its queries: the one named, or else the first that fits."""
    named = [models.find(adopted.model)] if adopted.model else list(models)
    for embedder in named:
        if embedder is not None and embedder.dimensions == adopted.dimensions:
            return embedder
    which = f"model {adopted.model!r}" if adopted.model else "a model"
    loaded = ", ".join(f"{model.id!r} ({model.dimensions})" for model in models)
    raise ModelNotLoaded(
        f"The adopted collection {adopted.name!r} needs {which} of {adopted.dimensions}"
        f" dimensions, and none is loaded. Available: {loaded or 'none'}. Add the model that"
        " filled it to the embeddings config, and name its id as the collection's model"
    )


def describe(adopted: AdoptedCollection, models: EmbeddingModels, count: int = 0) -> Collection:
    """Describe it like one of our collections; its generation stands for no index of ours."""
    try:
        embedder: Embedder | None = query_model(adopted, models)
    except ModelNotLoaded:
        embedder = None
    model = embedder.id if embedder else adopted.model
    metadata: dict[str, JsonValue] = {"adopted": True, "read_only": True}
    if model is not None:
        metadata[MODEL_KEY] = model
    id_ = f"adopted:{adopted.name}"
    revision = embedder.revision if embedder else ""
    generation = Generation(id_, model or "", revision, adopted.dimensions)
    return Collection(id_, adopted.name, metadata, generation, count=count)


async def describe_reachable(
    collections: Iterable[AdoptedCollection], models: EmbeddingModels
) -> list[Collection]:
    """Describe, with their counts, the collections whose store answers soon."""
    found = await asyncio.gather(*(_counted(one, models) for one in collections))
    return [collection for collection in found if collection is not None]


def read_only_error(name: str) -> Conflict:
    """Return the error of an attempt to change it."""
    return Conflict(
        f"Collection {name!r} was adopted and is read-only: change it with the tool that fills it"
    )


def not_listable_error(name: str) -> Conflict:
    """Return the error of an attempt to list its documents."""
    return Conflict(
        f"Collection {name!r} was adopted and can only be searched: ask it with POST /query, and"
        " list its documents with the tool that fills it"
    )


async def _counted(adopted: AdoptedCollection, models: EmbeddingModels) -> Collection | None:
    try:
        async with asyncio.timeout(COUNT_TIMEOUT_S):
            return describe(adopted, models, await adopted.count())
    except (TimeoutError, SourcebookError):
        log.warning("adopted_collection_away", extra={"collection": adopted.name})
        return None
