"""Finds the providers that installed packages register, and makes their cards; imports none.

The texts are in a file `sourcebook_providers.toml` beside the provider's module, or in one of the
packages that it is in. Without such a file, the id and the package's summary are shown.
"""

import importlib.util
import logging
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sourcebook.core.providers import KINDS, ProviderCard, ProviderKind

log = logging.getLogger(__name__)

GROUPS: Mapping[str, ProviderKind] = {f"sourcebook.{kind}": kind for kind in KINDS}
OURS = "sourcebook"
_CardFile: TypeAlias = Mapping[str, object]
CARD_FILE = "sourcebook_providers.toml"
MAX_CARD_FILE_BYTES = 1_000_000
CAPABILITIES: Mapping[ProviderKind, tuple[str, ...]] = {
    "vector_stores": ("collections", "search", "metadata_filtering", "dynamic_collections"),
    "embedders": ("embeddings",),
    "rerankers": ("reranking",),
    "readers": ("reading",),
    "judges": ("judging",),
    "language_models": ("chat", "streaming"),
    "converters": ("conversion",),
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


class _Unusable(Exception):
    """Says why a provider cannot be used."""


def make_cards(entry_points: Iterable[EntryPoint]) -> list[tuple[EntryPoint, ProviderCard]]:
    """Make a card for each entry point in Sourcebook's groups.

    They are sorted by kind, built-in ones first, then by id, then by package. Of several with one
    id, the first is used.
    """
    # Many providers share a package and a card file: each is read once.
    described, read = cache(_described), cache(_read)
    cards = [
        (found, _card(found, described(found.dist), read))
        for found in entry_points
        if found.group in GROUPS
    ]
    cards.sort(key=_place)
    used: dict[tuple[ProviderKind, str], ProviderCard] = {}
    return [(found, _checked_id(card, used.setdefault(card.key, card))) for found, card in cards]


def installed_entry_points() -> Iterator[EntryPoint]:
    """Find every entry point in Sourcebook's groups. A package that cannot be read is left out."""
    seen: set[str] = set()
    for distribution in distributions():
        try:
            found = [one for one in distribution.entry_points if one.group in GROUPS]
        except (TypeError, ValueError, OSError) as error:
            name = _described(distribution)[0]
            log.warning("entry_points_unreadable", extra={"package": name, "reason": str(error)})
            continue
        if not found:
            continue
        # The first on the path is the one that is imported.
        name = _described(distribution)[0].lower().replace("_", "-")
        if name not in seen:
            seen.add(name)
            yield from found


def module_of(entry_point: EntryPoint) -> str | None:
    """Return the module that an entry point names; None if it names none."""
    parsed = EntryPoint.pattern.match(entry_point.value)
    return None if parsed is None else str(parsed["module"])


def _place(found: tuple[EntryPoint, ProviderCard]) -> tuple[int, bool, str, str]:
    entry_point, card = found
    is_ours = (module_of(entry_point) or "").partition(".")[0] == OURS
    return KINDS.index(card.kind), not is_ours, card.id.lower(), card.package.lower()


def _checked_id(card: ProviderCard, first: ProviderCard) -> ProviderCard:
    if first is card:
        return card
    reason = f"Not used: package {first.versioned_package!r} provides {first.id!r} already"
    return replace(card, problem=reason)


def _card(
    entry_point: EntryPoint, described: tuple[str, str, str], read: Callable[[Path], _CardFile]
) -> ProviderCard:
    kind = GROUPS[entry_point.group]
    package, version, summary = described
    words, problem = CardTable(), None
    try:
        words = _words(entry_point, read)
    except _Unusable as unusable:
        problem = str(unusable)
    installed = words.needs is None or _find_module(words.needs) is not None
    return ProviderCard(
        kind=kind,
        id=entry_point.name,
        display_name=words.display_name or _name_in_words(entry_point.name),
        description=words.description or summary,
        capabilities=words.capabilities or CAPABILITIES[kind],
        package=package or (module_of(entry_point) or entry_point.value).partition(".")[0],
        version=version,
        installed=installed,
        extra=None if installed else words.extra,
        problem=problem,
    )


def _described(distribution: Distribution | None) -> tuple[str, str, str]:
    """Return name, version and summary of a package; empty where it has none."""
    if distribution is None:
        return "", "", ""
    try:
        # Not its `json`, which converts the package's whole README too.
        said = distribution.metadata
        name, version, summary = (
            str(said[key]) if key in said else "" for key in ("Name", "Version", "Summary")
        )
    except (TypeError, ValueError, OSError, ImportError):
        return "", "", ""
    return name, version, summary


def _words(entry_point: EntryPoint, read: Callable[[Path], _CardFile]) -> CardTable:
    """Return the provider's table in the nearest card file that has one."""
    module = module_of(entry_point)
    if module is None:
        raise _Unusable(f"Its entry point {entry_point.value!r} is not of the form 'module:object'")
    folders = _find_module(module)
    if folders is None:
        raise _Unusable(f"Its module {module!r} cannot be found")
    path = [GROUPS[entry_point.group], entry_point.name]
    for folder in folders:
        table = read(folder / CARD_FILE).get(path[0], {})
        words = table.get(path[1]) if isinstance(table, dict) else None
        if words is not None:
            return _checked(words, path)
    return CardTable()


def _read(path: Path) -> _CardFile:
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


def _checked(words: object, path: list[str]) -> CardTable:
    try:
        return CardTable.model_validate(words)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        where = ".".join([*path, *map(str, found["loc"])])
        raise _Unusable(f"Its {CARD_FILE} is wrong at {where}: {found['msg']}") from None


def _find_module(dotted: str) -> list[Path] | None:
    """Return the folders of a module's packages, the nearest first; None without such a module."""
    top, *rest = dotted.split(".")
    try:
        # For a name without dots this only looks: nothing is imported.
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    folders: list[str] = []
    for name in rest:
        inside = list(spec.submodule_search_locations or ()) if spec is not None else []
        folders = [*inside, *folders]
        spec = PathFinder.find_spec(name, inside)
    if spec is None:
        return None
    if not rest and spec.submodule_search_locations is None and spec.origin and spec.has_location:
        return [Path(spec.origin).parent]
    return [Path(folder) for folder in (*(spec.submodule_search_locations or ()), *folders)]


def _name_in_words(provider_id: str) -> str:
    words = provider_id.replace("-", " ").replace("_", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words)
