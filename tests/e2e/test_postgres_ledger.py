"""The service with its ledger in Postgres."""

import asyncio
import shutil
from pathlib import Path

from tests.e2e.processes import run, serving, write_config
from tests.postgres import fresh_database


def test_a_service_that_lost_its_disk_comes_back_from_postgres(
    tmp_path: Path, postgres_url: str
) -> None:
    env = {"SOURCEBOOK_LEDGER_URL": asyncio.run(fresh_database(postgres_url))}
    config = write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2")
    arguments = ("serve", "--data-dir", "data", "--embeddings-config", config)
    documents = [{"id": f"d{n}", "text": f"lesson number {n}"} for n in range(10)]
    with serving(*arguments, cwd=tmp_path, env=env) as server:
        server.post("/collections", {"name": "lessons", "embedding_model": "minilm"})
        server.post("/collections/lessons/documents", {"documents": documents})
        server.kill()
    shutil.rmtree(tmp_path / "data")

    with serving(*arguments, cwd=tmp_path, env=env) as server:
        found = server.post("/query", {"collection": "lessons", "query": "lesson number 7"})
        assert found["results"][0]["id"] == "d7"
        assert server.stop() == 0

    verified = run("verify", "--data-dir", "data", cwd=tmp_path, env=env)
    assert (verified.code, "10 chunks, clean" in verified.out) == (0, True), verified.out
