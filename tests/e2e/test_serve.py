"""`sourcebook serve` and `quickstart`, as processes, with the real model."""

import json
import os
import signal
import threading
from pathlib import Path

import httpx2
import pytest

from sourcebook.cli.exit_codes import DONE, FAILED
from tests.e2e.processes import Server, run, serving, write_config
from tests.tiny_models import save_tiny_cross_encoder

BUNDLED = "bundled:all-MiniLM-L6-v2"


@pytest.fixture
def config(tmp_path: Path) -> str:
    return write_config(tmp_path, minilm=BUNDLED)


def test_quickstart_answers_from_the_sample_book_and_stops_cleanly(tmp_path: Path) -> None:
    with serving("quickstart", "--data-dir", "data", cwd=tmp_path) as server:
        assert "curl -s" in server.said
        question = "How far can Wren's knee bend?"
        (result,) = server.post("/search", {"query": question, "limit": 1})["results"]
        assert "2.27 radians" in result["text"]
        assert result["source_file"].endswith("02-frames-and-joints.md")
        assert result["section_title"] == "Joint limits"
        body = {"collection": "book", "query": question, "top_k": 1}
        (hit,) = server.post("/query", body)["results"]
        assert hit["text"] == result["text"]
        assert server.stop() == 0
    assert not list((tmp_path / "data" / "processes").iterdir())


@pytest.mark.spec("001 Load models from YAML config file")
@pytest.mark.spec("001 Model loading at startup")
def test_a_killed_server_has_lost_nothing_when_it_starts_again(tmp_path: Path, config: str) -> None:
    arguments = ("serve", "--data-dir", "data", "--embeddings-config", config)
    documents = [{"id": f"d{n}", "text": f"lesson number {n}"} for n in range(40)]
    with serving(*arguments, cwd=tmp_path) as server:
        (model,) = server.get("/health")["embedding_models"]
        assert model == {
            "id": "minilm",
            "name": "all-MiniLM-L6-v2",
            "status": "loaded",
            "dimensions": 384,
        }
        server.post("/collections", {"name": "lessons", "embedding_model": "minilm"})
        server.post("/collections/lessons/documents", {"documents": documents})
        server.client.request("DELETE", "/collections/lessons/documents", json=["d0"])
        before = server.post("/query", {"collection": "lessons", "query": "lesson number 7"})
        server.kill()

    with serving(*arguments, cwd=tmp_path) as server:
        assert server.get("/collections/lessons")["count"] == 39
        after = server.post("/query", {"collection": "lessons", "query": "lesson number 7"})
        assert [r["id"] for r in after["results"]] == [r["id"] for r in before["results"]]

    verified = run("verify", "--data-dir", "data", cwd=tmp_path)
    assert (verified.code, "39 chunks, clean" in verified.out) == (0, True), verified.out


def test_a_server_killed_while_documents_arrive_has_all_that_it_confirmed(
    tmp_path: Path, config: str
) -> None:
    arguments = ("serve", "--data-dir", "data", "--embeddings-config", config)
    confirmed: list[str] = []
    with serving(*arguments, cwd=tmp_path) as server:
        server.post("/collections", {"name": "lessons", "embedding_model": "minilm"})

        def post_for_ever() -> None:
            try:
                for n in range(10_000):
                    batch = [{"id": f"{n}-{k}", "text": f"batch {n} lesson {k}"} for k in range(3)]
                    body = {"documents": batch}
                    ids = server.post("/collections/lessons/documents", body)["ids"]
                    confirmed.extend(ids)
            except httpx2.HTTPError:
                return

        poster = threading.Thread(target=post_for_ever)
        poster.start()
        while len(confirmed) < 30:
            threading.Event().wait(0.01)
        server.kill()
        poster.join()

    with serving(*arguments, cwd=tmp_path) as server:
        page = server.get("/collections/lessons/documents?limit=1000")
        stored = {document["id"] for document in page["documents"]}
        assert set(confirmed) <= stored
        assert len(stored) % 3 == 0
        assert server.stop() == 0
    verified = run("verify", "--data-dir", "data", cwd=tmp_path)
    assert verified.code == 0, verified.out


