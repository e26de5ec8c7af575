"""What a user gets who sets nothing: quickstart and `ask` with the bundled reader."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.core.answers import NO_INFORMATION
from tests.e2e.processes import WITH_READER, Server, run, serving
from tests.e2e.test_ask import FRANCE, KNEE

ANSWER = "2.27 radians"


@pytest.fixture(scope="module")
def folder(quickstarted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("defaults")
    shutil.copytree(quickstarted, root / "data")
    return root


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with serving("quickstart", "--data-dir", "data", cwd=folder, env=WITH_READER) as server:
        yield server


def test_chat_answers_with_the_source_and_refuses_as_the_reader_judges(server: Server) -> None:
    answered = server.post("/chat", {"query": KNEE})
    refused = server.post("/chat", {"query": FRANCE})

    assert ANSWER in answered["answer"]
    assert ANSWER in answered["sources"][0]["chunk_text"]
    assert (refused["answer"], refused["sources"]) == (NO_INFORMATION, [])
    # It is known only of what the reader has read.
    probabilities = [one["metadata"]["answer_probability"] for one in (answered, refused)]
    assert probabilities[0] > 0.5 > probabilities[1]


def test_a_streamed_answer_is_the_same(server: Server) -> None:
    whole = server.post("/chat", {"query": KNEE})
    events = server.client.post("/chat/stream", json={"query": KNEE}).text.split("\n\n")

    data = [json.loads(one.split("data: ", 1)[1]) for one in events if "data: " in one]
    assert "".join(one["content"] for one in data if one["type"] == "chunk") == whole["answer"]
    assert data[-1]["type"] == "done"


def test_a_client_of_openai_gets_the_answer_and_its_citation(server: Server) -> None:
    def asked(question: str) -> dict[str, object]:
        messages = [{"role": "user", "content": question}]
        body = {"model": "sourcebook", "messages": messages}
        reply: dict[str, object] = server.post("/v1/chat/completions", body)
        return reply

    answered, refused = asked(KNEE), asked(FRANCE)

    assert ANSWER in json.dumps(answered["choices"])
    assert answered["citations"]
    assert NO_INFORMATION in json.dumps(refused["choices"])
    assert not refused.get("citations")


def test_ask_without_a_server_reads_too(quickstarted: Path, tmp_path: Path) -> None:
    shutil.copytree(quickstarted, tmp_path / "data")

    done = run("ask", KNEE, "--json", "--data-dir", "data", cwd=tmp_path, env=WITH_READER)

    assert done.code == 0, done
    assert json.loads(done.out)["metadata"]["answer_probability"] > 0.5
