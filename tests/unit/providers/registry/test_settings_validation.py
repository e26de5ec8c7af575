"""Settings are checked against the provider's model, and errors give no secret away."""

from collections.abc import Mapping
from contextlib import asynccontextmanager

import pytest
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    SecretStr,
    field_validator,
    model_validator,
)

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.declaration import Provider
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import validate_settings

SECRET = "sk-0123456789"


class Settings(BaseModel):
    url: HttpUrl
    path: str = Field("main", validation_alias=AliasChoices("path", "model"))
    api_key: SecretStr | None = None
    port: int = Field(80, le=65535)
    headers: dict[str, str] = Field(default_factory=dict)

    @field_validator("api_key", mode="before")
    @classmethod
    def _check_key(cls, key: object) -> object:
        if key is not None and not str(key).startswith("sk-"):
            raise ValueError(f"{key} is no key")
        return key

    @model_validator(mode="after")
    def _check_port(self) -> "Settings":
        if self.port == 13 and self.api_key is not None:
            raise ValueError(f"not {self.api_key.get_secret_value()} with port 13")
        return self


@asynccontextmanager
async def never(*_: object):  # type: ignore[no-untyped-def]
    yield


PROVIDER: Provider[BaseModel, object] = Provider(settings=Settings, open=never)


def checked(
    config: Mapping[str, JsonValue], environment: Mapping[str, str] | None = None
) -> Settings:
    settings = validate_settings(PROVIDER.settings, config, environment=environment)
    assert isinstance(settings, Settings)
    return settings


def refusal(config: Mapping[str, JsonValue], environment: Mapping[str, str] | None = None) -> str:
    with pytest.raises(InvalidInput) as caught:
        checked(config, environment)
    return caught.value.message


@pytest.mark.spec("000 Provider Initialization with Schema")
def test_settings_that_fit_become_the_model_that_the_provider_declares() -> None:
    settings = checked({"url": "http://localhost:6333", "port": "81", "api_key": SECRET})

    assert (str(settings.url), settings.port) == ("http://localhost:6333/", 81)
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == SECRET


@pytest.mark.parametrize("name", ["path", "model"])
def test_a_setting_may_have_another_name(name: str) -> None:
    assert checked({"url": "http://a", name: "mine"}).path == "mine"


def test_placeholders_are_looked_up_in_the_environment() -> None:
    environment = {"HOST": "db.example", "KEY": SECRET, "X": "${KEY}"}
    settings = checked(
        {"url": "http://${HOST}:1", "api_key": "${KEY}", "headers": {"a": "${X}", "b": "$KEY"}},
        environment,
    )

    assert str(settings.url) == "http://db.example:1/"
    assert settings.api_key == SecretStr(SECRET)
    # What came from the environment is not looked up again.
    assert settings.headers == {"a": "${KEY}", "b": "$KEY"}


def test_a_placeholder_without_a_variable_is_refused_by_its_name() -> None:
    assert refusal({"url": "${NO_SUCH}"}, {}) == (
        "The setting 'url' refers to the environment variable NO_SUCH, which is not set"
    )


def test_where_there_is_no_environment_placeholders_are_refused() -> None:
    assert refusal({"url": "http://a", "headers": {"x": "${HOME}"}}) == (
        "The setting 'headers' holds the placeholder ${HOME}, and placeholders cannot be used"
        " here: give the value itself"
    )


def test_what_is_wrong_is_said_by_field() -> None:
    assert refusal({"port": 99_999, "path": 7}) == (
        "The setting 'url' is required; The setting 'path' is wrong: Input should be a valid"
        " string; The setting 'port' is wrong: Input should be less than or equal to 65535"
    )


def test_unknown_settings_are_refused_with_those_there_are() -> None:
    assert refusal({"url": "http://a", "apikey": SECRET, "host": "b"}) == (
        "Unknown settings: 'apikey', 'host'. Known: url, path, api_key, port, headers"
    )


def test_of_many_unknown_settings_a_few_are_named() -> None:
    told = refusal({f"k{number:05}": SECRET for number in range(20_000)})

    assert told.startswith("Unknown settings: 'k00000', ")
    assert told.endswith("'k00009' and 19,990 more. Known: url, path, api_key, port, headers")


@pytest.mark.parametrize(
    "config",
    [
        {"url": "http://a", "api_key": "xx-secret-value"},
        {"url": "http://a", "api_key": "sk-secret-value", "port": 13},
        {"url": "http://a", "api_key": {"sk": "secret-value"}},
        {"url": "secret-value", "port": "secret-value", "api_key": "secret-value"},
    ],
    ids=["of a field", "of the model", "of the wrong type", "in other fields"],
)
def test_no_refusal_repeats_a_secret(config: Mapping[str, JsonValue]) -> None:
    message = refusal(config)

    assert "secret-value" not in message
    assert "wrong" in message or "cannot be used" in message or "***" in message


def test_no_refusal_repeats_what_came_from_the_environment() -> None:
    class Quoting(BaseModel):
        path: str

        @field_validator("path")
        @classmethod
        def _refuse(cls, path: str) -> str:
            raise ValueError(f"{path} is not there")

    provider: Provider[BaseModel, object] = Provider(settings=Quoting, open=never)

    with pytest.raises(InvalidInput) as caught:
        validate_settings(
            provider.settings, {"path": "at ${WHERE}"}, environment={"WHERE": "secret-value"}
        )
    assert caught.value.message == "The setting 'path' is wrong: *** is not there"


def test_a_model_may_take_any_setting() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

    provider: Provider[BaseModel, object] = Provider(settings=Open, open=never)

    settings = validate_settings(provider.settings, {"anything": 1}, environment=None)
    assert settings.model_extra == {"anything": 1}


@pytest.mark.parametrize(
    ("provider", "config", "problem"),
    [
        ("gemini", {}, "The setting 'api_key' is required"),
        ("gemini", {"api_key": " "}, "api_key is empty"),
        ("gemini", {"api_key": "with space"}, "api_key holds spaces"),
        ("ollama", {}, "The setting 'model' is required"),
        ("openai-compatible", {"base_url": "ftp://x", "model": "m"}, "must begin with http://"),
        ("openai-compatible", {"base_url": "http://u:pw@x", "model": "m"}, "holds credentials"),
    ],
)
def test_settings_of_language_models_are_checked(
    provider: str, config: Mapping[str, JsonValue], problem: str
) -> None:
    declared = Registry().load(provider, "language_models")

    with pytest.raises(InvalidInput, match=problem):
        validate_settings(declared.settings, config, environment=None)
