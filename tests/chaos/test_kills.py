"""kill -9 at random moments: what was confirmed is there, and nothing is ever half there."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from sourcebook.ingestion.upkeep.verifier import Findings, Verifier
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.storage import open_storage
from tests.chaos import LONG, dice
from tests.chaos.client import Client, judge
from tests.chaos.crowd import LESSONS, SCRATCH, Crowd
from tests.chaos.history import History
from tests.e2e.processes import run, serving

KILLS = 100 if LONG else 4
KILLS_AT_A_START = 4  # one in so many


def verified(data: Path) -> list[Findings]:
    """What `sourcebook verify` finds, without waiting for a process."""

    async def verify() -> list[Findings]:
        async with open_storage(load_settings(), DataFolder(data)) as storage:
            return await Verifier(storage.ledger, storage.store).verify()

    return asyncio.run(verify())


def kill_while_starting(serve: tuple[str, ...], cwd: Path, after_s: float) -> None:
    command = [sys.executable, "-m", "sourcebook", *serve, "--port", "0"]
    with subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        time.sleep(after_s)
        process.kill()


def test_a_server_killed_at_any_moment_loses_and_halves_nothing(
    tmp_path: Path, serve: tuple[str, ...]
) -> None:
    serve = (*serve, "--data-dir", "data")
    history = History()
    problems: list[str] = []
    confirmed = 0
    chance = dice(0)
    for kill in range(KILLS):
        with serving(*serve, cwd=tmp_path) as server:
            with Client(server.url, history) as client:
                if kill == 0:
                    client.create(LESSONS)
                    client.create(SCRATCH)
                problems += judge(client, history)
            crowd = Crowd(server.url, history, seed=1_000 * kill)
            crowd.start()
            crowd.wait_for(changes=chance.randint(0, 30))
            time.sleep(chance.uniform(0.0, 0.05))
            server.kill()
            crowd.end()
        problems += crowd.problems
        confirmed += history.confirmed
        if kill % KILLS_AT_A_START == KILLS_AT_A_START - 1:
            kill_while_starting(serve, tmp_path, chance.uniform(1.0, 2.5))
        if kill % 2:
            # The others go to the next start as they are.
            problems += [str(f) for f in verified(tmp_path / "data") if not f.clean]
        assert not problems, f"after kill {kill + 1}: {problems}"

    with serving(*serve, cwd=tmp_path) as server:
        with Client(server.url, history) as client:
            assert judge(client, history) == []
        assert server.stop() == 0
    findings = verified(tmp_path / "data")
    assert [(f.clean, f.awaiting) for f in findings] == [(True, 0), (True, 0)]
    assert run("verify", "--data-dir", "data", cwd=tmp_path).code == 0
    assert confirmed
