"""Finds the module, chapter and lesson of a file from its path.

A layout is a list of templates; the first match decides. A template is a path in which

- `{chapter}`, `{lesson}` and `{module_number}` stand for a number, `{module}` for a name,
- `*` stands for any characters within a name, `**/` for any folders or none,
- `.md` at the end also stands for `.mdx`, and `README.md` also for `index.md`, in any case.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from sourcebook.ingestion.book.path_template import PathTemplate

PageKind: TypeAlias = Literal["lesson", "chapter", "module", "page"]

DEFAULT_PATTERNS = (
    "module-{module_number}-{module}/chapter-{chapter}-*/{lesson}-*.md",
    "module-{module_number}-{module}/chapter-{chapter}-*/README.md",
    "module-{module_number}-{module}/README.md",
)
EVERYTHING_PATTERNS = ("**/*.md",)
_NO_ALIASES: Mapping[str, str] = MappingProxyType({})


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


def _kind(found: Mapping[str, str]) -> PageKind:
    if "lesson" in found:
        return "lesson"
    if "chapter" in found:
        return "chapter"
    return "module" if found.keys() & {"module", "module_number"} else "page"
