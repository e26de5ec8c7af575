"""A worker works off the jobs of a service on the same folder; Chroma in a folder allows none."""

import signal
import time
from pathlib import Path

import pytest

from sourcebook.cli.exit_codes import DONE
from tests.e2e.processes import run, serving, start, write_config

COMMANDS = {
    "a worker": ("worker",),
    "a server that does no work": ("serve", "--no-work"),
    "several workers": ("serve", "--workers", "2"),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_what_needs_several_processes_is_refused_on_an_index_of_one(
    tmp_path: Path, case: str
) -> None:
    config = write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2")
    env = {"SOURCEBOOK_VECTOR_STORE": "chromadb"}
    arguments = (*COMMANDS[case], "--embeddings-config", config, "--data-dir", "data")

    done = run(*arguments, cwd=tmp_path, env=env)

    assert done.code == 1
    assert "Chroma in a folder belongs to one" in done.err


def test_what_a_service_takes_a_worker_on_the_same_folder_does(tmp_path: Path) -> None:
    config = str(tmp_path / write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2"))
    data, docs = str(tmp_path / "data"), tmp_path / "docs"
    for name in ("docs", "service"):
        (tmp_path / name).mkdir()
    (docs / "pumps.md").write_text("# Pumps\n\nThe pump runs at 42 bar.\n")
    common = ("--data-dir", data, "--embeddings-config", config)
    env = {"DOCS_PATH": str(docs), "SOURCEBOOK_RECONCILE_MINUTES": "0"}

    with serving("serve", "--no-work", *common, cwd=tmp_path / "service", env=env) as server:
        key = {"X-Admin-API-Key": (tmp_path / "data" / "admin.key").read_text().strip()}
        ordered = server.client.post("/ingestion/trigger", headers=key).json()["job_id"]
        assert server.client.get(f"/ingestion/status/{ordered}", headers=key).json()["status"] == (
            "queued"
        )
        said = (tmp_path / "worker.log").open("wb")
        with (
            said,
            start(
                "worker", *common, cwd=docs, env=env, out=said.fileno(), err=said.fileno()
            ) as worker,
        ):
            deadline_s = time.monotonic() + 60
            while time.monotonic() < deadline_s:
                job = server.client.get(f"/ingestion/status/{ordered}", headers=key).json()
                if job["status"] == "completed":
                    break
                time.sleep(0.1)
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(30) == 0
        assert job["status"] == "completed"
        (found,) = server.post("/search", {"query": "How hard does the pump run?"})["results"]
        assert found["source_file"] == "pumps.md"
    assert run("verify", "--data-dir", data, cwd=tmp_path).code == DONE
