"""The GitHub action waits for its job, and fails when it should."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

FILE = Path(__file__).parents[3] / "integrations" / "github-action" / "index_book.py"
ENVIRONMENT = {"SOURCEBOOK_URL": "http://book.example", "SOURCEBOOK_ADMIN_KEY": "key"}
TEST = {"found": 9, "probes": 10, "newly_lost": []}
JOB = {
    "job_id": 7,
    "status": "completed",
    "files_processed": 2,
    "files_skipped": 1,
    "chunks_created": 5,
    "warning_count": 0,
    "warnings": [],
    "error_message": None,
    "self_test": TEST,
}
LOST = {**TEST, "newly_lost": [{"question": "What is a node?", "path": "nodes.md"}]}


@pytest.fixture
def action() -> ModuleType:
    spec = importlib.util.spec_from_file_location("index_book", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.POLL_INTERVAL_S = 0.0  # type: ignore[attr-defined]
    return module


def answering(
    action: ModuleType, monkeypatch: pytest.MonkeyPatch, job: Mapping[str, Any]
) -> list[object]:
    """A service whose job runs for one look, then ends like this."""
    calls: list[object] = []

    def call(service: object, method: str, path: str, body: object = None) -> object:
        calls.append((method, path, body))
        if method == "POST":
            return {"job_id": 7, "status": "queued"}
        return {**job, "status": "running"} if len(calls) < 3 else job

    monkeypatch.setattr(action.Service, "call", call)
    return calls


def test_it_triggers_a_job_waits_for_its_end_and_writes_its_outputs(
    action: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = answering(action, monkeypatch, JOB)
    outputs = tmp_path / "outputs"
    environment = {**ENVIRONMENT, "SOURCEBOOK_BOOK": "robots", "GITHUB_OUTPUT": str(outputs)}

    assert action.main(environment) == 0

    trigger = ("POST", "/ingestion/trigger", {"mode": "incremental", "book_id": "robots"})
    assert calls == [trigger, *[("GET", "/ingestion/status/7", None)] * 2]
    assert outputs.read_text() == "job-id=7\nnewly-lost=0\n"


@pytest.mark.parametrize(
    ("change", "fail_on_lost", "code"),
    [
        ({"status": "failed", "error_message": "no files"}, "true", 1),
        ({"self_test": LOST}, "true", 1),
        ({"self_test": LOST}, "false", 0),
        ({"self_test": None}, "true", 0),
    ],
)
def test_it_fails_when_the_job_does_or_questions_get_lost(
    action: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, Any],
    fail_on_lost: str,
    code: int,
) -> None:
    answering(action, monkeypatch, {**JOB, **change})

    assert action.main({**ENVIRONMENT, "SOURCEBOOK_FAIL_ON_LOST": fail_on_lost}) == code


def test_a_service_that_is_away_is_an_error_with_its_address(
    action: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    away = {**ENVIRONMENT, "SOURCEBOOK_URL": "http://127.0.0.1:9"}

    assert action.main(away) == 1
    assert "::error::POST /ingestion/trigger cannot be reached" in capsys.readouterr().out


def test_every_input_reaches_the_script_and_every_output_leaves_it() -> None:
    described = yaml.safe_load((FILE.parent / "action.yml").read_text("utf-8"))
    (step,) = described["runs"]["steps"]
    script = FILE.read_text("utf-8")

    assert set(step["env"].values()) == {
        f"${{{{ inputs.{name} }}}}" for name in described["inputs"]
    }
    assert all(f'"{name}"' in script for name in step["env"])
    assert step["run"].endswith(f'/{FILE.name}"')
    for name, output in described["outputs"].items():
        assert output["value"] == f"${{{{ steps.{step['id']}.outputs.{name} }}}}"
        assert f"{name}=" in script
