"""Documents that tools post, and the receipts they get."""

import hashlib
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sourcebook.core.metadata import JsonValue, Metadata

PutStatus: TypeAlias = Literal["created", "updated", "unchanged"]

# Tools stamp every run; a new stamp is no new document.
STAMPS = frozenset({"ingestedAt", "ingested_at"})
# A poster's own metadata have this before their names, so that they can never overwrite ours.
OWN_PREFIX = "metadata."


@dataclass(frozen=True, slots=True)
class PostedDocument:
    """A document as somebody posted it. `hash` is theirs: it is kept, and never trusted."""

    source: str
    path: str
    title: str
    text: str
    hash: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict)

    @property
    def document_id(self) -> str:
        """The id that the posters' own clients compute as well."""
        name = f"{self.source}:{self.path}".encode()
        return hashlib.md5(name, usedforsecurity=False).hexdigest()

    @property
    def about(self) -> dict[str, JsonValue]:
        """What is kept of it besides its text."""
        own = {OWN_PREFIX + name: value for name, value in self.metadata.items()}
        ours: dict[str, JsonValue] = {
            "source": self.source,
            "path": self.path,
            "title": self.title,
            "tags": list(self.tags),
        }
        return {**own, **ours, **({"hash": self.hash} if self.hash is not None else {})}


@dataclass(frozen=True, slots=True)
class PostReceipt:
    """What became of a posting."""

    document_id: str
    status: PutStatus
    chunk_count: int


def own_metadata(about: Metadata) -> dict[str, JsonValue]:
    """The poster's own metadata, as they were posted."""
    return {
        name.removeprefix(OWN_PREFIX): value
        for name, value in about.items()
        if name.startswith(OWN_PREFIX)
    }


def lasting(about: Metadata) -> dict[str, JsonValue]:
    """What counts when two states of a document are compared: no stamps, and no hash of theirs.

    A posting without a hash says nothing about the one that is stored.
    """
    passing = {
        "hash",
        "chunk_count",
        "text_length",
        "cut_by",
        *(OWN_PREFIX + name for name in STAMPS),
    }
    return {name: value for name, value in about.items() if name not in passing}
