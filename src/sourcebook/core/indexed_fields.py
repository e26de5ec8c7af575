"""Which metadata fields a collection's index should know from the start."""

from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import IndexedField

KIND_KEY = "kind"
BOOK_KIND = "book"

# What spec 002 has readers and re-indexing filter by.
BOOK_FIELDS = (
    IndexedField("book_id"),
    IndexedField("module"),
    IndexedField("hardware_tier", "number"),
    IndexedField("chapter", "number"),
    IndexedField("lesson", "number"),
    IndexedField("proficiency_level"),
    IndexedField("layer"),
    IndexedField("parent_doc_id"),
    IndexedField("content_hash"),
    IndexedField("source_file_hash"),
    IndexedField("chunk_index", "number"),
)


def indexed_fields(collection: Metadata) -> tuple[IndexedField, ...]:
    """The fields for a collection with these metadata of its own."""
    return BOOK_FIELDS if collection.get(KIND_KEY) == BOOK_KIND else ()
