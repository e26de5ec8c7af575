"""The HTTP app: surfaces mounted, dialects installed, middleware around them."""

from collections.abc import Collection

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from sourcebook import __version__
from sourcebook.service.callers import CallerRules
from sourcebook.service.limits import ArrivalLimits
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


def create_app(
    use_cases: UseCases,
    access: Access,
    origins: Collection[str],
    hosts: Collection[str] | None = None,
) -> FastAPI:
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
    # From the inside out: each of these is wrapped around those before it.
    app.add_middleware(ArrivalLimits)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=["*"],
        allow_headers=["*"],
        max_age=600,
    )
    app.add_middleware(CallerRules, hosts=hosts, origins=origins)
    install_dialects(app, [Speaker(collections.PREFIXES, dialect)], default=dialect)
    app.add_middleware(RequestJournal, metrics=app.state.metrics)
    install_openapi(app)
    return app
