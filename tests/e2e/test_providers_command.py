"""`sourcebook providers`: what is shown, what is tried out, and that no key is printed."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.e2e.processes import free_port, run
from tests.unit.providers.registry.plugins import PROVIDER, install

KEY = "canary-key-0123456789"


class _Models(BaseHTTPRequestHandler):
    """Lists one model to whoever has the key."""

    def do_GET(self) -> None:
        allowed = self.headers["authorization"] == f"Bearer {KEY}"
        body = json.dumps({"data": [{"id": "m"}]} if allowed else {"error": f"not {KEY}"}).encode()
        self.send_response(200 if allowed else 401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the test speaks."""


@contextmanager
def model_server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Models) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def arguments(url: str) -> list[str]:
    command = ["providers", "test", "openai-compatible", "--kind", "language_models"]
    return [*command, "--set", f"base_url={url}", "--set", "model=m"]


@pytest.mark.spec("000 RAG Provider Discovery")
def test_the_list_has_a_line_for_each_provider(tmp_path: Path) -> None:
    done = run("providers", "list", cwd=tmp_path)
    stores = run("providers", "list", "--kind", "vector_stores", cwd=tmp_path)

    rows = [line.split()[:3] for line in done.out.splitlines()]
    assert ["vector_stores", "mirror", "installed"] in rows
    assert ["language_models", "gemini", "installed"] in rows
    assert "Exact search in memory" in done.out
    assert (stores.code, "gemini" in stores.out) == (0, False)


@pytest.mark.spec("000 Provider Initialization with Schema")
def test_the_settings_of_a_provider_are_shown(tmp_path: Path) -> None:
    done = run("providers", "schema", "GEMINI", cwd=tmp_path)
    none = run("providers", "schema", "mirror", cwd=tmp_path)

    rows = [line.split()[:3] for line in done.out.splitlines()]
    assert ["api_key", "password", "required"] in rows
    assert "nothing to set" in none.out


def test_what_a_program_reads_has_all_that_the_route_tells(tmp_path: Path) -> None:
    done = run("providers", "schema", "qdrant", "--json", cwd=tmp_path)

    told = json.loads(done.out)
    assert set(told) == {
        "provider",
        "kind",
        "display_name",
        "description",
        "fields",
        "capabilities",
        "json_schema",
    }
    url = told["fields"][0]
    assert (url["name"], url["type"], url["default"], url["secret"]) == ("url", "url", None, False)
    assert "placeholder" not in url


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_a_plug_in_with_a_long_name_cuts_nothing_off_the_list(tmp_path: Path, columns: str) -> None:
    value = "[sourcebook.embedders]\nlong = long_one:PROVIDER\n"
    install(tmp_path, "a-package-with-quite-a-long-name-for-a-package", value)

    done = run(
        "providers", "list", cwd=tmp_path, env={"COLUMNS": columns, "PYTHONPATH": str(tmp_path)}
    )

    assert (done.code, "…" in done.out) == (0, False), done.out
    assert "sentence-transformers" in done.out
    assert "installed" in done.out


def test_a_plug_in_that_prints_does_not_spoil_what_a_program_reads(tmp_path: Path) -> None:
    value = "[sourcebook.embedders]\nloud = loud_one:PROVIDER\n"
    install(tmp_path, "loud", value, {"loud_one.py": f"print('here I am')\n{PROVIDER}"})

    done = run(
        "providers", "schema", "loud", "--json", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}
    )

    assert json.loads(done.out)["provider"] == "loud"
    assert "here I am" in done.err


def test_a_connection_that_works_is_told_with_what_was_found(tmp_path: Path) -> None:
    with model_server() as url:
        command = [*arguments(url), "--set", "api_key=${MY_KEY}"]
        told = run(*command, cwd=tmp_path, env={"MY_KEY": KEY})
        for_programs = run(*command, "--json", cwd=tmp_path, env={"MY_KEY": KEY})

    assert (told.code, "openai-compatible: connected in" in told.out) == (0, True), told.err
    assert "model_known: True" in told.out
    report = json.loads(for_programs.out)
    assert (report["success"], report["details"]["models"]) == (True, 1)
    assert KEY not in told.out + told.err + for_programs.out + for_programs.err


@pytest.mark.parametrize("key", ["wrong-key-4711", KEY[:-1]])
def test_a_connection_that_fails_says_why_and_ends_with_one(tmp_path: Path, key: str) -> None:
    config = tmp_path / "settings.yml"
    config.write_text(f"api_key: {key}\n")
    with model_server() as url:
        done = run(*arguments(url), "--config", str(config), cwd=tmp_path)

    assert done.code == 1
    assert "openai-compatible: authentication." in done.err
    assert key not in done.out + done.err


def test_nobody_there_is_a_matter_of_the_network(tmp_path: Path) -> None:
    done = run(*arguments(f"http://127.0.0.1:{free_port()}/v1"), cwd=tmp_path)

    assert (done.code, "openai-compatible: network." in done.err) == (1, True), done.err


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (["--set", f"apikey={KEY}"], "Unknown settings: 'apikey'"),
        (["--set", f"api_key={KEY} {KEY}", "--set", "model=m"], "api_key holds spaces"),
        (["--set", "api_key=${NO_SUCH_VARIABLE}"], "NO_SUCH_VARIABLE, which is not set"),
        ([], "The setting 'api_key' is required"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    tmp_path: Path, settings: list[str], problem: str
) -> None:
    done = run("providers", "test", "gemini", *settings, cwd=tmp_path)

    assert (done.code, problem in done.err) == (1, True), done.err
    assert "invalid_config" in done.err
    assert KEY not in done.out + done.err


def test_a_provider_that_is_not_there_is_named_with_those_there_are(tmp_path: Path) -> None:
    done = run("providers", "test", "acme", cwd=tmp_path)

    assert done.code == 1
    assert "Provider 'acme' not found. Available providers: chromadb" in done.err