@pytest.mark.spec("001 Load models from environment variable")
def test_the_config_may_come_from_the_environment(tmp_path: Path, config: str) -> None:
    env = {"EMBEDDINGS_CONFIG": config, "SOURCEBOOK_DATA_DIR": "data"}

    with serving("serve", cwd=tmp_path, env=env) as server:
        assert [m["id"] for m in server.get("/health")["embedding_models"]] == ["minilm"]


@pytest.mark.spec("001 Health check with only cross-encoder")
def test_a_cross_encoder_alone_is_a_valid_start(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path / "reranker")

    with serving(
        "serve", "--data-dir", "data", "--cross-encoder", "reranker", cwd=tmp_path
    ) as server:
        health = server.get("/health")
        assert health["cross_encoder"] == {"model": "reranker", "status": "loaded"}
        assert "embedding_models" not in health
        documents = [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}]
        reranked = server.post("/rerank", {"query": "one", "documents": documents})["reranked"]
        assert {item["id"] for item in reranked} == {"a", "b"}


NOTE = {"documents": [{"id": "d", "text": "The pump runs at 42 bar."}]}
NOTES = {"name": "notes", "embedding_model": "minilm"}
PUMP = {"collection": "notes", "query": "At what pressure does the pump run?"}


def test_services_and_commands_on_one_folder_see_each_others_commits(tmp_path: Path) -> None:
    config = write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2")
    data = str(tmp_path / "data")
    arguments = ("serve", "--data-dir", data, "--embeddings-config", str(tmp_path / config))
    for name in ("one", "other", "docs"):
        (tmp_path / name).mkdir()
    with (
        serving(*arguments, cwd=tmp_path / "one") as one,
        serving(*arguments, cwd=tmp_path / "other") as other,
    ):
        one.post("/collections", NOTES)
        assert other.post("/query", PUMP)["results"] == []
        one.post("/collections/notes/documents", NOTE)
        assert other.post("/query", PUMP)["results"][0]["id"] == "d"

        (tmp_path / "docs" / "arms.md").write_text("# Arms\n\nThe arm weighs twelve kilograms.\n")
        assert run("ingest", "docs", "--data-dir", data, cwd=tmp_path).code == DONE
        for server in (one, other):
            (found,) = server.post("/search", {"query": "How heavy is the arm?"})["results"]
            assert found["source_file"] == "arms.md"
        assert run("verify", "--data-dir", data, cwd=tmp_path).code == DONE
        alone = run("rebuild", "--data-dir", data, cwd=tmp_path)
        assert (alone.code, alone.err.count("(`sourcebook serve`)")) == (FAILED, 2)


def test_several_workers_serve_one_port_and_one_folder(tmp_path: Path) -> None:
    config = write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2")
    arguments = ("--data-dir", "data", "--embeddings-config", config, "--workers", "2")
    processes = tmp_path / "data" / "processes"
    # With a Python path, it is started as a user would start it.
    env = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}

    def ask(server: Server) -> None:
        # A new connection each: some reach one worker, some the other.
        for _ in range(20):
            reply = httpx2.post(f"{server.url}/query", json=PUMP, timeout=30)
            assert reply.json()["results"][0]["id"] == "d"

    with serving("serve", *arguments, cwd=tmp_path, env=env) as server:
        server.post("/collections", NOTES)
        server.post("/collections/notes/documents", NOTE)
        ask(server)
        answered = httpx2.get(f"{server.url}/metrics").text
        counted = 'sourcebook_requests_total{method="POST",route="/query",status="200"} 20.0'
        assert counted in answered
        first, second = (file.read_text() for file in processes.iterdir())
        assert "sourcebook serve" in first + second

        os.kill(int(first.split()[0]), signal.SIGKILL)
        ask(server)
        assert server.stop() == 0
    assert run("verify", "--data-dir", "data", cwd=tmp_path).code == DONE


