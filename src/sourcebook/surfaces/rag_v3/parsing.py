"""Checks what comes in by hand: contract 003 froze the order of the checks and their words."""

import re
from dataclasses import dataclass

from sourcebook.core.metadata import Metadata, check_metadata, is_blank
from sourcebook.core.postings import Posting, clean
from sourcebook.ingestion.inbox import MAX_TEXT_LENGTH
from sourcebook.search.documents import Wanted
from sourcebook.surfaces.rag_v3 import schemas
from sourcebook.surfaces.rag_v3.errors import WHOLE_BODY, BadField
from sourcebook.surfaces.rag_v3.fields import (
    Fields,
    checked,
    in_field,
    read_filters,
    read_number,
    read_object,
    read_tags,
    read_text,
    read_top_k,
    short_text,
)

_SOURCE = re.compile(schemas.SOURCE_PATTERN)


@dataclass(frozen=True, slots=True)
class Search:
    """A question, how many answers at most, how good at least, and from which documents."""

    question: str
    limit: int
    least_score: float
    wanted: Wanted


def parse_posting(given: object) -> Posting:
    """A document, or the first field that cannot be used."""
    fields = read_object(given, WHOLE_BODY, "The body must be a JSON object with a document")
    # The arguments are in the contract's order, which is the order of the checks.
    posting = Posting(
        source=_source(fields),
        path=_required(fields, "path", schemas.MAX_PATH_LENGTH),
        title=_required(_cleaned(fields, "title"), "title", schemas.MAX_TITLE_LENGTH),
        text=_text(fields),
        tags=read_tags(fields, "tags"),
        hash=read_text(fields, "hash", schemas.MAX_HASH_LENGTH),
        metadata=_metadata(fields),
    )
    in_field("metadata", lambda: check_metadata(posting.about))
    return posting


def parse_documents(given: object, at_most: int) -> list[object]:
    """The documents of a batch or a load, none of them checked yet."""
    fields = read_object(given, WHOLE_BODY, "The body must be a JSON object with 'documents'")
    documents = fields.get("documents")
    if not isinstance(documents, list) or not 1 <= len(documents) <= at_most:
        raise BadField("documents", f"documents must be an array of 1 to {at_most} documents")
    return documents


def parse_load(given: object) -> list[Posting]:
    """All documents of a load; the first that cannot be used refuses it, with its place."""
    postings = []
    for index, document in enumerate(parse_documents(given, schemas.MAX_LOAD)):
        place = f"documents[{index}]"
        try:
            postings.append(parse_posting(document))
        except BadField as error:
            field = place if error.field == WHOLE_BODY else f"{place}.{error.field}"
            raise BadField(field, error.message) from None
    return postings


def parse_search(given: object) -> Search:
    """A question, or the first field that cannot be used."""
    fields = read_object(given, WHOLE_BODY, "The body must be a JSON object with a 'query'")
    return Search(
        question=_question(fields),
        limit=read_top_k(fields, "topK"),
        least_score=_min_score(fields),
        wanted=read_filters(fields, "filters"),
    )


def parse_wanted(source: str | None, tags: str | None) -> Wanted:
    """Which documents to list; tags are separated by commas, and any of them will do."""
    given = {"source": source, "tags": tags.split(",") if tags else None}
    return checked(Wanted(read_text(given, "source"), read_tags(given, "tags")), "tags")


def _source(fields: Fields) -> str:
    source = _required(fields, "source", schemas.MAX_SOURCE_LENGTH)
    if _SOURCE.fullmatch(source) is None:
        raise BadField("source", f"source must match pattern: {schemas.SOURCE_PATTERN}")
    return source


def _text(fields: Fields) -> str:
    text = fields.get("text")
    # Stripped first, which is quick: the blank check goes from character to character.
    if not isinstance(text, str) or not text.strip() or is_blank(text):
        raise BadField("text", "text is required and must be a non-empty string")
    if len(text) > MAX_TEXT_LENGTH:
        raise BadField(
            "text",
            f"text has {len(text)} characters, {MAX_TEXT_LENGTH} at most; post it in parts",
        )
    return text


def _question(fields: Fields) -> str:
    question = fields.get("query")
    if not isinstance(question, str) or is_blank(question):
        raise BadField("query", "query is required and must be a non-empty string")
    return short_text(question, "query", schemas.MAX_QUERY_LENGTH)


def _min_score(fields: Fields) -> float:
    given = fields.get("minScore")
    number = 0.0 if given is None else read_number(given)
    if number is None or not 0.0 <= number <= 1.0:
        raise BadField("minScore", "minScore must be a number between 0.0 and 1.0")
    return number


def _metadata(fields: Fields) -> Metadata:
    given = fields.get("metadata")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BadField("metadata", "metadata must be an object")
    return given


def _required(fields: Fields, name: str, longest: int) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise BadField(name, f"{name} is required and must be a string")
    return short_text(value, name, longest)


def _cleaned(fields: Fields, name: str) -> Fields:
    value = fields.get(name)
    return {name: clean(value)} if isinstance(value, str) else fields
