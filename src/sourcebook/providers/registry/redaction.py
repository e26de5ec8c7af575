"""Redaction: which parts of settings and of test reports may be shown, and which are secret."""

import re
from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, SecretBytes, SecretStr

from sourcebook.core.metadata import JsonValue

MAX_NAMES = 1_000
MAX_NAME_CHARS = 255
MAX_DETAILS = 50
MAX_NUMBER = 10**15
# Anything shorter could stand in any sentence.
MIN_SECRET_CHARS = 4
HIDDEN = "***"
_KEY = re.compile(r"[a-z][a-z0-9_]{0,60}")


def texts_in(value: object) -> Iterator[str]:
    """Every text in settings as somebody wrote them."""
    return (leaf for leaf in _leaves(value) if isinstance(leaf, str))


def secrets_of(value: object) -> Iterator[str]:
    """Every secret in dumped settings."""
    for leaf in _leaves(value):
        if isinstance(leaf, SecretStr):
            yield leaf.get_secret_value()
        elif isinstance(leaf, SecretBytes):
            yield leaf.get_secret_value().decode(errors="replace")


def plain_texts(value: object) -> Iterator[str]:
    """Every value in dumped settings that is no secret, as a text."""
    return (str(leaf) for leaf in _leaves(value) if not isinstance(leaf, SecretStr | SecretBytes))


def hide(text: str, secrets: Iterable[str]) -> str:
    """Return the text without the secrets, the longest first: one may be a part of another."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= MIN_SECRET_CHARS:
            text = text.replace(secret, HIDDEN)
    return text


def shown_names(names: Iterable[str], secrets: Iterable[str]) -> tuple[str, ...]:
    """Return the names that look like names: a server could write anything there."""
    fine = [
        name
        for name in names
        if 0 < len(name) <= MAX_NAME_CHARS and name.isprintable() and hide(name, secrets) == name
    ]
    return tuple(fine[:MAX_NAMES])


def shown_details(
    details: Mapping[str, JsonValue], settings: BaseModel, secrets: Iterable[str]
) -> dict[str, JsonValue]:
    """Return numbers and booleans; of texts, only those that the settings hold themselves."""
    known = frozenset(plain_texts(settings.model_dump())) - frozenset(secrets)
    fine = {
        key: value
        for key, value in details.items()
        if _KEY.fullmatch(key)
        and (_is_figure(value) or (isinstance(value, str) and value in known))
    }
    return dict(list(fine.items())[:MAX_DETAILS])


def _is_figure(value: JsonValue) -> bool:
    if value is None or isinstance(value, bool):
        return True
    # A number that is not one (NaN) is not within these bounds either.
    return isinstance(value, int | float) and abs(value) <= MAX_NUMBER


def _leaves(value: object) -> Iterator[object]:
    """Every value inside nested mappings and lists."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _leaves(one)
    else:
        yield value
