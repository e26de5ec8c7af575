"""Routes of the providers contract."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import JSONResponse

from sourcebook.core.errors import InvalidInput
from sourcebook.core.providers import ProviderKind
from sourcebook.surfaces.admin_key import ADMIN_KEY_SCHEME
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.providers import schemas
from sourcebook.surfaces.providers.errors import ADMIN, BODY, ProvidersErrorOut, errors
from sourcebook.surfaces.route_classes import AdminRoute, JsonRoute

PREFIXES = ("/providers",)

reads = APIRouter(tags=["providers"], route_class=JsonRoute)
writes = APIRouter(
    tags=["providers"], route_class=AdminRoute, dependencies=[Depends(ADMIN_KEY_SCHEME)]
)

OfKind = Annotated[
    ProviderKind | None, Query(description="One id may stand for providers of two kinds")
]

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
    return schemas.ProvidersOut.model_validate({"providers": found}, from_attributes=True)


@reads.get(
    "/providers/{provider_id}/schema",
    responses=errors(400, 404, 503),
    response_model_exclude_unset=True,
)
async def schema(provider_id: str, use: Using, kind: OfKind = None) -> schemas.SchemaOut:
    """Describe the settings of a provider: as fields of a form, and as JSON Schema."""
    found = await use.providers.schema(provider_id, kind)
    return schemas.SchemaOut.model_validate(found.as_dict())


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
    reply = schemas.ConnectedOut if found.success else schemas.NotConnectedOut
    shown = reply.model_validate(found, from_attributes=True).model_dump()
    return JSONResponse(shown, status_code=200 if found.success else 400)


@reads.get("/providers/{provider_id}/health", responses=errors(400, 404))
async def health(provider_id: str, use: Using, kind: OfKind = None) -> schemas.ProviderHealthOut:
    """Tell how a provider is doing, if this service uses it."""
    found = await use.providers.health(provider_id, kind)
    return schemas.ProviderHealthOut(**asdict(found), timestamp=datetime.now(UTC))
