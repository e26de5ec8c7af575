"""The settings of a reranker that runs a cross-encoder on this machine."""

from pydantic import AliasChoices, BaseModel, ConfigDict, Field


class LocalRerankerSettings(BaseModel):
    """Which cross-encoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "model"),
        title="Model",
        description="A Hugging Face id or a folder of a cross-encoder.",
        json_schema_extra={"placeholder": "cross-encoder/ms-marco-MiniLM-L6-v2"},
    )
