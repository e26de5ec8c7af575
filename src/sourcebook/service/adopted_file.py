"""The adopted config: collections that other tools fill and that are read as they are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.vector_stores.field_mapping import FieldMapping

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
    """Where the other tool put things."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str | None = Field(default=None, min_length=1)
    source_url: str | None = Field(default=None, min_length=1)
    page_title: str | None = Field(default=None, min_length=1)
    section_heading: str | None = Field(default=None, min_length=1)
    document: str | None = Field(default=None, min_length=1)
    vector: str | None = Field(default=None, min_length=1)

    @property
    def mapping(self) -> FieldMapping:
        """The same for those who read."""
        return FieldMapping(**self.model_dump())


class AdoptedEntry(BaseModel):
    """One collection; what else its entry says is for the provider that reaches it."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, hide_input_in_errors=True)

    collection: str = Field(min_length=1)
    provider: Literal["qdrant", "chromadb"] = "qdrant"
    name: str | None = Field(default=None, min_length=1)
    model: str | None = Field(default=None, min_length=1)
    fields: AdoptedFields = AdoptedFields()

    @property
    def reader_name(self) -> str:
        """What readers call it."""
        return self.name or self.collection

    @property
    def config(self) -> Mapping[str, JsonValue]:
        """What the provider is to be told: where it is, and with which key."""
        return self.model_extra or {}


def read_adopted_file(path: Path) -> tuple[AdoptedEntry, ...]:
    """The collections that the file lists; ConfigurationError shows how it should look."""
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _unusable(f"Cannot read the adopted config {str(path)!r}: {reason}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        # Its own words quote the file, which may hold a key.
        raise _unusable(f"The adopted config {str(path)!r} is not valid YAML") from None
    listed = content.get("adopted") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise _unusable(f"The adopted config {str(path)!r} has no 'adopted' array")
    entries = tuple(_entry(item, index) for index, item in enumerate(listed))
    names = [entry.reader_name for entry in entries]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise _unusable(f"The names of adopted collections must be unique; repeated: {repeated}")
    return entries


def _entry(item: object, index: int) -> AdoptedEntry:
    try:
        return AdoptedEntry.model_validate(item)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in found["loc"])
        problem = (
            f"required field {field!r} is missing"
            if found["type"] == "missing"
            else (f"{field!r}: {found['msg']}" if field else "must have at least 'collection'")
        )
        raise _unusable(f"Collection at index {index} of the adopted config: {problem}") from None


def _unusable(problem: str) -> ConfigurationError:
    return ConfigurationError(f"{problem}.\nAn adopted config looks like this:\n\n{EXAMPLE}\n")
