"""Builds the OpenAPI document.

FastAPI adds 422 replies that no route sends, which are taken out. A route that writes gets the
403 of `host_check`, in the form of its other errors. One that describes no error gets the 500 that
any route may send.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.routing import BaseRoute

from sourcebook.service.http.host_check import SAFE_METHODS
from sourcebook.surfaces.errors import CRASHED, MEANINGS

PHANTOMS = ("HTTPValidationError", "ValidationError")

TAGS = (
    {"name": "chat", "description": "Ask questions; answers cite what they stand on."},
    {
        "name": "feedback",
        "description": "Mark answers and hits; read what was marked and what was not answered.",
    },
    {"name": "book", "description": "Search a book, read on from a result, read whole lessons."},
    {
        "name": "books",
        "description": "The books that are indexed: list, describe, delete. Needs the admin key.",
    },
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
    {
        "name": "openai",
        "description": "OpenAI's API for its clients: the models are books, and answers are checked"
        " and cited. Needs an API key where others can reach the service.",
    },
    {"name": "mcp", "description": "The Model Context Protocol, for agents."},
    {"name": "health", "description": "How the service is doing."},
)


def describe(
    title: str,
    version: str,
    description: str,
    routes: Sequence[BaseRoute],
    default_error: type[BaseModel],
    *,
    posts: Mapping[str, Mapping[str, object]],
) -> dict[str, Any]:
    """Return the OpenAPI document of these routes, and of `posts`, which describe themselves."""
    crash = {"$ref": f"#/components/schemas/{default_error.__name__}"}
    document = get_openapi(
        title=title,
        version=version,
        description=description,
        routes=routes,
        tags=[dict(tag) for tag in TAGS],
    )
    document["paths"] |= {path: {"post": deepcopy(post)} for path, post in posts.items()}
    for operations in document["paths"].values():
        for method, operation in operations.items():
            if PHANTOMS[0] in str(operation["responses"].get("422")):
                del operation["responses"]["422"]
            operation["responses"].setdefault(
                str(CRASHED),
                {
                    "description": MEANINGS[CRASHED],
                    "content": {"application/json": {"schema": crash}},
                },
            )
            _add_refused_origin(method, operation["responses"])
    for name in PHANTOMS:
        document.get("components", {}).get("schemas", {}).pop(name, None)
    return document


def _add_refused_origin(method: str, responses: dict[str, Any]) -> None:
    if method.upper() not in SAFE_METHODS:
        form = responses[str(CRASHED)]["content"]
        refused = {"description": "A page of this origin may not call it", "content": form}
        responses.setdefault("403", refused)
