"""Requests and replies of OpenAI's embeddings."""

from typing import Literal

from pydantic import BaseModel, Field

from sourcebook.surfaces.openai.schemas import ModelName
from sourcebook.surfaces.schema_types import StrictIn

MAX_INPUTS = 2_048


class EmbeddingsIn(StrictIn):
    """Texts to embed. Other parameters are ignored."""

    model: ModelName = Field(description="The id or the name of a loaded embedding model")
    input: str | list[str] | list[int] | list[list[int]] = Field(
        description=f"A text, or up to {MAX_INPUTS}. Token arrays are refused"
    )
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = Field(None, ge=1, description="The model's own, if it is given")
    input_type: Literal["document", "query"] | None = Field(
        None, description="`query` for a question, for models that embed these in another way"
    )


class EmbeddingOut(BaseModel):
    """A vector: numbers, or little-endian 32-bit floats in base64."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsageOut(BaseModel):
    """Estimates: four characters count as a token."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingsOut(BaseModel):
    """The vectors, in the order of the texts."""

    object: Literal["list"] = "list"
    data: list[EmbeddingOut]
    model: str
    usage: EmbeddingUsageOut
