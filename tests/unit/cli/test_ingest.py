"""`ingest` waits for its job, and a stop ends the job, not only the command."""

import asyncio
from collections.abc import Callable

import httpx2
import pytest

from sourcebook.cli import jobs
from sourcebook.cli.clients import BookClient
from sourcebook.cli.ingest import run_job
from sourcebook.cli.jobs import Stop
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.book.ingestion_schemas import TriggerIn
from tests.unit.cli.replies import job

Answer = Callable[[httpx2.Request], httpx2.Response]


class FakeService:
    """Has one job, which runs until it is cancelled or has been looked at often enough."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.cancelled = False
        self.on_look: Callable[[], None] = lambda: None

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        match request.method, request.url.path:
            case "POST", "/ingestion/trigger":
                return httpx2.Response(202, json={"job_id": 7, "status": "queued"})
            case "POST", "/ingestion/cancel/7":
                self.cancelled = True
            case _:
                self.looks -= 1
                self.on_look()
        status = "cancelled" if self.cancelled else "completed" if self.looks <= 0 else "running"
        return httpx2.Response(200, text=job(status=status).model_dump_json())


def client_of(answer: Answer) -> BookClient:
    transport = httpx2.MockTransport(answer)
    return BookClient(httpx2.AsyncClient(transport=transport, base_url="http://book"))


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "POLL_INTERVAL_S", 0.001)


async def test_the_command_waits_for_the_job() -> None:
    service = FakeService(looks=3)

    done = await run_job(client_of(service), TriggerIn(), Stop())

    assert (done.status, service.cancelled) == ("completed", False)


async def test_a_stop_cancels_the_job_and_waits_for_its_end() -> None:
    service, stop = FakeService(looks=1_000_000), Stop()
    service.on_look = stop.event.set

    async with asyncio.timeout(5):
        done = await run_job(client_of(service), TriggerIn(), stop)

    assert (done.status, service.cancelled) == ("cancelled", True)


async def test_what_the_service_refuses_is_said_in_its_own_words() -> None:
    client = client_of(lambda _: httpx2.Response(422, json={"detail": "no folder below"}))

    with pytest.raises(SourcebookError, match="no folder below"):
        await client.trigger(TriggerIn())


async def test_a_service_that_is_away_is_named() -> None:
    def refuse(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    with pytest.raises(SourcebookError, match="http://book does not answer"):
        await client_of(refuse).job(7)


@pytest.mark.parametrize("body", ["<html>", "{}", "[]", ""])
async def test_a_reply_of_another_kind_is_no_traceback(body: str) -> None:
    with pytest.raises(SourcebookError, match="does not understand"):
        await client_of(lambda _: httpx2.Response(200, text=body)).job(7)


@pytest.mark.parametrize("body", ["<html>", "{}", "[]", ""])
async def test_an_error_without_words_is_told_by_its_status(body: str) -> None:
    with pytest.raises(SourcebookError, match="status 502"):
        await client_of(lambda _: httpx2.Response(502, text=body)).job(7)
