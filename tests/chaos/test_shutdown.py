"""SIGTERM under load: what was begun is finished, nothing is cut off, and nothing is lost."""

from pathlib import Path

from tests.chaos import LONG
from tests.chaos.client import Client, judge
from tests.chaos.crowd import LESSONS, SCRATCH, Crowd
from tests.chaos.history import History
from tests.e2e.processes import run, serving

STOPS = 20 if LONG else 1


def test_a_server_stopped_under_load_cuts_no_reply_and_loses_nothing(
    tmp_path: Path, serve: tuple[str, ...]
) -> None:
    serve = (*serve, "--data-dir", "data")
    history = History()
    for stop in range(STOPS):
        with serving(*serve, cwd=tmp_path) as server:
            with Client(server.url, history) as client:
                if stop == 0:
                    client.create(LESSONS)
                    client.create(SCRATCH)
                assert judge(client, history) == []
            crowd = Crowd(server.url, history, seed=stop)
            crowd.start()
            crowd.wait_for(changes=20)
            code = server.stop()
            crowd.end()
        assert (code, crowd.truncated, crowd.problems) == (0, 0, [])
        assert not list((tmp_path / "data" / "processes").iterdir())

    verified = run("verify", "--data-dir", "data", cwd=tmp_path)
    assert verified.code == 0, verified.out
    with serving(*serve, cwd=tmp_path) as server, Client(server.url, history) as client:
        assert judge(client, history) == []
