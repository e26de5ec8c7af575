"""embeddings.yml: which embedding models to load, under which names."""

from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sourcebook.core.errors import ConfigurationError

EXAMPLE = """\
embeddings:
  - id: minilm
    path: bundled:all-MiniLM-L6-v2
  - id: mxbai-large
    path: mixedbread-ai/mxbai-embed-large-v1   # a Hugging Face id, or a folder"""


class ModelEntry(BaseModel):
    """One model: its alias, where it is, and how to load it. Further keys are the provider's."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    id: str = Field(min_length=1)
    path: str = Field(min_length=1)
    provider: str | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        """Without the provider's keys: one of them may be a secret."""
        return ((name, getattr(self, name)) for name in type(self).model_fields)

    @property
    def config(self) -> dict[str, JsonValue]:
        """What the provider is to be told: all but who it is."""
        return self.model_dump(exclude={"id", "provider"}, exclude_none=True)


def read_models_file(path: Path) -> tuple[ModelEntry, ...]:
    """The models that the file lists; ConfigurationError shows how it should look."""
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _unusable(f"Cannot read the embeddings config {str(path)!r}: {reason}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        # Not its words: they quote the lines around, and there may be a key in them.
        where = f" (line {mark.line + 1})" if (mark := getattr(error, "problem_mark", None)) else ""
        raise _unusable(f"The embeddings config {str(path)!r} is not valid YAML{where}") from None
    return _entries(content, path)


def no_models() -> ConfigurationError:
    """The error of a service that was given no model at all."""
    return _unusable(
        "No embedding models configured. Start with --embeddings-config FILE (or set"
        " EMBEDDINGS_CONFIG), or with --cross-encoder for reranking alone"
    )


def _entries(content: object, path: Path) -> tuple[ModelEntry, ...]:
    listed = content.get("embeddings") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise _unusable(f"The embeddings config {str(path)!r} has no 'embeddings' array")
    if not listed:
        raise _unusable(f"The 'embeddings' array in {str(path)!r} is empty: no models configured")
    entries = tuple(_entry(item, index) for index, item in enumerate(listed))
    ids = [entry.id for entry in entries]
    repeated = sorted({id_ for id_ in ids if ids.count(id_) > 1})
    if repeated:
        raise _unusable(f"The ids of models must be unique; repeated: {repeated}")
    return entries


def _entry(item: object, index: int) -> ModelEntry:
    try:
        return ModelEntry.model_validate(item)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in found["loc"])
        problem = (
            f"required field {field!r} is missing"
            if found["type"] == "missing"
            else (f"{field!r}: {found['msg']}" if field else "must have 'id' and 'path'")
        )
        raise _unusable(f"Model at index {index} of the embeddings config: {problem}") from None


def _unusable(problem: str) -> ConfigurationError:
    return ConfigurationError(f"{problem}.\nAn embeddings config looks like this:\n\n{EXAMPLE}\n")
