"""The settings of a provider as they are typed: a file, JSON, or one by one."""

import json
from collections.abc import Sequence
from pathlib import Path

import yaml

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue


def read_settings(config: str | None, settings: Sequence[str]) -> dict[str, JsonValue]:
    """All of them; a single one wins over the file. InvalidInput repeats no value."""
    return {**(_read(config) if config is not None else {}), **dict(map(_split, settings))}


def _read(config: str) -> dict[str, JsonValue]:
    is_json = config.lstrip().startswith("{")
    where = "--config" if is_json else f"The file {config!r}"
    try:
        found = json.loads(config) if is_json else yaml.safe_load(Path(config).read_text("utf-8"))
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read: {error.strerror}") from None
    except (ValueError, yaml.YAMLError, RecursionError):
        # Their own words quote the line, which may hold a key.
        raise InvalidInput(f"{where} is no valid JSON{'' if is_json else ' or YAML'}") from None
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise InvalidInput(f"{where} must hold an object of settings, such as {{'url': '…'}}")
    return found


def _split(setting: str) -> tuple[str, JsonValue]:
    name, found, value = setting.partition("=")
    if not found or not name.strip():
        raise InvalidInput("--set takes NAME=VALUE, such as --set url=http://localhost:6333")
    return name.strip(), value
