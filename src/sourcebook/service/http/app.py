"""Creates the HTTP app: mounts the surfaces, installs error dialects and middleware."""

import asyncio
import gc
from collections.abc import Collection
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute

from sourcebook.core.version import installed_version
from sourcebook.service.config.settings import Settings
from sourcebook.service.http.body_limits import BodyLimits
from sourcebook.service.http.host_check import HostAndOriginCheck
from sourcebook.service.http.metrics import Metrics
from sourcebook.service.http.openapi import describe
from sourcebook.service.http.request_log import RequestLog
from sourcebook.service.http.root_path import RootPath
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.api_keys import ApiKeyRule
from sourcebook.surfaces.book import books_routes, ingestion_routes, webhook_routes
from sourcebook.surfaces.book import errors as book_errors
from sourcebook.surfaces.book import routes as book
from sourcebook.surfaces.chat import errors as chat_errors
from sourcebook.surfaces.chat import feedback_routes
from sourcebook.surfaces.chat import routes as chat
from sourcebook.surfaces.chat.schemas import ChatErrorOut
from sourcebook.surfaces.collections import collect_routes, reindex_routes
from sourcebook.surfaces.collections import errors as collections_errors
from sourcebook.surfaces.collections import routes as collections
from sourcebook.surfaces.errors import ErrorDialect, install_dialects, install_validation
from sourcebook.surfaces.health import routes as health
from sourcebook.surfaces.mcp import routes as mcp
from sourcebook.surfaces.openai import embeddings_routes, rerank_routes, responses_routes
from sourcebook.surfaces.openai import errors as openai_errors
from sourcebook.surfaces.openai import routes as openai
from sourcebook.surfaces.providers import errors as providers_errors
from sourcebook.surfaces.providers import routes as providers
from sourcebook.surfaces.rag_v3 import chat_errors as rag_v3_chat_errors
from sourcebook.surfaces.rag_v3 import chat_routes as rag_v3_chat
from sourcebook.surfaces.rag_v3 import errors as rag_v3_errors
from sourcebook.surfaces.rag_v3 import routes as rag_v3
from sourcebook.surfaces.rate_limits import (
    MARKS_PER_MINUTE,
    ClientAddresses,
    ConcurrencyLimit,
    FallbackWindow,
    MemoryWindow,
    RateLimit,
    RateLimits,
    SharedWindows,
)
from sourcebook.surfaces.use_cases import UseCases
from sourcebook.surfaces.web import llms_routes, room_routes
from sourcebook.surfaces.web import routes as web

TITLE = "Sourcebook"
DESCRIPTION = "Answers questions from your documents and shows where each answer comes from."
# What pages of other origins may read: when to come again, and what to ask the log for.
EXPOSED_HEADERS = ("Retry-After", "retry_after", "X-Trace-Id")
OPENAPI_DELAY_S = 2.0
_NOWHERE = {"type": "http", "method": "GET", "path": "/-", "root_path": "", "headers": []}


def create_app(
    use_cases: UseCases,
    access: AccessRule,
    origins: Collection[str],
    hosts: Collection[str] | None = None,
    *,
    admin: AccessRule | None = None,
    api_keys: ApiKeyRule | None = None,
    public_url: str | None = None,
    lists_sources: bool = True,
    lists_books: bool = True,
    rate_limits: RateLimits | None = None,
    metrics: Metrics | None = None,
    root_path: str = "",
) -> FastAPI:
    """Create the app around use cases that are open already.

    `access` is the rule for writes, `admin` that for administration: without one, nobody can.
    `api_keys` say who may use `/v1` and `/mcp`, and for what: without them, everybody. `public_url`
    is what absolute links begin with; without it, the address that was asked for. `lists_sources`
    is whether texts in OpenAI's format end with a list of sources, `lists_books` whether visitors
    of the reading room see which books there are. `root_path` is the prefix under which a proxy
    publishes the app.
    """
    app = FastAPI(
        title=TITLE,
        version=installed_version(),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.use_cases = use_cases
    app.state.access = access
    app.state.admin = admin or AccessRule.closed()
    app.state.api_keys = api_keys or ApiKeyRule()
    app.state.public_url = public_url
    app.state.lists_sources = lists_sources
    app.state.lists_books = lists_books
    app.state.rate_limits = rate_limits or RateLimits()
    app.state.metrics = metrics = metrics or Metrics()
    app.router.routes.extend(_routes())
    # From the inside out: each of these is wrapped around those before it.
    app.add_middleware(BodyLimits)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=EXPOSED_HEADERS,
        max_age=600,
    )
    app.add_middleware(HostAndOriginCheck, hosts=hosts, origins=origins)
    dialects: dict[tuple[str, ...], ErrorDialect] = {
        book.PREFIXES: book_errors.DIALECT,
        collections.PREFIXES: collections_errors.DIALECT,
        rag_v3.PREFIXES: rag_v3_errors.DIALECT,
        rag_v3_chat.PREFIXES: rag_v3_chat_errors.DIALECT,
        chat.PREFIXES: chat_errors.DIALECT,
        providers.PREFIXES: providers_errors.DIALECT,
        openai.PREFIXES: openai_errors.DIALECT,
    }
    dialect_of = install_dialects(app, dialects, default=chat_errors.DIALECT)
    install_validation(app, dialect_of)
    app.add_middleware(RequestLog, metrics=metrics)
    app.add_middleware(RootPath, root_path=root_path)
    app.openapi = openapi_document  # type: ignore[method-assign]
    return app


