"""Declares the rerankers that run a cross-encoder on this machine."""

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from sourcebook.core.ports import Reranker
from sourcebook.providers.declaration import Provider


class LocalRerankerSettings(BaseModel):
    """Which cross-encoder to run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "model"),
        title="Model",
        description="A Hugging Face id or a folder of a cross-encoder.",
        json_schema_extra={"placeholder": "cross-encoder/ms-marco-MiniLM-L6-v2"},
    )


OPENVINO: Provider[LocalRerankerSettings, Reranker] = Provider(
    LocalRerankerSettings, "sourcebook.providers.rerankers.openvino:open_openvino_cross_encoder"
)
SENTENCE_TRANSFORMERS: Provider[LocalRerankerSettings, Reranker] = Provider(
    LocalRerankerSettings,
    "sourcebook.providers.rerankers.sentence_transformers:open_sentence_transformers_cross_encoder",
)
