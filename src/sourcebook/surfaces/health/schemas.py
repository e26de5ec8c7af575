"""The health report, which clients of every contract can read."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

Overall = Literal["healthy", "degraded", "unhealthy"]


class ServiceOut(BaseModel):
    """The condition of one part, and what stands in its role: the provider's id, and words."""

    status: Literal["up", "down", "degraded"]
    latency_ms: float | None = None
    message: str | None = None
    provider: str | None = None


class EmbeddingModelOut(BaseModel):
    """A loaded embedding model."""

    id: str
    name: str
    status: Literal["loaded"] = "loaded"
    dimensions: int


class CrossEncoderOut(BaseModel):
    """The loaded cross-encoder."""

    model: str
    status: Literal["loaded"] = "loaded"


class HealthOut(BaseModel):
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


class AliveOut(BaseModel):
    """The process answers."""

    status: str
