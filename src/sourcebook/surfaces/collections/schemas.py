"""Requests and replies of the collections contract."""

from typing import Annotated

from pydantic import (
    AfterValidator,
    AliasChoices,
    Field,
    JsonValue,
    model_validator,
)
from pydantic_core import PydanticCustomError

from sourcebook.core.collections import PROVIDER_KEY
from sourcebook.core.search_modes import SearchMode
from sourcebook.surfaces.explanations import EXPLAIN, MODE, USED_MODE, HitStagesOut, StagesOut
from sourcebook.surfaces.schema_types import StrictIn, WireModel, refuse_blank

MAX_DOCUMENTS = 1_000
MAX_QUERY_LENGTH = 10_000
MAX_TOP_K = 1_000


Query = Annotated[
    str, Field(min_length=1, max_length=MAX_QUERY_LENGTH), AfterValidator(refuse_blank)
]
MetadataIn = dict[str, JsonValue]


class CreateCollectionIn(StrictIn):
    """A new collection."""

    name: str = Field(examples=["robotics"])
    embedding_model: str | None = Field(
        None, description="The id of a loaded model; required", examples=["minilm"]
    )
    embedding_provider: str | None = Field(
        None, description="Kept in the metadata as it is", examples=["openai"]
    )
    metadata: MetadataIn | None = None

    def all_metadata(self) -> MetadataIn:
        """The metadata, with the provider if it is named beside them."""
        given = self.metadata or {}
        if self.embedding_provider is None:
            return given
        return {**given, PROVIDER_KEY: self.embedding_provider}


class UpdateMetadataIn(StrictIn):
    """New metadata of a collection."""

    metadata: MetadataIn = Field(examples=[{"description": "Lessons about ROS 2"}])


class DocumentIn(StrictIn):
    """A text and what is known about it. Embeddings are generated here."""

    text: str = Field(examples=["A node is one process of a ROS 2 system."])
    metadata: MetadataIn | None = Field(None, examples=[{"module": "ros2", "tier": 1}])
    id: str | None = Field(None, description="Posting a known id replaces the document")

    @model_validator(mode="before")
    @classmethod
    def _refuse_embeddings(cls, data: object) -> object:
        if isinstance(data, dict) and "embedding" in data:
            raise PydanticCustomError(
                "embedding_given",
                "should be left without 'embedding': embeddings are generated here from 'text'",
            )
        return data


class AddDocumentsIn(StrictIn):
    """Documents to add, all or none."""

    documents: list[DocumentIn] = Field(min_length=1, max_length=MAX_DOCUMENTS)


class QueryIn(StrictIn):
    """A question to a collection."""

    query: Query = Field(
        validation_alias=AliasChoices("query", "text"), examples=["How do nodes talk?"]
    )
    collection: str = Field(min_length=1, examples=["robotics"])
    top_k: int = Field(3, ge=1, le=MAX_TOP_K)
    where: dict[str, JsonValue] | None = Field(
        None, description="A filter on metadata", examples=[{"tier": {"$lte": 2}}]
    )
    mode: SearchMode | None = Field(None, description=MODE)
    explain: bool = Field(False, description=EXPLAIN)


class CandidateIn(StrictIn):
    """A text to be ranked."""

    id: str
    text: str


class RerankIn(StrictIn):
    """Texts to put in order."""

    query: Query
    documents: list[CandidateIn] = Field(max_length=MAX_DOCUMENTS)
    top_k: int | None = Field(None, ge=1)


class CollectionOut(WireModel):
    """A collection. With `reindex_required`, its metadata ask for another model than it uses."""

    name: str
    count: int
    metadata: dict[str, JsonValue]
    reindex_required: bool


class CollectionsOut(WireModel):
    """All collections.

    `note` is there if they are too many for one reply: the next ones come with `after`.
    """

    collections: list[CollectionOut]
    note: str | None = None


class CreatedOut(WireModel):
    """A collection was created."""

    status: str = "created"
    name: str
    metadata: dict[str, JsonValue]


class UpdatedOut(WireModel):
    """Metadata were changed."""

    status: str = "updated"
    name: str
    metadata: dict[str, JsonValue]
    merge: bool
    reindex_required: bool


class DeletedOut(WireModel):
    """A collection was deleted."""

    status: str = "deleted"
    name: str


class AddedOut(WireModel):
    """Documents were stored."""

    status: str = "added"
    collection: str
    count: int
    ids: list[str]


class DocumentsDeletedOut(WireModel):
    """Documents were deleted; `count` is how many of the ids existed."""

    status: str = "deleted"
    collection: str
    count: int


class EmptiedOut(WireModel):
    """All documents were deleted."""

    status: str = "emptied"
    collection: str
    count_deleted: int


class DocumentOut(WireModel):
    """A document as it was stored."""

    id: str
    text: str
    metadata: dict[str, JsonValue]


class DocumentsOut(WireModel):
    """A page of documents: `count` on this page, `total` that match.

    `next_offset` and `note` are there if the page ended before `limit`, because it would be too
    large: the next page begins at `next_offset`.
    """

    documents: list[DocumentOut]
    count: int
    total: int
    next_offset: int | None = None
    note: str | None = None


class FieldValuesOut(WireModel):
    """The distinct values of a metadata field, as sorted text.

    `note` is there if they are too many for one reply: the next ones come with `after`.
    """

    field: str
    values: list[str]
    count: int
    note: str | None = None


class ResultOut(WireModel):
    """A hit: `distance` is the cosine distance (0 to 2), `score` how well it fits (0 to 1).

    By meaning alone, `score` is the cosine similarity; words that it shares with the question raise
    it. `rerank_score` is there with a reranker, in that one's scale; it decides the order.
    """

    id: str
    text: str
    distance: float
    score: float
    metadata: dict[str, JsonValue]
    rerank_score: float | None = None


class ResultStagesOut(HitStagesOut):
    """What each stage said of a document."""

    id: str


class QueryExplainOut(StagesOut):
    """How the search went, and what each stage said of each result, in their order."""

    results: list[ResultStagesOut]


class QueryOut(WireModel):
    """The hits, best first. `note` says why they were not reranked or not all are here.

    `explain` is there if asked for.
    """

    results: list[ResultOut]
    collection_metadata: dict[str, JsonValue]
    mode: SearchMode = Field(default="dense", description=USED_MODE)
    note: str | None = None
    explain: QueryExplainOut | None = None


class ReadyOut(WireModel):
    """The service can be queried."""

    status: str = "ready"
    collections: int


class RankedOut(WireModel):
    """A candidate with its score and the place, from 1, that it had."""

    id: str
    score: float
    original_rank: int


class RerankOut(WireModel):
    """The candidates, best first."""

    reranked: list[RankedOut]
