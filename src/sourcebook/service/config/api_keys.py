"""The API keys of the settings: each has a name, and is bound to books and a tier.

Of a key only the digest is kept, also where the settings hold the key itself.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

MIN_KEY_LENGTH = 16
MAX_TIER = 4
FIELDS = frozenset({"key", "books", "tier"})
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})", re.IGNORECASE)
_FORM = (
    'use a JSON object of names and keys, such as {"anna": "KEY"} or'
    ' {"kiosk": {"key": "KEY", "books": ["robotics"], "tier": 2}}'
)


@dataclass(frozen=True, slots=True)
class ConfiguredKey:
    """A key by its SHA-256 digest; None stands for every book and every tier."""

    digest: bytes = field(repr=False)
    books: tuple[str, ...] | None = None
    tier: int | None = None


def parse_api_keys(value: object) -> dict[str, ConfiguredKey]:
    """Parse keys by name; ValueError says what is wrong, and never shows a key."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError(f"it is not valid JSON: {_FORM}") from None
    if not isinstance(value, Mapping):
        raise ValueError(_FORM)
    keys = {str(name): _key(str(name), entry) for name, entry in value.items()}
    if len({key.digest for key in keys.values()}) < len(keys):
        raise ValueError("two names have the same key: give each its own")
    return keys


def _key(name: str, entry: object) -> ConfiguredKey:
    if isinstance(entry, ConfiguredKey):
        return entry
    if isinstance(entry, str):
        entry = {"key": entry}
    if not isinstance(entry, Mapping) or not isinstance(entry.get("key"), str):
        raise ValueError(f"the entry {name!r} has no key: {_FORM}")
    unknown = sorted(str(field) for field in entry.keys() - FIELDS)
    if unknown:
        raise ValueError(
            f"the entry {name!r} has unknown fields: {', '.join(unknown)}."
            f" Known: {', '.join(sorted(FIELDS))}"
        )
    return ConfiguredKey(
        _digest(name, entry["key"]), _books(name, entry.get("books")), _tier(name, entry)
    )


def _digest(name: str, key: str) -> bytes:
    hashed = _DIGEST.fullmatch(key)
    if hashed:
        return bytes.fromhex(hashed[1])
    if len(key) < MIN_KEY_LENGTH:
        raise ValueError(f"the key {name!r} is too short: use {MIN_KEY_LENGTH} characters or more")
    return hashlib.sha256(key.encode()).digest()


def _books(name: str, books: object) -> tuple[str, ...] | None:
    if books is None:
        return None
    listed = books if isinstance(books, list) else ()
    if not listed or not all(isinstance(book, str) and book for book in listed):
        raise ValueError(
            f"the 'books' of the key {name!r} must be a list of book ids that is not empty; leave"
            " it out for all books"
        )
    return tuple(listed)


def _tier(name: str, entry: Mapping[str, object]) -> int | None:
    tier = entry.get("tier")
    if tier is None:
        return None
    if not isinstance(tier, int) or isinstance(tier, bool) or not 1 <= tier <= MAX_TIER:
        raise ValueError(f"the 'tier' of the key {name!r} must be a number from 1 to {MAX_TIER}")
    return tier
