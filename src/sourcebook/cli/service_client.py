"""Speaks HTTP with a service for the commands; what is refused becomes one of our errors."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from sourcebook.core.errors import SourcebookError, Unavailable

KEY_HEADER = "X-Admin-API-Key"
FIRST_ERROR_STATUS = 400

Method: TypeAlias = Literal["GET", "POST"]
Reply = TypeVar("Reply", bound=BaseModel)


class Refused(SourcebookError):
    """The service said no, and why."""

    code = "refused"


class ServiceClient:
    """Talks to a service; its errors have the service's own words."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def ask(
        self,
        method: Method,
        path: str,
        kind: type[Reply],
        *,
        body: BaseModel | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Reply:
        """What the service replies, read as that model."""
        reply = await self.send(method, path, body, params)
        try:
            return kind.model_validate_json(reply.content)
        except ValidationError:
            raise not_understood(self._http, path) from None

    async def send(
        self,
        method: Method,
        path: str,
        body: BaseModel | None = None,
        params: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """The reply as it is; Refused, Unavailable."""
        json = None if body is None else body.model_dump(mode="json", exclude_none=True)
        try:
            reply = await self._http.request(method, path, json=json, params=params)
        except httpx2.HTTPError as error:
            raise not_answering(self._http, error) from error
        if reply.status_code >= FIRST_ERROR_STATUS:
            raise Refused(reason(reply))
        return reply


def not_answering(http: httpx2.AsyncClient, error: httpx2.HTTPError) -> Unavailable:
    """Nothing came back, or not all of it."""
    return Unavailable(
        f"The service at {http.base_url} does not answer ({type(error).__name__}). It may still be"
        " starting, or stopping"
    )


def not_understood(http: httpx2.AsyncClient, path: str) -> Refused:
    """What came back is no reply of this contract."""
    return Refused(
        f"The service at {http.base_url} answers {path} in a way that this command does not"
        " understand. Is it another version of Sourcebook?"
    )


def reason(reply: httpx2.Response) -> str:
    """Why the service said no."""
    try:
        return str(reply.json()["detail"])
    except (ValueError, LookupError, TypeError):
        return f"The service answered with status {reply.status_code}"
