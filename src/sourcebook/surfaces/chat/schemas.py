"""Requests and replies of the chat contract, and the events of its streams."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from sourcebook.core.answers import Fallback, Grounding, History, Mode
from sourcebook.core.collections import MAX_NAME_LENGTH
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.text import is_blank
from sourcebook.surfaces.explanations import MODE, USED_MODE
from sourcebook.surfaces.schema_types import (
    Boxes,
    CellNumber,
    PageAnchor,
    PageNumber,
    RowNumber,
    SlideNumber,
    StrictIn,
    WireModel,
    refuse_nul,
)

MAX_QUERY_LENGTH = 2_000
MAX_SELECTION_LENGTH = 10_000
MAX_TOP_K = 20
MAX_FILTER_VALUES = 50
MAX_FILTER_LENGTH = 2_000
MAX_EXCHANGES = 20
MAX_COLLECTIONS = 20
FILTER_FIELDS = ("source_url", "page_title", "section_heading")

UUID_4 = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"
_UUID_4 = re.compile(UUID_4.removeprefix("^").removesuffix("$"))


def is_session_id(text: str) -> bool:
    """Return whether this is a UUID of version 4, which nobody can guess."""
    return _UUID_4.fullmatch(text) is not None


def _asked(query: str) -> str:
    if is_blank(query):
        raise PydanticCustomError("blank", "must not be empty")
    return query


def _session(text: str) -> str:
    if not is_session_id(text):
        raise PydanticCustomError("uuid_4", "must be a UUID of version 4 (36 characters)")
    return text.lower()


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _known(filters: object) -> object:
    if isinstance(filters, dict):
        unknown = sorted(str(name) for name in filters.keys() - set(FILTER_FIELDS))
        if unknown:
            raise PydanticCustomError(
                "unknown_filter",
                "can only name {known}",
                {"known": ", ".join(FILTER_FIELDS)},
            )
    return filters


_TEXT_SCHEMA = {"type": "string", "minLength": 1, "maxLength": MAX_FILTER_LENGTH}
_TEXTS_SCHEMA = {
    "type": "array",
    "items": _TEXT_SCHEMA,
    "minItems": 1,
    "maxItems": MAX_FILTER_VALUES,
}

Query: TypeAlias = Annotated[
    str,
    # The shortest length is for the documentation: blank is refused as well.
    Field(max_length=MAX_QUERY_LENGTH, json_schema_extra={"minLength": 1}),
    AfterValidator(refuse_nul),
    AfterValidator(_asked),
]
SessionId: TypeAlias = Annotated[
    str,
    Field(json_schema_extra={"format": "uuid", "pattern": UUID_4}),
    AfterValidator(_session),
]
FilterText: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=MAX_FILTER_LENGTH), AfterValidator(refuse_nul)
]
BookId: TypeAlias = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(refuse_nul)]
CollectionName: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=MAX_NAME_LENGTH), AfterValidator(refuse_nul)
]
# A string is taken as a list of one.
FilterTexts: TypeAlias = Annotated[
    list[FilterText],
    Field(min_length=1, max_length=MAX_FILTER_VALUES),
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [_TEXT_SCHEMA, _TEXTS_SCHEMA]}),
]


class FiltersIn(StrictIn):
    """Only sources with one of these values in each of these fields."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    source_url: FilterTexts | None = None
    page_title: FilterTexts | None = None
    section_heading: FilterTexts | None = None


class PageIn(StrictIn):
    """The page that the question was asked on."""

    url: FilterText = Field(description="Its address, as the browser shows it")
    title: Annotated[str, Field(max_length=MAX_FILTER_LENGTH), AfterValidator(refuse_nul)] = ""


