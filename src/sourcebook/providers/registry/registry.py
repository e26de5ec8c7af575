"""The registry of installed providers: built-in and third-party ones alike.

Packages register providers as entry points. Listing them imports nothing; a provider is imported
when it is needed, and one that cannot be imported is reported and affects no other.
"""

import logging
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from importlib.metadata import EntryPoint
from typing import cast

from pydantic import BaseModel

from sourcebook.core.errors import NotFound, Unavailable
from sourcebook.core.providers import KINDS, ProviderCard, ProviderKind
from sourcebook.providers.declaration import Provider
from sourcebook.providers.registry.cards import make_cards, package_label
from sourcebook.providers.registry.connection_schema import settings_schema
from sourcebook.providers.registry.entry_points import (
    Registration,
    installed_entry_points,
    sort_registrations,
)

log = logging.getLogger(__name__)

MAX_REASON_CHARS = 300
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
        return [self._current(registration, card) for registration, card in self._cards]

    def card(self, provider_id: str, kind: ProviderKind | None = None) -> ProviderCard:
        """Return the card of an id; without a kind, of the first kind that has it. NotFound."""
        return self._current(*self._found(provider_id, kind))

    def load(
        self, provider_id: str, kind: ProviderKind | None = None
    ) -> Provider[BaseModel, object]:
        """Import a provider; NotFound, ProviderBroken. Its SDK may still be missing."""
        registration, _ = self._found(provider_id, kind)
        try:
            _check_form(registration)
            provider = registration.entry_point.load()
            _check(provider)
        # Other people's code: it may raise anything, and must not end us.
        except (Exception, SystemExit) as error:
            raise self._broken(registration, error) from error
        self._problems.pop(registration.key, None)
        return cast("Provider[BaseModel, object]", provider)

    @cached_property
    def _cards(self) -> list[tuple[Registration, ProviderCard]]:
        found = self._entry_points
        return make_cards(sort_registrations(installed_entry_points() if found is None else found))

    def _found(
        self, provider_id: str, kind: ProviderKind | None
    ) -> tuple[Registration, ProviderCard]:
        # The first of its key is the one in use, and they are in the order of their kinds.
        for registration, card in self._cards:
            if registration.id.lower() == provider_id.lower() and kind in {None, card.kind}:
                return registration, card
        raise _not_found(provider_id, kind, [card for _, card in self._cards])

    def _current(self, registration: Registration, card: ProviderCard) -> ProviderCard:
        problem = card.problem or self._problems.get(registration.key)
        return replace(card, problem=problem)

    def _broken(self, registration: Registration, error: BaseException) -> ProviderBroken:
        reason = f"{type(error).__name__}: {_without_paths(str(error))}"
        log.warning(
            "provider_broken",
            extra={"provider": registration.id, "kind": registration.kind, "reason": reason},
            exc_info=error,
        )
        self._problems[registration.key] = f"It cannot be loaded: {reason}"
        return ProviderBroken(
            f"Provider {registration.id!r} of package {package_label(registration)!r} cannot be"
            f" loaded: {reason}"
        )


def _check_form(registration: Registration) -> None:
    if registration.module is None:
        value = registration.entry_point.value
        raise ValueError(f"its entry point {value!r} is not of the form 'module:object'")


def _check(provider: object) -> None:
    if not isinstance(provider, Provider):
        raise TypeError(f"it is a {type(provider).__name__}, not a Provider")
    if not (isinstance(provider.settings, type) and issubclass(provider.settings, BaseModel)):
        raise TypeError("its settings are no pydantic model")
    # A setting that no form could ask for is reported now, not when the form is needed.
    settings_schema(provider.settings)


def _not_found(
    provider_id: str, kind: ProviderKind | None, cards: Iterable[ProviderCard]
) -> NotFound:
    known = dict.fromkeys(card.id for card in cards if kind in {None, card.kind})
    available = f"not found. Available providers: {', '.join(known)}"
    if kind in {None, KINDS[0]}:
        return NotFound(f"Retrieval provider {provider_id[:80]!r} {available}")
    return NotFound(f"Provider {provider_id[:80]!r} of kind {kind!r} {available}")


def _without_paths(text: str) -> str:
    """Return the first line, without the paths of this machine."""
    first, *_ = text.strip().splitlines() or [""]
    return _ABSOLUTE_PATH.sub("…", first)[:MAX_REASON_CHARS]
