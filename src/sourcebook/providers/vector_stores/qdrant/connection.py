"""Connects to a Qdrant server, and translates its errors into ours.

The server's own messages are not repeated: they may hold a key, or anything else. The client
sends no telemetry; its version check, which would warn from a thread, is switched off.
"""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from json import JSONDecodeError

import grpc  # type: ignore[import-untyped]
from pydantic import ValidationError
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings

# ValueError is what the client raises for what it cannot send, and in its local mode for most.
# AssertionError is what it makes of a reply without a result.
FAILURES = (
    *(ApiException, QdrantException, grpc.RpcError),
    *(AssertionError, ValueError, OSError, RuntimeError),
)

UNREACHABLE = (
    "The Qdrant server cannot be reached: check its URL in the settings, and that it is running"
)
NO_SERVER = (
    "What answers at the Qdrant server's URL is no Qdrant server: check the URL and its port"
)
TOO_SLOW = "The Qdrant server took too long: try again, or give it a longer timeout"
KEY_REFUSED = "The Qdrant server refused the key: check the API key in the settings"
RATE_LIMITED = "The Qdrant server takes no more requests for now: try again in a while"

_GRPC_STATUSES = {
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.FAILED_PRECONDITION: 400,
    grpc.StatusCode.INTERNAL: 500,
}


@asynccontextmanager
async def connected(settings: QdrantSettings) -> AsyncIterator[AsyncQdrantClient]:
    """Open a client. Nothing is asked of the server yet, so it may be down."""
    key = settings.api_key
    client = AsyncQdrantClient(
        url=settings.url,
        grpc_port=settings.grpc_port,
        prefer_grpc=settings.grpc,
        timeout=math.ceil(settings.timeout_s),
        # As a header, because the client warns of a key on http, which a private network may use.
        headers={} if key is None else {"api-key": key.get_secret_value()},
        check_compatibility=False,
        grpc_options={"grpc.enable_http_proxy": 0},
        follow_redirects=False,
        trust_env=False,
    )
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def translated(doing: str, missing: str, timeout_s: float) -> AsyncIterator[None]:
    """Apply a timeout to the requests inside, and translate what they raise.

    `missing` is the message when the server does not know what it was asked for.
    """
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except FAILURES as exc:
        raise RetrievalUnavailable(_explain(exc, doing, missing)) from exc


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error stands for, if any."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code
    if isinstance(error, grpc.aio.AioRpcError):
        return _GRPC_STATUSES.get(error.code())
    # In its local mode the client says it in words only.
    return 404 if isinstance(error, ValueError) and "not found" in str(error) else None


def _explain(error: Exception, doing: str, missing: str) -> str:
    status = status_of(error)
    if status is not None:
        return _explain_status(status, doing, missing)
    if isinstance(error, QdrantException):
        return RATE_LIMITED
    if _is_unreadable(error):
        return NO_SERVER
    if _is_late(error):
        return f"{TOO_SLOW} ({doing})"
    if isinstance(error, ResponseHandlingException | grpc.RpcError | OSError):
        return UNREACHABLE
    return f"The Qdrant server cannot do this: {doing}"


def _explain_status(status: int, doing: str, missing: str) -> str:
    if status == 404:
        return missing
    if status in {401, 403}:
        return KEY_REFUSED
    if status == 429:
        return RATE_LIMITED
    return f"The Qdrant server failed (status {status}): {doing}"


def _is_unreadable(error: Exception) -> bool:
    source = error.source if isinstance(error, ResponseHandlingException) else error
    return isinstance(source, AssertionError | JSONDecodeError | ValidationError)


def _is_late(error: Exception) -> bool:
    if isinstance(error, grpc.aio.AioRpcError):
        return bool(error.code() == grpc.StatusCode.DEADLINE_EXCEEDED)
    source = error.source if isinstance(error, ResponseHandlingException) else error
    # The client's HTTP library names its timeouts so; one to connect is a matter of the address.
    named_late = type(source).__name__ in {"ReadTimeout", "WriteTimeout"}
    return named_late or isinstance(source, TimeoutError)
