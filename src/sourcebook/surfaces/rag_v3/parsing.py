"""Checks what comes in by hand: contract 003 froze the order of the checks and their words."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import Metadata, Scalar, check_metadata, check_text, is_blank
from sourcebook.core.postings import OWN_PREFIX, Posting, clean
from sourcebook.ingestion.inbox import MAX_TEXT_LENGTH
from sourcebook.search.documents import Wanted
from sourcebook.surfaces.rag_v3 import schemas
from sourcebook.surfaces.rag_v3.errors import WHOLE_BODY, BadField

Fields: TypeAlias = Mapping[str, object]

DEFAULT_TOP_K = 5

_SOURCE = re.compile(schemas.SOURCE_PATTERN)
_NUMBER = re.compile(r"\s*[+-]?\d{1,20}(?:\.\d{1,20})?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Search:
    """A question, how many answers at most, how good at least, and from which documents."""

    question: str
    limit: int
    least_score: float
    wanted: Wanted


def parse_posting(given: object) -> Posting:
    """A document, or the first field that cannot be used."""
    fields = _object(given, WHOLE_BODY, "The body must be a JSON object with a document")
    # The arguments are in the contract's order, which is the order of the checks.
    posting = Posting(
        source=_source(fields),
        path=_required(fields, "path", schemas.MAX_PATH_LENGTH),
        title=_required(_cleaned(fields, "title"), "title", schemas.MAX_TITLE_LENGTH),
        text=_text(fields),
        tags=_tags(fields, "tags"),
        hash=_optional(fields, "hash", schemas.MAX_HASH_LENGTH),
        metadata=_metadata(fields),
    )
    _in_field("metadata", lambda: check_metadata(posting.about))
    return posting


def parse_documents(given: object, at_most: int) -> list[object]:
    """The documents of a batch or a load, none of them checked yet."""
    fields = _object(given, WHOLE_BODY, "The body must be a JSON object with 'documents'")
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
    fields = _object(given, WHOLE_BODY, "The body must be a JSON object with a 'query'")
    return Search(
        question=_question(fields),
        limit=_top_k(fields),
        least_score=_min_score(fields),
        wanted=_filters(fields),
    )


def parse_wanted(source: str | None, tags: str | None) -> Wanted:
    """Which documents to list; tags are separated by commas, and any of them will do."""
    given = {"source": source, "tags": tags.split(",") if tags else None}
    return _checked(Wanted(_optional(given, "source"), _tags(given, "tags")), "tags")


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
    return _short(question, "query", schemas.MAX_QUERY_LENGTH)


def _top_k(fields: Fields) -> int:
    given = fields.get("topK")
    number = DEFAULT_TOP_K if given is None else _number(given)
    if number is None or number != int(number) or not 1 <= number <= schemas.MAX_TOP_K:
        raise BadField("topK", f"topK must be a number between 1 and {schemas.MAX_TOP_K}")
    return int(number)


def _min_score(fields: Fields) -> float:
    given = fields.get("minScore")
    number = 0.0 if given is None else _number(given)
    if number is None or not 0.0 <= number <= 1.0:
        raise BadField("minScore", "minScore must be a number between 0.0 and 1.0")
    return number


def _filters(fields: Fields) -> Wanted:
    given = fields.get("filters")
    if given is None:
        return Wanted()
    filters = _object(given, "filters", "filters must be an object")
    wanted = Wanted(
        _optional(filters, "source", place="filters.source"),
        _tags(filters, "tags", place="filters.tags"),
        _own_metadata(filters),
    )
    return _checked(wanted, "filters")


def _own_metadata(filters: Fields) -> dict[str, Scalar] | None:
    place = "filters.metadata"
    given = filters.get("metadata")
    if given is None:
        return None
    wanted: dict[str, Scalar] = {}
    for name, value in _object(given, place, f"{place} must be an object").items():
        if not isinstance(value, str | int | float):
            raise BadField(place, f"{place} must hold strings, numbers and booleans only")
        wanted[name] = value
    stored = {OWN_PREFIX + name: value for name, value in wanted.items()}
    _in_field(place, lambda: check_metadata(stored))
    return wanted


def _metadata(fields: Fields) -> Metadata:
    given = fields.get("metadata")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BadField("metadata", "metadata must be an object")
    return given


def _tags(fields: Fields, name: str, place: str | None = None) -> tuple[str, ...]:
    place = place or name
    given = fields.get(name)
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(tag, str) for tag in given):
        raise BadField(place, f"{place} must be an array of strings")
    if len(given) > schemas.MAX_TAGS:
        raise BadField(place, f"{place} has {len(given)} elements, {schemas.MAX_TAGS} at most")
    longest = max(map(len, given), default=0)
    if longest > schemas.MAX_TAG_LENGTH:
        raise BadField(
            place, f"{place} has one of {longest} characters, {schemas.MAX_TAG_LENGTH} at most"
        )
    return tuple(_storable(tag, place) for tag in given)


def _required(fields: Fields, name: str, longest: int) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise BadField(name, f"{name} is required and must be a string")
    return _short(value, name, longest)


def _optional(
    fields: Fields,
    name: str,
    longest: int = schemas.MAX_SOURCE_LENGTH,
    place: str | None = None,
) -> str | None:
    place = place or name
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadField(place, f"{place} must be a string")
    return _short(value, place, longest)


def _cleaned(fields: Fields, name: str) -> Fields:
    value = fields.get(name)
    return {name: clean(value)} if isinstance(value, str) else fields


def _short(value: str, place: str, longest: int) -> str:
    if len(value) > longest:
        raise BadField(place, f"{place} has {len(value)} characters, {longest} at most")
    return _storable(value, place)


def _storable(value: str, place: str) -> str:
    _in_field(place, lambda: check_text(value, place))
    return value


def _number(given: object) -> float | None:
    """A number, also one that was sent as text; true and false are none."""
    if isinstance(given, str) and _NUMBER.fullmatch(given):
        return float(given)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given)


def _object(given: object, place: str, message: str) -> Fields:
    if not isinstance(given, dict):
        raise BadField(place, message)
    return given


def _checked(wanted: Wanted, place: str) -> Wanted:
    """Refuse a filter with too many terms before anything is asked."""
    _in_field(place, lambda: wanted.filter)
    return wanted


def _in_field(place: str, check: Callable[[], object]) -> None:
    """What a check of the core refuses is said of this field."""
    try:
        check()
    except InvalidInput as error:
        raise BadField(place, error.message) from None
