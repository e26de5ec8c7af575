"""Ids, hashes and fingerprints; they follow from content, never from position."""

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Sequence

from sourcebook.core.documents import Chunk, Document
from sourcebook.core.metadata import Metadata
from sourcebook.core.point_ids import stable_uuid


def hash_text(text: str) -> str:

    return hashlib.sha256(text.encode()).hexdigest()


def lesson_id(book_id: str, path: str) -> str:
    """Return the id of a file of a book, which clients know as `parent_doc_id`."""
    return stable_uuid(book_id, path)


def fingerprint(parts: Sequence[str | int | None]) -> str:
    """Hash the parts that a document was made from; it changes with any of them."""
    return hashlib.sha256(_canonical(list(parts)).encode()).hexdigest()[:32]


def chunk_id(owner_id: str, document_id: str, text_hash: str, occurrence: int) -> str:
    """Return the id of a chunk; the same text elsewhere, or again, gets another id."""
    return stable_uuid(owner_id, document_id, text_hash, str(occurrence))


def chunk_ids(owner_id: str, document_id: str, text_hashes: Sequence[str]) -> list[str]:
    """Return the ids of a document's chunks in reading order; repeated texts are numbered."""
    seen: Counter[str] = Counter()
    ids = []
    for text_hash in text_hashes:
        ids.append(chunk_id(owner_id, document_id, text_hash, seen[text_hash]))
        seen[text_hash] += 1
    return ids


def digest(chunk: Chunk) -> str:
    """Hash everything of the chunk that the index depends on."""
    content = _canonical([chunk.text, chunk.metadata])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def same_document(one: Document, other: Document) -> bool:

    return one.text == other.text and same_metadata(one.metadata, other.metadata)


def same_metadata(one: Metadata, other: Metadata) -> bool:
    """Compare as JSON does: to Python, 1 and true would be the same."""
    return _canonical(one) == _canonical(other)


def new_id() -> str:
    """Return a random id for a version, a write or an index."""
    return uuid.uuid4().hex


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
