"""The health report, which clients of every contract can read."""

from datetime import datetime
from typing import Literal

from sourcebook.surfaces.schema_types import WireModel

Overall = Literal["healthy", "degraded", "unhealthy"]


class ServiceOut(WireModel):
    """The condition of one part, and what stands in its role: the provider's id, and words."""

    status: Literal["up", "down", "degraded"]
    latency_ms: float | None = None
    message: str | None = None
    provider: str | None = None


class EmbeddingModelOut(WireModel):
    """A loaded embedding model."""

    id: str
    name: str
    status: Literal["loaded"] = "loaded"
    dimensions: int


class CrossEncoderOut(WireModel):
    """The loaded cross-encoder."""

    model: str
    status: Literal["loaded"] = "loaded"


class HealthOut(WireModel):
    """`embedding_models` and `cross_encoder` are there only when such models are loaded."""

    status: Overall
    timestamp: datetime
    services: dict[str, ServiceOut]
    collections_count: int | None = None
    qdrant: Literal["connected", "error"]
    collection: str
    embedding_models: list[EmbeddingModelOut] | None = None
    cross_encoder: CrossEncoderOut | None = None
    error: str | None = None


class AliveOut(WireModel):
    """The process answers."""

    status: str
