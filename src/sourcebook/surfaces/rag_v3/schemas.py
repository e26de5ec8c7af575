"""Requests and replies of the RAG contract."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, model_validator
from pydantic.alias_generators import to_camel

from sourcebook.core.jobs import JobStatus
from sourcebook.core.posted_documents import PutStatus
from sourcebook.core.text import shorten
from sourcebook.surfaces.explanations import EXPLAIN, MODE, HitStagesOut, StagesOut
from sourcebook.surfaces.rag_v3.fields import (
    DEFAULT_TOP_K,
    MAX_BATCH,
    MAX_LOAD,
    MAX_TAGS,
    PLACE,
    DocumentText,
    FilterMetadata,
    FilterSource,
    Hash,
    Metadata,
    MinScore,
    Mode,
    Path,
    Query,
    RagIn,
    Source,
    Tags,
    Title,
    TopK,
    documents_up_to,
    unusable,
)
from sourcebook.surfaces.schema_types import StoreColour, WireModel

Success = Literal["success"]
# Of an unknown key that a message quotes.
MAX_KEY_LENGTH = 60


class CamelOut(WireModel):
    """A reply with camelCase names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class IngestIn(RagIn):
    """A document. `source` and `path` say which one it is; other fields are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "source": "nas-docs",
                    "path": "/manuals/arm.md",
                    "title": "The arm",
                    "text": "The arm lifts up to 3 kg.",
                    "tags": ["manuals"],
                }
            ]
        }
    )

    source: Source
    path: Path = Field(description="A path or URL")
    title: Title
    text: DocumentText = Field(description="Control characters are removed")
    tags: Annotated[Tags, Field(max_length=MAX_TAGS)] | None = None
    hash: Hash | None = Field(None, description="Kept; whether the text changed is decided here")
    metadata: Metadata | None = Field(
        None, description="Kept, given back, and open to filters. A new `ingestedAt` is no change"
    )


class BatchIn(RagIn):
    """Documents, each stored or refused for itself."""

    documents: Annotated[
        list[IngestIn], Field(min_length=1, max_length=MAX_BATCH), documents_up_to(MAX_BATCH)
    ]


class LoadIn(RagIn):
    """Documents for a job; one that cannot be used refuses all of them."""

    documents: Annotated[
        list[IngestIn], Field(min_length=1, max_length=MAX_LOAD), documents_up_to(MAX_LOAD)
    ]


class FiltersIn(RagIn):
    """All that is given must hold. Other fields are refused: a typo would widen the search."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    source: FilterSource | None = None
    tags: Tags | None = Field(None, description="Any of these")
    metadata: FilterMetadata | None = Field(
        None, description="Fields of the documents' own metadata, and the value of each"
    )

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, given: object) -> object:
        if isinstance(given, dict) and (unknown := given.keys() - cls.model_fields.keys()):
            name = shorten(min(map(str, unknown)), MAX_KEY_LENGTH)
            known = ", ".join(cls.model_fields)
            raise unusable(f"{PLACE} has an unknown key {name!r}; known: {known}")
        return given


