"""The arguments that a model calls the search with: checked, and cut to what is allowed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args

from sourcebook.core.answers import SourceField

LONGEST_QUERY = 2_000
MOST_CHUNKS = 20
MOST_VALUES = 20
FIELDS: Final[tuple[str, ...]] = get_args(SourceField)

SCHEMA: Final[dict[str, object]] = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "description": "What to look for, in full words: name the subject, use no pronouns.",
        },
        "top_k": {
            "type": "integer",
            "description": f"How many chunks to get, from 1 to {MOST_CHUNKS}. Usually left out.",
        },
        "filters": {
            "type": "object",
            "description": "Only sources with one of these values. Usually left out.",
            "properties": {name: {"type": "array", "items": {"type": "string"}} for name in FIELDS},
        },
    },
    "required": ["query"],
}


@dataclass(frozen=True, slots=True)
class SearchArguments:
    """What to search for."""

    query: str
    top_k: int | None
    filters: Mapping[str, object] | None


class BadArguments(Exception):
    """The message is for the model."""


def check_arguments(given: Mapping[str, object]) -> SearchArguments:
    """Check what the model wrote; BadArguments tells it what to do better."""
    if unknown := sorted(given.keys() - {"query", "top_k", "filters"}):
        raise BadArguments(f"Unknown arguments: {', '.join(unknown)[:200]}.")
    return SearchArguments(
        _query(given.get("query")), _top_k(given.get("top_k")), _filters(given.get("filters"))
    )


def _query(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadArguments("query must be a text that is not empty.")
    return value.strip()[:LONGEST_QUERY]


def _top_k(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadArguments("top_k must be a whole number.")
    return min(max(value, 1), MOST_CHUNKS)


def _filters(value: object) -> Mapping[str, object] | None:
    if value is None or value == {}:
        return None
    if not isinstance(value, dict) or not value.keys() <= set(FIELDS):
        raise BadArguments(f"filters must be an object with: {', '.join(FIELDS)}.")
    return {
        name: _values(name, found) for name, found in value.items() if found is not None
    } or None


def _values(name: str, value: object) -> str | list[str]:
    if isinstance(value, str):
        return value
    texts = [found for found in value if isinstance(found, str)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(texts) != len(value) or not 0 < len(texts) <= MOST_VALUES:
        raise BadArguments(f"The filter {name} must be a text or a list of 1 to {MOST_VALUES}.")
    return texts
