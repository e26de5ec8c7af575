"""Declares the embedders that run a model on this machine: OpenVINO and sentence-transformers."""

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Provider


class LocalEmbedderSettings(BaseModel):
    """The model, and the prompts to put before the texts it reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "model"),
        title="Model",
        description="A Hugging Face id, a folder, or bundled:all-MiniLM-L6-v2.",
        json_schema_extra={"placeholder": "bundled:all-MiniLM-L6-v2"},
    )
    query_prompt: str | None = Field(
        None,
        title="Query prompt",
        description="Put before every question. The model's own prompt if it is left out.",
    )
    document_prompt: str | None = Field(
        None,
        title="Document prompt",
        description="Put before every document. The model's own prompt if it is left out.",
    )


class SentenceTransformersSettings(LocalEmbedderSettings):
    """The same, for a library that can also run the code of a model's author."""

    trust_remote_code: bool = Field(
        False,
        title="Trust remote code",
        description="Run the Python code that comes with the model. Only for authors you trust.",
    )


OPENVINO: Provider[LocalEmbedderSettings, Embedder] = Provider(
    LocalEmbedderSettings, "sourcebook.providers.embedders.openvino:open_openvino_embedder"
)
SENTENCE_TRANSFORMERS: Provider[SentenceTransformersSettings, Embedder] = Provider(
    SentenceTransformersSettings,
    "sourcebook.providers.embedders.sentence_transformers:open_sentence_transformers_embedder",
)
