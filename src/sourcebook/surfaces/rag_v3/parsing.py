"""Parses requests of the RAG contract; InvalidField names the first field that is unusable."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import check_metadata
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.core.search_modes import SearchMode
from sourcebook.search.posted_documents import DocumentQuery
from sourcebook.surfaces.errors import WHOLE_BODY
from sourcebook.surfaces.rag_v3.fields import DEFAULT_TOP_K, PLACE, REFUSED, UNUSABLE
from sourcebook.surfaces.rag_v3.schemas import (
    BatchIn,
    FiltersIn,
    IngestIn,
    LoadIn,
    RagSearchIn,
)
from sourcebook.surfaces.request_errors import InvalidField

Schema = TypeVar("Schema", bound=BaseModel)

# What the contract says where pydantic has words of its own.
_WORDS: Mapping[str, str] = {
    "string_type": "must be a string",
    "string_too_long": "has {length} characters, {max_length} at most",
    "bool_type": "must be true or false",
    "list_type": "must be an array",
    "too_long": "has {actual_length} elements, {max_length} at most",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}


@dataclass(frozen=True, slots=True)
class Search:
    """A question, how many answers at most, how good at least, and from which documents.

    `mode` is what to search by; None for the service's default.
    """

    question: str
    limit: int
    least_score: float
    wanted: DocumentQuery
    mode: SearchMode | None
    explain: bool


def parse(schema: type[Schema], given: object, content: str) -> Schema:
    """Validate a body that must hold `content`."""
    if not isinstance(given, dict):
        raise InvalidField(WHOLE_BODY, f"The body must be a JSON object with {content}")
    try:
        return schema.model_validate(given)
    except ValidationError as error:
        raise _invalid_field(error.errors(include_url=False)[0]) from None


def parse_posting(given: object) -> PostedDocument:
    body = parse(IngestIn, given, "a document")
    posting = PostedDocument(
        source=body.source,
        path=body.path,
        title=body.title,
        text=body.text,
        tags=tuple(body.tags or ()),
        hash=body.hash,
        metadata=body.metadata or {},
    )
    try:
        check_metadata(posting.about)
    except InvalidInput as error:
        raise InvalidField("metadata", error.message) from None
    return posting


def parse_batch(given: object) -> list[PostedDocument | InvalidField]:
    """Parse the documents of a batch, each for itself."""
    parsed: list[PostedDocument | InvalidField] = []
    for document in parse(BatchIn, given, "'documents'").documents:
        try:
            parsed.append(parse_posting(document))
        except InvalidField as error:
            parsed.append(error)
    return parsed


def parse_load(given: object) -> list[PostedDocument]:
    """Parse all documents of a load; the first unusable one refuses it, with its place."""
    postings = []
    for index, document in enumerate(parse(LoadIn, given, "'documents'").documents):
        place = f"documents[{index}]"
        try:
            postings.append(parse_posting(document))
        except InvalidField as error:
            field = place if error.field == WHOLE_BODY else f"{place}.{error.field}"
            raise InvalidField(field, error.message) from None
    return postings


def parse_search(given: object) -> Search:
    body = parse(RagSearchIn, given, "a 'query'")
    return Search(
        question=body.query,
        limit=DEFAULT_TOP_K if body.top_k is None else body.top_k,
        least_score=0.0 if body.min_score is None else body.min_score,
        wanted=document_query(body.filters, "filters"),
        mode=body.mode,
        explain=body.explain or False,
    )


def parse_wanted(source: str | None, tags: str | None) -> DocumentQuery:
    """Parse which documents to list; tags are separated by commas, and any of them will do."""
    given = {"source": source, "tags": tags.split(",") if tags else None}
    return document_query(parse(FiltersIn, given, "filters"), "tags")


def document_query(filters: FiltersIn | None, place: str) -> DocumentQuery:
    """Map filters to a query; one with too many terms is refused as a whole."""
    if filters is None:
        return DocumentQuery()
    wanted = DocumentQuery(filters.source, tuple(filters.tags or ()), filters.metadata)
    try:
        _ = wanted.filter
    except InvalidInput as error:
        raise InvalidField(place, error.message) from None
    return wanted


def _invalid_field(error: ErrorDetails) -> InvalidField:
    place = _place(error["loc"])
    kind, context = error["type"], error.get("ctx", {})
    if kind == REFUSED:
        return InvalidField(place, error["msg"])
    if kind == UNUSABLE:
        return InvalidField(place, error["msg"].replace(PLACE, place))
    given = error["input"]
    length = len(given) if isinstance(given, str) else None
    words = _WORDS[kind].format(**{"length": length, **context})
    return InvalidField(place, f"{place} {words}")


def _place(where: tuple[str | int, ...]) -> str:
    place = ""
    for part in where:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return place
