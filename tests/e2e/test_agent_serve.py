"""`sourcebook serve` and `sourcebook ask` as processes, with a language model at a base URL."""

import asyncio
import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import Done, Server, run, serving, write_config
from tests.llm_server import Fail, Say, ScriptedModel, word_by_word
from tests.surfaces.chat.chat_client import events_of

KNEE = "How far can Wren's knee bend?"
QUOTE = "Wren's knee bends from straight, at zero, to 2.27 radians, or about 130°."
BENDS = "Wren's knee bends from straight, at zero, to 2.27 radians, or about 130°."
KEY = "canary-model-key-4720"
MODEL = "scripted-large"
# Health is asked for again until it has been looked at anew.
LOOKS = 60


def environment(model: ScriptedModel) -> dict[str, str]:
    return {
        "SOURCEBOOK_LLM_BASE_URL": model.url,
        "SOURCEBOOK_LLM_MODEL": MODEL,
        "SOURCEBOOK_LLM_API_KEY": KEY,
        "SOURCEBOOK_LOG_LEVEL": "debug",
    }


@pytest.fixture
def folder(ingested: Path, tmp_path: Path) -> Path:
    """A folder with a data folder in which the sample book is."""
    shutil.copytree(ingested, tmp_path / "data")
    return tmp_path


def ask(folder: Path, model: ScriptedModel, *arguments: str) -> Done:
    return run("ask", KNEE, "--data-dir", "data", *arguments, cwd=folder, env=environment(model))


def health_once(server: Server, status: str) -> dict[str, Any]:
    """The health report, as soon as the model's part of it is the one that must come."""
    for _ in range(LOOKS):
        found: dict[str, Any] = server.get("/health")
        if found["services"]["gemini"]["status"] == status:
            return found
        time.sleep(0.5)
    raise AssertionError(found)


async def test_a_service_answers_with_its_model_and_says_how_the_model_is(folder: Path) -> None:
    loop = asyncio.get_running_loop()

    def serve_and_ask() -> str:
        """All that was said. In a thread of its own: the model lives in this one's loop."""
        config = write_config(folder, minilm="bundled:all-MiniLM-L6-v2")
        arguments = ("serve", "--data-dir", "data", "--embeddings-config", config)
        with serving(*arguments, cwd=folder, env=environment(model)) as server:
            healthy = health_once(server, "up")
            model.script = [word_by_word(f"{BENDS} [1] It costs 40 dollars [1].")]
            streamed = server.client.post("/chat/stream", json={"query": KNEE})
            model.script = [word_by_word(f"{BENDS} [1] It costs 40 dollars [1].")]
            whole = server.post("/chat", {"query": KNEE})
            model.script = [Fail(401)]
            failed = server.client.post("/chat", json={"query": KNEE})
            asyncio.run_coroutine_threadsafe(model.__aexit__(None, None, None), loop).result()
            away = health_once(server, "down")
            assert server.stop() == 0

        assert (healthy["status"], away["status"]) == ("healthy", "degraded")
        *chunks, sources, done = events_of(streamed.text)
        assert "".join(event["content"] for event in chunks).strip() == f"{BENDS} [1]"
        assert sources["sources"][0]["page_title"] == "Lesson 2.2: Frames and Joints"
        assert done["metadata"]["model"] == MODEL
        assert whole["answer"] == f"{BENDS} [1]"
        assert failed.status_code == 503
        assert "The language model is not available right now" in failed.json()["message"]
        log = (folder / "server.log").read_text("utf-8")
        assert "The language model refused the key" in log
        return f"{log} {streamed.headers} {streamed.text} {whole} {failed.text} {healthy} {away}"

    async with ScriptedModel() as model:
        said = await asyncio.to_thread(serve_and_ask)

    assert {request.headers["authorization"] for request in model.requests} == {f"Bearer {KEY}"}
    assert {request.body["model"] for request in model.requests} == {MODEL}
    assert "canary" not in said


async def test_ask_without_a_service_asks_the_model_by_itself(folder: Path) -> None:
    async with ScriptedModel([Say([f"{BENDS} [1]"]), Fail(401)]) as model:
        told = await asyncio.to_thread(ask, folder, model, "--json")
        quoted = await asyncio.to_thread(ask, folder, model)

    reply = json.loads(told.out)
    assert (reply["answer"], reply["metadata"]["model"]) == (f"{BENDS} [1]", MODEL)
    assert len(model.requests) == 2
    block = quoted.out.splitlines()[0]
    assert (quoted.code, QUOTE in block, block[-4:]) == (0, True, " [1]")
    warning, advice = quoted.err.splitlines()
    assert warning.startswith("The language model is not available right now")
    assert "The language model refused the key: check it in the settings" in advice
    assert "canary" not in str(told) + str(quoted)
