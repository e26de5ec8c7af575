"""`sourcebook doctor` prints a line for each check, and its exit code says whether all is well."""

import json
from collections.abc import Callable, Iterator

import pytest

from sourcebook.cli.exit_codes import DONE, NO
from sourcebook.service.doctor.results import CheckResult, ok, problem, warning
from tests.unit.cli.commands import run_command

WARNED = [ok("Python", "3.12"), warning("Disk", "300 MiB free", "Make room")]


def given(monkeypatch: pytest.MonkeyPatch, results: list[CheckResult]) -> None:
    def examine(_: Callable[[], object], *, online: bool) -> Iterator[CheckResult]:
        return iter(results)

    monkeypatch.setattr("sourcebook.service.doctor.checks.examine", examine)


def test_a_warning_is_shown_with_what_to_do_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given(monkeypatch, WARNED)

    code = run_command(monkeypatch, "doctor")

    assert code == DONE
    assert capsys.readouterr().out.splitlines() == [
        "ok       Python          3.12",
        "warning  Disk            300 MiB free",
        "                         → Make room",
        "",
        "0 problems, 1 warning.",
    ]


def test_a_problem_is_exit_code_1_also_in_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given(monkeypatch, [*WARNED, problem("Port", "taken", "Choose another --port")])

    code = run_command(monkeypatch, "doctor", "--json")

    report = json.loads(capsys.readouterr().out)
    assert (code, report["status"]) == (NO, "problem")
    assert report["checks"][-1] == {
        "name": "Port",
        "status": "problem",
        "found": "taken",
        "advice": "Choose another --port",
    }
