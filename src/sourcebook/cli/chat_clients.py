"""HTTP clients of the chat contract: answers, and what readers told about them."""

from collections.abc import AsyncGenerator
from typing import Annotated

import httpx2
from pydantic import Field, TypeAdapter, ValidationError

from sourcebook.answering.feedback import MAX_MARKS
from sourcebook.cli.clients import (
    FIRST_ERROR_STATUS,
    RequestRefused,
    ServiceClient,
    not_understood,
    refusal_reason,
    unavailable,
)
from sourcebook.core.feedback import Mark
from sourcebook.surfaces.chat.feedback_schemas import MarksOut
from sourcebook.surfaces.chat.schemas import (
    ChatErrorOut,
    ChatIn,
    ChatOut,
    DoneEvent,
    ErrorEvent,
    Event,
)

_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])


class FeedbackClient:
    """What readers told."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._service = ServiceClient(http)

    async def marks(self) -> list[Mark]:
        """Return the marks of readers, newest first."""
        params = {"limit": str(MAX_MARKS)}
        reply = await self._service.request("GET", "/feedback/marks", MarksOut, params=params)
        return [
            Mark(
                id=one.id,
                question=one.question,
                about=one.about,
                verdict=one.verdict,
                marked_at_s=one.marked_at.timestamp(),
                reason=one.reason,
                sources=tuple(one.sources),
            )
            for one in reply.marks
        ]


class ChatClient:
    """The chat's routes: an answer as a whole, or as a stream of events."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def ask(self, request: ChatIn) -> ChatOut:
        """Return the whole answer."""
        try:
            reply = await self._http.post("/chat", json=_body(request))
        except httpx2.HTTPError as error:
            raise unavailable(self._http, error) from error
        _check(reply)
        try:
            return ChatOut.model_validate_json(reply.content)
        except ValidationError:
            raise not_understood(self._http, "/chat") from None

    async def stream(self, request: ChatIn) -> AsyncGenerator[Event]:
        """The answer as it comes, up to and with its end; RequestRefused if it ends in an error."""
        path = "/chat/stream"
        try:
            async with self._http.sse(path, method="POST", json=_body(request)) as source:
                if source.response.status_code >= FIRST_ERROR_STATUS:
                    await source.response.aread()
                    _check(source.response)
                async for frame in source:
                    event = _EVENT.validate_json(frame.data)
                    if isinstance(event, ErrorEvent):
                        raise RequestRefused(_message(event))
                    yield event
                    if isinstance(event, DoneEvent):
                        return
        except httpx2.SSEError:
            raise not_understood(self._http, path) from None
        except httpx2.HTTPError as error:
            raise unavailable(self._http, error) from error
        except ValidationError:
            raise not_understood(self._http, path) from None
        raise RequestRefused("The answer broke off before its end; try again in a moment")


def _body(request: ChatIn) -> object:
    return request.model_dump(mode="json", exclude_none=True)


def _check(reply: httpx2.Response) -> None:
    if reply.status_code < FIRST_ERROR_STATUS:
        return
    try:
        error = ChatErrorOut.model_validate_json(reply.content)
    except ValidationError:
        raise RequestRefused(refusal_reason(reply)) from None
    raise RequestRefused(_message(error))


def _message(error: ChatErrorOut) -> str:
    if error.retry_after is None:
        return error.message
    return f"{error.message} (there is room again in {error.retry_after} s)"
