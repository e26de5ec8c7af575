"""Reads front matter fields from untrusted YAML and TOML.

A bad value gets a default and a warning.
"""

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import yaml

from sourcebook.core.hardware_tiers import MAX_TIER, MIN_TIER, integers_in, scalars_in
from sourcebook.core.text import shorten

MAX_DEPTH = 32
DEFAULT_LEVEL = "A2"
_LEVEL = re.compile(r"(?<![^\W_])[ABC][12](?![^\W_])")
_LEVELS_IN_WORDS = {"BEGINNER": "A2", "INTERMEDIATE": "B1", "ADVANCED": "C1"}
_LAYER = re.compile(r"(?:layer|l)?[\s_-]*([1-4])", re.IGNORECASE)
_YES = frozenset({"true", "yes", "on", "y"})
_NO = frozenset({"false", "no", "off", "n", ""})
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# libyaml where it is there: 16 KiB of hostile YAML take the Python parser over 100 ms.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_QUOTING = "values that hold ': ', '#', quotes or brackets need quotes around them"
_TOML_LINE = re.compile(r"at line (\d+)")
_STANDARD_TAGS = "tag:yaml.org,2002:"
T = TypeVar("T")


class InvalidFrontMatter(ValueError):
    """The text is not what it should be, or uses a feature that is refused."""


@dataclass(frozen=True, slots=True)
class YamlField:
    """A field with its parsed value and, unless that is a list or mapping, its original text."""

    name: str
    value: object
    written: str | None


@dataclass(frozen=True, slots=True)
class FieldReading(Generic[T]):
    """The value used for a field, with a warning if it differs from what is written."""

    value: T
    warning: str | None = None


def read_yaml(text: str, first_line: int = 1) -> list[YamlField]:
    """Parse a mapping into its fields, in order and with duplicates; raises InvalidFrontMatter.

    `first_line` is where the text begins in its file.
    """
    text = remove_unprintable(text)
    try:
        _check_events(text)
        return list(_entries(_Loader(text)))
    except InvalidFrontMatter:
        raise
    except yaml.MarkedYAMLError as exc:
        raise InvalidFrontMatter(_place(text, _mark(exc), first_line)) from exc
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as exc:
        raise InvalidFrontMatter("it cannot be read") from exc


def read_toml(text: str, first_line: int = 1) -> list[YamlField]:
    """Parse TOML into its fields, in order; raises InvalidFrontMatter."""
    try:
        values = tomllib.loads(remove_unprintable(text))
    except tomllib.TOMLDecodeError as exc:
        found = _TOML_LINE.search(str(exc))
        where = "it ends too early" if found is None else f"line {first_line + int(found[1]) - 1}"
        raise InvalidFrontMatter(f"{where} cannot be read" if found else where) from exc
    except (ValueError, RecursionError) as exc:
        raise InvalidFrontMatter("it cannot be read") from exc
    return [
        YamlField(name, value, None if isinstance(value, dict | list) else str(value))
        for name, value in values.items()
    ]


def read_tier(entry: YamlField) -> FieldReading[int]:
    """Read the largest integer anywhere in the value, from 1 to 4."""
    largest = max(integers_in(entry.value), default=None)
    if largest is None:
        return FieldReading(MIN_TIER, _unusable(entry, f"holds no integer; used {MIN_TIER}"))
    tier = min(MAX_TIER, max(MIN_TIER, largest))
    if tier != largest:
        return FieldReading(tier, _unusable(entry, f"is not from 1 to 4; used {tier}"))
    return FieldReading(tier)


def read_level(entry: YamlField) -> FieldReading[str]:
    """Read a CEFR level (A1 to C2); of several, the lowest."""
    text = " ".join(_strings(entry.value)).upper()
    levels = _LEVEL.findall(text)
    levels += [level for word, level in _LEVELS_IN_WORDS.items() if word in text]
    if levels:
        return FieldReading(min(levels))
    return FieldReading(
        DEFAULT_LEVEL, _unusable(entry, f"is no level A1 to C2; used {DEFAULT_LEVEL}")
    )


def read_layer(entry: YamlField) -> FieldReading[str | None]:
    """Read `2`, `L2` or `Layer 2`."""
    if _is_nothing(entry):
        return FieldReading(None)
    text = unicodedata.normalize("NFKC", entry.written or "").strip()
    found = _LAYER.fullmatch(text)
    if found is None:
        return FieldReading(None, _unusable(entry, "is no layer L1 to L4; left out"))
    return FieldReading(f"L{found[1]}")


