"""Reads the adopted config: collections that other tools fill and that are only searched."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.service.config.listed_file import ListedEntry, ListedFile

EXAMPLE = """\
adopted:
  - name: handbook
    provider: qdrant            # or chromadb
    collection: rag_embedding
    url: https://example.cloud.qdrant.io:6333
    api_key: ${QDRANT_API_KEY}
    model: cohere               # an id of the embeddings config
    fields:                     # only where the common names are not used
      text: chunk_text
      source_url: metadata.source"""


class AdoptedFields(BaseModel):
    """Where the other tool put its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str | None = Field(default=None, min_length=1)
    source_url: str | None = Field(default=None, min_length=1)
    page_title: str | None = Field(default=None, min_length=1)
    section_heading: str | None = Field(default=None, min_length=1)
    document: str | None = Field(default=None, min_length=1)
    vector: str | None = Field(default=None, min_length=1)

    @property
    def mapping(self) -> FieldMapping:
        return FieldMapping(**self.model_dump())


class AdoptedEntry(ListedEntry):
    """One collection; other keys of its entry are settings of the provider."""

    collection: str = Field(min_length=1)
    provider: Literal["qdrant", "chromadb"] = "qdrant"
    name: str | None = Field(default=None, min_length=1)
    model: str | None = Field(default=None, min_length=1)
    fields: AdoptedFields = AdoptedFields()

    @property
    def reader_name(self) -> str:
        """The name under which it is searched."""
        return self.name or self.collection

    @property
    def config(self) -> Mapping[str, JsonValue]:
        """The settings of its provider: the address, and the key."""
        return self.model_extra or {}


_FILE = ListedFile(
    called="adopted config",
    key="adopted",
    entry=AdoptedEntry,
    entry_called="Collection",
    least="must have at least 'collection'",
    example=EXAMPLE,
)


def read_adopted_file(path: Path) -> tuple[AdoptedEntry, ...]:
    """The collections that the file lists; ConfigurationError shows how it should look."""
    entries = _FILE.read(path)
    _FILE.check_unique([entry.reader_name for entry in entries], "names of adopted collections")
    return entries
