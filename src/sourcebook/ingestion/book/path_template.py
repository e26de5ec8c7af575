"""Matches paths with templates, which say where the lessons of a book are.

A template is a path in which

- `{chapter}`, `{lesson}` and `{module_number}` stand for a number, `{module}` for a name,
- `*` stands for any characters within a name, `**/` for any folders or none,
- `.md` at the end also stands for `.mdx` and `.markdown`, and `README.md` also for `index.md`, in
  any case; another ending, such as `.pdf`, for itself in any case.

Each name of a path is matched by a regular expression of its own in which nothing is tried twice:
a number takes all of its digits, and a wildcard that is not the last ends at the first place where
what follows it fits. So no template is slow on any path.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.core.text import check_text, shorten

_EXAMPLE = "module-{module_number}-{module}/chapter-{chapter}-*/{lesson}-*.md"
_EXCLUDE_EXAMPLE = "drafts"
_ANY_FOLDERS = "**"
_PLACEHOLDERS = ("{module_number}", "{module}", "{chapter}", "{lesson}")
_NUMBER_FIELD = r"\{(?:module_number|chapter|lesson)\}"
_RUNNING_DIGITS = re.compile(rf"(?:[0-9]|{_NUMBER_FIELD}){_NUMBER_FIELD}|{_NUMBER_FIELD}[0-9]")
_RUNNING_WILDCARDS = re.compile(r"(?:\*|\{module\}){2}")
_TOKEN = re.compile(r"\{[^{}]*\}|\*|[^{}*]+|[{}]")
# Whole numbers only, of a size that every database can hold.
_NUMBER = r"(?<![0-9])(?P<{}>[0-9]{{1,9}}+)(?![0-9])"
_WILDCARDS = {"*": "[^/]*?", "{module}": "(?P<module>[^/]+?)"}
_ENDINGS = {
    ".md": r"(?i:\.(?:mdx?|markdown))",
    ".mdx": r"(?i:\.mdx)",
    ".markdown": r"(?i:\.markdown)",
}
_FOLDER_PAGE = "(?i:readme|index)"
_FILE_END = re.compile(r"\.[A-Za-z0-9]{1,12}$")


class PathTemplate:
    """A template that the paths of lessons are matched with; ConfigurationError if it is none."""

    def __init__(self, template: str) -> None:
        _check_lesson_template(template)
        self._names = _NameSequence(template)

    def match(self, path: str) -> Mapping[str, str] | None:
        """Return the values of the placeholders in this path, or None if it does not match."""
        return self._names.match(path.split("/"))


class ExcludeTemplate:
    """Names files to leave out, or folders with everything in them; ConfigurationError."""

    def __init__(self, template: str) -> None:
        # `drafts`, `drafts/` and `drafts/**` mean the same.
        named = template.removesuffix("/**").rstrip("/")
        _check_exclude_template(template, named)
        self._names = _NameSequence(named)

    def matches(self, path: str) -> bool:
        """Return whether the template names this file or a folder above it."""
        names = path.split("/")
        return any(self._names.match(names[:end]) is not None for end in range(1, len(names) + 1))


class _NameSequence:
    """The names of a template, each as a regular expression, with any folders in one place."""

    def __init__(self, template: str) -> None:
        head, self._any_folders, tail = _parts(template)
        self._head = [_compiled(name) for name in head]
        self._tail = [_compiled(name) for name in tail]

    def match(self, names: Sequence[str]) -> Mapping[str, str] | None:
        between = len(names) - len(self._head) - len(self._tail)
        if between < 0 or (between > 0 and not self._any_folders):
            return None
        kept = [*names[: len(self._head)], *names[len(self._head) + between :]]
        found: dict[str, str] = {}
        for pattern, name in zip([*self._head, *self._tail], kept, strict=True):
            match = pattern.fullmatch(name)
            if match is None:
                return None
            found |= match.groupdict()
        return found


def _parts(template: str) -> tuple[list[str], bool, list[str]]:
    names = template.split("/")
    if _ANY_FOLDERS not in names:
        return names, False, []
    at = names.index(_ANY_FOLDERS)
    return names[:at], True, names[at + 1 :]


def _check_lesson_template(template: str) -> None:
    reason = _fault(template, template) or _placeholder_fault(template)
    if reason is None and not _FILE_END.search(template):
        reason = "it must end as the names of files do, like '.md' or '.pdf'"
    if reason is not None:
        raise _refusal(f"The path template {shorten(template, 200)!r}", reason, _EXAMPLE)


def _check_exclude_template(given: str, named: str) -> None:
    reason = _fault(given, named)
    if reason is None and set("{}") & set(named):
        reason = "placeholders have no meaning in it"
    if reason is not None:
        raise _refusal(f"The exclude pattern {shorten(given, 200)!r}", reason, _EXCLUDE_EXAMPLE)


def _fault(given: str, template: str) -> str | None:
    """Say why it cannot be a relative path with wildcards."""
    head, _, tail = _parts(template)
    names = [*head, *tail]
    if not given.strip():
        return "it is empty"
    if not _is_text(given):
        return "it is not text"
    if any(name in {"", ".", ".."} for name in names) or not names:
        return "it must be relative to the book's root, without '.' or '..'"
    if _ANY_FOLDERS in names:
        return "'**/' can stand in one place only"
    if any(_RUNNING_WILDCARDS.search(name) for name in names):
        return "two wildcards cannot stand side by side"
    return None


def _placeholder_fault(template: str) -> str | None:
    fields = re.findall(r"\{[^{}]*\}", template)
    if _RUNNING_DIGITS.search(template):
        return "a number must be told apart from the digits beside it"
    if len(set(fields)) < len(fields):
        return "a placeholder can stand in one place only"
    for token in _TOKEN.findall(template):
        if token[0] in "{}" and token not in _PLACEHOLDERS:
            return f"{token!r} is no placeholder; there are {', '.join(_PLACEHOLDERS)}"
    return None


def _is_text(template: str) -> bool:
    try:
        check_text(template, "template")
    except InvalidInput:
        return False
    return True


def _compiled(name: str) -> re.Pattern[str]:
    stem, dot, extension = name.rpartition(".")
    ending = _ENDINGS.get(dot + extension)
    if ending is None and dot and _FILE_END.fullmatch(dot + extension):
        ending = rf"(?i:\.{extension})"
    elif ending is None:
        stem, ending = name, ""
    if dot + extension in _ENDINGS and stem.lower() == "readme":
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


def _refusal(subject: str, reason: str, example: str) -> ConfigurationError:
    return ConfigurationError(f"{subject} cannot be used: {reason}. An example: {example!r}")
