"""`ingest` waits for its job, and a stop ends the job, not only the command."""

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner

from sourcebook.cli import ingest, jobs
from sourcebook.cli.clients import BookClient
from sourcebook.cli.ingest import Stopped, run_job
from sourcebook.cli.jobs import Stop, stop_on_signals
from sourcebook.cli.main import app
from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.service.config.data_folder import own_data_folder
from sourcebook.surfaces.book.ingestion_schemas import TriggerIn
from tests.unit.cli.replies import job

Answer = Callable[[httpx2.Request], httpx2.Response]


class FakeService:
    """Has one job, which runs until it is cancelled or has been looked at often enough."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.cancelled = False
        self.stubborn = False
        self.on_look: Callable[[], None] = lambda: None

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        match request.method, request.url.path:
            case "POST", "/ingestion/trigger":
                return httpx2.Response(202, json={"job_id": 7, "status": "queued"})
            case "POST", "/ingestion/cancel/7":
                self.cancelled = not self.stubborn
            case _:
                self.looks -= 1
                self.on_look()
        status = "cancelled" if self.cancelled else "completed" if self.looks <= 0 else "running"
        return httpx2.Response(200, text=job(status=status).model_dump_json())


def _once(act: Callable[[], None]) -> Callable[[], None]:
    acts = [act]

    def act_once() -> None:
        if acts:
            acts.pop()()

    return act_once


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


class BusyService:
    """Job 7 waits for job 3, which a killed process has left; each look brings them on."""

    def __init__(self, **seventh: object) -> None:
        self._seventh = {"status": "completed", **seventh}
        self._looks = 0

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        third = job(job_id=3, status="running", files_processed=57, files_left=268)
        seventh = job(job_id=7, status="queued")
        if self._looks > 2:
            third = job(job_id=3, status="completed", files_processed=325)
            seventh = job(job_id=7, **self._seventh)
        match request.method, request.url.path.rpartition("/")[2]:
            case "POST", _:
                return httpx2.Response(202, json={"job_id": 7, "status": "queued"})
            case _, "status":
                text = f"[{seventh.model_dump_json()},{third.model_dump_json()}]"
                return httpx2.Response(200, text=text)
            case _, number:
                self._looks += number == "3"
                return httpx2.Response(
                    200, text={"3": third, "7": seventh}[number].model_dump_json()
                )


async def test_a_job_that_a_killed_process_left_is_named_and_its_result_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = await run_job(client_of(BusyService()), TriggerIn(), Stop())

    assert (done.job_id, done.files_processed) == (3, 325)
    first = " ".join(capsys.readouterr().err.split())
    assert first.startswith("Going on with job 3 of the book 'book': 57 of 325 files are done")


async def test_what_is_left_to_do_after_an_earlier_job_is_shown_as_well(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = await run_job(client_of(BusyService(files_processed=2)), TriggerIn(), Stop())

    assert (done.job_id, done.files_processed) == (7, 2)
    told = " ".join(capsys.readouterr().err.split())
    assert "Job 3: completed; 325 files indexed" in told


@pytest.mark.parametrize(("name", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_stop_cancels_the_job_and_says_how_to_go_on(
    name: signal.Signals, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    service = FakeService(looks=1_000_000)
    # Once: a second signal would end the process.
    service.on_look = _once(lambda: signal.raise_signal(name))

    with stop_on_signals() as stop, pytest.raises(Stopped) as stopped:
        async with asyncio.timeout(5):
            await run_job(client_of(service), TriggerIn(), stop)

    assert (stopped.value.exit_code, service.cancelled) == (code, True)
    assert "Stopped. What is indexed stays; run the same command to go on." in (
        capsys.readouterr().err
    )


async def test_a_stop_does_not_wait_for_a_job_that_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ingest, "CANCEL_TIMEOUT_S", 0.01)
    service, stop = FakeService(looks=1_000_000), Stop()
    service.stubborn = True
    service.on_look = stop.event.set

    with pytest.raises(Stopped):
        async with asyncio.timeout(5):
            await run_job(client_of(service), TriggerIn(), stop)


async def test_a_job_that_ends_while_it_is_stopped_has_ended_well() -> None:
    service, stop = FakeService(looks=2), Stop()
    service.stubborn = True
    service.on_look = stop.event.set

    done = await run_job(client_of(service), TriggerIn(), stop)

    assert done.status == "completed"


def test_a_second_interrupt_ends_the_process_at_once() -> None:
    program = """
import asyncio, signal, time
from sourcebook.cli.jobs import stop_on_signals
async def main():
    with stop_on_signals() as stop:
        signal.raise_signal(signal.SIGINT)
        await stop.wait(30)
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(30)
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=30, check=False)

    assert done.returncode == 130


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


def test_a_service_that_has_the_folder_cannot_be_told_its_model(tmp_path: Path) -> None:
    data, docs = tmp_path / "data", tmp_path / "docs"
    docs.mkdir()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with own_data_folder(data, url):
            arguments = ["ingest", str(docs), "--data-dir", str(data), "--llm", "none"]
            ended = CliRunner().invoke(app, arguments)

    assert isinstance(ended.exception, ConfigurationError)
    assert "--llm none cannot be used here" in ended.exception.message


@pytest.mark.parametrize(
    ("status", "code", "is_open"),
    [
        ("running", 200, True),
        ("queued", 200, True),
        ("failed", 200, False),
        ("running", 401, False),
    ],
)
async def test_a_book_is_being_indexed_while_its_latest_job_has_not_ended(
    status: str, code: int, is_open: bool
) -> None:
    text = f"[{job(status=status).model_dump_json()}]"
    client = client_of(lambda _: httpx2.Response(code, text=text))

    assert await client.has_open_job("book") is is_open


@pytest.mark.parametrize("address", ["https://github.com/me/book", "git@git.example:me/book.git"])
def test_a_git_address_is_not_taken_for_a_website(address: str, tmp_path: Path) -> None:
    ended = CliRunner().invoke(app, ["ingest", address, "--data-dir", str(tmp_path)])

    assert isinstance(ended.exception, ConfigurationError)
    assert "Set SOURCEBOOK_DOCS_REPOSITORY" in ended.exception.message


def test_options_of_websites_are_refused_for_folders(tmp_path: Path) -> None:
    arguments = ["ingest", str(tmp_path), "--data-dir", str(tmp_path / "data"), "--max-pages", "3"]
    ended = CliRunner().invoke(app, arguments)

    assert isinstance(ended.exception, ConfigurationError)
    assert "--max-pages: these are for websites" in ended.exception.message
