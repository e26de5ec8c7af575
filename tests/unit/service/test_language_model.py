"""The first language model that the settings name is used; without one there is none."""

import asyncio
import logging
import subprocess
import sys

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.language import Message, Prompt
from sourcebook.core.ports import LanguageModel
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.known_endpoints import OPENAI_MODEL
from sourcebook.service.language_model import choose_endpoint, open_language_model
from sourcebook.service.settings import load_settings
from tests.llm_server import Say, ScriptedModel

VARIABLES = (
    "SOURCEBOOK_LLM_BASE_URL",
    "SOURCEBOOK_LLM_API_KEY",
    "SOURCEBOOK_LLM_MODEL",
    "GEMINI_API_KEY",
    "GEMINI_MODEL",
    "GEMINI_BASE_URL",
    "OPENAI_API_KEY",
    "OLLAMA_HOST",
)
GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta/openai/"


@pytest.fixture(autouse=True)
def _no_models_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def choose(**settings: str) -> Endpoint | None:
    return choose_endpoint(load_settings(None, **settings))


async def test_without_a_setting_there_is_no_model() -> None:
    async with open_language_model(load_settings()) as model:
        assert model is None


@pytest.mark.spec("004 FR-003")
def test_gemini_is_reached_by_its_compatible_endpoint() -> None:
    assert choose(gemini_api_key="key-1") == Endpoint(GEMINI_URL, "gemini-2.5-flash", "key-1")
    assert choose(
        gemini_api_key="key-1", gemini_model="gemini-9", gemini_base_url="http://127.0.0.1:9"
    ) == Endpoint("http://127.0.0.1:9/", "gemini-9", "key-1")


def test_any_compatible_server_goes_before_all_others() -> None:
    others = {"gemini_api_key": "key-1", "openai_api_key": "key-2", "ollama_host": "localhost"}
    own = {"llm_base_url": "http://127.0.0.1:8080/v1", "llm_model": "qwen"}

    assert choose(**others, **own) == Endpoint("http://127.0.0.1:8080/v1/", "qwen", None)
    assert choose(**own, llm_api_key="key-3") == Endpoint(
        "http://127.0.0.1:8080/v1/", "qwen", "key-3"
    )


def test_gemini_goes_before_openai_and_openai_before_ollama() -> None:
    gemini = choose(gemini_api_key="key-1", openai_api_key="key-2", ollama_host="localhost")
    openai = choose(openai_api_key="key-2", ollama_host="localhost")

    assert gemini == Endpoint(GEMINI_URL, "gemini-2.5-flash", "key-1")
    assert openai == Endpoint("https://api.openai.com/v1/", OPENAI_MODEL, "key-2")
    assert openai.is_openai
    assert choose(openai_api_key="key-2", llm_model="gpt-x") == Endpoint(
        "https://api.openai.com/v1/", "gpt-x", "key-2"
    )


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost:11434/v1/"),
        ("127.0.0.1:11500", "http://127.0.0.1:11500/v1/"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1/"),
        ("[::1]", "http://[::1]:11434/v1/"),
        ("[::1]:11500", "http://[::1]:11500/v1/"),
        ("http://ollama:11434", "http://ollama:11434/v1/"),
        ("https://ollama.example/", "https://ollama.example/v1/"),
        ("http://ollama:11434/v1", "http://ollama:11434/v1/"),
    ],
)
def test_ollama_is_reached_where_its_own_client_would(host: str, url: str) -> None:
    assert choose(ollama_host=host, llm_model="qwen") == Endpoint(url, "qwen", None)


def test_a_server_of_many_models_needs_a_name() -> None:
    with pytest.raises(
        ConfigurationError, match=r"SOURCEBOOK_LLM_BASE_URL .* SOURCEBOOK_LLM_MODEL"
    ):
        choose(llm_base_url="http://127.0.0.1:8080/v1")


def test_ollamas_own_variable_alone_chooses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert choose(ollama_host="0.0.0.0") is None
    assert "SOURCEBOOK_LLM_MODEL" in caplog.text


@pytest.mark.parametrize(
    ("settings", "variable"),
    [
        ({"llm_base_url": "https://u:canary@h/v1", "llm_model": "m"}, "SOURCEBOOK_LLM_BASE_URL"),
        (
            {"llm_base_url": "http://h/v1", "llm_model": "m", "llm_api_key": "canary key"},
            "SOURCEBOOK_LLM_API_KEY",
        ),
        ({"gemini_api_key": "k", "gemini_base_url": "file:///canary"}, "GEMINI_BASE_URL"),
        ({"gemini_api_key": "canary key"}, "GEMINI_API_KEY"),
        ({"openai_api_key": "canary key"}, "OPENAI_API_KEY"),
        ({"ollama_host": "u:canary@h", "llm_model": "m"}, "OLLAMA_HOST"),
    ],
)
def test_a_bad_setting_is_named_and_its_value_is_not(
    settings: dict[str, str], variable: str
) -> None:
    with pytest.raises(ConfigurationError, match=variable) as caught:
        choose(**settings)

    assert "canary" not in caught.value.message


async def test_the_log_says_which_model_and_never_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with ScriptedModel([Say(["x"])]) as server:
        settings = load_settings(
            llm_base_url=server.url, llm_model="scripted-1", llm_api_key="canary-key"
        )
        async with open_language_model(settings) as model:
            assert model is not None
            assert model.name == "scripted-1"

    chosen = [vars(r) for r in caplog.records if r.getMessage() == "language_model_chosen"]
    assert [(found["model"], found["host"]) for found in chosen] == [("scripted-1", "127.0.0.1")]
    assert "canary" not in caplog.text + str(settings) + str(chosen)
    assert server.requests == server.probes == []


def test_without_a_model_the_sdk_is_not_imported() -> None:
    code = """
import asyncio, sys
from sourcebook.service.language_model import open_language_model
from sourcebook.service.settings import Settings

async def main():
    async with open_language_model(Settings()) as model:
        print(model, *sys.modules.keys() & {"openai", "agents"})

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "None\n"


async def test_the_sdk_is_loaded_by_the_first_that_needs_it_and_once() -> None:
    async with ScriptedModel([Say(["one"]), Say(["two"])]) as server:
        settings = load_settings(llm_base_url=server.url, llm_model="scripted-1")
        async with open_language_model(settings) as model:
            assert model is not None
            prompt = Prompt("Be brief.", (Message("user", "hi"),))
            health = await model.check()
            said = await asyncio.gather(_said(model, prompt), _said(model, prompt))

            assert health.status == "up"
            assert sorted(said) == ["one", "two"]
            assert await model.load() is await model.load()


async def test_who_gives_up_while_it_loads_leaves_it_loading() -> None:
    settings = load_settings(llm_base_url="http://127.0.0.1:9/v1", llm_model="m")
    async with open_language_model(settings) as model:
        assert model is not None
        waiting = asyncio.create_task(model.load())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        assert (await model.load()).name == "m"


async def _said(model: LanguageModel, prompt: Prompt) -> str:
    return "".join([piece async for piece in model.reply(prompt)])
