"""`reindex` orders a change, waits for its end, and a stop ends the job."""

import asyncio
import json
from collections.abc import Callable

import httpx2
import pytest

from sourcebook.cli import jobs
from sourcebook.cli.clients import ReindexClient
from sourcebook.cli.jobs import Stop
from sourcebook.cli.reindex import check_options, run_job, show_result
from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.surfaces.collections.reindex_schemas import (
    RecallOut,
    ReindexOut,
    ReindexProgressOut,
)


def status(**more: object) -> ReindexOut:
    values: dict[str, object] = {
        "collection": "robotics",
        "embedding_model": "newer",
        "reindex_required": False,
        "rollback_to": "minilm",
        "job_id": 7,
        "status": "completed",
        "target_model": "newer",
        "is_rollback": False,
        "cancel_requested": False,
        "progress": ReindexProgressOut(
            chunks_done=3, chunks_total=3, chunks_embedded=2, chunks_reused=1, eta_seconds=None
        ),
        "recall": None,
        "error": None,
        "queued_at": None,
        "started_at": None,
        "finished_at": None,
    }
    return ReindexOut.model_validate({**values, **more})


def ordered(job_id: int | None) -> dict[str, object]:
    how = "unchanged" if job_id is None else "queued"
    return {"job_id": job_id, "status": how, "collection": "robotics", "embedding_model": "newer"}


class FakeService:
    """Has one job, which runs until it is cancelled or has been looked at often enough."""

    def __init__(self, looks: int = 1) -> None:
        self.looks = looks
        self.cancelled = False
        self.orders: list[tuple[str, object]] = []
        self.on_look: Callable[[], None] = lambda: None

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            self.looks -= 1
            self.on_look()
            now = "cancelled" if self.cancelled else "completed" if self.looks <= 0 else "running"
            return httpx2.Response(200, text=status(status=now).model_dump_json())
        self.orders.append((request.url.path, json.loads(request.content or b"null")))
        self.cancelled = request.url.path.endswith("/cancel")
        return httpx2.Response(202, json=ordered(7))


def client_of(answer: Callable[[httpx2.Request], httpx2.Response]) -> ReindexClient:
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer), base_url="http://book")
    return ReindexClient(http, "robotics")


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "POLL_INTERVAL_S", 0.001)


@pytest.mark.parametrize(
    ("model", "rollback", "order"),
    [
        ("newer", False, ("", {"embedding_model": "newer"})),
        (None, False, ("", {})),
        (None, True, ("/rollback", None)),
    ],
)
async def test_the_command_orders_and_waits(
    model: str | None, rollback: bool, order: tuple[str, object]
) -> None:
    service = FakeService(looks=3)

    done = await run_job(client_of(service), model, Stop(), rollback=rollback)

    assert done.status == "completed"
    assert service.orders == [(f"/collections/robotics/reindex{order[0]}", order[1])]
    assert service.looks == 0


async def test_where_there_is_nothing_to_do_an_earlier_job_does_not_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    client = client_of(lambda _: httpx2.Response(200, json=ordered(None)))

    done = await run_job(client, "newer", Stop())
    show_result(done, as_json=False)

    assert done.status == "unchanged"
    assert capsys.readouterr().out == "robotics uses newer already; there is nothing to do\n"


async def test_a_stop_cancels_the_job_and_waits_for_its_end() -> None:
    service, stop = FakeService(looks=1_000_000), Stop()
    service.on_look = stop.event.set

    async with asyncio.timeout(5):
        done = await run_job(client_of(service), "newer", stop)

    assert done.status == "cancelled"
    assert service.orders[-1][0] == "/collections/robotics/reindex/cancel"


async def test_what_the_service_refuses_is_said_in_its_own_words() -> None:
    client = client_of(lambda _: httpx2.Response(404, json={"detail": "Collection 'x' not found"}))

    with pytest.raises(SourcebookError, match="Collection 'x' not found"):
        await client.change_model("newer")


async def test_an_answer_of_another_kind_is_not_understood() -> None:
    with pytest.raises(SourcebookError, match="does not understand"):
        await client_of(lambda _: httpx2.Response(200, json={})).status()


async def test_a_service_that_is_away_is_named() -> None:
    def refuse(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    with pytest.raises(SourcebookError, match="http://book does not answer"):
        await client_of(refuse).status()


def test_a_rollback_takes_no_model() -> None:
    with pytest.raises(ConfigurationError, match="leave --model out"):
        check_options("robotics", "newer", rollback=True)


@pytest.mark.parametrize(("name", "model"), [("", None), ("robotics", "")])
def test_an_empty_name_is_refused(name: str, model: str | None) -> None:
    with pytest.raises(ConfigurationError, match="must not be empty"):
        check_options(name, model, rollback=False)


def test_the_result_says_recall_and_the_way_back(capsys: pytest.CaptureFixture[str]) -> None:
    recall = RecallOut(questions=20, k=10, mean=0.9, worst=0.4)

    show_result(status(recall=recall), as_json=False)

    assert capsys.readouterr().out.splitlines() == [
        "robotics uses newer: 3 chunks, 2 embedded, 1 reused",
        "Recall@10 against the old index on 20 questions: 0.900 on average, 0.400 at worst",
        "Go back to minilm: sourcebook reindex robotics --rollback",
    ]


def test_json_is_what_the_service_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(status(), as_json=True)

    assert ReindexOut.model_validate_json(capsys.readouterr().out) == status()


def test_a_failure_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(status(status="failed", error="No words"), as_json=False)

    assert capsys.readouterr().err == "robotics: failed. No words\n"
