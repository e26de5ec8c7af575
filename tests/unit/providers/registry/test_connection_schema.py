"""The connection schema of a provider, made from its settings model."""

import json
from contextlib import asynccontextmanager
from typing import Literal

import pytest
from pydantic import BaseModel, Field, HttpUrl, SecretStr

from sourcebook.core.providers import ConnectionField, ConnectionSchema, ProviderCard
from sourcebook.providers.declaration import Provider
from sourcebook.providers.registry.connection_schema import connection_schema
from sourcebook.providers.registry.registry import Registry

CARD = ProviderCard("vector_stores", "acme", "Acme", "A store.", ("search",), "acme", "1.0")


class Login(BaseModel):
    user: str = "me"
    password: SecretStr = SecretStr("hunter2-nested")


class Everything(BaseModel):
    mirror: str | None = Field(None, json_schema_extra={"format": "uri", "placeholder": "http://x"})
    api_key: SecretStr | None = SecretStr("hunter2-default")
    token: str = Field("hunter2-plain", json_schema_extra={"format": "password"})
    port: int = Field(6333, ge=1, le=65535)
    share: float | None = Field(None, gt=0, lt=1)
    name: str = Field("main", pattern="^[a-z]+$", title="Name of it")
    mode: Literal["fast", "slow"] = "fast"
    use_ssl: bool = False
    headers: dict[str, str] = Field(default_factory=dict)
    login: Login = Login()
    default: str = "a field of this name"
    url: HttpUrl = Field(description="Where it listens.")


@asynccontextmanager
async def never(*_: object):  # type: ignore[no-untyped-def]
    yield


@pytest.fixture(scope="module")
def schema() -> ConnectionSchema:
    return connection_schema(CARD, Provider(settings=Everything, open=never))


@pytest.fixture(scope="module")
def fields(schema: ConnectionSchema) -> dict[str, ConnectionField]:
    return {field.name: field for field in schema.fields}


@pytest.mark.spec("000 Provider Initialization with Schema")
def test_every_setting_is_a_field_of_the_right_type(fields: dict[str, ConnectionField]) -> None:
    assert {name: field.type for name, field in fields.items()} == {
        "url": "url",
        "mirror": "url",
        "api_key": "password",
        "token": "password",
        "port": "number",
        "share": "number",
        "name": "string",
        "mode": "string",
        "use_ssl": "boolean",
        "headers": "object",
        "login": "object",
        "default": "string",
    }


def test_only_what_has_no_default_is_required_and_it_comes_first(
    fields: dict[str, ConnectionField],
) -> None:
    assert [name for name, field in fields.items() if field.required] == ["url"]
    assert next(iter(fields)) == "url"
    assert (fields["port"].default, fields["use_ssl"].default) == (6333, False)
    assert fields["default"].default == "a field of this name"


def test_a_field_is_labelled_by_its_title_or_its_name_in_words(
    fields: dict[str, ConnectionField],
) -> None:
    labels = [fields[name].label for name in ("name", "api_key", "use_ssl", "url", "port")]

    assert labels == ["Name of it", "API key", "Use SSL", "URL", "Port"]
    assert (fields["url"].description, fields["port"].description) == ("Where it listens.", "")
    assert (fields["mirror"].placeholder, fields["url"].placeholder) == ("http://x", None)


def test_the_limits_of_a_value_are_told(fields: dict[str, ConnectionField]) -> None:
    assert fields["port"].validation == {
        "min": 1,
        "max": 65535,
        "message": "Must be at least 1 and at most 65535",
    }
    assert fields["share"].validation == {
        "min": 0,
        "max": 1,
        "message": "Must be more than 0 and less than 1",
    }
    assert fields["name"].validation == {"pattern": "^[a-z]+$", "message": "Must match ^[a-z]+$"}
    assert fields["use_ssl"].validation is None


def test_secrets_are_marked_and_never_given_away(
    schema: ConnectionSchema, fields: dict[str, ConnectionField]
) -> None:
    secret = {name for name, field in fields.items() if field.secret}
    properties = schema.json_schema["properties"]
    assert isinstance(properties, dict)
    marked = {
        name
        for name, part in properties.items()
        if isinstance(part, dict) and part.get("writeOnly") is True
    }

    assert secret == marked == {"api_key", "token", "login"}
    assert [fields[name].default for name in sorted(secret)] == [None] * 3
    assert "hunter2" not in json.dumps(schema.json_schema)
    assert "*" not in json.dumps([fields[name].default for name in fields])


def test_the_json_schema_takes_no_unknown_settings(schema: ConnectionSchema) -> None:
    assert schema.json_schema["additionalProperties"] is False
    assert schema.json_schema["required"] == ["url"]


@pytest.mark.parametrize("kind", ["embedders", "rerankers", "language_models", "vector_stores"])
def test_each_of_ours_describes_its_settings(kind: str) -> None:
    registry = Registry()
    cards = [card for card in registry.cards() if card.kind == kind]

    for card in cards:
        schema = connection_schema(card, registry.load(card.id, card.kind))
        names = [field.name for field in schema.fields]
        assert all(field.label for field in schema.fields), card.id
        assert all(field.secret for field in schema.fields if "key" in field.name), card.id
        assert "path" in names or kind in {"language_models", "vector_stores"}, card.id


@pytest.mark.parametrize("card", Registry().cards(), ids=lambda card: f"{card.kind}-{card.id}")
def test_every_field_of_our_forms_says_what_it_is(card: ProviderCard) -> None:
    schema = connection_schema(card, Registry().load(card.id, card.kind))

    assert [field.name for field in schema.fields if not field.description] == []
