"""The HTTP app: surfaces mounted, dialects installed, middleware around them."""

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from sourcebook import __version__
from sourcebook.service.metrics import Metrics
from sourcebook.service.middleware import RequestJournal
from sourcebook.service.openapi import install_openapi
from sourcebook.surfaces.access import Access
from sourcebook.surfaces.collections import routes as collections
from sourcebook.surfaces.collections.errors import CollectionsDialect
from sourcebook.surfaces.errors import Speaker, install_dialects
from sourcebook.surfaces.health import routes as health
from sourcebook.surfaces.use_cases import UseCases
from sourcebook.surfaces.web import routes as web

DESCRIPTION = "Answers questions from your documents and shows where each answer comes from."


def create_app(use_cases: UseCases, access: Access, origins: list[str]) -> FastAPI:
    """Put the app together around use cases that are open already."""
    app = FastAPI(
        title="Sourcebook",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.use_cases = use_cases
    app.state.access = access
    app.state.metrics = Metrics()
    for router in (collections.reads, collections.writes, health.routes, web.routes):
        app.include_router(router)
    dialect = CollectionsDialect()
    install_dialects(app, [Speaker(collections.PREFIXES, dialect)], default=dialect)
    install_openapi(app)
    app.add_middleware(
        CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["*"], max_age=600
    )
    app.add_middleware(RequestJournal, metrics=app.state.metrics)
    return app
