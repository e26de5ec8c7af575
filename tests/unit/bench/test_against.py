"""What fell since an earlier result of the benchmark is named, with what else changed."""

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import bench.__main__ as command
import pytest
from bench.against import Stored, read_earlier, report
from bench.run import Run
from bench.table import Goal, Row

RESULTS = Path(command.__file__).parent / "results"
WITH_AMX = RESULTS / "2026-11-15-query.json"
WITHOUT_AMX = RESULTS / "2026-11-17-full-query.json"


def stored(path: Path) -> Stored:
    found: Stored = json.loads(path.read_text("utf-8"))
    return found


def said(now: Path, earlier: Path, *, has_amx: bool = False) -> tuple[str, bool]:
    return report(stored(now), read_earlier(earlier, has_amx=has_amx))


def test_what_fell_is_named_by_its_ratio_where_there_is_a_peer() -> None:
    text, fell = said(WITHOUT_AMX, WITH_AMX)

    assert fell
    assert "- POST /query, 100 clients: 3.14×, was 5.27× (2026-11-15, with AMX)" in text
    assert "- memory after that load (peer: server and client): 0.771×, was 0.548×" in text
    # It rose.
    assert "POST /query, 1 client" not in text


def test_what_has_no_peer_is_named_by_its_figure() -> None:
    name = "2026-11-17-full-ingestion_search.json"
    text, _ = said(RESULTS / name, RESULTS / "2026-11-16-full.json")

    assert "- POST /search, 100 clients, p95: 4,490 ms, was 1,670 ms" in text


def test_another_kind_of_cpu_is_said() -> None:
    assert "This CPU has no AMX, and 5 of them were measured on one that has it" in "".join(
        said(WITHOUT_AMX, WITH_AMX)[0]
    )
    assert "This CPU has AMX, and 5 of them were measured on one without" in "".join(
        said(WITH_AMX, WITHOUT_AMX)[0]
    )
    assert "AMX" not in said(WITH_AMX, WITH_AMX)[0]


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_no_result_has_fallen_since_itself(path: Path) -> None:
    text, fell = said(path, path)

    assert not fell
    assert text.endswith("Nothing fell by a fifth.")


def test_the_last_result_is_the_newest_of_each_row_on_such_a_cpu(tmp_path: Path) -> None:
    def keep(day: str, flags: str, *names: str) -> None:
        about = {"date": f"{day} 05:54 UTC", "CPU flags": flags}
        text = json.dumps({"about": about, "rows": [{"what": name} for name in names]})
        (tmp_path / f"{day}.json").write_text(text)

    keep("2026-11-15", "amx_bf16 yes", "query")
    keep("2026-11-16", "amx_bf16 yes", "query")
    keep("2026-11-17", "amx_bf16 no", "query", "claims")

    with_amx = read_earlier(tmp_path / "LAST", has_amx=True)
    without = read_earlier(tmp_path / "LAST", has_amx=False)

    assert with_amx["query"].about["date"].startswith("2026-11-16")
    assert without["query"].about["date"].startswith("2026-11-17")
    # Measured without AMX alone.
    assert not with_amx["claims"].has_amx


@pytest.mark.parametrize(
    ("unit", "order", "then", "now", "fell"),
    [
        ("/s", None, 100, 81, False),
        ("/s", None, 100, 79, True),
        ("s", None, 100, 119, False),
        ("s", None, 100, 121, True),
        ("", "<=", 0, 0, False),
        ("", "<=", 0, 1, True),
        ("%", ">=", 95, 70, True),
        # Nobody has said which way is better.
        ("", None, 1, 100, False),
    ],
)
def test_a_fifth_may_be_lost_in_the_direction_that_is_worse(
    tmp_path: Path, unit: str, order: str | None, then: float, now: float, fell: bool
) -> None:
    goal = {"order": order, "bound": 1, "unit": unit} if order else None
    row = {"what": "made up", "unit": unit, "goal": goal, "ours": "", "theirs": ""}
    about = {"date": "2026-11-19 05:54 UTC", "CPU flags": ""}
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps({"about": about, "rows": [{**row, "median": then}]}))

    found = report(
        {"about": about, "rows": [{**row, "median": now}]}, read_earlier(earlier, has_amx=False)
    )

    assert found[1] is fell


@pytest.fixture
def _signals_as_they_were() -> Iterator[None]:
    kept = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, kept)


@pytest.mark.usefixtures("_signals_as_they_were")
def test_the_exit_code_says_whether_something_fell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pace = [100.0]

    def measure(_: Run) -> list[Row]:
        return [Row("made up", pace, Goal(">=", 10, "/s"), "/s")]

    monkeypatch.setattr(command, "MEASUREMENTS", {"made_up": measure})
    monkeypatch.setattr(command, "RESULTS", tmp_path / "bench" / "results")
    (tmp_path / "bench").mkdir()

    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["bench", *arguments])
        return command.main()

    assert run("--quick") == 0
    assert run("--quick", "--against", str(command.RESULTS / "LAST")) == 0
    pace[0] = 79.0
    assert run("--quick", "--against", str(command.RESULTS / "LAST")) == 1
    assert "- made up: 79 /s, was 100 /s" in capsys.readouterr().out
