"""Calls a JSON API with limits on time and size; failures never repeat what the server wrote.

Its words may hold a key, a text, or anything else.
"""

import asyncio
import json
import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import httpx2
import orjson

from sourcebook.core.metadata import JsonValue
from sourcebook.providers.outbound.client import ReplyUnusable

MAX_ERROR_BYTES = 64 * 2**10
# A quota may be for a day. What is more than that is no time that anybody means.
MAX_RETRY_AFTER_S = 86_400.0

UNREACHABLE = "cannot be reached: check its address in the settings, and that its server is running"
BROKE_OFF = "broke off: try again"
TOO_MUCH = "gave a reply that is too large, or compressed: ask for less at once"
NO_JSON = "gave a reply that is no JSON: check its address in the settings"


class CallFailed(Exception):
    """A call failed. The message continues a sentence that begins with the server's name."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class WrongSetting(CallFailed):
    """A retry would fail the same way: the message says what to change."""


class StatusRefused(CallFailed):
    """The server answered with an error status. What it `said` is for code, never to be shown."""

    def __init__(self, status: int, said: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(f"answered with status {status}")
        self.status = status
        self.said = said
        self.retry_after_s = retry_after_s


class JsonServer:
    """Calls routes under one base URL, without retries: those are up to the caller."""

    def __init__(self, client: httpx2.AsyncClient, base_url: str) -> None:
        self._client = client
        self._base_url = base_url.rstrip("/")

    async def get(self, route: str, timeout_s: float) -> JsonValue:
        """Return the server's reply; CallFailed."""
        return await self._call("GET", route, None, timeout_s)

    async def post(self, route: str, body: Mapping[str, object], timeout_s: float) -> JsonValue:
        """Return the server's reply; CallFailed."""
        # As ASCII: a text may hold half a surrogate pair, which UTF-8 cannot.
        return await self._call("POST", route, json.dumps(body).encode("ascii"), timeout_s)

    async def _call(
        self, method: str, route: str, content: bytes | None, timeout_s: float
    ) -> JsonValue:
        try:
            # The client's own limits are per read: a server that drips would never meet them.
            async with asyncio.timeout(timeout_s):
                return await self._reply(method, route, content)
        except (TimeoutError, httpx2.TimeoutException) as error:
            unconnected = isinstance(error, httpx2.ConnectTimeout)
            message = UNREACHABLE if unconnected else f"took longer than {timeout_s:g} s: try again"
            raise CallFailed(message) from None
        except httpx2.ConnectError:
            raise CallFailed(UNREACHABLE) from None
        except ReplyUnusable:
            raise CallFailed(TOO_MUCH) from None
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise CallFailed(BROKE_OFF) from None

    async def _reply(self, method: str, route: str, content: bytes | None) -> JsonValue:
        headers = {} if content is None else {"content-type": "application/json"}
        async with self._client.stream(
            method, f"{self._base_url}{route}", content=content, headers=headers
        ) as response:
            if not response.is_success:
                said = await _beginning(response)
                raise StatusRefused(response.status_code, said, _retry_after_s(response))
            body = await response.aread()
        try:
            reply: JsonValue = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise CallFailed(NO_JSON) from None
        return reply


async def _beginning(response: httpx2.Response) -> str:
    said = b""
    async for data in response.aiter_bytes():
        said += data
        if len(said) >= MAX_ERROR_BYTES:
            break
    return said[:MAX_ERROR_BYTES].decode("utf-8", "replace")


def parse_retry_after(value: str) -> float | None:
    """Return the seconds that a Retry-After header asks for, which may hold a date; else None."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _retry_after_s(response: httpx2.Response) -> float | None:
    asked_s = parse_retry_after(response.headers.get("retry-after", ""))
    return None if asked_s is None else min(asked_s, MAX_RETRY_AFTER_S)


def _seconds_until(date: str) -> float:
    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, OverflowError):
        return math.nan