def test_a_port_that_is_taken_is_refused(tmp_path: Path, config: str) -> None:
    arguments = ("serve", "--embeddings-config", config)
    with serving(*arguments, "--data-dir", "one", cwd=tmp_path) as server:
        port = server.url.rsplit(":", 1)[1]
        second = run(*arguments, "--data-dir", "two", "--port", port, cwd=tmp_path)
        assert (second.code, "Choose another --port" in second.err) == (1, True)


BROKEN = {
    "missing file": (["--embeddings-config", "nowhere.yml"], "Cannot read the embeddings config"),
    "bad YAML": (["--embeddings-config", "bad.yml"], "not valid YAML"),
    "empty list": (["--embeddings-config", "empty.yml"], "no models configured"),
    "duplicate id": (["--embeddings-config", "twice.yml"], "must be unique"),
    "unknown bundled model": (["--embeddings-config", "unknown.yml"], "'ghost'"),
    "no such folder": (["--embeddings-config", "folder.yml"], "'gone'"),
    "not downloaded": (["--embeddings-config", "hub.yml", "--offline"], "--download-models"),
    "cross-encoder not downloaded": (
        ["--cross-encoder", "some-model", "--offline"],
        "--download-models --cross-encoder cross-encoder/some-model",
    ),
    "folder without a model": (["--embeddings-config", "hollow.yml"], "'hollow'"),
    "broken cross-encoder": (["--cross-encoder", "./gone"], "Cross-encoder './gone' failed"),
    "bad port": (["--port", "99999"], "port"),
    "open to the world": (["--host", "0.0.0.0", "--embeddings-config", "ok.yml"], "ADMIN_API_KEY"),
}


@pytest.mark.spec("001 Model load failure terminates startup")
@pytest.mark.spec("001 No embedding models configured")
@pytest.mark.parametrize(("arguments", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_start_says_why_and_exits_non_zero(
    tmp_path: Path, arguments: list[str], says: str
) -> None:
    (tmp_path / "hollow").mkdir()
    for name, content in {
        "bad.yml": "embeddings: [",
        "empty.yml": "embeddings: []",
        "twice.yml": json.dumps({"embeddings": [{"id": "a", "path": BUNDLED}] * 2}),
        "unknown.yml": json.dumps({"embeddings": [{"id": "ghost", "path": "bundled:ghost"}]}),
        "folder.yml": json.dumps({"embeddings": [{"id": "gone", "path": "./gone/model"}]}),
        "hub.yml": json.dumps({"embeddings": [{"id": "hub", "path": "someone/some-model"}]}),
        "hollow.yml": json.dumps({"embeddings": [{"id": "hollow", "path": "./hollow"}]}),
        "ok.yml": json.dumps({"embeddings": [{"id": "minilm", "path": BUNDLED}]}),
    }.items():
        (tmp_path / name).write_text(content)
    port = [] if "--port" in arguments else ["--port", "0"]
    env = {"HF_HOME": str(tmp_path / "hub")}

    done = run("serve", "--data-dir", "data", *port, *arguments, cwd=tmp_path, env=env)

    assert done.code != 0
    assert says in done.err
    assert "Traceback" not in done.err
    assert "is ready" not in done.err


@pytest.mark.spec("001 Download models without starting server")
def test_models_are_fetched_and_checked_without_a_server(tmp_path: Path, config: str) -> None:
    done = run("serve", "--download-models", "--embeddings-config", config, cwd=tmp_path)

    assert done.code == 0
    assert "'minilm' is ready: 384 dimensions" in done.err
    assert "Sourcebook is ready" not in done.err


def test_known_rerankers_are_listed(tmp_path: Path) -> None:
    done = run("serve", "--list-reranker-models", cwd=tmp_path)

    assert done.code == 0
    assert "BAAI/bge-reranker-base" in done.out
