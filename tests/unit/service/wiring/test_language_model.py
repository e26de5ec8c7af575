"""The first language model that the settings name is used; without one there is none."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import LanguageModel
from sourcebook.core.prompts import Message, Prompt
from sourcebook.providers.declaration import Opening, Provider
from sourcebook.providers.language_models.endpoint import OPENAI_MODEL, Endpoint
from sourcebook.providers.language_models.lazy_model import LazyLanguageModel
from sourcebook.providers.language_models.openai_compatible_providers import EndpointSettings
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import validate_settings
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings, load_settings, local_unless_told
from sourcebook.service.wiring.models import open_language_model
from sourcebook.service.wiring.provider_choices import language_model_choice
from tests.fakes import FakeLanguageModel
from tests.llm_server import Say, ScriptedModel

VARIABLES = (
    "SOURCEBOOK_LLM",
    "SOURCEBOOK_LANGUAGE_MODEL",
    "SOURCEBOOK_LANGUAGE_MODEL_CONFIG",
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


def choose(**settings: object) -> Endpoint | None:
    return chosen(load_settings(None, **settings))


def chosen(settings: Settings) -> Endpoint | None:
    choice = language_model_choice(settings)
    if choice is None:
        return None
    declared = Registry().load(choice.provider, choice.kind)
    found = validate_settings(declared.settings, choice.config, environment={})
    assert isinstance(found, EndpointSettings)
    return found.endpoint()


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


async def test_without_a_setting_there_is_no_model(folder: DataFolder) -> None:
    async with open_language_model(load_settings(), folder) as model:
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


async def test_ollamas_own_variable_alone_chooses_nothing(
    caplog: pytest.LogCaptureFixture, folder: DataFolder
) -> None:
    assert choose(ollama_host="0.0.0.0") is None
    async with open_language_model(load_settings(ollama_host="0.0.0.0"), folder) as model:
        assert model is None
    assert "SOURCEBOOK_LLM_MODEL" in caplog.text


def test_a_named_model_goes_before_all_that_the_environment_chooses() -> None:
    others = {"llm_base_url": "http://127.0.0.1:8080/v1", "llm_model": "qwen"}

    assert choose(**others, language_model="Gemini", gemini_api_key="key-1") == Endpoint(
        GEMINI_URL, "gemini-2.5-flash", "key-1"
    )
    assert choose(
        **others,
        language_model="openai-compatible",
        language_model_config={"base_url": "http://127.0.0.1:1/v1"},
    ) == Endpoint("http://127.0.0.1:1/v1/", "qwen", None)


OLLAMA_URL = "http://127.0.0.1:11434/v1/"
OPENAI_URL = "https://api.openai.com/v1/"


@pytest.mark.parametrize(
    ("llm", "others", "endpoint"),
    [
        ("gemini", {"gemini_api_key": "k"}, Endpoint(GEMINI_URL, "gemini-2.5-flash", "k")),
        ("Gemini:gemini-9", {"gemini_api_key": "k"}, Endpoint(GEMINI_URL, "gemini-9", "k")),
        ("openai", {"openai_api_key": "k"}, Endpoint(OPENAI_URL, OPENAI_MODEL, "k")),
        (
            "openai:gpt-x",
            {"openai_api_key": "k", "llm_model": "other", "gemini_api_key": "stray"},
            Endpoint(OPENAI_URL, "gpt-x", "k"),
        ),
        ("ollama:llama3.2:3b", {}, Endpoint(OLLAMA_URL, "llama3.2:3b", None)),
        ("ollama", {"llm_model": "qwen"}, Endpoint(OLLAMA_URL, "qwen", None)),
        (
            "ollama:qwen",
            {"ollama_host": "http://far:1", "language_model": "gemini"},
            Endpoint("http://far:1/v1/", "qwen", None),
        ),
        (
            "openai-compatible:qwen",
            {"llm_base_url": "http://127.0.0.1:8080/v1", "llm_api_key": "k"},
            Endpoint("http://127.0.0.1:8080/v1/", "qwen", "k"),
        ),
        (
            "gemini",
            {"language_model_config": {"api_key": "own", "model": "gemini-9"}},
            Endpoint(GEMINI_URL, "gemini-9", "own"),
        ),
    ],
)
def test_one_setting_names_the_provider_and_the_model(
    llm: str, others: dict[str, object], endpoint: Endpoint
) -> None:
    assert choose(llm=llm, **others) == endpoint
    assert chosen(local_unless_told(load_settings(None, llm=llm, **others))) == endpoint


@pytest.mark.parametrize("llm", ["none", "None"])
def test_none_is_no_model_whatever_else_is_set(llm: str) -> None:
    others = {"gemini_api_key": "k", "language_model": "gemini", "llm_base_url": "http://h/v1"}

    assert choose(llm=llm, **others) is None


@pytest.mark.parametrize(
    ("llm", "says"),
    [
        ("gemini", "set GEMINI_API_KEY"),
        ("openai:gpt-x", "set OPENAI_API_KEY"),
        ("ollama", "as ollama:MODEL"),
        ("openai-compatible:qwen", "set SOURCEBOOK_LLM_BASE_URL"),
    ],
)
def test_what_a_named_model_lacks_is_said_with_its_cure(llm: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=f"'{llm}' cannot be used yet: .*{says}"):
        choose(llm=llm)


@pytest.mark.parametrize("llm", ["", " ", ":gpt-x"])
def test_a_setting_that_names_no_provider_is_refused_with_the_form(llm: str) -> None:
    with pytest.raises(ConfigurationError, match=r"SOURCEBOOK_LLM\): .* PROVIDER:MODEL"):
        choose(llm=llm)


@pytest.mark.parametrize(
    "stray",
    [
        {"gemini_api_key": "k"},
        {"openai_api_key": "k"},
        {"openai_api_key": "k", "llm_model": "gpt-x"},
        {"ollama_host": "127.0.0.1", "llm_model": "qwen"},
    ],
)
def test_a_command_of_one_person_uses_no_model_that_nobody_told_it_to_use(
    stray: dict[str, object],
) -> None:
    assert choose(**stray) is not None
    assert chosen(local_unless_told(load_settings(None, **stray))) is None


@pytest.mark.parametrize(
    "told",
    [
        {"language_model": "gemini", "gemini_api_key": "k"},
        {"llm_base_url": "http://h/v1", "llm_model": "qwen", "openai_api_key": "stray"},
    ],
)
def test_a_setting_of_our_own_tells_it(told: dict[str, object]) -> None:
    assert chosen(local_unless_told(load_settings(None, **told))) == choose(**told) != None  # noqa: E711


def test_quotes_replace_a_model_that_fails_unless_told_otherwise() -> None:
    assert load_settings().llm_fallback is None
    assert local_unless_told(load_settings()).llm_fallback == "extractive"
    assert local_unless_told(load_settings(llm_fallback="NONE")).llm_fallback == "none"


class EchoSettings(BaseModel):
    voice: str
    api_key: SecretStr | None = None


class ThirdPartyModel(FakeLanguageModel):
    def __init__(self, settings: EchoSettings, opening: Opening) -> None:
        super().__init__([f"I am {settings.voice}."])
        self.settings = settings
        self.opening = opening
        self.closed = False


@asynccontextmanager
async def _third_party(settings: EchoSettings, opening: Opening) -> AsyncIterator[ThirdPartyModel]:
    model = ThirdPartyModel(settings, opening)
    yield model
    model.closed = True


THIRD_PARTY = Provider(EchoSettings, _third_party)


@pytest.fixture
def registry() -> Registry:
    group = "sourcebook.language_models"
    return Registry([EntryPoint("acme-chat", f"{__name__}:THIRD_PARTY", group)])


async def test_a_third_party_s_model_is_chosen_by_a_setting(
    registry: Registry, folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_KEY", "canary-key")
    monkeypatch.setenv("SOURCEBOOK_LANGUAGE_MODEL", "acme-chat")
    monkeypatch.setenv(
        "SOURCEBOOK_LANGUAGE_MODEL_CONFIG", '{"voice": "Ada", "api_key": "${ACME_KEY}"}'
    )

    async with open_language_model(load_settings(), folder, registry) as model:
        assert isinstance(model, ThirdPartyModel)
        assert model.settings == EchoSettings(voice="Ada", api_key=SecretStr("canary-key"))
        assert model.opening.data_dir == folder.root
        assert await _said(model, Prompt("Be brief.", (Message("user", "hi"),))) == "I am Ada."
        assert not model.closed

    assert model.closed


async def test_a_third_partys_model_is_named_like_any_other(
    registry: Registry, folder: DataFolder
) -> None:
    settings = load_settings(llm="acme-chat", language_model_config={"voice": "Ada"})

    async with open_language_model(settings, folder, registry) as model:
        assert isinstance(model, ThirdPartyModel)
        assert model.settings.voice == "Ada"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"llm": "nobody:x"}, "Language model provider 'nobody' not found. Available providers"),
        ({"language_model": "nobody"}, "Language model provider 'nobody' not found"),
        ({"language_model": "acme-chat"}, "'acme-chat': The setting 'voice' is required"),
    ],
)
async def test_a_named_model_that_cannot_be_opened_says_why(
    registry: Registry, folder: DataFolder, settings: dict[str, str], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        async with open_language_model(load_settings(None, **settings), folder, registry):
            pass


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


async def test_the_log_says_which_model_and_never_the_key(
    caplog: pytest.LogCaptureFixture, folder: DataFolder
) -> None:
    caplog.set_level(logging.INFO)
    async with ScriptedModel([Say(["x"])]) as server:
        settings = load_settings(
            llm_base_url=server.url, llm_model="scripted-1", llm_api_key="canary-key"
        )
        async with open_language_model(settings, folder) as model:
            assert model is not None
            assert model.name == "scripted-1"

    chosen = [vars(r) for r in caplog.records if r.getMessage() == "language_model_chosen"]
    assert [(found["model"], found["host"]) for found in chosen] == [("scripted-1", "127.0.0.1")]
    assert "canary" not in caplog.text + str(settings) + str(chosen)
    assert server.requests == server.probes == []


def test_without_a_model_the_sdk_is_not_imported() -> None:
    code = """