class RagSearchIn(RagIn):
    """A question to the posted documents. Numbers may be sent as text."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "How much can the arm lift?", "topK": 5}]}
    )

    query: Query
    top_k: TopK | None = DEFAULT_TOP_K
    min_score: MinScore | None = 0.0
    filters: FiltersIn | None = None
    mode: Mode | None = Field(None, description=MODE)
    explain: bool | None = Field(False, strict=True, description=EXPLAIN)


class IngestOut(CamelOut):
    """What became of a document. The contract forbids further fields."""

    status: PutStatus
    document_id: str
    chunk_count: int


class ProblemOut(WireModel):
    """Which field cannot be used, and why."""

    field: str
    message: str


class InvalidOut(WireModel):
    """The request cannot be used; the message is that of the details."""

    error: Literal["Validation error"]
    message: str
    details: ProblemOut


class RagErrorOut(WireModel):
    """What went wrong, in a word and in a sentence."""

    error: str
    message: str


class RefusedOut(WireModel):
    """A document of a batch that was not stored: the body that it would have got alone."""

    status: Literal["error"] = "error"
    index: int
    error: str
    message: str
    details: ProblemOut | None = None


class BatchOut(WireModel):
    """A result for each document, in order, and how many there are of which kind."""

    results: list[IngestOut | RefusedOut]
    created: int
    updated: int
    unchanged: int
    failed: int


class LoadOrderedOut(CamelOut):
    """A load that is recorded; it begins soon."""

    job_id: int
    status: JobStatus
    total: int


class LoadErrorOut(WireModel):
    """A document of a load that could not be stored, by its place from 0."""

    index: int
    message: str


class LoadOut(CamelOut):
    """How far a load is. `errors` has the first hundred documents that failed."""

    job_id: int
    status: JobStatus
    total: int
    processed: int
    created: int
    updated: int
    unchanged: int
    failed: int
    errors: list[LoadErrorOut]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error: str | None


class HitMetadataOut(CamelOut):
    """Where a result comes from."""

    document_id: str
    source: str
    path: str
    title: str
    chunk_index: int
    tags: list[str]


class RagHitOut(WireModel):
    """A chunk that was found; `score` is how well it fits, from 0 to 1."""

    text: str
    score: float
    metadata: HitMetadataOut


class RagHitStagesOut(HitStagesOut, CamelOut):
    """What each stage said of a chunk."""

    document_id: str
    chunk_index: int


class RagExplainOut(StagesOut, CamelOut):
    """How the search went, and what each stage said of each result, in their order."""

    results: list[RagHitStagesOut]


class RagSearchOut(CamelOut):
    """The results, best first. `explain` is there if asked for."""

    query: str
    result_count: int
    results: list[RagHitOut]
    explain: RagExplainOut | None = None


class RagDocumentOut(CamelOut):
    """A document without its text. `id` is `documentId`; `hash` is what its poster sent."""

    document_id: str
    id: str
    source: str
    path: str
    title: str
    hash: str | None
    tags: list[str]
    metadata: dict[str, JsonValue]
    chunk_count: int
    text_length: int
    created_at: datetime
    updated_at: datetime


class WholeDocumentOut(RagDocumentOut):
    """A document with its text as it is stored; the spans of its chunks refer to this."""

    text: str


class StatsOut(CamelOut):
    """How much is stored in all."""

    document_count: int
    chunk_count: int
    avg_chunks_per_doc: str = Field(examples=["15.00"])


class RagDocumentsOut(WireModel):
    """A page of documents, twice: clients read `data` or `documents`. `total` is all that match."""

    status: Success = "success"
    data: list[RagDocumentOut]
    documents: list[RagDocumentOut]
    stats: StatsOut
    count: int
    total: int


class CutRagDocumentsOut(RagDocumentsOut):
    """A page that ended early, because it would be too large, and where the next one begins."""

    nextOffset: int  # noqa: N815 - the contract's spelling
    note: str


class FoundDocumentOut(CamelOut):
    """One document."""

    status: Success = "success"
    document_id: str
    data: WholeDocumentOut


class RagChunkOut(CamelOut):
    """A chunk: from character `start` to before `end` of the stored text, on those lines.

    Its first `overlap` characters are the end of the chunk before, too.
    """

    chunk_id: str
    chunk_index: int
    text: str
    start: int | None
    end: int | None
    line_start: int | None
    line_end: int | None
    overlap: int


class RagChunksOut(CamelOut):
    """The chunks of a document, in reading order."""

    status: Success = "success"
    document_id: str
    count: int
    chunks: list[RagChunkOut]


class RagDeletedOut(CamelOut):
    """A document was deleted."""

    status: Success = "success"
    message: str = "Document deleted successfully"
    document_id: str
    id: str


class SourceOut(WireModel):
    """How much came from one source."""

    count: int
    chunks: int


class MetricsStatsOut(StatsOut):
    """How much is stored, from where, and since when."""

    total_documents: int
    total_chunks: int
    source_breakdown: dict[str, SourceOut]
    oldest_document: datetime | None
    newest_document: datetime | None


class MetricsOut(WireModel):
    """The numbers, and whether every part of the service is up."""

    status: Success = "success"
    healthy: bool
    stats: MetricsStatsOut
    timestamp: datetime


class QdrantInfoOut(WireModel):
    """A collection in the words of Qdrant; `points_count` and `vectors_count` are its chunks."""

    status: StoreColour = Field(
        description="The vector store's: `red` if it is down; `yellow` if it is degraded, or if the"
        " collection needs re-indexing"
    )
    points_count: int
    vectors_count: int
    documents_count: int
    embedding_model: str
    dimensions: int


class CollectionInfoOut(WireModel):
    """What is known about a collection."""

    status: Success = "success"
    collection: str
    info: QdrantInfoOut
    timestamp: datetime
