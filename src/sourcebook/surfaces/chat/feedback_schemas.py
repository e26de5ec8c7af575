"""Schemas of feedback: marks, and questions that were not answered."""

from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from sourcebook.core.feedback import MarkedThing, Verdict
from sourcebook.surfaces.chat.schemas import ClosestPlaceOut, Query, SessionId
from sourcebook.surfaces.schema_types import StrictIn, WireModel, refuse_nul

MAX_REASON_LENGTH = 300
MAX_SOURCES = 20
MAX_SOURCE_LENGTH = 500

Reason: TypeAlias = Annotated[str, Field(max_length=MAX_REASON_LENGTH), AfterValidator(refuse_nul)]
SourceName: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=MAX_SOURCE_LENGTH), AfterValidator(refuse_nul)
]


class MarkIn(StrictIn):
    """A reader's opinion of an answer, a refusal or a hit."""

    id: SessionId = Field(description="A UUID of version 4; the same again replaces the mark")
    question: Query
    about: MarkedThing
    verdict: Verdict
    reason: Reason = ""
    sources: list[SourceName] = Field(
        default_factory=list,
        max_length=MAX_SOURCES,
        description="What the answer cites, or the hit is from: paths, or ids of documents",
    )


class MarkedOut(WireModel):
    """A mark that was kept."""

    id: str


class MarkOut(WireModel):
    """A mark as it is kept."""

    id: str
    question: str
    about: MarkedThing
    verdict: Verdict
    reason: str
    sources: list[str]
    marked_at: datetime


class MarksOut(WireModel):
    """The latest marks, newest first. Without `kept`, no new ones are."""

    kept: bool
    retention_days: float
    marks: list[MarkOut]


class UnansweredQuestionOut(WireModel):
    """Questions that differ in case, spaces and punctuation alone, in the words of the latest."""

    key: str
    book_id: str
    question: str
    count: int
    first_asked_at: datetime
    last_asked_at: datetime
    closest: list[ClosestPlaceOut]


class UnansweredOut(WireModel):
    """Questions that were refused, most frequent first. Without `kept`, no new ones are."""

    kept: bool
    retention_days: float
    questions: list[UnansweredQuestionOut]


class ForgottenOut(WireModel):
    """How much was deleted."""

    deleted: int
