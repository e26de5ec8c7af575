"""What contract 003 sends and receives. `parsing` checks what comes in; here it is described."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from sourcebook.core.jobs import JobStatus
from sourcebook.core.postings import PutStatus

SOURCE_PATTERN = "^[a-zA-Z0-9_-]+$"
MAX_SOURCE_LENGTH = 200
MAX_PATH_LENGTH = 2_000
MAX_TITLE_LENGTH = 1_000
MAX_HASH_LENGTH = 200
MAX_TAGS = 100
MAX_TAG_LENGTH = 200
MAX_QUERY_LENGTH = 10_000
MAX_TOP_K = 20
MAX_BATCH = 50
MAX_LOAD = 1_000

Tag = Annotated[str, Field(max_length=MAX_TAG_LENGTH)]
Success = Literal["success"]


class _Wire(BaseModel):
    """Names are in camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class IngestIn(_Wire):
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

    source: str = Field(pattern=SOURCE_PATTERN, max_length=MAX_SOURCE_LENGTH)
    path: str = Field(min_length=1, max_length=MAX_PATH_LENGTH, description="A path or URL")
    title: str = Field(min_length=1, max_length=MAX_TITLE_LENGTH)
    text: str = Field(min_length=1, description="Control characters are removed")
    hash: str | None = Field(
        None, max_length=MAX_HASH_LENGTH, description="Kept; whether the text changed is seen here"
    )
    tags: list[Tag] | None = Field(None, max_length=MAX_TAGS)
    metadata: dict[str, JsonValue] | None = Field(
        None, description="Kept, given back, and open to filters. A new `ingestedAt` is no change"
    )


class BatchIn(_Wire):
    """Documents, each stored or refused for itself."""

    documents: list[IngestIn] = Field(min_length=1, max_length=MAX_BATCH)


class LoadIn(_Wire):
    """Documents for a job; one that cannot be used refuses all of them."""

    documents: list[IngestIn] = Field(min_length=1, max_length=MAX_LOAD)


class FiltersIn(_Wire):
    """All that is given must hold."""

    source: str | None = None
    tags: list[Tag] | None = Field(None, description="Any of these")
    metadata: dict[str, str | int | float | bool] | None = Field(
        None, description="Fields of the documents' own metadata, and the value of each"
    )


class RagSearchIn(_Wire):
    """A question to the posted documents. Numbers may be sent as text."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "How much can the arm lift?", "topK": 5}]}
    )

    query: str = Field(min_length=1, max_length=MAX_QUERY_LENGTH)
    top_k: int | None = Field(5, ge=1, le=MAX_TOP_K)
    min_score: float | None = Field(0.0, ge=0.0, le=1.0)
    filters: FiltersIn | None = None


class IngestOut(_Wire):
    """What became of a document. The contract forbids further fields."""

    status: PutStatus
    document_id: str
    chunk_count: int


class ProblemOut(BaseModel):
    """Which field cannot be used, and why."""

    field: str
    message: str


class InvalidOut(BaseModel):
    """The request cannot be used."""

    error: Literal["Validation error"]
    details: ProblemOut


class RagErrorOut(BaseModel):
    """What went wrong, in a word and in a sentence."""

    error: str
    message: str


class RefusedOut(BaseModel):
    """A document of a batch that was not stored: the body that it would have got alone."""

    status: Literal["error"] = "error"
    index: int
    error: str
    message: str | None = None
    details: ProblemOut | None = None


class BatchOut(BaseModel):
    """A result for each document, in order, and how many there are of which kind."""

    results: list[IngestOut | RefusedOut]
    created: int
    updated: int
    unchanged: int
    failed: int


class LoadOrderedOut(_Wire):
    """A load that is recorded; it begins soon."""

    job_id: int
    status: JobStatus
    total: int


class LoadErrorOut(BaseModel):
    """A document of a load that could not be stored, by its place from 0."""

    index: int
    message: str


class LoadOut(_Wire):
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


class HitMetadataOut(_Wire):
    """Where a result comes from."""

    document_id: str
    source: str
    path: str
    title: str
    chunk_index: int
    tags: list[str]


class RagHitOut(BaseModel):
    """A chunk that was found; `score` is its similarity from 0 to 1."""

    text: str
    score: float
    metadata: HitMetadataOut


class RagSearchOut(_Wire):
    """The results, best first."""

    query: str
    result_count: int
    results: list[RagHitOut]


class RagDocumentOut(_Wire):
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


class StatsOut(_Wire):
    """How much is stored in all."""

    document_count: int
    chunk_count: int
    avg_chunks_per_doc: str = Field(examples=["15.00"])


class RagDocumentsOut(BaseModel):
    """A page of documents, twice: clients read `data` or `documents`. `total` is all that match."""

    status: Success = "success"
    data: list[RagDocumentOut]
    documents: list[RagDocumentOut]
    stats: StatsOut
    count: int
    total: int


class FoundDocumentOut(_Wire):
    """One document."""

    status: Success = "success"
    document_id: str
    data: WholeDocumentOut


class RagChunkOut(_Wire):
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


class RagChunksOut(_Wire):
    """The chunks of a document, in reading order."""

    status: Success = "success"
    document_id: str
    count: int
    chunks: list[RagChunkOut]


class RagDeletedOut(_Wire):
    """A document was deleted."""

    status: Success = "success"
    message: str = "Document deleted successfully"
    document_id: str
    id: str


class SourceOut(BaseModel):
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


class MetricsOut(BaseModel):
    """The numbers, and whether every part of the service is up."""

    status: Success = "success"
    healthy: bool
    stats: MetricsStatsOut
    timestamp: datetime


class QdrantInfoOut(BaseModel):
    """A collection in the words of Qdrant; `points_count` and `vectors_count` are its chunks."""

    status: Literal["green", "yellow"] = Field(description="`yellow`: it needs re-indexing")
    points_count: int
    vectors_count: int
    documents_count: int
    embedding_model: str
    dimensions: int


class CollectionInfoOut(BaseModel):
    """What is known about a collection."""

    status: Success = "success"
    collection: str
    info: QdrantInfoOut
    timestamp: datetime