import asyncio, sys
from pathlib import Path
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.wiring.models import open_language_model
from sourcebook.service.config.settings import Settings

async def main():
    async with open_language_model(Settings(), DataFolder(Path("."))) as model:
        print(model, *sys.modules.keys() & {"openai", "agents"})

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "None\n"


async def test_the_sdk_is_loaded_by_the_first_that_needs_it_and_once(folder: DataFolder) -> None:
    async with ScriptedModel([Say(["one"]), Say(["two"])]) as server:
        settings = load_settings(llm_base_url=server.url, llm_model="scripted-1")
        async with open_language_model(settings, folder) as model:
            assert isinstance(model, LazyLanguageModel)
            prompt = Prompt("Be brief.", (Message("user", "hi"),))
            health = await model.check()
            said = await asyncio.gather(_said(model, prompt), _said(model, prompt))

            assert health.status == "up"
            assert sorted(said) == ["one", "two"]
            assert await model.load() is await model.load()


async def test_who_gives_up_while_it_loads_leaves_it_loading(folder: DataFolder) -> None:
    settings = load_settings(llm_base_url="http://127.0.0.1:9/v1", llm_model="m")
    async with open_language_model(settings, folder) as model:
        assert isinstance(model, LazyLanguageModel)
        waiting = asyncio.create_task(model.load())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        assert (await model.load()).name == "m"


async def _said(model: LanguageModel, prompt: Prompt) -> str:
    return "".join([piece async for piece in model.reply(prompt)])
