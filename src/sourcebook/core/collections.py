"""Collections: named sets of documents, each with the generation of its index."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import Metadata
from sourcebook.core.text import shorten

CollectionState: TypeAlias = Literal["live", "building", "retired"]

MODEL_KEY = "embedding_model"
# Kept for clients that know where their models come from; nothing here reads it.
PROVIDER_KEY = "embedding_provider"
MAX_NAME_LENGTH = 512
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Generation:
    """One index of a collection, and the exact model that filled it."""

    index_id: str
    model: str
    model_revision: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of documents. `revision` counts its commits: a reader holds on to one.

    One that is being built, or that another has replaced, has a name that nobody can ask for.
    `previous` is the generation that it had before it changed its model, kept for one rollback.
    """

    id: str
    name: str
    metadata: Metadata
    generation: Generation
    revision: int = 0
    count: int = 0
    state: CollectionState = "live"
    previous: Generation | None = None

    @property
    def wanted_model(self) -> str | None:
        """The model that the metadata asks for; the generation may still be another's."""
        wanted = self.metadata.get(MODEL_KEY)
        return wanted if isinstance(wanted, str) and wanted else None


def hidden_name(collection_id: str) -> str:
    """The name of a collection that is not for readers: no valid name looks like it."""
    return f"~{collection_id}"


def is_name(name: str) -> bool:
    return len(name) <= MAX_NAME_LENGTH and _NAME.fullmatch(name) is not None


def check_name(name: str) -> None:
    """Refuse names that could be taken for a path, or that do not fit in a URL."""
    if not is_name(name):
        raise InvalidInput(
            f"Collection name {shorten(name, 60)!r} is not valid: use 1 to {MAX_NAME_LENGTH}"
            " letters, digits, dots, dashes and underscores, with a letter or digit at both ends"
        )
