"""Streams an answer as Server-Sent Events, in the frames of any contract."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Protocol

from starlette.responses import StreamingResponse
from starlette.types import Message, Send

from sourcebook.core.answers import AnswerEvent, Finished
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.cancellation import Deadline, answer_deadline
from sourcebook.surfaces.errors import log_failure, status_of

log = logging.getLogger(__name__)

PING_INTERVAL_S = 15.0
PING = b": ping\n\n"
# How long a client that has stopped reading gets for the last event.
LAST_EVENT_TIMEOUT_S = 1.0
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class AnswerFrames(Protocol):
    """How a contract writes one answer. Every method returns whole frames, or nothing."""

    def begin(self) -> bytes:
        """What is sent before the first event."""
        ...

    def event(self, event: AnswerEvent) -> bytes:
        """An event; what `Finished` becomes ends the stream."""
        ...

    def failed(self, error: SourcebookError) -> bytes:
        """The end of an answer that one of our errors has broken off."""
        ...

    def crashed(self) -> bytes:
        """The end of an answer that broke off unexpectedly."""
        ...

    def stopping(self) -> bytes:
        """The end of an answer that breaks off because the service stops."""
        ...


class AnswerStream(StreamingResponse):
    """The events of an answer, each sent as it comes.

    FastAPI can stream a generator by itself, but could send nothing more once the server cancels
    it: when the service is stopped, an answer would just break off.
    """

    media_type = "text/event-stream"

    def __init__(
        self, events: AsyncIterator[AnswerEvent], deadline: Deadline, frames: AnswerFrames
    ) -> None:
        super().__init__(content=(), headers=HEADERS)
        self._events = events
        self._deadline = deadline
        self._frames = frames

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
            await _end(send, self._frames.stopping())
            raise
        finally:
            pings.cancel()
        async with asyncio.timeout(LAST_EVENT_TIMEOUT_S):
            await _end(send, last)

    async def _send_events(self, send: Send) -> bytes:
        """Send all events but the last, which is returned."""
        try:
            async with answer_deadline(self._deadline):
                await _send(send, self._frames.begin())
                async for event in self._events:
                    frames = self._frames.event(event)
                    if isinstance(event, Finished):
                        return frames
                    await _send(send, frames)
        except SourcebookError as error:
            log_failure("answer_failed", error, status_of(error))
            return self._frames.failed(error)
        except Exception:
            log.exception("answer_crashed")
            return self._frames.crashed()
        log.error("answer_unfinished")
        return self._frames.crashed()


async def _ping(send: Send) -> None:
    """Keep proxies from closing a connection that is silent for a while."""
    while True:
        await asyncio.sleep(PING_INTERVAL_S)
        await send(_body(PING))


async def _send(send: Send, frames: bytes) -> None:
    if frames:
        await send(_body(frames))


async def _end(send: Send, frames: bytes) -> None:
    await send({**_body(frames), "more_body": False})


def _body(frames: bytes) -> Message:
    return {"type": "http.response.body", "body": frames, "more_body": True}
