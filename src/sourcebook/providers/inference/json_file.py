"""Reads the JSON files of a model folder; errors name the file and the field."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class JsonFile:
    """A JSON object and where it came from."""

    path: Path
    fields: Mapping[str, object]

    def integer(self, key: str, default: int | None = None) -> int:
        """Return the whole number under the key, or the default."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(key, value, "a whole number")
        return value

    def number(self, key: str, default: float) -> float:
        """Return the number under the key, or the default."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, value, "a number")
        return float(value)

    def text(self, key: str, default: str | None = None) -> str:
        """Return the string under the key, or the default."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a string")
        return value

    def table(self, key: str) -> "JsonFile":
        """Return the object under the key, empty if there is none."""
        value = self._value(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, value, "an object")
        return JsonFile(self.path, value)

    def _value(self, key: str, default: object) -> object:
        # A null means the same as a missing field, as in the files of transformers.
        value = self.fields.get(key)
        return default if value is None else value

    def _wrong(self, key: str, value: object, wanted: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self.path} must have {wanted} under {key!r}, not {value!r}."
            " Restore the file from the model's origin"
        )


def read_json(path: Path) -> object:
    """Read a file that must be there."""
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"{path} is missing. The folder must be a whole sentence-transformers model folder"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}. Restore the file from the model's origin"
        ) from error
    return content


def read_object(path: Path) -> JsonFile:
    """Read a file that must be there and hold an object."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise ConfigurationError(
            f"{path} must hold a JSON object. Restore the file from the model's origin"
        )
    return JsonFile(path, content)


def read_optional_object(path: Path) -> JsonFile:
    """Read a file that may be missing, which counts as an empty object."""
    return read_object(path) if path.exists() else JsonFile(path, {})
