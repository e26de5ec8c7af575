"""Speaks the chat's HTTP contract for the commands; what is refused becomes one of our errors."""

from collections.abc import AsyncGenerator
from typing import Annotated

import httpx2
from pydantic import Field, TypeAdapter, ValidationError

from sourcebook.cli.service_client import (
    FIRST_ERROR_STATUS,
    Refused,
    not_answering,
    not_understood,
    reason,
)
from sourcebook.surfaces.chat.schemas import (
    ChatErrorOut,
    ChatIn,
    ChatOut,
    DoneEvent,
    ErrorEvent,
    Event,
)

_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])


class ChatClient:
    """Talks to a service; its errors have the service's own words."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def ask(self, question: ChatIn) -> ChatOut:
        """The whole answer."""
        try:
            reply = await self._http.post("/chat", json=_body(question))
        except httpx2.HTTPError as error:
            raise not_answering(self._http, error) from error
        _check(reply)
        try:
            return ChatOut.model_validate_json(reply.content)
        except ValidationError:
            raise not_understood(self._http, "/chat") from None

    async def stream(self, question: ChatIn) -> AsyncGenerator[Event]:
        """The answer as it comes, up to and with its end; Refused if it ends in an error."""
        path = "/chat/stream"
        try:
            async with self._http.sse(path, method="POST", json=_body(question)) as source:
                if source.response.status_code >= FIRST_ERROR_STATUS:
                    await source.response.aread()
                    _check(source.response)
                async for frame in source:
                    event = _EVENT.validate_json(frame.data)
                    if isinstance(event, ErrorEvent):
                        raise Refused(_words(event))
                    yield event
                    if isinstance(event, DoneEvent):
                        return
        except httpx2.SSEError:
            raise not_understood(self._http, path) from None
        except httpx2.HTTPError as error:
            raise not_answering(self._http, error) from error
        except ValidationError:
            raise not_understood(self._http, path) from None
        raise Refused("The answer broke off before its end; try again in a moment")


def _body(question: ChatIn) -> object:
    return question.model_dump(mode="json", exclude_none=True)


def _check(reply: httpx2.Response) -> None:
    if reply.status_code < FIRST_ERROR_STATUS:
        return
    try:
        said = ChatErrorOut.model_validate_json(reply.content)
    except ValidationError:
        raise Refused(reason(reply)) from None
    raise Refused(_words(said))


def _words(error: ChatErrorOut) -> str:
    if error.retry_after is None:
        return error.message
    return f"{error.message} (there is room again in {error.retry_after} s)"
