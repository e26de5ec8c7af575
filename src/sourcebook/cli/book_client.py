"""Speaks the book's HTTP contract for the commands."""

import httpx2

from sourcebook.cli.service_client import ServiceClient
from sourcebook.surfaces.book.schemas import (
    ChangesOut,
    InfoOut,
    JobOut,
    OrderedOut,
    SearchIn,
    SearchOut,
    TriggerIn,
)


class BookClient:
    """Talks to a service; its errors have the service's own words."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._service = ServiceClient(http)

    async def order(self, what: TriggerIn) -> int:
        """Ask for a job; its number."""
        return (await self._service.ask("POST", "/ingestion/trigger", OrderedOut, body=what)).job_id

    async def job(self, job_id: int) -> JobOut:
        """How far a job is."""
        return await self._service.ask("GET", f"/ingestion/status/{job_id}", JobOut)

    async def cancel(self, job_id: int) -> None:
        """Ask a job to end."""
        await self._service.send("POST", f"/ingestion/cancel/{job_id}")

    async def changes(self, what: TriggerIn) -> ChangesOut:
        """What a run would do."""
        wanted = what.model_dump(include={"mode", "book_id", "docs_path"}, exclude_none=True)
        return await self._service.ask("GET", "/ingestion/changes", ChangesOut, params=wanted)

    async def search(self, question: SearchIn) -> SearchOut:
        """The chunks nearest to the question."""
        return await self._service.ask("POST", "/search", SearchOut, body=question)

    async def info(self, book_id: str | None) -> InfoOut:
        """What is indexed of a book."""
        wanted = {} if book_id is None else {"book_id": book_id}
        return await self._service.ask("GET", "/info", InfoOut, params=wanted)
