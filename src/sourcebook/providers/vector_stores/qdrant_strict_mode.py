"""The limits of a Qdrant collection in strict mode, as Qdrant Cloud sets them."""

from dataclasses import dataclass

from qdrant_client import models


@dataclass(frozen=True, slots=True)
class StrictLimits:
    """How many points one request may ask for or write, and whether filters need an index.

    None is no limit.
    """

    most_asked: int | None = None
    most_written: int | None = None
    only_indexed: bool = False


def strict_limits(info: models.CollectionInfo) -> StrictLimits:
    """What the collection's server allows."""
    strict = info.config.strict_mode_config
    if strict is None or not strict.enabled:
        return StrictLimits()
    only_indexed = strict.unindexed_filtering_retrieve is False
    return StrictLimits(strict.max_query_limit, strict.upsert_max_batchsize, only_indexed)
