"""The declarations of language models: where each is reached, and how it is tried out."""

import httpx2
import pytest

from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import LanguageModel
from sourcebook.providers.declaration import Opening, Probed, ProbeFailed
from sourcebook.providers.language_models.agents_model import AgentsModel
from sourcebook.providers.language_models.lazy_model import LazyLanguageModel
from sourcebook.providers.language_models.openai_compatible_providers import (
    EndpointSettings,
    probe_endpoint,
)
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import validate_settings
from tests.unit.providers.language_models.asking import KEY

MODELS = {"data": [{"id": "models/gemini-2.5-flash"}, {"id": "llama3"}]}


def settings_of(provider: str, **config: JsonValue) -> EndpointSettings:
    settings = validate_settings(
        Registry().load(provider, "language_models").settings, config, environment={"KEY": KEY}
    )
    assert isinstance(settings, EndpointSettings)
    return settings


@pytest.mark.parametrize(
    ("provider", "config", "url", "model"),
    [
        (
            "gemini",
            {"api_key": "${KEY}"},
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "gemini-2.5-flash",
        ),
        ("openai", {"api_key": "${KEY}"}, "https://api.openai.com/v1/", "gpt-5.4-mini"),
        (
            "openai-compatible",
            {"api_key": "${KEY}", "base_url": "http://localhost:8000/v1", "model": "m"},
            "http://localhost:8000/v1/",
            "m",
        ),
        ("ollama", {"model": "llama3"}, "http://127.0.0.1:11434/v1/", "llama3"),
        (
            "ollama",
            {"model": "llama3", "base_url": "http://host:1/v1"},
            "http://host:1/v1/",
            "llama3",
        ),
    ],
)
def test_settings_say_where_the_model_is(
    provider: str, config: dict[str, JsonValue], url: str, model: str
) -> None:
    settings = settings_of(provider, **config)
    endpoint = settings.endpoint()

    assert (endpoint.base_url, endpoint.model) == (url, model)
    assert endpoint.api_key == (KEY if "api_key" in config else None)
    assert KEY not in repr(settings)


async def test_a_language_model_is_opened_and_nothing_is_sent(tmp_path: object) -> None:
    declared = Registry().load("gemini", "language_models")
    opening = Opening("mine", data_dir=tmp_path, models_dir=tmp_path)  # type: ignore[arg-type]

    async with declared.open(settings_of("gemini", api_key=KEY), opening) as found:
        assert isinstance(found, LazyLanguageModel)
        model: LanguageModel = found
        assert isinstance(await found.load(), AgentsModel)
        assert model.name == "gemini-2.5-flash"


async def probed(settings: EndpointSettings, reply: httpx2.Response) -> tuple[Probed, str]:
    """What the probe found, and the key that it sent."""
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return reply

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
        found = await probe_endpoint(settings, client)
    [request] = asked
    assert request.url.path.endswith("/models")
    return found, request.headers.get("authorization", "")


@pytest.mark.parametrize(
    ("provider", "config", "known"),
    [
        ("gemini", {"api_key": KEY}, True),
        ("ollama", {"model": "llama3"}, True),
        ("ollama", {"model": "another"}, False),
    ],
)
async def test_a_probe_asks_for_the_models_and_repeats_none(
    provider: str, config: dict[str, JsonValue], known: bool
) -> None:
    settings = settings_of(provider, **config)

    found, key = await probed(settings, httpx2.Response(200, json=MODELS))

    assert found.details == {"model": settings.model, "model_known": known, "models": 2}
    assert key == (f"Bearer {KEY}" if "api_key" in config else "")


@pytest.mark.parametrize("status", [301, 401, 404, 429, 500])
async def test_a_probe_fails_with_the_status_it_got(status: int) -> None:
    with pytest.raises(httpx2.HTTPStatusError) as caught:
        await probed(settings_of("openai", api_key=KEY), httpx2.Response(status))
    assert caught.value.response.status_code == status


@pytest.mark.parametrize("text", ["<html>", "[]", '{"data": 7}', '{"data": [7]}', "{}"])
async def test_a_server_that_lists_no_models_is_no_language_model(text: str) -> None:
    with pytest.raises(ProbeFailed, match=r"'api.openai.com' did not list its models"):
        await probed(settings_of("openai", api_key=KEY), httpx2.Response(200, text=text))
