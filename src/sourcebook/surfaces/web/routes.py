"""Serves the root and the API documentation, whose assets need no other host."""

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from sourcebook.core.errors import NotFound
from sourcebook.core.version import installed_version
from sourcebook.surfaces.schema_types import WireModel
from sourcebook.surfaces.web.room_routes import page, wants_page

routes = APIRouter(tags=["web"])

_OWN = files("sourcebook.surfaces.web")
_SWAGGER = files("fastapi_offline") / "static"
# Swagger UI sets styles on its elements; scripts still come from this package alone.
_DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)

_ASSETS: Mapping[str, tuple[Traversable, str]] = {
    "start.js": (_OWN / "start.js", "text/javascript"),
    "swagger-ui-bundle.js": (_SWAGGER / "swagger-ui-bundle.js", "text/javascript"),
    "swagger-ui.css": (_SWAGGER / "swagger-ui.css", "text/css"),
}


class RootOut(WireModel):
    """What this is and where to go on."""

    service: str = "Sourcebook"
    name: str = "Sourcebook"
    version: str = Field(default_factory=installed_version)
    status: str = "running"
    docs: str = "/docs"
    health: str = "/health"


@routes.get("/", response_model=RootOut, responses={200: {"content": {"text/html": {}}}})
async def root(request: Request) -> Response:
    """Say what this is; browsers get the reading room."""
    if wants_page(request.headers.get("accept", "")):
        return page(request)
    prefix = request.scope["root_path"]
    about = RootOut(docs=f"{prefix}/docs", health=f"{prefix}/health")
    return JSONResponse(about.model_dump(), headers={"Vary": "Accept"})


@routes.get("/docs", include_in_schema=False)
def docs() -> Response:
    """Show the API documentation."""
    return Response(
        (_OWN / "docs.html").read_bytes(),
        media_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": _DOCS_POLICY},
    )


@routes.get("/docs/assets/{name}", include_in_schema=False)
def asset(name: str) -> Response:
    """Serve a part of the documentation page."""
    if name not in _ASSETS:
        raise NotFound(f"There is no asset {name!r}")
    source, media_type = _ASSETS[name]
    return Response(
        source.read_bytes(),
        media_type=f"{media_type}; charset=utf-8",
        headers={"Cache-Control": "max-age=3600"},
    )
