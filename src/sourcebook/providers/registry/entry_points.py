"""Finds the providers that installed packages register as entry points, without importing any."""

import importlib.util
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path

from sourcebook.core.providers import KINDS, ProviderKind

log = logging.getLogger(__name__)

GROUPS: dict[str, ProviderKind] = {f"sourcebook.{kind}": kind for kind in KINDS}
OURS = "sourcebook"


@dataclass(frozen=True, slots=True)
class Registration:
    """An entry point in one of Sourcebook's groups. `module` is None if it names none."""

    kind: ProviderKind
    id: str
    entry_point: EntryPoint
    module: str | None
    package: str
    version: str
    summary: str

    @property
    def is_ours(self) -> bool:
        """True if it comes with Sourcebook."""
        return self.module is not None and self.module.partition(".")[0] == OURS

    @property
    def key(self) -> tuple[ProviderKind, str]:
        """What must be unique, whatever its case."""
        return self.kind, self.id.lower()


def sort_registrations(entry_points: Iterable[EntryPoint]) -> list[Registration]:
    """Sort the registrations: by kind, built-in ones first, then by id, then by package."""
    ours = [_registration(found) for found in entry_points if found.group in GROUPS]
    return sorted(
        ours, key=lambda one: (KINDS.index(one.kind), not one.is_ours, one.key, one.package.lower())
    )


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


def _registration(entry_point: EntryPoint) -> Registration:
    parsed = EntryPoint.pattern.match(entry_point.value)
    module = parsed["module"] if parsed is not None else None
    package, version, summary = _described(entry_point.dist)
    return Registration(
        kind=GROUPS[entry_point.group],
        id=entry_point.name,
        entry_point=entry_point,
        module=module,
        package=package or (module or entry_point.value).partition(".")[0],
        version=version,
        summary=summary,
    )


def _described(distribution: Distribution | None) -> tuple[str, str, str]:
    """Return name, version and summary of a package; empty where it has none."""
    if distribution is None:
        return "", "", ""
    try:
        said = distribution.metadata.json
    except (TypeError, ValueError, OSError, ImportError):
        return "", "", ""
    name, version, summary = (str(said.get(key, "")) for key in ("name", "version", "summary"))
    return name, version, summary


def find_module(dotted: str) -> list[Path] | None:
    """Return the folders of a module's packages, the nearest first; None without such a module."""
    top, *rest = dotted.split(".")
    spec = _top_level(top)
    if spec is None:
        return None
    folders = _folders(spec)
    for name in rest:
        if spec.submodule_search_locations is None:
            return None
        found = PathFinder.find_spec(name, list(spec.submodule_search_locations))
        if found is None:
            return None
        spec = found
        if spec.submodule_search_locations is not None:
            folders = [*_folders(spec), *folders]
    return folders


def _top_level(name: str) -> ModuleSpec | None:
    # For a name without dots this only looks: nothing is imported.
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def _folders(spec: ModuleSpec) -> list[Path]:
    if spec.submodule_search_locations is not None:
        return [Path(location) for location in spec.submodule_search_locations]
    return [Path(spec.origin).parent] if spec.has_location and spec.origin else []
