"""Field types of the RAG contract's requests: limits, and the words that the contract froze.

The order in which the fields of a schema are declared is the order of the checks.
"""

import re
from typing import Annotated, Final, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    SkipValidation,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import Scalar, check_metadata
from sourcebook.core.posted_documents import OWN_PREFIX
from sourcebook.core.search_modes import SEARCH_MODES, SearchMode
from sourcebook.core.text import check_text, is_blank, strip_control_characters
from sourcebook.ingestion.posted.inbox import MAX_TEXT_LENGTH

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
DEFAULT_TOP_K = 5

# Error types of the validators: a sentence with a gap for the field's place, and a whole one.
UNUSABLE: Final = "unusable"
REFUSED: Final = "refused"
PLACE: Final = "{place}"

_SOURCE = re.compile(SOURCE_PATTERN)
_NUMBER = re.compile(r"\s*[+-]?\d{1,20}(?:\.\d{1,20})?\s*", re.ASCII)


class RagIn(BaseModel):
    """A request with camelCase names. Other fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _fill_in_missing(cls, given: object) -> object:
        """Let each required field's own validator say that it is missing."""
        if not isinstance(given, dict):
            return given
        required = (field for field in cls.model_fields.values() if field.is_required())
        return {**{field.alias: None for field in required}, **given}


def unusable(words: str) -> PydanticCustomError:
    """Refuse a value in the given words; `{place}` stands for the field."""
    return PydanticCustomError(UNUSABLE, "{words}", {"words": words})


def read_number(given: object) -> float | None:
    """Return a number, even if it was sent as text; None for anything else."""
    if isinstance(given, str) and _NUMBER.fullmatch(given):
        return float(given)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given)


def or_else(words: str) -> WrapValidator:
    """Use the same words whatever is wrong with a value."""

    def check(given: object, validate: ValidatorFunctionWrapHandler) -> object:
        try:
            return validate(given)
        except ValidationError:
            raise unusable(f"{PLACE} {words}") from None

    return WrapValidator(check)


def documents_up_to(most: int) -> WrapValidator:
    """Check only how many documents there are: each is parsed, and refused, for itself."""

    def check(given: object, _: ValidatorFunctionWrapHandler) -> object:
        if not isinstance(given, list) or not 1 <= len(given) <= most:
            raise unusable(f"{PLACE} must be an array of 1 to {most} documents")
        return given

    return WrapValidator(check)


def _refuse_missing(given: object) -> None:
    # The contract has these words; for what is there and unusable, its clients know others.
    if given is None:
        raise unusable(f"{PLACE} is required")


def _require(given: object) -> object:
    _refuse_missing(given)
    if not isinstance(given, str) or not given:
        raise unusable(f"{PLACE} is required and must be a string")
    return given


def _require_visible(given: object) -> object:
    _refuse_missing(given)
    # Stripped first, which is quick: the blank check goes from character to character.
    if not isinstance(given, str) or not given.strip() or is_blank(given):
        raise unusable(f"{PLACE} is required and must be a non-empty string")
    return given


def _clean(given: object) -> object:
    return strip_control_characters(given) if isinstance(given, str) else given


def _parse_number(given: object) -> object:
    number = read_number(given)
    return "not a number" if number is None else number


def _check_storable(text: str) -> str:
    try:
        check_text(text, PLACE)
    except InvalidInput as error:
        raise unusable(error.message) from None
    return text


def _check_source(source: str) -> str:
    if _SOURCE.fullmatch(source) is None:
        raise unusable(f"{PLACE} must match pattern: {SOURCE_PATTERN}")
    return source


def _check_filter_source(source: str) -> str:
    # The OpenAPI document does not tell this limit.
    if len(source) > MAX_SOURCE_LENGTH:
        raise unusable(f"{PLACE} has {len(source)} characters, {MAX_SOURCE_LENGTH} at most")
    return source


def _check_text_length(text: str) -> str:
    if len(text) > MAX_TEXT_LENGTH:
        raise unusable(
            f"{PLACE} has {len(text)} characters, {MAX_TEXT_LENGTH} at most; post it in parts"
        )
    return text


def _check_tags(given: object) -> object:
    if not isinstance(given, list) or not all(isinstance(tag, str) for tag in given):
        raise unusable(f"{PLACE} must be an array of strings")
    if len(given) > MAX_TAGS:
        raise unusable(f"{PLACE} has {len(given)} elements, {MAX_TAGS} at most")
    longest = max(map(len, given), default=0)
    if longest > MAX_TAG_LENGTH:
        raise unusable(f"{PLACE} has one of {longest} characters, {MAX_TAG_LENGTH} at most")
    return [_check_storable(tag) for tag in given]


def _check_filter_values(given: object) -> object:
    if isinstance(given, dict):
        if not all(isinstance(value, str | int | float) for value in given.values()):
            raise unusable(f"{PLACE} must hold strings, numbers and booleans only")
        try:
            check_metadata({OWN_PREFIX + name: value for name, value in given.items()})
        except InvalidInput as error:
            raise PydanticCustomError(REFUSED, "{words}", {"words": error.message}) from None
    return given


STORABLE = AfterValidator(_check_storable)
REQUIRED = BeforeValidator(_require)

Source: TypeAlias = Annotated[
    str,
    # The pattern is checked below, after the characters that cannot be stored.
    Field(max_length=MAX_SOURCE_LENGTH, json_schema_extra={"pattern": SOURCE_PATTERN}),
    REQUIRED,
    STORABLE,
    AfterValidator(_check_source),
]
Path: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=MAX_PATH_LENGTH), REQUIRED, STORABLE
]
Title: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=MAX_TITLE_LENGTH),
    REQUIRED,
    BeforeValidator(_clean),
    STORABLE,
]
DocumentText: TypeAlias = Annotated[
    str,
    Field(min_length=1),
    BeforeValidator(_require_visible),
    AfterValidator(_check_text_length),
]
Hash: TypeAlias = Annotated[str, Field(max_length=MAX_HASH_LENGTH), STORABLE]
Tag: TypeAlias = Annotated[str, Field(max_length=MAX_TAG_LENGTH)]
Tags: TypeAlias = Annotated[list[Tag], Field(fail_fast=True), BeforeValidator(_check_tags)]
# Checked as a whole, after the other fields.
Metadata: TypeAlias = dict[str, Annotated[JsonValue, SkipValidation]]
FilterSource: TypeAlias = Annotated[str, AfterValidator(_check_filter_source), STORABLE]
FilterMetadata: TypeAlias = Annotated[dict[str, Scalar], BeforeValidator(_check_filter_values)]
Query: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=MAX_QUERY_LENGTH),
    BeforeValidator(_require_visible),
    STORABLE,
]
TopK: TypeAlias = Annotated[
    int,
    Field(ge=1, le=MAX_TOP_K),
    BeforeValidator(_parse_number),
    or_else(f"must be a number between 1 and {MAX_TOP_K}"),
]
MinScore: TypeAlias = Annotated[
    float,
    Field(ge=0.0, le=1.0),
    BeforeValidator(_parse_number),
    or_else("must be a number between 0.0 and 1.0"),
]
Mode: TypeAlias = Annotated[SearchMode, or_else(f"must be one of {', '.join(SEARCH_MODES)}")]
