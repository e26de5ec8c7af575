"""Upload limits: how large a request's body may be, and how long it may take to arrive."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KIB = 1024
MIB = 1024 * KIB

MAX_DRAIN_BYTES = 16 * MIB
DRAIN_TIMEOUT_S = 2.0

# The connection is not used again: the rest of the body may still be on its way.
CLOSE = {"Connection": "close"}


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """How large a body may be, and how long it may take to arrive."""

    max_bytes: int
    timeout_s: float


SMALL = BodyLimit(256 * KIB, timeout_s=10.0)
WEBHOOK = BodyLimit(5 * MIB, timeout_s=10.0)
RANKING = BodyLimit(8 * MIB, timeout_s=10.0)
UPLOAD = BodyLimit(50 * MIB, timeout_s=60.0)
FILES = BodyLimit(256 * MIB, timeout_s=600.0)

_LARGER: Mapping[str, BodyLimit] = {
    "/rerank": RANKING,
    "/v1/rerank": RANKING,
    "/v2/rerank": RANKING,
    "/v1/embeddings": RANKING,
    "/ingestion/webhook/github": WEBHOOK,
    "/api/rag/ingest": UPLOAD,
    "/api/rag/ingest/batch": UPLOAD,
    "/api/rag/ingest/jobs": UPLOAD,
    "/api/rag/documents": UPLOAD,
}


def body_limit_of(path: str) -> BodyLimit:
    """Return the limit of a path: documents, candidates and webhooks may be large."""
    if path.startswith("/collections/") and path.endswith("/documents"):
        return UPLOAD
    if path.startswith("/books/") and path.endswith("/files"):
        return FILES
    return _LARGER.get(path, SMALL)


class BodyLimits:
    """Counts bytes and seconds while a body arrives; 413 or 408 as soon as it is too much."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        allowed = body_limit_of(scope["path"])
        announced = Headers(scope=scope).get("content-length", "")
        arrival = _Arrival(receive, allowed, too_large=_exceeds(announced, allowed.max_bytes))
        await self._app(scope, arrival.receive, send)


class _Arrival:
    def __init__(self, receive: Receive, allowed: BodyLimit, *, too_large: bool) -> None:
        self._receive = receive
        self._allowed = allowed
        self._too_large = too_large
        self._received = 0
        self._complete = False
        self._end_s = asyncio.get_running_loop().time() + allowed.timeout_s

    async def receive(self) -> Message:
        if self._complete:
            return await self._receive()
        if self._too_large:
            raise await self._refusal()
        try:
            async with asyncio.timeout_at(self._end_s):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(
                408, f"The body did not arrive within {self._allowed.timeout_s:g} s", CLOSE
            ) from None
        self._received += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._received > self._allowed.max_bytes:
            raise await self._refusal()
        return message

    async def _refusal(self) -> HTTPException:
        await self._drain()
        limit = self._allowed.max_bytes
        shown = f"{limit // MIB} MiB" if limit >= MIB else f"{limit // KIB} KiB"
        return HTTPException(413, f"The body is larger than {shown}; send less at once", CLOSE)

    async def _drain(self) -> None:
        """Read on for a moment: a client that is still sending would miss the answer."""
        drained = 0
        try:
            async with asyncio.timeout(DRAIN_TIMEOUT_S):
                while not self._complete and drained < MAX_DRAIN_BYTES:
                    message = await self._receive()
                    drained += len(message.get("body", b""))
                    self._complete = not message.get("more_body", False)
        except TimeoutError:
            return


def _exceeds(announced: str, limit: int) -> bool:
    return announced.isascii() and announced.isdigit() and int(announced[:20]) > limit
