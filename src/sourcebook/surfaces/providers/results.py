"""Maps providers, their settings and their condition to the schemas of the providers contract."""

from collections.abc import Mapping
from datetime import UTC, datetime

from sourcebook.core.providers import (
    ConnectionField,
    ConnectionSchema,
    ConnectionTest,
    ProviderCard,
    ProviderHealth,
    ProviderKind,
)
from sourcebook.surfaces.providers import schemas

# What the clients of spec 000 call each kind.
_ROLES: Mapping[ProviderKind, schemas.Role] = {
    "vector_stores": "rag",
    "embedders": "embedding",
    "rerankers": "reranker",
    "language_models": "llm",
}


def provider_out(card: ProviderCard) -> schemas.ProviderOut:
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


def schema_out(schema: ConnectionSchema) -> schemas.SchemaOut:
    return schemas.SchemaOut(
        provider=schema.card.id,
        kind=schema.card.kind,
        display_name=schema.card.display_name,
        description=schema.card.description,
        fields=[_field_out(field) for field in schema.fields],
        capabilities=list(schema.card.capabilities),
        json_schema=dict(schema.json_schema),
    )


def connected_out(test: ConnectionTest) -> schemas.ConnectedOut:
    names = test.collections
    return schemas.ConnectedOut(
        provider=test.provider,
        kind=test.kind,
        type=_ROLES[test.kind],
        duration=test.duration_ms,
        details=dict(test.details),
        collectionCount=test.collection_count,
        collections=None if names is None else list(names),
    )


def not_connected_out(test: ConnectionTest) -> schemas.NotConnectedOut:
    return schemas.NotConnectedOut(
        provider=test.provider,
        error=test.error or "",
        errorType=test.error_type or "unknown",
        duration=test.duration_ms,
    )


def health_out(health: ProviderHealth) -> schemas.ProviderHealthOut:
    return schemas.ProviderHealthOut(
        provider=health.provider,
        kind=health.kind,
        status=health.status,
        timestamp=datetime.now(UTC),
        error=health.error,
        latency_ms=health.latency_ms,
        collection_count=health.collection_count,
        storage_bytes=health.storage_bytes,
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
