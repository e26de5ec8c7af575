"""Builds the health report from the results of the health checks."""

from collections.abc import Mapping
from datetime import UTC, datetime

from sourcebook.core.errors import Overloaded, RetrievalUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.surfaces.health.schemas import (
    CrossEncoderOut,
    EmbeddingModelOut,
    HealthOut,
    Overall,
    ServiceOut,
)
from sourcebook.surfaces.use_cases import UseCases

# Spec 004 names its four services by product; whatever fills each role reports as that.
ROLES = ("qdrant", "cohere", "gemini", "database")
NOT_CONFIGURED = ServiceHealth("down", message="not configured")


async def health_report(use: UseCases) -> HealthOut:
    """Build the report; its status is unhealthy only when nothing can be served."""
    found = await use.monitor.report()
    services = {role: found.get(role, NOT_CONFIGURED) for role in ROLES} | dict(found)
    count, reachable = await _count_collections(use)
    store_up = services["qdrant"].status == "up"
    status = overall(found, ledger_reachable=reachable)
    return HealthOut(
        status=status,
        timestamp=datetime.now(UTC),
        services={name: _service(health) for name, health in services.items()},
        collections_count=count,
        qdrant="connected" if store_up else "error",
        collection="green" if store_up else services["qdrant"].message or "not available",
        embedding_models=_embedding_models(use),
        cross_encoder=CrossEncoderOut(model=use.reranker.name) if use.reranker else None,
        error="The ledger (database) is not available" if status == "unhealthy" else None,
    )


def overall(found: Mapping[str, ServiceHealth], *, ledger_reachable: bool) -> Overall:
    """Return unhealthy without the ledger, and degraded without another part.

    `database` is the ledger, unless conversations have a database of their own.
    """
    ledger = found.get("ledger", found["database"])
    if not ledger_reachable or ledger.status == "down":
        return "unhealthy"
    return "healthy" if all(health.status == "up" for health in found.values()) else "degraded"


async def _count_collections(use: UseCases) -> tuple[int | None, bool]:
    """Return how many there are, and whether the ledger is reachable. Busy is not broken."""
    try:
        return len(await use.catalog.all()), True
    except Overloaded:
        return None, True
    except RetrievalUnavailable:
        return None, False


def _embedding_models(use: UseCases) -> list[EmbeddingModelOut] | None:
    loaded = [
        EmbeddingModelOut(id=model.id, name=model.name, dimensions=model.dimensions)
        for model in use.models
    ]
    return loaded or None


def _service(health: ServiceHealth) -> ServiceOut:
    return ServiceOut(
        status=health.status,
        latency_ms=health.latency_ms,
        message=health.message,
        provider=health.provider,
    )
