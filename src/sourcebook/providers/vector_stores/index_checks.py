"""Checks the id and the dimensions of an index, with the same errors in every store."""

import re

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.vectors import IndexSpec

_INDEX_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def is_index_id(text: str) -> bool:
    return _INDEX_ID.fullmatch(text) is not None


def check_index_id(index_id: str) -> None:
    """Refuse an id that cannot name a folder or a collection."""
    if not is_index_id(index_id):
        raise RetrievalUnavailable(
            f"Index id {index_id[:80]!r} is not valid: use 1 to 64 letters, digits, _ and -"
        )


def check_dimensions(existing: int, wanted: IndexSpec) -> None:
    """Refuse to create an index that exists with other dimensions."""
    if existing != wanted.dimensions:
        raise RetrievalUnavailable(
            f"Index {wanted.id!r} exists with {existing} dimensions,"
            f" not {wanted.dimensions}; drop it first"
        )


def missing_index(index_id: str) -> str:
    """Return the message of an index that does not exist."""
    return f"There is no index {index_id[:80]!r} in the vector store"
