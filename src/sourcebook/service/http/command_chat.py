"""Answers the questions of a command in its own process, as the routes of the chat contract do."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from sourcebook.service.http.small_app import parsed, reply, small_app
from sourcebook.surfaces.admission import admit_question
from sourcebook.surfaces.answer_stream import AnswerStream
from sourcebook.surfaces.cancellation import answer_deadline, cancel_on_disconnect
from sourcebook.surfaces.chat.errors import DIALECT
from sourcebook.surfaces.chat.parsing import parse_question
from sourcebook.surfaces.chat.results import answer_out
from sourcebook.surfaces.chat.schemas import ChatIn
from sourcebook.surfaces.chat.streaming import ChatFrames
from sourcebook.surfaces.use_cases import UseCases


def chat_app(use_cases: UseCases) -> Starlette:
    """Return an app that answers as a whole, or piece by piece."""

    async def chat(request: Request) -> Response:
        question = parse_question(await parsed(request, ChatIn))
        async with (
            admit_question(request, use_cases, question, streamed=False) as admitted,
            cancel_on_disconnect(request),
            answer_deadline(admitted.deadline),
        ):
            return reply(await answer_out(admitted.question, admitted.events))

    routes = [Route("/chat", chat, methods=["POST"]), Route("/chat/stream", ChatStream(use_cases))]
    return small_app(routes, DIALECT)


class ChatStream:
    """Answers a question piece by piece; the question is admitted until its last piece is sent."""

    def __init__(self, use_cases: UseCases) -> None:
        self._use_cases = use_cases

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream one answer."""
        request = Request(scope, receive)
        question = parse_question(await parsed(request, ChatIn))
        async with admit_question(request, self._use_cases, question, streamed=True) as admitted:
            stream = AnswerStream(admitted.events, admitted.deadline, ChatFrames())
            await stream(scope, receive, send)
