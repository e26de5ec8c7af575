"""Secrets that were configured appear nowhere: not in replies, not in logs, not on a terminal."""

from pathlib import Path

import pytest

from tests.e2e.processes import run, serving, write_config

KEY = "canary-admin-key-4711"
PASSWORD = "canary-password-4712"
MODEL_KEYS = {
    name: f"canary-model-key-{number}"
    for number, name in enumerate(
        ("SOURCEBOOK_LLM_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY"), start=4713
    )
}


@pytest.fixture
def config(tmp_path: Path) -> str:
    return write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2")


def canaries_in(text: str) -> list[str]:
    return [secret for secret in (KEY, PASSWORD, *MODEL_KEYS.values()) if secret in text]


def test_a_running_service_shows_no_secret(tmp_path: Path, config: str) -> None:
    # The discard port: nobody answers there.
    model = {"SOURCEBOOK_LLM_BASE_URL": "http://127.0.0.1:9/v1", "SOURCEBOOK_LLM_MODEL": "any"}
    env = {"ADMIN_API_KEY": KEY, "SOURCEBOOK_LOG_LEVEL": "debug", **model, **MODEL_KEYS}
    arguments = ("serve", "--data-dir", "data", "--embeddings-config", config, "--host", "0.0.0.0")
    replies: list[str] = []

    with serving(*arguments, cwd=tmp_path, env=env) as server:
        for headers in (
            {"X-API-Key": KEY},
            {"Authorization": f"Bearer {KEY}"},
            {"X-API-Key": "no"},
        ):
            for method, path, body in (
                ("POST", "/collections", {"name": "a", "embedding_model": "minilm"}),
                ("POST", "/collections", {"name": 5}),
                ("POST", "/collections/a/documents", {"documents": [{"text": "x"}]}),
                ("POST", "/query", {"collection": "a", "query": "x"}),
                ("GET", "/health", None),
                ("GET", "/metrics", None),
                ("GET", "/openapi.json", None),
                ("GET", "/nowhere", None),
            ):
                reply = server.client.request(method, path, json=body, headers=headers)
                assert reply.status_code < 500
                replies.append(f"{reply.headers} {reply.text}")
        assert server.stop() == 0

    assert canaries_in("".join(replies)) == []
    assert canaries_in((tmp_path / "server.log").read_text("utf-8")) == []
    stored = b"".join(
        path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()
    )
    assert KEY.encode() not in stored


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://user:{PASSWORD}@127.0.0.1:1/db",
        f"postgresql://user:{PASSWORD}@127.0.0.1:1/db?passfile=x",
        f"mysql://user:{PASSWORD}@127.0.0.1/db",
        f"{PASSWORD}",
    ],
)
def test_a_failing_start_shows_no_secret(tmp_path: Path, config: str, url: str) -> None:
    env = {"ADMIN_API_KEY": KEY, "SOURCEBOOK_LEDGER_URL": url, "SOURCEBOOK_LOG_LEVEL": "debug"}

    arguments = ("--port", "0", "--data-dir", "data", "--embeddings-config", config)
    done = run("serve", *arguments, cwd=tmp_path, env=env)

    assert done.code == 1
    assert "SOURCEBOOK_LEDGER_URL" in done.err
    assert canaries_in(done.out + done.err) == []
