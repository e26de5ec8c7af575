"""Describes an embedding model: its names, its limits, and the revision of its vectors."""

import hashlib
import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The properties that every embedder has, as the port names them."""

    id: str
    name: str
    dimensions: int
    max_tokens: int
    revision: str


def revision_digest(parts: object) -> str:
    """Hash everything that decides which vector a text gets."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