class ChatIn(StrictIn):
    """A question to the documentation, or to a selected text alone."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "What is ROS 2?", "top_k": 5},
                {"query": "What is a node?", "collections": ["robotics"]},
                {
                    "query": "What is a node?",
                    "mode": "selected_text",
                    "selected_text": "A node is one process of a robot.",
                },
            ]
        }
    )

    query: Query
    session_id: SessionId | None = Field(
        None, description="Names the conversation; whoever knows it can read it"
    )
    mode: Mode = Field("general", description="Where the answer may come from")
    selected_text: str | None = Field(
        None,
        description=f"1 to {MAX_SELECTION_LENGTH} characters; required in mode `selected_text`,"
        " ignored in the other",
    )
    top_k: int = Field(5, ge=1, le=MAX_TOP_K, description="How many chunks to consider at most")
    score_threshold: float | None = Field(
        None, ge=0.0, le=1.0, description="Only chunks whose score is at least this"
    )
    search_mode: SearchMode | None = Field(None, description=f"{MODE}. Ignored with a selection")
    filters: Annotated[FiltersIn, BeforeValidator(_known)] | None = Field(
        None, description="Only chunks of these sources"
    )
    stream: bool = Field(False, description="Reply with Server-Sent Events, as /chat/stream does")
    book_id: BookId | None = Field(None, description="This book alone, instead of all")
    hardware_tier: int | None = Field(
        None, ge=1, le=4, description="What lies above this tier does not exist"
    )
    collections: list[CollectionName] | None = Field(
        None,
        min_length=1,
        max_length=MAX_COLLECTIONS,
        description="Search these collections alone; without it the book, the posted documents"
        " and the adopted collections. Ignored with a selection",
    )
    page: PageIn | None = Field(
        None,
        description="The page that the question was asked on. A question that points at it, like"
        ' "What does this page say about nodes?", is answered from that page, if it is indexed and'
        " may be seen. Ignored with a selection",
    )
    grounding: Grounding | None = Field(
        None,
        description="`strict`: only what is proven or quoted; `cited`: a model's own words, too,"
        " with what they stand on, where the operator allows it. By default as the operator chose",
    )
    progress: bool = Field(
        False,
        description="With a stream: also send `found`, and `sources` as soon as some are known",
    )


@dataclass(frozen=True, slots=True)
class CitationOut:
    """A source that the answer used; `[number]` in the answer points to it.

    `chunk_text` is what stands in the source from character `char_start` to before `char_end`,
    from line `line_start` to `line_end`; these are null where that is not known. For a selection
    the source is the selected text.
    """

    number: int
    source_url: Annotated[
        str, Field(description="Opens the source; `selected_text` for a selection")
    ]
    page_title: str
    section_heading: str
    chunk_text: Annotated[str, Field(description="Verbatim, at most 500 characters")]
    relevance_score: float
    char_start: int | None
    char_end: int | None
    line_start: int | None
    line_end: int | None
    source_file: str | None
    chunk_id: str | None
    document_id: str | None
    lesson_url: Annotated[str | None, Field(description="As `source_url`; null for a selection")]
    collection: Annotated[str | None, Field(description="Where it is; null for a selection")] = None
    book_id: Annotated[
        str | None, Field(description="The book that it is from; null outside of books")
    ] = None
    plain_text: Annotated[
        str, Field(description="`chunk_text` as a reader sees it: without marks and tags")
    ] = ""
    statement_start: Annotated[
        int | None, Field(description="Where in the source the statement that answers best begins")
    ] = None
    statement_end: Annotated[
        int | None, Field(description="Before which character of the source it ends")
    ] = None
    statement_text: Annotated[
        str, Field(description="The same as the answer shows it, to be marked there")
    ] = ""
    page: PageNumber = None
    boxes: Boxes = None
    anchor: PageAnchor = None
    slide: SlideNumber = None
    row: RowNumber = None
    cell: CellNumber = None


class SentenceCountsOut(WireModel):
    """What became of the sentences that were written.

    `proven` ones left as they were, in the place of `quoted` ones a sentence of the sources left
    word for word, and `dropped` ones have nothing to do with the sources. `judged` ones left in the
    model's words because a judge found them borne by the cited statement, `cited` ones without
    that, `unproven` ones unchecked, because of their language. The operator allows all three.
    """

    proven: int = 0
    quoted: int = 0
    dropped: int = 0
    unproven: int = 0
    cited: int = 0
    judged: int = 0


class ClosestPlaceOut(WireModel):
    """A place near to what was asked, perhaps with what stands there."""

    title: str
    heading: str
    url: str
    text: str = ""


class ChatMetadataOut(WireModel):
    """How the answer came about. `answered` is false when the sources did not hold one.

    `cut_off` is true when the time, or the model's limit of tokens, was over before it was done:
    the whole sentences that it had written by then were checked as ever. `fallback` is not null
    when the language model failed and the reply was made without it; `warning` says why.
    """

    query_time_ms: float
    chunks_retrieved: int
    model: str
    query_strategy: str | None
    history: History
    answered: bool
    cut_off: bool = False
    collections: list[str] = Field(
        default_factory=list, description="Those that were searched; none for a selection"
    )
    fallback: Fallback | None = None
    warning: str | None = None
    search_mode: SearchMode | None = Field(
        default=None, description=f"{USED_MODE}; null if nothing was searched"
    )
    sentences: SentenceCountsOut = SentenceCountsOut()
    answer_probability: float | None = Field(
        default=None,
        description="That the sources hold the answer; null if no reader has read them",
    )
    closest: list[ClosestPlaceOut] = Field(
        default_factory=list,
        description="After a refusal: up to three places to look at, nearest first. The first may"
        " have a `text`: what stands there, which perhaps helps",
    )
    further: list[ClosestPlaceOut] = Field(
        default_factory=list,
        description="Beside an answer of quotes: places that answer nearly as well, a line of each",
    )
    corrected_question: str | None = Field(
        default=None,
        description="Searched for instead, as no document has some word of the question",
    )


class ChatOut(WireModel):
    """An answer. `session_id` is there if the question had one."""

    answer: str
    sources: list[CitationOut]
    mode: Mode
    metadata: ChatMetadataOut
    session_id: str | None = None


class ChatErrorOut(WireModel):
    """What went wrong; `retry_after` are seconds, and `trace_id` leads to the log."""

    error_code: str
    message: str
    details: dict[str, JsonValue] | None
    retry_after: int | None
    trace_id: str = Field(description="8 characters, also in the header X-Trace-Id")


class ChunkEvent(WireModel):
    """Some more of the answer's text.

    `unproven` is there, and true, if it was not checked against the sources because of its
    language; `cited`, if it is in the model's words and only its figures, names and denials were;
    `judged`, if it is in the model's words and a judge found it borne by the cited statement.
    """

    type: Literal["chunk"] = "chunk"
    content: str
    unproven: bool = Field(default=False, exclude_if=lambda unproven: not unproven)
    cited: bool = Field(default=False, exclude_if=lambda cited: not cited)
    judged: bool = Field(default=False, exclude_if=lambda judged: not judged)


class StatusEvent(WireModel):
    """The first event: the search is done, and what it found is being read."""

    type: Literal["status"] = "status"
    status: Literal["reading"] = "reading"


class FoundEvent(WireModel):
    """The places that are read for the answer, before all text. Only if `progress` is asked for."""

    type: Literal["found"] = "found"
    places: list[ClosestPlaceOut]


class SourcesEvent(WireModel):
    """What the answer used, once all of its text is out.

    If `progress` is asked for, also what is known so far, before the text that cites it.
    """

    type: Literal["sources"] = "sources"
    sources: list[CitationOut]


class DoneEvent(WireModel):
    """The end of an answer."""

    type: Literal["done"] = "done"
    metadata: ChatMetadataOut


class ErrorEvent(ChatErrorOut):
    """The end of an answer that could not be given, or not wholly."""

    type: Literal["error"] = "error"


Event: TypeAlias = StatusEvent | FoundEvent | ChunkEvent | SourcesEvent | DoneEvent | ErrorEvent


class MessageOut(WireModel):
    """One half of an exchange; `sources` are null for the user's."""

    id: str
    role: Literal["user", "assistant"]
    content: str
    sources: list[dict[str, JsonValue]] | None
    mode: Mode
    created_at: datetime


class ConversationOut(WireModel):
    """What was said in a session, oldest first; nothing if there is no such session."""

    session_id: str
    messages: list[MessageOut]


class ForgottenOut(WireModel):
    """A conversation that is gone, and how many exchanges it had."""

    session_id: str
    deleted: int
