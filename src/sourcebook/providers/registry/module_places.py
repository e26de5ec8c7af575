"""Where a module lies, found out without importing it or the packages that it is in."""

import importlib.util
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path


def find_module(dotted: str) -> list[Path] | None:
    """The folders on the way to a module, the nearest first; None if there is no such module."""
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
