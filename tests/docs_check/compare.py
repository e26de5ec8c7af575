"""Compares what a page shows with what a command printed.

`…` and `[…]` on a page stand for anything. Times, sizes, ids, and numbers that a machine's speed
decides count as equal.
"""

import json
import re
from difflib import unified_diff
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | float | bool | None"

ANYTHING = "…"
_WILDCARD = re.compile(r"\[…\]|…")
_NORMAL = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b"), "HEX"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b\d[\d,]*(\.\d+)? (ms|s|seconds|minutes)\b"), "DURATION"),
    (re.compile(r"\b\d[\d,]*(\.\d+)? (bytes|KB|MB|GB|KiB|MiB|GiB)\b"), "SIZE"),
)
# Values that differ from run to run.
_VARYING = re.compile(r"(_ms|_s|_at|_seconds|duration|latency|timestamp|uptime.*)$")
_OPEN = '"…": "…"'


def difference(shown: str, printed: str) -> str | None:
    """Return how the output differs from what the page shows; None if it does not."""
    try:
        wanted = json.loads(_as_json(shown))
    except ValueError:
        return _text_difference(shown, printed)
    try:
        return differs(wanted, json.loads(printed), "the reply")
    except ValueError:
        return f"This is no JSON: {printed[:500]!r}"


def _text_difference(shown: str, printed: str) -> str | None:
    if _fits(shown.strip(), printed.strip()):
        return None
    wanted, found = _normal(shown), _normal(printed)
    return "\n".join(
        unified_diff(wanted.splitlines(), found.splitlines(), "the page", "printed", lineterm="")
    )


def _fits(shown: str, printed: str) -> bool:
    """Return whether a text is what is shown, as it is or without what differs from run to run."""
    return any(
        re.fullmatch(_pattern(wanted), found, re.DOTALL)
        for wanted, found in ((shown, printed), (_normal(shown), _normal(printed)))
    )


def _normal(text: str) -> str:
    for pattern, word in _NORMAL:
        text = pattern.sub(word, text)
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    return "\n".join(lines)


def _pattern(shown: str) -> str:
    return ".*?".join(map(re.escape, _WILDCARD.split(shown)))


def _as_json(shown: str) -> str:
    """Turn `[…]` and `{…}` into JSON: an open end of an object, or any list or object."""
    text = re.sub(r",\s*\[…\]\s*}", f", {_OPEN}}}", shown)
    text = re.sub(r",\s*\[…\]\s*\]", f', "{ANYTHING}"]', text)
    text = re.sub(r"{\s*…\s*}", f"{{{_OPEN}}}", text)
    return re.sub(r"\[\s*…\s*\]", f'["{ANYTHING}"]', text)


def differs(wanted: Json, found: Json, place: str) -> str | None:
    """Return the first difference between two JSON values; `…` in the wanted one is anything."""
    if wanted == ANYTHING:
        return None
    if isinstance(wanted, dict) and isinstance(found, dict):
        return _dict_differs(wanted, found, place)
    if isinstance(wanted, list) and isinstance(found, list):
        return _list_differs(wanted, found, place)
    if isinstance(wanted, str) and isinstance(found, str):
        return None if _fits(wanted, found) else _unequal(wanted, found, place)
    if type(wanted) is float and isinstance(found, float | int):
        digits = len(str(wanted).partition(".")[2])
        return None if round(found, digits) == wanted else _unequal(wanted, found, place)
    same = wanted == found and type(wanted) is type(found)
    return None if same else _unequal(wanted, found, place)


def _dict_differs(wanted: dict[str, Json], found: dict[str, Json], place: str) -> str | None:
    is_open = ANYTHING in wanted
    names = wanted.keys() - {ANYTHING}
    if missing := sorted(names - found.keys()):
        return f"{place} has no {', '.join(missing)}"
    if not is_open and (more := sorted(found.keys() - names)):
        return f"{place} also has {', '.join(more)}"
    for name in sorted(names):
        if _VARYING.search(name):
            continue
        if (unlike := differs(wanted[name], found[name], f"{place}.{name}")) is not None:
            return unlike
    return None


def _list_differs(wanted: list[Json], found: list[Json], place: str) -> str | None:
    is_open = bool(wanted) and wanted[-1] == ANYTHING
    known = wanted[:-1] if is_open else wanted
    if len(found) < len(known) or (len(found) > len(known) and not is_open):
        return f"{place} has {len(found)} items, and the page shows {len(known)}"
    for number, (one, other) in enumerate(zip(known, found, strict=False)):
        if (unlike := differs(one, other, f"{place}[{number}]")) is not None:
            return unlike
    return None


def _unequal(wanted: Json, found: Json, place: str) -> str:
    return f"{place} is {found!r}, and the page shows {wanted!r}"
