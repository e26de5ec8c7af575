"""Validates the settings of a provider: what somebody wrote becomes the model that it declares."""

import re
from collections.abc import Mapping

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.declaration import S
from sourcebook.providers.registry.connection_schema import secret_names, settings_schema
from sourcebook.providers.registry.redaction import hide, texts_in

PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
MAX_SHOWN_NAMES = 10


def validate_settings(
    settings: type[S], config: Mapping[str, JsonValue], *, environment: Mapping[str, str] | None
) -> S:
    """Return the settings, validated; `${NAME}` in them is looked up in the environment.

    InvalidInput says which setting is wrong, and never repeats a secret. Without an environment,
    placeholders are refused.
    """
    _check_names(settings, config)
    values = {name: _expanded(value, name, environment) for name, value in config.items()}
    try:
        return settings.model_validate(values)
    except ValidationError as error:
        secret = _secret_settings(settings)
        found = error.errors(include_url=False, include_input=False, include_context=False)
        problem = "; ".join(_told(one, secret) for one in found)
    except ConfigurationError as error:
        problem = error.message
    # No message may repeat what came from the environment either.
    looked_up = (value for name, value in values.items() if value != config[name])
    raise InvalidInput(hide(problem, {*given_secrets(settings, values), *texts_in([*looked_up])}))


def given_secrets(settings: type[BaseModel], config: Mapping[str, JsonValue]) -> frozenset[str]:
    """Return every text that was given for a secret setting."""
    secret = _secret_settings(settings)
    return frozenset(texts_in([value for name, value in config.items() if name in secret]))


def known_settings(settings: type[BaseModel]) -> frozenset[str]:
    """Return every name that a setting may have."""
    return frozenset(name for names in _names(settings) for name in names)


def _names(settings: type[BaseModel]) -> list[tuple[str, ...]]:
    """Return the names of each setting, its usual one first."""
    rules = settings.model_config
    by_name = rules.get("populate_by_name") or rules.get("validate_by_name")
    return [
        (*_aliases(field), name) if by_name else _aliases(field) or (name,)
        for name, field in settings.model_fields.items()
    ]


def _aliases(field: FieldInfo) -> tuple[str, ...]:
    match field.validation_alias:
        case AliasChoices(choices=choices):
            return tuple(choice for choice in choices if isinstance(choice, str))
        case str(alias):
            return (alias,)
        case _:
            return ()


def _check_names(settings: type[BaseModel], config: Mapping[str, JsonValue]) -> None:
    if settings.model_config.get("extra") == "allow":
        return
    unknown = sorted(config.keys() - known_settings(settings))
    if unknown:
        shown = ", ".join(repr(name[:80]) for name in unknown[:MAX_SHOWN_NAMES])
        left_out = len(unknown) - MAX_SHOWN_NAMES
        more = f" and {left_out:,} more" if left_out > 0 else ""
        usual = ", ".join(names[0] for names in _names(settings)) or "none"
        raise InvalidInput(f"Unknown settings: {shown}{more}. Known: {usual}")


def _expanded(value: JsonValue, setting: str, environment: Mapping[str, str] | None) -> JsonValue:
    match value:
        case str():
            return PLACEHOLDER.sub(lambda found: _looked_up(found[1], setting, environment), value)
        case list():
            return [_expanded(one, setting, environment) for one in value]
        case dict():
            return {key: _expanded(one, setting, environment) for key, one in value.items()}
        case _:
            return value


def _looked_up(name: str, setting: str, environment: Mapping[str, str] | None) -> str:
    if environment is None:
        raise InvalidInput(
            f"The setting {setting!r} holds the placeholder ${{{name}}}, and placeholders cannot"
            " be used here: give the value itself"
        )
    if name not in environment:
        raise InvalidInput(
            f"The setting {setting!r} refers to the environment variable {name}, which is not set"
        )
    return environment[name]


def _told(found: ErrorDetails, secrets: frozenset[str]) -> str:
    path = [str(part) for part in found["loc"]]
    if not path:
        return found["msg"].removeprefix("Value error, ")
    name = repr(".".join(path))
    if found["type"] == "missing":
        return f"The setting {name} is required"
    # A validator writes what it likes, and may quote what it was given.
    if path[0] in secrets and found["type"] in {"value_error", "assertion_error"}:
        return f"The setting {name} cannot be used as it is"
    return f"The setting {name} is wrong: {found['msg'].removeprefix('Value error, ')}"


def _secret_settings(settings: type[BaseModel]) -> frozenset[str]:
    """Return every name of the secret settings."""
    secret = secret_names(settings_schema(settings))
    return frozenset(
        name for names in _names(settings) if secret.intersection(names) for name in names
    )
