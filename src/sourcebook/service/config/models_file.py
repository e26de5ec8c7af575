"""embeddings.yml: which embedding models to load, under which names."""

from pathlib import Path

from pydantic import Field, JsonValue

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.listed_file import ListedEntry, ListedFile

EXAMPLE = """\
embeddings:
  - id: minilm
    path: bundled:all-MiniLM-L6-v2
  - id: mxbai-large
    path: mixedbread-ai/mxbai-embed-large-v1   # a Hugging Face id, or a folder"""


class ModelEntry(ListedEntry):
    """One model: its alias, where it is, and how to load it. Further keys are the provider's."""

    id: str = Field(min_length=1)
    path: str = Field(min_length=1)
    provider: str | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None
    trust_remote_code: bool | None = None

    @property
    def config(self) -> dict[str, JsonValue]:
        """The provider's own settings: every key but `id` and `provider`."""
        return self.model_dump(exclude={"id", "provider"}, exclude_none=True)


_FILE = ListedFile(
    called="embeddings config",
    key="embeddings",
    entry=ModelEntry,
    entry_called="Model",
    least="must have 'id' and 'path'",
    example=EXAMPLE,
)


def read_models_file(path: Path) -> tuple[ModelEntry, ...]:
    """Read the models that the file lists; ConfigurationError shows an example."""
    entries = _FILE.read(path)
    if not entries:
        raise _FILE.unusable(
            f"The 'embeddings' array in {str(path)!r} is empty: no models configured"
        )
    _FILE.check_unique([entry.id for entry in entries], "ids of models")
    return entries


def no_models() -> ConfigurationError:
    """Return the error of a service without any model."""
    return _FILE.unusable(
        "No embedding models configured. Start with --embeddings-config FILE (or set"
        " EMBEDDINGS_CONFIG), with COHERE_API_KEY or OPENAI_API_KEY for their models, with"
        " --cross-encoder for reranking alone, or install the bundled model (`sourcebook models"
        " install`)"
    )