@cache
def openapi_document() -> dict[str, Any]:
    """Describe the routes, which are the same in every app of a process."""
    posts = {mcp.PATH: mcp.OPERATION}
    version = installed_version()
    return describe(TITLE, version, DESCRIPTION, _routes(), ChatErrorOut, posts=posts)


def all_paths() -> tuple[str, ...]:
    """Return the paths of every route, also of those that the OpenAPI document leaves out."""
    return (*openapi_document()["paths"], "/docs", "/openapi.json")


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Build every route once: analyzing them takes FastAPI longer than serving most requests."""
    every = APIRouter()
    for router in (
        # First what is asked most: routes are tried in turn.
        collections.reads,
        book.reads,
        books_routes.admin,
        books_routes.uploads,
        ingestion_routes.admin,
        webhook_routes.hooks,
        collections.writes,
        reindex_routes.reads,
        reindex_routes.writes,
        rag_v3.reads,
        rag_v3.writes,
        rag_v3_chat.routes,
        chat.routes,
        feedback_routes.routes,
        feedback_routes.admin,
        collect_routes.reads,
        health.routes,
        web.routes,
        room_routes.routes,
        llms_routes.routes,
        providers.reads,
        providers.writes,
        openai.routes,
        responses_routes.routes,
        embeddings_routes.routes,
        rerank_routes.routes,
    ):
        every.include_router(router)
    return (*every.routes, mcp.ROUTE)


def configured_rate_limits(settings: Settings, shared: SharedWindows | None = None) -> RateLimits:
    """Build the rate limits of the settings; `shared` windows count with other processes."""

    def limit(name: str, per_minute: int) -> RateLimit:
        own = MemoryWindow()
        window = own if shared is None else FallbackWindow(shared.window(name), own)
        return RateLimit(per_minute, window)

    return RateLimits(
        clients=ClientAddresses(settings.trusted_proxies),
        chats=limit("chats", settings.chat_rate_limit),
        # A limit that an operator set is meant for everybody; a prefix means that a proxy calls.
        limits_local_chats="chat_rate_limit" in settings.model_fields_set
        or bool(settings.root_path),
        searches=limit("searches", settings.search_rate_limit),
        marks=limit("marks", MARKS_PER_MINUTE),
        chat_slots=ConcurrencyLimit(settings.chats_at_once),
    )


async def describe_soon() -> None:
    """Build the OpenAPI document in a thread, before somebody looks at it and waits for it.

    But after the start, which it would make 0.7 s longer for everybody.
    """
    await asyncio.sleep(OPENAPI_DELAY_S)
    await asyncio.to_thread(openapi_document)


def warm_up(app: FastAPI) -> None:
    """Build the routes, and exempt what stays from garbage collection.

    Measured: the first request would take 40 to 60 ms longer; each full garbage collection would
    stop everything for 70 ms to walk over modules.
    """
    for route in app.routes:
        route.matches(dict(_NOWHERE))
    gc.collect()
    gc.freeze()
