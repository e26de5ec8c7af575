"""Requests and replies of searches in several collections, and of topic detection."""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    JsonValue,
)

from sourcebook.core.search_modes import SearchMode
from sourcebook.surfaces.explanations import EXPLAIN, MODE, HitStagesOut, StagesOut
from sourcebook.surfaces.schema_types import StrictIn, WireModel, refuse_blank, refuse_nul

MAX_MESSAGE_LENGTH = 8_000
MAX_TEXT_LENGTH = 100_000
MAX_COLLECTIONS = 50
MAX_TOP_K = 50
MAX_MESSAGES = 1_000


def _by_name(given: object) -> object:
    return {"name": given} if isinstance(given, str) else given


Message = Annotated[
    str,
    Field(min_length=1, max_length=MAX_MESSAGE_LENGTH),
    AfterValidator(refuse_nul),
    AfterValidator(refuse_blank),
]
TopicText = Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH), AfterValidator(refuse_nul)]


class NamedIn(StrictIn):
    """A collection; clients also name the service that it is in, which is this one."""

    name: str = Field(min_length=1, examples=["robotics"])


Named = Annotated[NamedIn, BeforeValidator(_by_name, json_schema_input_type=str | NamedIn)]


class CollectIn(StrictIn):
    """A message to several collections. Without a current topic the message is searched as it is,
    else the topic.
    """

    user_message: Message = Field(
        validation_alias="userMessage", examples=["Does it integrate with OpenShift AI?"]
    )
    current_topic: TopicText | None = Field(
        None, validation_alias="currentTopic", description="The topic before this message"
    )
    topic: TopicText | None = Field(None, description="The topic after this message")
    collections: list[Named] = Field(
        min_length=1,
        max_length=MAX_COLLECTIONS,
        description="The first that has a match wins",
        examples=[["robotics", {"name": "manuals", "service": "main"}]],
    )
    top_k: int = Field(3, ge=1, le=MAX_TOP_K, description="Of each collection")
    mode: SearchMode | None = Field(None, description=MODE)
    explain: bool = Field(False, description=EXPLAIN)


class CollectedOut(WireModel):
    """A document that was found, and where. `rerank_score` is there with a reranker."""

    id: str
    text: str
    title: str
    source: str
    metadata: dict[str, JsonValue]
    collection: str
    distance: float
    score: float
    rerank_score: float | None = None


class FailureOut(WireModel):
    """A collection that could not be searched."""

    collection: str
    detail: str


class CollectionStagesOut(StagesOut):
    """How the search of one collection went."""

    collection: str


class CollectedStagesOut(HitStagesOut):
    """What each stage said of a document, among those of its collection."""

    collection: str
    id: str


class CollectExplainOut(WireModel):
    """How each search went, and what its stages said of each document, in the order of `data`."""

    searches: list[CollectionStagesOut]
    results: list[CollectedStagesOut]


class CollectOut(WireModel):
    """What the collections have. `explain` is there if asked for, `note` if not all are here.

    A match is what one collection has; a partial one is of all that have something.
    """

    result: Literal["match", "partial", "none"]
    data: list[CollectedOut]
    strategy: str = Field(examples=["first message (raw query)"])
    query_text: str
    failures: list[FailureOut]
    note: str | None = None
    explain: CollectExplainOut | None = None


class RemarkIn(StrictIn):
    """Something that was said. `role` and `content` are other names for `type` and `text`."""

    speaker: Literal["user", "bot", "assistant", "system"] = Field(
        validation_alias=AliasChoices("type", "role")
    )
    text: str = Field(max_length=MAX_TEXT_LENGTH, validation_alias=AliasChoices("text", "content"))
    topic: str | None = Field(None, max_length=MAX_MESSAGE_LENGTH)


class TopicIn(StrictIn):
    """A message, and the conversation before it."""

    user_message: Message = Field(
        validation_alias=AliasChoices("userMessage", "message"),
        examples=["Does it integrate with OpenShift AI?"],
    )
    messages: list[RemarkIn] = Field(
        default=[],
        max_length=MAX_MESSAGES,
        validation_alias=AliasChoices("messages", "previousMessages"),
        examples=[[{"type": "user", "text": "What is InstructLab?"}]],
    )
    current_topic: TopicText | None = Field(None, validation_alias="currentTopic")


class TopicOut(WireModel):
    """What the conversation is about now. `strategy` is how the message will be searched with."""

    topic: str
    topic_status: Literal["continuation", "new_topic"]
    topic_summary: str
    normalized: str
    strategy: str
    method: Literal["llm", "deterministic"]