def read_draft(entry: YamlField) -> FieldReading[bool]:
    text = "" if _is_nothing(entry) else (entry.written or "?").strip().lower()
    if text in _YES | _NO:
        return FieldReading(text in _YES)
    return FieldReading(False, _unusable(entry, "is neither true nor false; used false"))


def read_number(entry: YamlField) -> FieldReading[float | int | None]:
    """Read a finite number, also one in quotes."""
    if _is_nothing(entry):
        return FieldReading(None)
    value = entry.value
    if isinstance(value, str):
        value = _number(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
        return FieldReading(value)
    return FieldReading(None, _unusable(entry, "is no number; left out"))


def read_text(entry: YamlField, most: int) -> FieldReading[str | None]:
    """Read a text, joined to one line; numbers and dates are kept as they are written."""
    if _is_nothing(entry):
        return FieldReading(None)
    if entry.written is None:
        return FieldReading(None, _unusable(entry, "is no text; left out"))
    text = " ".join(remove_unprintable(entry.written).split())
    if len(text) > most:
        return FieldReading(
            text[:most].rstrip(), _unusable(entry, f"is cut after {most} characters")
        )
    return FieldReading(text or None)


def remove_unprintable(text: str) -> str:
    """Remove control characters, NUL and lone surrogates."""
    return _UNPRINTABLE.sub("", text)


def _check_events(text: str) -> None:
    """Refuse unsafe YAML before anything is built: a few aliases can expand to gigabytes."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidFrontMatter(f"the alias *{event.anchor} is not allowed")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise InvalidFrontMatter(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            tag = shorten(event.tag.replace(_STANDARD_TAGS, "!!"), 60)
            raise InvalidFrontMatter(f"the tag {tag} is not allowed")


def _mark(error: yaml.MarkedYAMLError) -> yaml.Mark | None:
    """Return where to look: where something began that does not end, else where it goes wrong."""
    began = error.context_mark
    # The whole block begins at its first line, which says nothing.
    return error.problem_mark if began is None or "block" in (error.context or "") else began


def _place(text: str, mark: yaml.Mark | None, first_line: int) -> str:
    """Say which line cannot be read, in words of its author rather than of the parser."""
    lines = text.rstrip().split("\n")
    if mark is None or mark.line >= len(lines):
        return "it ends too early: a quote or a bracket is left open"
    line = lines[mark.line]
    hint = "indent with spaces, not tabs" if line.startswith("\t") else _QUOTING
    return f"line {first_line + mark.line} cannot be read: {shorten(line.strip(), 60)!r}; {hint}"


def _entries(loader: yaml.SafeLoader) -> Iterator[YamlField]:
    root = loader.get_single_node()
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise InvalidFrontMatter("it is not a mapping of names to values")
    for key, node in root.value:
        if isinstance(key, yaml.ScalarNode):
            written = node.value if isinstance(node, yaml.ScalarNode) else None
            yield YamlField(key.value, _value(loader, node), written)


def _value(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    try:
        value: object = loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, OverflowError, TypeError):
        # The 45th of January is no date; the field may still be readable as text.
        return node.value if isinstance(node, yaml.ScalarNode) else _texts(node)
    return value


def _texts(node: yaml.Node) -> list[str]:
    """Return the text of all scalars under a node that cannot be parsed."""
    texts, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, yaml.ScalarNode):
            texts.append(one.value)
        elif isinstance(one, yaml.SequenceNode):
            waiting += one.value
        elif isinstance(one, yaml.MappingNode):
            waiting += [part for pair in one.value for part in pair]
    return texts


def _strings(value: object) -> Iterator[str]:
    return (part for part in scalars_in(value) if isinstance(part, str))


def _number(text: str) -> float | int | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_nothing(entry: YamlField) -> bool:
    return entry.value is None


def _unusable(entry: YamlField, consequence: str) -> str:
    shown = entry.written if entry.written is not None else _shown(entry.value)
    shown = shorten(" ".join(remove_unprintable(shown).split()), 40)
    return f"{entry.name} {shown!r} {consequence}"


def _shown(value: object) -> str:
    kind = "a mapping" if isinstance(value, dict) else "a list"
    return f"{kind} of {len(value)}" if isinstance(value, dict | list | tuple | set) else kind
