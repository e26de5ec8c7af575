"""Decides which files of a book are lessons, and where each one stands.

A layout is a list of patterns; the first that fits a path decides. A pattern is a path template,
or a word for a layout that many books have: `lessons` for modules, chapters and numbered lessons,
`folders` for any markdown files, which stand where their folders say.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from sourcebook.core.errors import ConfigurationError
from sourcebook.ingestion.book.folder_places import place_by_folders
from sourcebook.ingestion.book.path_template import ExcludeTemplate, PathTemplate
from sourcebook.ingestion.book.place import PageKind, Place

# Words that stand for patterns. AUTOMATIC chooses one of the others by looking at the files.
LESSONS = "lessons"
FOLDERS = "folders"
AUTOMATIC = "auto"

_ROOTS = ("", "docs/")
_MODULES = ("module-{module_number}-{module}", "module-{module_number}")
_CHAPTERS = ("chapter-{chapter}-*", "chapter-{chapter}")
_NO_ALIASES: Mapping[str, str] = MappingProxyType({})

_Rule: TypeAlias = Callable[[str], Place | None]


class Layout:
    """Finds the place of a path; `aliases` replace the names of modules."""

    def __init__(
        self,
        patterns: Sequence[str] = (LESSONS,),
        aliases: Mapping[str, str] = _NO_ALIASES,
        exclude: Sequence[str] = (),
    ) -> None:
        self.patterns = tuple(patterns)
        self.exclude = tuple(exclude)
        self._rules = tuple(_rule(pattern) for pattern in patterns)
        self._excluded = tuple(ExcludeTemplate(pattern) for pattern in exclude)
        self._aliases = dict(aliases)

    def place(self, path: str) -> Place | None:
        """Return the place of the file, or None if no pattern fits its path."""
        for rule in self._rules:
            place = rule(path)
            if place is not None:
                module = place.module
                return replace(place, module=module and self._aliases.get(module, module))
        return None

    def excludes(self, path: str) -> bool:
        """Return whether somebody chose to leave this file out."""
        return any(template.matches(path) for template in self._excluded)


def fitting_layout(paths: Iterable[str]) -> str:
    """Return the word for the layout of these files: `lessons` if one of them is a lesson."""
    places = map(_place_in_lessons, paths)
    is_lessons = any(place is not None and place.kind == "lesson" for place in places)
    return LESSONS if is_lessons else FOLDERS


def _rule(pattern: str) -> _Rule:
    if pattern == LESSONS:
        return _place_in_lessons
    if pattern == FOLDERS:
        return _place_in_folders
    if pattern == AUTOMATIC:
        raise ConfigurationError(
            f"The pattern {AUTOMATIC!r} stands alone: it has the layout chosen by looking at the"
            " files. Leave the other patterns out, or leave it out"
        )
    return _TemplateRule(pattern)


class _TemplateRule:
    """Finds a place by a template that somebody wrote."""

    def __init__(self, template: str) -> None:
        self._template = PathTemplate(template)

    def __call__(self, path: str) -> Place | None:
        found = self._template.match(path)
        return None if found is None else _place(found, found.get("module"))


class _LessonRule:
    """Finds a place by a template of the layout `lessons`, below a folder or none."""

    def __init__(self, root: str, template: str) -> None:
        self._root = root
        self._template = PathTemplate(template)

    def __call__(self, path: str) -> Place | None:
        if not path.startswith(self._root):
            return None
        path = path.removeprefix(self._root)
        found = self._template.match(path)
        if found is None:
            return None
        # A module without a name is called by its folder: `module-2`.
        return replace(
            _place(found, found.get("module") or path.split("/")[0]),
            root=self._root.rstrip("/"),
        )


_LESSON_RULES = tuple(
    _LessonRule(root, f"{module}/{rest}")
    for root in _ROOTS
    for module in _MODULES
    for rest in (
        *(f"{chapter}/{{lesson}}-*.md" for chapter in _CHAPTERS),
        *(f"{chapter}/README.md" for chapter in _CHAPTERS),
        "README.md",
    )
)


def _place_in_lessons(path: str) -> Place | None:
    return next((place for rule in _LESSON_RULES if (place := rule(path)) is not None), None)


def _place_in_folders(path: str) -> Place:
    """Where both layouts have the file, it stands in the same place."""
    return _place_in_lessons(path) or place_by_folders(path)


def _place(found: Mapping[str, str], module: str | None) -> Place:
    return Place(
        module=module,
        chapter=int(found.get("chapter", 0)),
        lesson=int(found.get("lesson", 0)),
        kind=_kind(found),
    )


def _kind(found: Mapping[str, str]) -> PageKind:
    if "lesson" in found:
        return "lesson"
    if "chapter" in found:
        return "chapter"
    return "module" if found.keys() & {"module", "module_number"} else "page"
