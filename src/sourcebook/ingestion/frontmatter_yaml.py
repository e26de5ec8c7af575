"""YAML from strangers: no aliases, no tags, no deep nesting, and duplicate keys are seen."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from sourcebook.core.shortening import shortened

MAX_DEPTH = 32

# libyaml where it is there: 16 KiB of hostile YAML take the Python parser over 100 ms.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Unreadable(ValueError):
    """The text is no YAML that we accept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A field: its value as YAML means it, and as it is written if it is no list or mapping."""

    name: str
    value: object
    written: str | None


def read_yaml(text: str) -> list[Entry]:
    """The entries of a mapping, in order, with the duplicates; raises `Unreadable`."""
    text = remove_unprintable(text)
    try:
        _check_events(text)
        return list(_entries(_Loader(text)))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as exc:
        raise Unreadable(shortened(" ".join(str(exc).split()), 120)) from exc


def remove_unprintable(text: str) -> str:
    """Without control characters, NUL and halves of surrogate pairs."""
    return _UNPRINTABLE.sub("", text)


def _check_events(text: str) -> None:
    """Refuse before anything is built: a few aliases can stand for gigabytes."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise Unreadable(f"the alias *{event.anchor} is not allowed")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise Unreadable(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            raise Unreadable(f"the tag {event.tag} is not allowed")


def _entries(loader: yaml.SafeLoader) -> Iterator[Entry]:
    root = loader.get_single_node()
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise Unreadable("it is not a mapping of names to values")
    for key, node in root.value:
        if isinstance(key, yaml.ScalarNode):
            written = node.value if isinstance(node, yaml.ScalarNode) else None
            yield Entry(key.value, _value(loader, node), written)


def _value(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    try:
        value: object = loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, OverflowError, TypeError):
        # The 45th of January is no date; the field may still be readable as text.
        return node.value if isinstance(node, yaml.ScalarNode) else _texts(node)
    return value


def _texts(node: yaml.Node) -> list[str]:
    """All scalars under a node that cannot be built, as they are written."""
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
