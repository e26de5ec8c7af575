"""`reindex` orders a change, waits for its end, and a stop ends the job."""

import asyncio
from collections.abc import Callable

import pytest

from sourcebook.cli import jobs
from sourcebook.cli.jobs import Stop
from sourcebook.cli.reindex import check_options, run_job, show_result
from sourcebook.core.errors import ConfigurationError
from sourcebook.surfaces.collections.reindex_schemas import (
    OrderedReindexOut,
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


class FakeChange:
    """Has one job, which runs until it is cancelled or has been looked at often enough."""

    collection = "robotics"

    def __init__(self, looks: int = 1, *, needed: bool = True) -> None:
        self.looks = looks
        self.cancelled = False
        self.on_look: Callable[[], None] = lambda: None
        self._needed = needed

    async def order(self) -> OrderedReindexOut:
        return OrderedReindexOut(
            job_id=7 if self._needed else None,
            status="queued" if self._needed else "unchanged",
            collection="robotics",
            embedding_model="newer",
        )

    async def status(self) -> ReindexOut:
        self.looks -= 1
        self.on_look()
        now = "cancelled" if self.cancelled else "completed" if self.looks <= 0 else "running"
        return status(status=now)

    async def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "POLL_INTERVAL_S", 0.001)


async def test_the_command_orders_and_waits() -> None:
    change = FakeChange(looks=3)

    done = await run_job(change, Stop())

    assert (done.status, change.looks) == ("completed", 0)


async def test_where_there_is_nothing_to_do_an_earlier_job_does_not_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = await run_job(FakeChange(needed=False), Stop())
    show_result(done, as_json=False)

    assert done.status == "unchanged"
    assert capsys.readouterr().out == "robotics uses newer already; there is nothing to do\n"


async def test_a_stop_cancels_the_job_and_waits_for_its_end() -> None:
    change, stop = FakeChange(looks=1_000_000), Stop()
    change.on_look = stop.event.set

    async with asyncio.timeout(5):
        done = await run_job(change, stop)

    assert (done.status, change.cancelled) == ("cancelled", True)


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
