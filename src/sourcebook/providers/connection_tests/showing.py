"""What of a test may be shown: figures, our own words, names that look like names, no secrets."""

import re
from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, SecretBytes, SecretStr

from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import ConnectionSchema

MAX_NAMES = 1_000
LONGEST_NAME = 255
MAX_DETAILS = 50
LARGEST_NUMBER = 10**15
SHORTEST_SECRET = 4
HIDDEN = "***"
_KEY = re.compile(r"[a-z][a-z0-9_]{0,60}")


def secrets_in(config: Mapping[str, JsonValue], schema: ConnectionSchema) -> frozenset[str]:
    """Every text that was given for a secret setting."""
    names = {field.name for field in schema.fields if field.secret}
    return frozenset(
        text for name, value in config.items() if name in names for text in _texts(value)
    )


def secrets_of(value: object) -> Iterator[str]:
    """Every secret in dumped settings."""
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, SecretBytes):
        yield value.get_secret_value().decode(errors="replace")
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from secrets_of(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from secrets_of(one)


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without any of the secrets, the longest first: one may be a part of another."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    return text


def shown_names(names: Iterable[str], secrets: Iterable[str]) -> tuple[str, ...]:
    """Names of collections as far as they look like names. A server could write anything there."""
    fine = [
        name
        for name in names
        if 0 < len(name) <= LONGEST_NAME and name.isprintable() and hide(name, secrets) == name
    ]
    return tuple(fine[:MAX_NAMES])


def shown_details(
    details: Mapping[str, JsonValue], settings: BaseModel, secrets: Iterable[str]
) -> dict[str, JsonValue]:
    """Figures and yes or no; of texts only those that the settings hold themselves."""
    known = frozenset(plain_texts(settings.model_dump())) - frozenset(secrets)
    fine = {
        key: value
        for key, value in details.items()
        if _KEY.fullmatch(key)
        and (_is_figure(value) or (isinstance(value, str) and value in known))
    }
    return dict(list(fine.items())[:MAX_DETAILS])


def plain_texts(value: object) -> Iterator[str]:
    """Every text in dumped settings that is no secret."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from plain_texts(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from plain_texts(one)
    elif not isinstance(value, SecretStr | SecretBytes):
        yield str(value)


def _is_figure(value: JsonValue) -> bool:
    if value is None or isinstance(value, bool):
        return True
    # A number that is not one (NaN) is not within these bounds either.
    return isinstance(value, int | float) and abs(value) <= LARGEST_NUMBER


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
