"""The HTTP app: surfaces mounted, dialects installed, middleware around them."""

from collections.abc import Collection

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from sourcebook.core.version import installed_version
from sourcebook.service.callers import CallerRules
from sourcebook.service.limits import ArrivalLimits
from sourcebook.service.metrics import Metrics
from sourcebook.service.middleware import RequestJournal
from sourcebook.service.openapi import install_openapi
from sourcebook.service.settings import Settings
from sourcebook.surfaces.access import Access
from sourcebook.surfaces.admission import Admission, RateLimit, Slots
from sourcebook.surfaces.book import routes as book
from sourcebook.surfaces.book.errors import BookDialect
from sourcebook.surfaces.book.webhook import hooks
from sourcebook.surfaces.chat import routes as chat
from sourcebook.surfaces.chat.errors import ChatDialect
from sourcebook.surfaces.clients import Clients
from sourcebook.surfaces.collections import collect_routes as collecting
from sourcebook.surfaces.collections import reindexing
from sourcebook.surfaces.collections import routes as collections
from sourcebook.surfaces.collections.errors import CollectionsDialect
from sourcebook.surfaces.errors import Speaker, install_dialects
from sourcebook.surfaces.health import routes as health
from sourcebook.surfaces.providers import routes as providers
from sourcebook.surfaces.providers.errors import ProvidersDialect
from sourcebook.surfaces.rag_v3 import chat_routes as rag_v3_chat
from sourcebook.surfaces.rag_v3 import routes as rag_v3
from sourcebook.surfaces.rag_v3.chat_errors import chat_dialect
from sourcebook.surfaces.rag_v3.errors import RagDialect
from sourcebook.surfaces.use_cases import UseCases
from sourcebook.surfaces.web import routes as web
from sourcebook.surfaces.windows import MemoryWindow, SharedWindows, SteadyWindow

DESCRIPTION = "Answers questions from your documents and shows where each answer comes from."
# What pages of other origins may read: when to come again, and what to ask the log for.
EXPOSED_HEADERS = ("Retry-After", "retry_after", "X-Trace-Id")


def create_app(
    use_cases: UseCases,
    access: Access,
    origins: Collection[str],
    hosts: Collection[str] | None = None,
    *,
    admin: Access | None = None,
    admission: Admission | None = None,
) -> FastAPI:
    """Put the app together around use cases that are open already.

    `access` is the rule for writes, `admin` that for administration: without one, nobody can.
    `admission` limits how much is asked.
    """
    app = FastAPI(
        title="Sourcebook",
        version=installed_version(),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.use_cases = use_cases
    app.state.access = access
    app.state.admin = admin or Access.closed()
    app.state.admission = admission or Admission()
    app.state.metrics = Metrics()
    for router in (book.reads, book.admin, hooks, collections.reads, collections.writes):
        app.include_router(router)
    for router in (reindexing.reads, reindexing.writes):
        app.include_router(router)
    for router in (rag_v3.reads, rag_v3.writes, rag_v3_chat.routes, chat.routes):
        app.include_router(router)
    for router in (collecting.reads, health.routes, web.routes):
        app.include_router(router)
    for router in (providers.reads, providers.writes):
        app.include_router(router)
    # From the inside out: each of these is wrapped around those before it.
    app.add_middleware(ArrivalLimits)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=EXPOSED_HEADERS,
        max_age=600,
    )
    app.add_middleware(CallerRules, hosts=hosts, origins=origins)
    speakers = [
        Speaker(book.PREFIXES, BookDialect()),
        Speaker(collections.PREFIXES, CollectionsDialect()),
        Speaker(rag_v3.PREFIXES, RagDialect()),
        Speaker(rag_v3_chat.PREFIXES, chat_dialect()),
        Speaker(chat.PREFIXES, ChatDialect()),
        Speaker(providers.PREFIXES, ProvidersDialect()),
    ]
    install_dialects(app, speakers, default=ChatDialect())
    app.add_middleware(RequestJournal, metrics=app.state.metrics)
    install_openapi(app)
    return app


def admission_rules(settings: Settings, shared: SharedWindows | None = None) -> Admission:
    """How much may be asked, by each caller and at once; counted with others if they can be."""

    def limit(name: str, per_minute: int) -> RateLimit:
        own = MemoryWindow()
        window = own if shared is None else SteadyWindow(shared.window(name), own)
        return RateLimit(per_minute, window)

    return Admission(
        clients=Clients(settings.trusted_proxies),
        chats=limit("chats", settings.chat_rate_limit),
        searches=limit("searches", settings.search_rate_limit),
        chat_slots=Slots(settings.chats_at_once),
    )
