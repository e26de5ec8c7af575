"""Ids of points: whoever has a chunk and its version knows them, and which vector each is."""

import json
import uuid

NAMESPACE = uuid.UUID("8c1f3a52-6f0d-5b7e-9a43-2d9b0f6f7c11")


def stable_uuid(*parts: str) -> str:
    """Return the UUID that follows from these parts."""
    # JSON keeps the parts apart, whatever characters they hold.
    return str(uuid.uuid5(NAMESPACE, json.dumps(parts, ensure_ascii=False)))


def point_ids(chunk: str, version: str, vectors: int) -> list[str]:
    """Return the point ids of one version of a chunk; a new version never touches the live one."""
    return [stable_uuid(chunk, version, str(ordinal)) for ordinal in range(vectors)]
