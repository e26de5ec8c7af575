"""Requests and replies of reranking, as Jina and Cohere have it."""

from pydantic import Field

from sourcebook.surfaces.openai.schemas import ModelName
from sourcebook.surfaces.schema_types import StrictIn, WireModel

MAX_DOCUMENTS = 1_000
MAX_QUERY_LENGTH = 2_000


class TextIn(StrictIn):
    """A text as an object."""

    text: str


class RankingIn(StrictIn):
    """Texts to put in order. Other parameters are ignored."""

    model: ModelName | None = Field(None, description="Any: the service has one reranker")
    query: str = Field(min_length=1, max_length=MAX_QUERY_LENGTH)
    documents: list[str | TextIn] = Field(min_length=1, max_length=MAX_DOCUMENTS)
    top_n: int | None = Field(None, ge=1)
    return_documents: bool | None = None


class RankedTextOut(WireModel):
    """A text that was sent."""

    text: str


class RankedResultOut(WireModel):
    """A text by its place in the request. The score is in the reranker's own scale."""

    index: int
    relevance_score: float
    document: RankedTextOut | None = Field(None, exclude_if=lambda document: document is None)


class RankingOut(WireModel):
    """The texts, best first."""

    id: str
    model: str
    results: list[RankedResultOut]
