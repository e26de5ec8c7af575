"""The registry of installed providers: built-in and third-party ones alike.

Packages register providers as entry points. Listing them imports nothing; a provider is imported
when it is needed, and one that cannot be imported is reported and affects no other.
"""

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from importlib.metadata import EntryPoint
from typing import cast

from pydantic import BaseModel

from sourcebook.core.errors import NotFound, Unavailable
from sourcebook.core.providers import ProviderCard, ProviderKind
from sourcebook.providers.declaration import Provider
from sourcebook.providers.registry.cards import installed_entry_points, make_cards, module_of
from sourcebook.providers.registry.connection_schema import settings_schema

log = logging.getLogger(__name__)

MAX_REASON_CHARS = 300
# Clients know the message about stores with these words.
_KINDS_IN_WORDS: Mapping[ProviderKind, str] = {
    "vector_stores": "Retrieval",
    "embedders": "Embedding",
    "rerankers": "Reranking",
    "readers": "Reading",
    "judges": "Judging",
    "language_models": "Language model",
    "converters": "Conversion",
}
_ABSOLUTE_PATH = re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\][^\s'\"():,]+")


class ProviderBroken(Unavailable):
    """A registered provider cannot be imported."""

    code = "provider_broken"


class Registry:
    """Lists and loads providers. The installed packages are read once, when first needed."""

    def __init__(self, entry_points: Iterable[EntryPoint] | None = None) -> None:
        self._entry_points = entry_points
        self._problems: dict[tuple[ProviderKind, str], str] = {}

    def cards(self) -> list[ProviderCard]:
        """List every provider: by kind, built-in ones first, then by id."""
        return [self._current(card) for _, card in self._cards]

    def card(self, provider_id: str, kind: ProviderKind | None = None) -> ProviderCard:
        """Return the card of an id; without a kind, of the first kind that has it. NotFound."""
        return self._current(self._found(provider_id, kind)[1])

    def load(
        self, provider_id: str, kind: ProviderKind | None = None
    ) -> Provider[BaseModel, object]:
        """Import a provider; NotFound, ProviderBroken. Its SDK may still be missing."""
        entry_point, card = self._found(provider_id, kind)
        try:
            provider = _load(entry_point)
        # Other people's code: it may raise anything, and must not end us.
        except (Exception, SystemExit) as error:
            raise self._broken(card, error) from error
        self._problems.pop(card.key, None)
        return provider

    @cached_property
    def _cards(self) -> list[tuple[EntryPoint, ProviderCard]]:
        found = self._entry_points
        return make_cards(installed_entry_points() if found is None else found)

    def _found(
        self, provider_id: str, kind: ProviderKind | None
    ) -> tuple[EntryPoint, ProviderCard]:
        # The first of its key is the one in use, and they are in the order of their kinds.
        for entry_point, card in self._cards:
            if card.id.lower() == provider_id.lower() and kind in {None, card.kind}:
                return entry_point, card
        raise _not_found(provider_id, kind, [card for _, card in self._cards])

    def _current(self, card: ProviderCard) -> ProviderCard:
        return replace(card, problem=card.problem or self._problems.get(card.key))

    def _broken(self, card: ProviderCard, error: BaseException) -> ProviderBroken:
        reason = f"{type(error).__name__}: {_without_paths(str(error))}"
        log.warning(
            "provider_broken",
            extra={"provider": card.id, "kind": card.kind, "reason": reason},
            exc_info=error,
        )
        self._problems[card.key] = f"It cannot be loaded: {reason}"
        return ProviderBroken(
            f"Provider {card.id!r} of package {card.versioned_package!r} cannot be loaded: {reason}"
        )


def _load(entry_point: EntryPoint) -> Provider[BaseModel, object]:
    if module_of(entry_point) is None:
        value = entry_point.value
        raise ValueError(f"its entry point {value!r} is not of the form 'module:object'")
    provider = entry_point.load()
    if not isinstance(provider, Provider):
        raise TypeError(f"it is a {type(provider).__name__}, not a Provider")
    if not (isinstance(provider.settings, type) and issubclass(provider.settings, BaseModel)):
        raise TypeError("its settings are no pydantic model")
    # A setting that no form could ask for is reported now, not when the form is needed.
    settings_schema(provider.settings)
    return cast("Provider[BaseModel, object]", provider)


def _not_found(
    provider_id: str, kind: ProviderKind | None, cards: Iterable[ProviderCard]
) -> NotFound:
    known = dict.fromkeys(card.id for card in cards if kind in {None, card.kind})
    what = "Provider" if kind is None else f"{_KINDS_IN_WORDS[kind]} provider"
    return NotFound(
        f"{what} {provider_id[:80]!r} not found. Available providers: {', '.join(known)}"
    )


def _without_paths(text: str) -> str:
    """Return the first line, without the paths of this machine."""
    first, *_ = text.strip().splitlines() or [""]
    return _ABSOLUTE_PATH.sub("…", first)[:MAX_REASON_CHARS]
