"""Makes cards: what is shown of a provider before it is imported.

The texts are in a file `sourcebook_providers.toml` beside the provider's module, or in one of the
packages that it is in. Without such a file, the id and the package's summary are shown.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sourcebook.core.providers import ProviderCard, ProviderKind
from sourcebook.providers.registry.entry_points import Registration, find_module

CARD_FILE = "sourcebook_providers.toml"
MAX_CARD_FILE_BYTES = 1_000_000
CAPABILITIES: Mapping[ProviderKind, tuple[str, ...]] = {
    "vector_stores": ("collections", "search", "metadata_filtering", "dynamic_collections"),
    "embedders": ("embeddings",),
    "rerankers": ("reranking",),
    "language_models": ("chat", "streaming"),
}


class CardTable(BaseModel):
    """One table of a card file. `needs` is what is imported, `extra` what to install for it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    display_name: str | None = None
    description: str | None = None
    # Not strict: TOML has lists, no tuples.
    capabilities: tuple[str, ...] | None = Field(default=None, strict=False)
    needs: str | None = None
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class _Unusable(Exception):
    reason: str


def make_cards(registered: Iterable[Registration]) -> list[tuple[Registration, ProviderCard]]:
    """Make a card for each, in this order. Of several with one id, the first is used."""
    used: dict[tuple[ProviderKind, str], Registration] = {}
    cards = []
    for registration in registered:
        card = _card(registration)
        first = used.setdefault(registration.key, registration)
        if first is not registration:
            reason = f"Not used: package {package_label(first)!r} provides {first.id!r} already"
            card = replace(card, problem=reason)
        cards.append((registration, card))
    return cards


def package_label(registration: Registration) -> str:
    """Return the package and its version, as messages name it."""
    return f"{registration.package} {registration.version}".strip()


def _card(registration: Registration) -> ProviderCard:
    words, problem = CardTable(), None
    try:
        words = _words(registration)
    except _Unusable as unusable:
        problem = unusable.reason
    installed = words.needs is None or find_module(words.needs) is not None
    return ProviderCard(
        kind=registration.kind,
        id=registration.id,
        display_name=words.display_name or _name_in_words(registration.id),
        description=words.description or registration.summary,
        capabilities=words.capabilities or CAPABILITIES[registration.kind],
        package=registration.package,
        version=registration.version,
        installed=installed,
        extra=None if installed else words.extra,
        problem=problem,
    )


def _words(registration: Registration) -> CardTable:
    """Return the provider's table in the nearest card file that has one."""
    if registration.module is None:
        value = registration.entry_point.value
        raise _Unusable(f"Its entry point {value!r} is not of the form 'module:object'")
    folders = find_module(registration.module)
    if folders is None:
        raise _Unusable(f"Its module {registration.module!r} cannot be found")
    for folder in folders:
        table = _read(folder / CARD_FILE).get(registration.kind, {})
        words = table.get(registration.id) if isinstance(table, dict) else None
        if words is not None:
            return _checked(words, registration)
    return CardTable()


def _read(path: Path) -> Mapping[str, object]:
    try:
        if not path.is_file():
            return {}
        if path.stat().st_size > MAX_CARD_FILE_BYTES:
            raise _Unusable(f"Its {CARD_FILE} is larger than {MAX_CARD_FILE_BYTES:,} bytes")
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise _Unusable(f"Its {CARD_FILE} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _Unusable(f"Its {CARD_FILE} is not valid TOML: {error}") from None


def _checked(words: object, registration: Registration) -> CardTable:
    try:
        return CardTable.model_validate(words)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        where = ".".join([registration.kind, registration.id, *map(str, found["loc"])])
        raise _Unusable(f"Its {CARD_FILE} is wrong at {where}: {found['msg']}") from None


def _name_in_words(provider_id: str) -> str:
    words = provider_id.replace("-", " ").replace("_", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words)
