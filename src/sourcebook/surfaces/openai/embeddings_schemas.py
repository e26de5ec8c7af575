"""Requests and replies of OpenAI's embeddings."""

from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from sourcebook.surfaces.openai.schemas import ModelName
from sourcebook.surfaces.schema_types import StrictIn, WireModel

MAX_INPUTS = 2_048


_T = TypeVar("_T")
ListOf: TypeAlias = Annotated[list[_T], Field(fail_fast=True)]


def _refuse_many(given: object) -> object:
    """Refuse a long list before its elements are checked: a body has room for very many."""
    if isinstance(given, list) and len(given) > MAX_INPUTS:
        raise PydanticCustomError(
            "many_inputs",
            "has {count} elements, {most} at most",
            {"count": len(given), "most": MAX_INPUTS},
        )
    return given


class EmbeddingsIn(StrictIn):
    """Texts to embed. Other parameters are ignored."""

    model: ModelName = Field(description="The id or the name of a loaded embedding model")
    input: Annotated[
        str | ListOf[str] | ListOf[int] | ListOf[ListOf[int]], BeforeValidator(_refuse_many)
    ] = Field(description=f"A text, or up to {MAX_INPUTS}. Token arrays are refused")
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = Field(None, ge=1, description="The model's own, if it is given")
    input_type: Literal["document", "query"] | None = Field(
        None, description="`query` for a question, for models that embed these in another way"
    )


class EmbeddingOut(WireModel):
    """A vector: numbers, or little-endian 32-bit floats in base64."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsageOut(WireModel):
    """Estimates: four characters count as a token."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingsOut(WireModel):
    """The vectors, in the order of the texts."""

    object: Literal["list"] = "list"
    data: list[EmbeddingOut]
    model: str
    usage: EmbeddingUsageOut
