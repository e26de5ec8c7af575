"""The settings say how long answers may take, and which models a chat may name."""

import pytest

from sourcebook.answering.chat_models import ChatModels
from sourcebook.answering.rag_v3_chat import CHAT_TIMEOUT_S
from sourcebook.answering.sessions import ANSWER_TIMEOUT_S
from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.answering import chat_models
from tests.unit.service.wiring.test_language_model import VARIABLES

OLLAMA = {"ollama_host": "localhost", "llm_model": "llama3"}
SERVER = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "m"}
OPENAI_BY_URL = {"llm_base_url": "https://api.openai.com/v1", "llm_model": "m"}


@pytest.fixture(autouse=True)
def _no_models_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "SOURCEBOOK_CHAT_MODELS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("settings", "models"),
    [
        ({}, ChatModels()),
        (OLLAMA, ChatModels(any_model=True)),
        (SERVER, ChatModels(any_model=True)),
        (OPENAI_BY_URL, ChatModels()),
        ({"gemini_api_key": "k"}, ChatModels()),
        ({"openai_api_key": "k"}, ChatModels()),
        ({"language_model": "acme-chat"}, ChatModels()),
        ({**OLLAMA, "chat_models": "a, b"}, ChatModels(("a", "b"))),
        ({"openai_api_key": "k", "chat_models": "gpt-4.1"}, ChatModels(("gpt-4.1",))),
        ({"gemini_api_key": "k", "chat_models": "*"}, ChatModels(("*",), any_model=True)),
    ],
)
def test_any_model_may_be_named_where_none_is_billed_else_those_on_the_list(
    settings: dict[str, str], models: ChatModels
) -> None:
    assert chat_models(load_settings(None, **settings)) == models


def test_the_time_limits_of_the_settings_are_those_of_the_use_cases() -> None:
    settings = load_settings(None)

    assert (settings.chat_timeout_s, settings.api_chat_timeout_s) == (30.0, 120.0)
    assert (ANSWER_TIMEOUT_S, CHAT_TIMEOUT_S) == (30.0, 120.0)


@pytest.mark.parametrize("name", ["chat_timeout_s", "api_chat_timeout_s"])
@pytest.mark.parametrize("seconds", [9, 601, "soon"])
def test_a_time_limit_that_no_answer_can_keep_is_refused(name: str, seconds: object) -> None:
    with pytest.raises(ConfigurationError, match=name):
        load_settings(None, **{name: seconds})
