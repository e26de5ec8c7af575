"""The app that a command asks in its own process: searches and questions, without FastAPI.

Importing the framework and building the routes of all surfaces takes longer than answering, so
that is left until another path is asked for.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sourcebook.service.http.small_app import no_limits, parsed, reply, small_app
from sourcebook.surfaces.book import errors as book_errors
from sourcebook.surfaces.book.schemas import SearchIn
from sourcebook.surfaces.book.search import SearchesBook, search_out

if TYPE_CHECKING:
    from sourcebook.surfaces.use_cases import UseCases

SEARCH, CHATS = "/search", frozenset({"/chat", "/chat/stream"})


class CommandApp:
    """Answers searches and questions itself, and opens the whole app for anything else.

    Nobody but the command can reach it, so that it needs neither keys nor limits.
    """

    def __init__(self, search: SearchesBook, use_cases: "Callable[[], UseCases]") -> None:
        self._search = search
        self._build_use_cases = use_cases

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._app_of(scope["method"], scope["path"])(scope, receive, send)

    def _app_of(self, method: str, path: str) -> ASGIApp:
        if method == "POST" and path == SEARCH:
            return self._search_app
        if method == "POST" and path in CHATS:
            return self._chat_app
        return self._whole_app

    @cached_property
    def _search_app(self) -> ASGIApp:
        async def search(request: Request) -> Response:
            return reply(await search_out(self._search, await parsed(request, SearchIn)))

        return small_app([Route(SEARCH, search, methods=["POST"])], book_errors.DIALECT)

    @cached_property
    def _chat_app(self) -> ASGIApp:
        from sourcebook.service.http.command_chat import chat_app  # noqa: PLC0415 - not to search

        return chat_app(self._use_cases)

    @cached_property
    def _whole_app(self) -> ASGIApp:
        # What this module is about.
        from sourcebook.service.http.app import create_app  # noqa: PLC0415
        from sourcebook.surfaces.admin_key import AccessRule  # noqa: PLC0415

        return create_app(
            self._use_cases,
            AccessRule(None),
            origins=(),
            admin=AccessRule(None),
            rate_limits=no_limits(),
        )

    @cached_property
    def _use_cases(self) -> "UseCases":
        return self._build_use_cases()
