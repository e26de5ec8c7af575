"""Speaks the book's HTTP contract for the commands; what is refused becomes one of our errors."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from sourcebook.core.errors import SourcebookError, Unavailable
from sourcebook.surfaces.book.schemas import (
    ChangesOut,
    InfoOut,
    JobOut,
    OrderedOut,
    SearchIn,
    SearchOut,
    TriggerIn,
)

KEY_HEADER = "X-Admin-API-Key"
FIRST_ERROR_STATUS = 400

Method: TypeAlias = Literal["GET", "POST"]
Reply = TypeVar("Reply", bound=BaseModel)


class Refused(SourcebookError):
    """The service said no, and why."""

    code = "refused"


class BookClient:
    """Talks to a service; its errors have the service's own words."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def order(self, what: TriggerIn) -> int:
        """Ask for a job; its number."""
        return (await self._ask("POST", "/ingestion/trigger", OrderedOut, body=what)).job_id

    async def job(self, job_id: int) -> JobOut:
        """How far a job is."""
        return await self._ask("GET", f"/ingestion/status/{job_id}", JobOut)

    async def cancel(self, job_id: int) -> None:
        """Ask a job to end."""
        await self._send("POST", f"/ingestion/cancel/{job_id}")

    async def changes(self, what: TriggerIn) -> ChangesOut:
        """What a run would do."""
        wanted = what.model_dump(include={"mode", "book_id", "docs_path"}, exclude_none=True)
        return await self._ask("GET", "/ingestion/changes", ChangesOut, params=wanted)

    async def search(self, question: SearchIn) -> SearchOut:
        """The chunks nearest to the question."""
        return await self._ask("POST", "/search", SearchOut, body=question)

    async def info(self, book_id: str | None) -> InfoOut:
        """What is indexed of a book."""
        wanted = {} if book_id is None else {"book_id": book_id}
        return await self._ask("GET", "/info", InfoOut, params=wanted)

    async def _ask(
        self,
        method: Method,
        path: str,
        kind: type[Reply],
        *,
        body: BaseModel | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Reply:
        reply = await self._send(method, path, body, params)
        try:
            return kind.model_validate_json(reply.content)
        except ValidationError:
            raise not_understood(self._http, path) from None

    async def _send(
        self,
        method: Method,
        path: str,
        body: BaseModel | None = None,
        params: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
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
