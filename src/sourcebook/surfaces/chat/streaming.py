"""Streams an answer as Server-Sent Events; the last one is always `done` or `error`."""

import asyncio
import logging
from collections.abc import AsyncIterator

from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.types import Message, Send

from sourcebook.core.answers import AnswerEvent
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.cancellation import Deadline, answer_deadline
from sourcebook.surfaces.chat import schemas
from sourcebook.surfaces.chat.errors import crash_out, error_out, stopping_out
from sourcebook.surfaces.chat.results import event_out
from sourcebook.surfaces.errors import log_failure, status_of

log = logging.getLogger(__name__)

PING_INTERVAL_S = 15.0
# How long a client that has stopped reading gets for the last event.
LAST_EVENT_TIMEOUT_S = 1.0
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class AnswerStream(StreamingResponse):
    """The events of an answer, each sent as it comes, in FastAPI's frames.

    FastAPI can stream a generator by itself, but could send nothing more once the server cancels
    it: when the service is stopped, an answer would just break off.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[AnswerEvent], deadline: Deadline) -> None:
        super().__init__(content=(), headers=HEADERS)
        self._events = events
        self._deadline = deadline

    async def stream_response(self, send: Send) -> None:
        """Send every event; an error after the first one becomes the last event."""
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        pings = asyncio.create_task(_ping(send))
        try:
            last = await self._send_events(send)
        except asyncio.CancelledError:
            # The service stops. (Or the client is gone: then this is sent nowhere.)
            pings.cancel()
            await _end(send, _error(stopping_out()))
            raise
        finally:
            pings.cancel()
        async with asyncio.timeout(LAST_EVENT_TIMEOUT_S):
            await _end(send, last)

    async def _send_events(self, send: Send) -> schemas.Event:
        """Send all events but the last, which is returned."""
        try:
            async with answer_deadline(self._deadline):
                async for event in self._events:
                    said = event_out(event)
                    if isinstance(said, schemas.DoneEvent):
                        return said
                    await send(_body(said))
        except SourcebookError as error:
            log_failure("answer_failed", error, status_of(error))
            return _error(error_out(error))
        except Exception:
            log.exception("answer_crashed")
            return _error(crash_out())
        log.error("answer_unfinished")
        return _error(crash_out())


async def _ping(send: Send) -> None:
    """Keep proxies from closing a connection that is silent for a while."""
    while True:
        await asyncio.sleep(PING_INTERVAL_S)
        await send({"type": "http.response.body", "body": KEEPALIVE_COMMENT, "more_body": True})


async def _end(send: Send, last: schemas.Event) -> None:
    await send({**_body(last), "more_body": False})


def _body(event: schemas.Event) -> Message:
    frame = format_sse_event(data_str=event.model_dump_json(ensure_ascii=True))
    return {"type": "http.response.body", "body": frame, "more_body": True}


def _error(said: schemas.ChatErrorOut) -> schemas.ErrorEvent:
    return schemas.ErrorEvent(**said.model_dump())
