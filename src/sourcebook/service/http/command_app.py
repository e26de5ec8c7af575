"""The app that a command asks in its own process: searches and questions, without FastAPI.

Importing the framework and building the routes of all surfaces takes longer than answering, so
that is left until another path is asked for.
"""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sourcebook.core.errors import InvalidInput
from sourcebook.surfaces.admission import admit_question
from sourcebook.surfaces.answer_stream import AnswerStream
from sourcebook.surfaces.book import errors as book_errors
from sourcebook.surfaces.book.schemas import SearchIn
from sourcebook.surfaces.book.search import search_out
from sourcebook.surfaces.cancellation import answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.chat import errors as chat_errors
from sourcebook.surfaces.chat.parsing import parse_question
from sourcebook.surfaces.chat.results import answer_out
from sourcebook.surfaces.chat.schemas import ChatIn
from sourcebook.surfaces.chat.streaming import ChatFrames
from sourcebook.surfaces.errors import install_dialects
from sourcebook.surfaces.rate_limits import RateLimit, RateLimits
from sourcebook.surfaces.strict_json import StrictRequest
from sourcebook.surfaces.use_cases import UseCases
from sourcebook.surfaces.validation_errors import problems_in_body

Body = TypeVar("Body", bound=BaseModel)

SEARCH, CHAT, CHAT_STREAM = "/search", "/chat", "/chat/stream"


class CommandApp:
    """Answers searches and questions itself, and opens the whole app for anything else.

    Nobody but the command can reach it, so that it needs neither keys nor limits.
    """

    def __init__(self, use_cases: UseCases) -> None:
        self._use_cases = use_cases
        self._questions = _question_app(use_cases)
        self._whole: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        own = scope["method"] == "POST" and scope["path"] in (SEARCH, CHAT, CHAT_STREAM)
        await (self._questions if own else self._whole_app())(scope, receive, send)

    def _whole_app(self) -> ASGIApp:
        if self._whole is None:
            self._whole = _whole_app(self._use_cases)
        return self._whole


def _whole_app(use_cases: UseCases) -> ASGIApp:
    from sourcebook.service.http.app import create_app  # noqa: PLC0415 - what this module is about
    from sourcebook.surfaces.admin_key import AccessRule  # noqa: PLC0415 - imports FastAPI

    return create_app(
        use_cases,
        AccessRule(None),
        origins=(),
        admin=AccessRule(None),
        rate_limits=_no_limits(),
    )


def _no_limits() -> RateLimits:
    return RateLimits(chats=RateLimit(0))


def _question_app(use_cases: UseCases) -> Starlette:
    app = Starlette(
        routes=[
            Route(SEARCH, _search, methods=["POST"]),
            Route(CHAT, _chat, methods=["POST"]),
            Route(CHAT_STREAM, ChatStream(use_cases)),
        ]
    )
    app.state.use_cases = use_cases
    app.state.rate_limits = _no_limits()
    install_dialects(app, {(SEARCH,): book_errors.DIALECT}, default=chat_errors.DIALECT)
    return app


async def _search(request: Request) -> Response:
    body = await _parsed(request, SearchIn)
    return _reply(await search_out(request.app.state.use_cases, body))


async def _chat(request: Request) -> Response:
    question = parse_question(await _parsed(request, ChatIn))
    use: UseCases = request.app.state.use_cases
    async with (
        admit_question(request, use, question, streamed=False) as admitted,
        cancel_on_disconnect(request),
        answer_deadline(admitted.deadline),
    ):
        return _reply(await answer_out(admitted.question, admitted.events))


class ChatStream:
    """Answers a question piece by piece; the question is admitted until its last piece is sent."""

    def __init__(self, use_cases: UseCases) -> None:
        self._use_cases = use_cases

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream one answer."""
        request = Request(scope, receive)
        question = parse_question(await _parsed(request, ChatIn))
        async with admit_question(request, self._use_cases, question, streamed=True) as admitted:
            stream = AnswerStream(admitted.events, admitted.deadline, ChatFrames())
            await stream(scope, receive, send)


async def _parsed(request: Request, kind: type[Body]) -> Body:
    """Parse a body as the routes do, with the first thing that is wrong as the message."""
    given = await StrictRequest(request.scope, request.receive).json()
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise InvalidInput(problems_in_body(error)[0].message) from None


def _reply(out: BaseModel) -> Response:
    return Response(out.model_dump_json(exclude_unset=True), media_type="application/json")
