"""Maps providers, their settings and their condition to the schemas of the providers contract."""

from collections.abc import Mapping
from dataclasses import asdict
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
    return schemas.ProviderOut.model_validate(card, from_attributes=True)


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
    return schemas.ProviderHealthOut(**asdict(health), timestamp=datetime.now(UTC))


def _field_out(field: ConnectionField) -> schemas.FieldOut:
    # Placeholder and validation are absent, not null, if there are none.
    given = {
        name: value
        for name, value in asdict(field).items()
        if value is not None or name == "default"
    }
    return schemas.FieldOut.model_validate(given)
