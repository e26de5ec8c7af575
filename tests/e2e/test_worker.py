"""`worker` and `serve --no-work` say why they cannot run on what belongs to one process."""

from pathlib import Path

import pytest

from tests.e2e.processes import run, write_config

COMMANDS = {
    "a worker": (("worker",), {}),
    "a worker with Postgres alone": (
        ("worker",),
        {"SOURCEBOOK_LEDGER_URL": "postgresql://u:canary@127.0.0.1:1/db"},
    ),
    "a worker with a server for the index alone": (
        ("worker",),
        {"QDRANT_URL": "http://127.0.0.1:1"},
    ),
    "a server that does no work": (("serve", "--no-work"), {}),
    "a server that is told so by the environment": (("serve",), {"SOURCEBOOK_WORK": "false"}),
    "a quickstart that does no work": (("quickstart", "--port", "0"), {"SOURCEBOOK_WORK": "false"}),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_what_needs_several_processes_is_refused_on_an_embedded_store(
    tmp_path: Path, case: str
) -> None:
    arguments, env = COMMANDS[case]
    config = write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2")
    if arguments[0] != "quickstart":
        arguments = (*arguments, "--embeddings-config", config)

    done = run(*arguments, "--data-dir", "data", cwd=tmp_path, env=env)

    assert done.code == 1
    assert "set SOURCEBOOK_LEDGER_URL to a Postgres database" in done.err
    assert "canary" not in done.err
    assert not (tmp_path / "data").exists()
