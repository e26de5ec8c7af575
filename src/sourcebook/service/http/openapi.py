"""Builds the OpenAPI document, without the 422 replies that FastAPI adds and no route sends."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

PHANTOMS = ("HTTPValidationError", "ValidationError")

TAGS = (
    {"name": "chat", "description": "Ask questions; answers cite what they stand on."},
    {"name": "book", "description": "Search a book, read on from a result, read whole lessons."},
    {
        "name": "ingestion",
        "description": "Keep a book's index up to date. Needs the admin key; the webhook does not.",
    },
    {
        "name": "documents",
        "description": "Documents that tools such as n8n post: stored, listed, searched.",
    },
    {"name": "collections", "description": "Store documents, and ask for those that fit."},
    {
        "name": "providers",
        "description": "What Sourcebook can connect to: settings, tests, health. Tests need the"
        " admin key.",
    },
    {"name": "health", "description": "How the service is doing."},
)


def install_openapi(app: FastAPI) -> None:
    """Replace the app's OpenAPI document with the corrected one."""

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        tags=[dict(tag) for tag in TAGS],
    )
    for operations in document["paths"].values():
        for operation in operations.values():
            if PHANTOMS[0] in str(operation["responses"].get("422")):
                del operation["responses"]["422"]
    for name in PHANTOMS:
        document.get("components", {}).get("schemas", {}).pop(name, None)
    return document
