"""Limits replies in bytes: as many items as fit, and at least one."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import orjson

from sourcebook.core.documents import MAX_PAGE_BYTES
from sourcebook.core.metadata import Metadata

MIB = 2**20

_T = TypeVar("_T")


def fitting(items: Iterable[_T], size: Callable[[_T], int]) -> list[_T]:
    """Return the first items that together stay below the limit, and at least one."""
    taken: list[_T] = []
    left = MAX_PAGE_BYTES
    for item in items:
        left -= size(item)
        if left < 0 and taken:
            break
        taken.append(item)
    return taken


def document_bytes(text: str, metadata: Metadata) -> int:
    """Return about how much of a reply a document takes."""
    return len(text.encode()) + len(orjson.dumps(metadata))


def cut_note(shown: int, found: int, advice: str) -> str:
    """Say that a reply is not complete, and what to do."""
    return (
        f"Only the first {shown} of {found} are here: a reply has at most"
        f" {MAX_PAGE_BYTES // MIB} MiB. {advice}"
    )
