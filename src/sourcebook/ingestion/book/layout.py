"""Finds the module, chapter and lesson of a file from its path.

A layout is a list of templates; the first match decides. A template is a path in which

- `{chapter}`, `{lesson}` and `{module_number}` stand for a number, `{module}` for a name,
- `*` stands for any characters within a name, `**/` for any folders or none,
- `.md` at the end also stands for `.mdx`, and `README.md` also for `index.md`, in any case.

Each name of a path is matched by a regular expression of its own in which nothing is tried twice:
a number takes all of its digits, and a wildcard that is not the last ends at the first place where
what follows it fits. So no template is slow on any path.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.text import shorten

PageKind: TypeAlias = Literal["lesson", "chapter", "module", "page"]
DEFAULT_PATTERNS = (
    "module-{module_number}-{module}/chapter-{chapter}-*/{lesson}-*.md",
    "module-{module_number}-{module}/chapter-{chapter}-*/README.md",
    "module-{module_number}-{module}/README.md",
)
EVERYTHING_PATTERNS = ("**/*.md",)
_NO_ALIASES: Mapping[str, str] = MappingProxyType({})

_EXAMPLE = "module-{module_number}-{module}/chapter-{chapter}-*/{lesson}-*.md"
_ANY_FOLDERS = "**"
_PLACEHOLDERS = ("{module_number}", "{module}", "{chapter}", "{lesson}")
_NUMBER_FIELD = r"\{(?:module_number|chapter|lesson)\}"
_RUNNING_DIGITS = re.compile(rf"(?:[0-9]|{_NUMBER_FIELD}){_NUMBER_FIELD}|{_NUMBER_FIELD}[0-9]")
_RUNNING_WILDCARDS = re.compile(r"(?:\*|\{module\}){2}")
_TOKEN = re.compile(r"\{[^{}]*\}|\*|[^{}*]+|[{}]")
# Whole numbers only, of a size that every database can hold.
_NUMBER = r"(?<![0-9])(?P<{}>[0-9]{{1,9}}+)(?![0-9])"
_WILDCARDS = {"*": "[^/]*?", "{module}": "(?P<module>[^/]+?)"}
_ENDINGS = {".md": r"(?i:\.mdx?)", ".mdx": r"(?i:\.mdx)"}
_FOLDER_PAGE = "(?i:readme|index)"


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a file in its book; a number that its path does not give is 0."""

    module: str | None
    chapter: int
    lesson: int
    kind: PageKind


class Layout:
    """Finds the place of a path; `aliases` replace the names of modules."""

    def __init__(
        self,
        patterns: Sequence[str] = DEFAULT_PATTERNS,
        aliases: Mapping[str, str] = _NO_ALIASES,
    ) -> None:
        self.patterns = tuple(patterns)
        self._templates = tuple(PathTemplate(pattern) for pattern in patterns)
        self._aliases = dict(aliases)

    def place(self, path: str) -> Place | None:
        """Return the place of the file, or None if no template matches its path."""
        for template in self._templates:
            found = template.match(path)
            if found is not None:
                return self._place(found)
        return None

    def _place(self, found: Mapping[str, str]) -> Place:
        module = found.get("module")
        return Place(
            module=None if module is None else self._aliases.get(module, module),
            chapter=int(found.get("chapter", 0)),
            lesson=int(found.get("lesson", 0)),
            kind=_kind(found),
        )


class PathTemplate:
    """A template that paths are matched with; ConfigurationError if it makes no sense."""

    def __init__(self, template: str) -> None:
        _check(template)
        head, any_folders, tail = _parts(template)
        self._head = [_compiled(name) for name in head]
        self._any_folders = any_folders
        self._tail = [_compiled(name) for name in tail]

    def match(self, path: str) -> Mapping[str, str] | None:
        """Return the values of the placeholders in this path, or None if it does not match."""
        names = path.split("/")
        between = len(names) - len(self._head) - len(self._tail)
        if between < 0 or (between > 0 and not self._any_folders):
            return None
        del names[len(self._head) : len(self._head) + between]
        found: dict[str, str] = {}
        for pattern, name in zip([*self._head, *self._tail], names, strict=True):
            match = pattern.fullmatch(name)
            if match is None:
                return None
            found |= match.groupdict()
        return found


def _kind(found: Mapping[str, str]) -> PageKind:
    if "lesson" in found:
        return "lesson"
    if "chapter" in found:
        return "chapter"
    return "module" if found.keys() & {"module", "module_number"} else "page"


def _parts(template: str) -> tuple[list[str], bool, list[str]]:
    names = template.split("/")
    if _ANY_FOLDERS not in names:
        return names, False, []
    at = names.index(_ANY_FOLDERS)
    return names[:at], True, names[at + 1 :]


def _check(template: str) -> None:
    head, _, tail = _parts(template)
    names = [*head, *tail]
    fields = re.findall(r"\{[^{}]*\}", template)
    if not template.strip():
        raise _refusal(template, "it is empty")
    if any(name in {"", ".", ".."} for name in names):
        raise _refusal(template, "it must be relative to the book's root, without '.' or '..'")
    if not template.endswith(tuple(_ENDINGS)):
        raise _refusal(template, "it must end in '.md'")
    if _ANY_FOLDERS in names:
        raise _refusal(template, "'**/' can stand in one place only")
    if any(_RUNNING_WILDCARDS.search(name) for name in names):
        raise _refusal(template, "two wildcards cannot stand side by side")
    if _RUNNING_DIGITS.search(template):
        raise _refusal(template, "a number must be told apart from the digits beside it")
    if len(set(fields)) < len(fields):
        raise _refusal(template, "a placeholder can stand in one place only")
    for token in _TOKEN.findall(template):
        if token[0] in "{}" and token not in _PLACEHOLDERS:
            known = ", ".join(_PLACEHOLDERS)
            raise _refusal(template, f"{token!r} is no placeholder; there are {known}")


def _compiled(name: str) -> re.Pattern[str]:
    stem, dot, extension = name.rpartition(".")
    ending = _ENDINGS.get(dot + extension)
    if ending is None:
        stem, ending = name, ""
    if ending and stem.lower() == "readme":
        return re.compile(_FOLDER_PAGE + ending)
    *units, last = _units(stem)
    # All but the last are final once they fit: after each comes a wildcard, which takes the rest.
    return re.compile("".join(f"(?>{unit})" for unit in units) + last + ending)


def _units(stem: str) -> list[str]:
    """Split into regular expressions that each begin with a wildcard, except perhaps the first."""
    units = [""]
    for token, expression in _expressions(stem):
        if token in _WILDCARDS:
            units.append("")
        units[-1] += expression
    return units


def _expressions(stem: str) -> Iterator[tuple[str, str]]:
    for token in _TOKEN.findall(stem):
        if token in _WILDCARDS:
            yield token, _WILDCARDS[token]
        elif token in _PLACEHOLDERS:
            yield token, _NUMBER.format(token[1:-1])
        else:
            yield token, re.escape(token)


def _refusal(template: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"The path template {shorten(template, 200)!r} cannot be used: {reason}."
        f" An example: {_EXAMPLE!r}"
    )
