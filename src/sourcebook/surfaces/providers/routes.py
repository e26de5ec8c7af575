"""The routes of the providers contract."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import JSONResponse
from fastapi.security import APIKeyHeader

from sourcebook.core.errors import InvalidInput
from sourcebook.core.providers import ConnectionField, Kind, ProviderCard
from sourcebook.surfaces.providers import schemas
from sourcebook.surfaces.providers.errors import ADMIN, BODY, ProvidersErrorOut, errors
from sourcebook.surfaces.routing import AdminRoute, JsonRoute
from sourcebook.surfaces.use_cases import Using

PREFIXES = ("/providers",)

# The route class checks the key, before anything else; this only tells the documentation.
_ADMIN_KEY = APIKeyHeader(
    name="X-Admin-API-Key",
    scheme_name="Admin key",
    description="Also taken: X-API-Key, or Authorization: Bearer",
    auto_error=False,
)

reads = APIRouter(tags=["providers"], route_class=JsonRoute)
writes = APIRouter(tags=["providers"], route_class=AdminRoute, dependencies=[Depends(_ADMIN_KEY)])

OfKind = Annotated[Kind | None, Query(description="One id may stand for providers of two kinds")]

# What the clients of spec 000 call each kind.
_ROLES: Mapping[Kind, schemas.Role] = {
    "vector_stores": "rag",
    "embedders": "embedding",
    "rerankers": "reranker",
    "language_models": "llm",
}
_NOT_CONNECTED: dict[int | str, dict[str, Any]] = {
    400: {
        "model": schemas.NotConnectedOut | ProvidersErrorOut,
        "description": "The settings do not work, or the request cannot be used as it is",
    }
}


@reads.get("/providers", responses=errors(400), response_model_exclude_none=True)
async def list_providers(use: Using, kind: OfKind = None) -> schemas.ProvidersOut:
    """List the providers that are installed, and those whose software could be."""
    found = [card for card in use.providers.cards() if kind in {None, card.kind}]
    return schemas.ProvidersOut(providers=[_card_out(card) for card in found])


@reads.get(
    "/providers/{provider_id}/schema",
    responses=errors(400, 404, 503),
    response_model_exclude_unset=True,
)
async def schema(provider_id: str, use: Using, kind: OfKind = None) -> schemas.SchemaOut:
    """Describe the settings of a provider: as fields of a form, and as JSON Schema."""
    found = await use.providers.schema(provider_id, kind)
    return schemas.SchemaOut(
        provider=found.card.id,
        kind=found.card.kind,
        display_name=found.card.display_name,
        description=found.card.description,
        fields=[_field_out(field) for field in found.fields],
        capabilities=list(found.card.capabilities),
        json_schema=dict(found.json_schema),
    )


@writes.post(
    "/providers/{provider_id}/test",
    response_model=schemas.ConnectedOut,
    responses={**errors(*BODY, *ADMIN, 404), **_NOT_CONNECTED},
)
async def try_settings(
    provider_id: str, body: schemas.ConnectionIn, use: Using, kind: OfKind = None
) -> Response:
    """Try settings out: check them, and connect within 10 seconds.

    Nothing is stored. Of what the other side answers only names of collections are passed on.
    """
    if body.provider is not None and body.provider.lower() != provider_id.lower():
        raise InvalidInput("'provider' names another provider than the path")
    found = await use.providers.test(provider_id, body.config, kind)
    if not found.success:
        failed = schemas.NotConnectedOut(
            provider=found.provider,
            error=found.error or "",
            errorType=found.error_type or "unknown",
            duration=found.duration_ms,
        )
        return JSONResponse(failed.model_dump(), status_code=400)
    names = found.collections
    connected = schemas.ConnectedOut(
        provider=found.provider,
        kind=found.kind,
        type=_ROLES[found.kind],
        duration=found.duration_ms,
        details=dict(found.details),
        collectionCount=found.collection_count,
        collections=None if names is None else list(names),
    )
    return JSONResponse(connected.model_dump())


@reads.get("/providers/{provider_id}/health", responses=errors(400, 404))
async def health(provider_id: str, use: Using, kind: OfKind = None) -> schemas.ProviderHealthOut:
    """Tell how a provider is doing, if this service uses it."""
    found = await use.providers.health(provider_id, kind)
    return schemas.ProviderHealthOut(
        provider=found.provider,
        kind=found.kind,
        status=found.status,
        timestamp=datetime.now(UTC),
        error=found.error,
        latency_ms=found.latency_ms,
        collection_count=found.collection_count,
        storage_bytes=found.storage_bytes,
    )


def _card_out(card: ProviderCard) -> schemas.ProviderOut:
    return schemas.ProviderOut(
        kind=card.kind,
        id=card.id,
        display_name=card.display_name,
        description=card.description,
        capabilities=list(card.capabilities),
        installed=card.installed,
        extra=card.extra,
        install=card.install,
        package=card.package,
        version=card.version,
        problem=card.problem,
    )


def _field_out(field: ConnectionField) -> schemas.FieldOut:
    described = schemas.FieldOut(
        name=field.name,
        type=field.type,
        label=field.label,
        description=field.description,
        required=field.required,
        default=field.default,
        secret=field.secret,
    )
    # Absent, not null, if there is none.
    if field.placeholder is not None:
        described.placeholder = field.placeholder
    if field.validation is not None:
        described.validation = dict(field.validation)
    return described
