"""HTTP clients of a Sourcebook service; a refused request raises the service's own message."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from sourcebook.core.errors import InvalidInput, SourcebookError, Unavailable
from sourcebook.core.jobs import UNFINISHED
from sourcebook.surfaces.book.books_schemas import (
    BookDetailsOut,
    BookFilesOut,
    BooksOut,
    DeletedBookOut,
)
from sourcebook.surfaces.book.ingestion_schemas import (
    ChangesOut,
    JobOut,
    OrderedOut,
    TriggerIn,
    VerificationOut,
)
from sourcebook.surfaces.book.schemas import InfoOut, SearchIn, SearchOut
from sourcebook.surfaces.collections.reindex_schemas import OrderedReindexOut, ReindexIn, ReindexOut

KEY_HEADER = "X-Admin-API-Key"
FIRST_ERROR_STATUS = 400

FILES_PER_PAGE = 1_000

Method: TypeAlias = Literal["GET", "POST", "DELETE"]
Params: TypeAlias = Mapping[str, str | list[str]]
Model = TypeVar("Model", bound=BaseModel)

# Most commands have no list of jobs to read, and building what reads one takes a moment.
_JOBS: TypeAdapter[list[JobOut]] = TypeAdapter(list[JobOut], config=ConfigDict(defer_build=True))


class RequestRefused(SourcebookError):
    """The service refused a request, for the reason in the message."""

    code = "refused"


class ServiceClient:
    """Sends requests and reads the replies as wire models."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def request(
        self,
        method: Method,
        path: str,
        kind: type[Model],
        *,
        body: BaseModel | None = None,
        params: Params | None = None,
    ) -> Model:
        """Send a request and parse the reply as `kind`."""
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
        params: Params | None = None,
    ) -> httpx2.Response:
        """Return the reply unparsed. Raises RequestRefused or Unavailable."""
        json = None if body is None else body.model_dump(mode="json", exclude_none=True)
        try:
            reply = await self._http.request(method, path, json=json, params=params)
        except httpx2.HTTPError as error:
            raise unavailable(self._http, error) from error
        if reply.status_code >= FIRST_ERROR_STATUS:
            raise RequestRefused(refusal_reason(reply))
        return reply


class BookClient:
    """The book's routes: search, and ingestion jobs."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._service = ServiceClient(http)

    async def trigger(self, request: TriggerIn) -> int:
        """Start a job and return its id."""
        path = "/ingestion/trigger"
        return (await self._service.request("POST", path, OrderedOut, body=request)).job_id

    async def job(self, job_id: int) -> JobOut:
        return await self._service.request("GET", f"/ingestion/status/{job_id}", JobOut)

    async def has_open_job(self, book_id: str) -> bool:
        """Return whether the latest job of a book has not ended, as far as we may know."""
        jobs = await self._jobs({"limit": "1", "book_id": book_id})
        return any(job.status in UNFINISHED for job in jobs)

    async def running_before(self, job_id: int) -> JobOut | None:
        """Return the job that a queued one waits for, as far as we may know."""
        if (await self.job(job_id)).status != "queued":
            return None
        earlier = [job for job in await self._jobs({}) if job.job_id < job_id]
        return next((job for job in reversed(earlier) if job.status == "running"), None)

    async def _jobs(self, wanted: Mapping[str, str]) -> list[JobOut]:
        try:
            reply = await self._service.send("GET", "/ingestion/status", params=wanted)
            return _JOBS.validate_json(reply.content)
        except (RequestRefused, ValidationError):
            return []

    async def cancel(self, job_id: int) -> None:
        await self._service.send("POST", f"/ingestion/cancel/{job_id}")

    async def changes(self, request: TriggerIn) -> ChangesOut:
        """Return what a run would change."""
        wanted = request.model_dump(exclude={"force"}, exclude_none=True)
        return await self._service.request("GET", "/ingestion/changes", ChangesOut, params=wanted)

    async def verify(self) -> VerificationOut:
        """Return how the indexes compare with the ledger."""
        return await self._service.request("GET", "/ingestion/verify", VerificationOut)

    async def search(self, request: SearchIn) -> SearchOut:
        return await self._service.request("POST", "/search", SearchOut, body=request)

    async def info(self, book_id: str | None) -> InfoOut:
        wanted = {} if book_id is None else {"book_id": book_id}
        return await self._service.request("GET", "/info", InfoOut, params=wanted)


class BooksClient:
    """The routes that manage books."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._service = ServiceClient(http)

    async def all(self) -> BooksOut:
        return await self._service.request("GET", "/books", BooksOut)

    async def get(self, book_id: str) -> BookDetailsOut:
        return await self._service.request("GET", _book_path(book_id), BookDetailsOut)

    async def delete(self, book_id: str) -> DeletedBookOut:
        return await self._service.request("DELETE", _book_path(book_id), DeletedBookOut)

    async def files(self, book_id: str, *, problems: bool) -> BookFilesOut:
        """Return all pages as one."""
        found = await self._page(book_id, 0, problems=problems)
        while found.count < found.total:
            page = await self._page(book_id, found.count, problems=problems)
            if not page.files:
                break
            found.files += page.files
            found.count, found.total = len(found.files), page.total
        return found

    async def _page(self, book_id: str, offset: int, *, problems: bool) -> BookFilesOut:
        params = {"limit": str(FILES_PER_PAGE), "offset": str(offset)}
        params |= {"problems": "true"} if problems else {}
        path = f"{_book_path(book_id)}/files"
        return await self._service.request("GET", path, BookFilesOut, params=params)


class ReindexClient:
    """The routes that change the embedding model of one collection."""

    def __init__(self, http: httpx2.AsyncClient, collection: str) -> None:
        self.collection = collection
        self._service = ServiceClient(http)
        self._path = f"/collections/{quote(collection, safe='')}/reindex"

    async def change_model(self, model: str | None) -> OrderedReindexOut:
        """Start a job that changes the model."""
        body = ReindexIn(embedding_model=model)
        return await self._service.request("POST", self._path, OrderedReindexOut, body=body)

    async def roll_back(self) -> OrderedReindexOut:
        """Start a job that goes back to the model before."""
        return await self._service.request("POST", f"{self._path}/rollback", OrderedReindexOut)

    async def cancel(self) -> None:
        await self._service.send("POST", f"{self._path}/cancel")

    async def status(self) -> ReindexOut:
        return await self._service.request("GET", self._path, ReindexOut)


def _book_path(book_id: str) -> str:
    return f"/books/{quote(book_id, safe='')}"


def validated(kind: type[Model], fields: Mapping[str, object]) -> Model:
    """Build a request; InvalidInput names the first field that is wrong."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        raise InvalidInput(f"{found['loc'][0]}: {found['msg']}") from None


def unavailable(http: httpx2.AsyncClient, error: httpx2.HTTPError) -> Unavailable:
    return Unavailable(
        f"The service at {http.base_url} does not answer ({type(error).__name__}). It may still be"
        " starting, or stopping"
    )


def not_understood(http: httpx2.AsyncClient, path: str) -> RequestRefused:
    return RequestRefused(
        f"The service at {http.base_url} answers {path} in a way that this command does not"
        " understand. Is it another version of Sourcebook?"
    )


def refusal_reason(reply: httpx2.Response) -> str:
    try:
        return str(reply.json()["detail"])
    except (ValueError, LookupError, TypeError):
        return f"The service answered with status {reply.status_code}"
