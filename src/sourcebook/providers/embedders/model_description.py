"""Describes an embedding model: its names, its limits, and the revision of its vectors."""

import hashlib
import json
from dataclasses import dataclass

from sourcebook.core.ports import Embedder


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The properties that every embedder has, as the port names them."""

    id: str
    name: str
    dimensions: int
    max_tokens: int
    revision: str


class DescribedModel:
    """Holds these properties for an embedder: of its own model, or of the embedder it wraps."""

    def __init__(self, model: ModelDescription | Embedder) -> None:
        self.id = model.id
        self.name = model.name
        self.dimensions = model.dimensions
        self.max_tokens = model.max_tokens
        self.revision = model.revision


def revision_digest(parts: object) -> str:
    """Hash everything that decides which vector a text gets."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
