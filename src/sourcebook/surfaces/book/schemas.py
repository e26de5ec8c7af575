"""Requests and replies of the book contract for readers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from sourcebook.core.search_modes import SearchMode
from sourcebook.core.text import is_blank
from sourcebook.surfaces.explanations import EXPLAIN, MODE, USED_MODE, HitStagesOut, StagesOut
from sourcebook.surfaces.schema_types import (
    Boxes,
    CellNumber,
    PageAnchor,
    PageNumber,
    RowNumber,
    SlideNumber,
    StoreColour,
    StrictIn,
    WireModel,
    refuse_nul,
)

MIN_QUERY_LENGTH = 3
MAX_QUERY_LENGTH = 2_000
MAX_RESULTS = 20
MAX_NUMBER = 100_000


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _asked(question: str) -> str:
    if is_blank(question) or len(question.strip()) < MIN_QUERY_LENGTH:
        raise PydanticCustomError(
            "too_little",
            "must have at least {least} characters besides the spaces around it",
            {"least": MIN_QUERY_LENGTH},
        )
    return question.strip()


Question = Annotated[
    str,
    # The shortest length is for the documentation: what counts is without the spaces around.
    Field(max_length=MAX_QUERY_LENGTH, json_schema_extra={"minLength": MIN_QUERY_LENGTH}),
    AfterValidator(refuse_nul),
    AfterValidator(_asked),
]
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(refuse_nul)]
LessonId = Annotated[str, Field(max_length=64), AfterValidator(refuse_nul)]
Tier = Annotated[int, Field(ge=1, le=4)]
Number = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
Level = Annotated[Literal["A1", "A2", "B1", "B2", "C1", "C2"], BeforeValidator(_upper)]
Layer = Annotated[Literal["L1", "L2", "L3", "L4"], BeforeValidator(_upper)]


class SearchIn(StrictIn):
    """A question to the books. Every filter that is given must hold.

    Chapters and lessons may be numbered higher than the 20 and 15 of the first client's book.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"query": "How do I write a ROS 2 publisher?", "hardware_tier": 1}]
        }
    )

    query: Question
    book_id: Name | None = Field(None, description="This book alone, instead of all")
    hardware_tier: Tier | None = Field(
        None, description="Only what readers with this hardware can use: this tier and lower ones"
    )
    module: Name | None = Field(None, description="One module")
    chapter_min: Number | None = Field(None, description="This chapter or a later one")
    chapter_max: Number | None = Field(None, description="This chapter or an earlier one")
    lesson: Number | None = Field(None, description="One lesson number")
    proficiency_levels: list[Level] | None = Field(
        None, min_length=1, max_length=6, description="Any of these levels"
    )
    layer: Layer | None = Field(None, description="One layer")
    parent_doc_id: LessonId | None = Field(None, description="One lesson, by its id")
    limit: int = Field(5, ge=1, le=MAX_RESULTS, description="How many results at most")
    mode: SearchMode | None = Field(None, description=MODE)
    min_score: float | None = Field(
        None, ge=0.0, le=1.0, description="Only results whose `score` is at least this"
    )
    explain: bool = Field(False, description=EXPLAIN)


@dataclass(frozen=True, slots=True)
class ChunkOut:
    """A chunk and where it comes from; what is not known of it is null.

    `score` is how well it fits, from 0 to 1, and 1.0 for a chunk that was not searched for. The
    chunk stands in its lesson's source from character `start` to before `end`, from line
    `line_start` to `line_end`.
    """

    chunk_id: str
    text: str
    score: float
    source_file: str | None
    section_title: str | None
    module: str | None
    chapter: int | None
    lesson: int | None
    lesson_title: str | None
    lesson_description: str | None
    hardware_tier: int | None
    proficiency_level: str | None
    layer: str | None
    chunk_index: int
    total_chunks: int
    parent_doc_id: str
    prev_chunk_id: Annotated[
        str | None, Field(description="Null for the first chunk of a lesson only")
    ]
    next_chunk_id: Annotated[
        str | None, Field(description="Null for the last chunk of a lesson only")
    ]
    content_hash: str | None
    citation: Annotated[
        str, Field(examples=["Lesson 4.2 | Section: The Publisher Pattern | Module ROS2"])
    ]
    lesson_url: str | None
    start: int | None
    end: int | None
    line_start: int | None
    line_end: int | None
    page: PageNumber = None
    boxes: Boxes = None
    anchor: PageAnchor = None
    slide: SlideNumber = None
    row: RowNumber = None
    cell: CellNumber = None
    book_id: str | None = None


class StageScoreOut(HitStagesOut):
    """What each stage said of a chunk."""

    chunk_id: str


class ExplainOut(StagesOut):
    """How the search went, and what each stage said of each result, in their order."""

    results: list[StageScoreOut]


class SearchOut(WireModel):
    """The results, best first, and which filters they passed. `explain` is there if asked for."""

    query: str
    results: list[ChunkOut]
    total_found: int
    hardware_tier_filter: int | None
    module_filter: str | None
    book_id: str | None = Field(description="The book that was searched; null if it was several")
    mode: SearchMode | None = Field(
        default=None, description=f"{USED_MODE}; null if nothing is indexed yet"
    )
    explain: ExplainOut | None = None
    corrected_query: str | None = Field(
        default=None, description="Searched for instead, as the book has not all of the words"
    )


# There only if it is true: clients of the contract know nothing of it.
HasOriginal: TypeAlias = Annotated[
    bool,
    Field(
        description="Whether `/lesson/{parent_doc_id}/original` has the file that was uploaded",
        exclude_if=lambda has: not has,
    ),
]


class ContextOut(WireModel):
    """A chunk among its neighbours, in reading order."""

    chunks: list[ChunkOut]
    has_original: HasOriginal = False


@dataclass(frozen=True, slots=True)
class LessonChunkOut(ChunkOut):
    """A chunk of a lesson; its first `overlap` characters are the end of the one before, too."""

    overlap: int = 0


class LocationOut(WireModel):
    """Where the characters from `start` to before `end` of a text stand in its file."""

    start: int
    end: int
    page: PageNumber = None
    boxes: Boxes = None
    anchor: PageAnchor = None
    slide: SlideNumber = None
    row: RowNumber = None
    cell: CellNumber = None


class LessonOut(WireModel):
    """A lesson: all its chunks in reading order, and its text as it is in the source.

    A file of another format than markdown has a `format`; `text` is then what it was converted to,
    and `locations` say where that stands in the file.
    """

    parent_doc_id: str
    total_chunks: int
    chunks: list[LessonChunkOut]
    text: str
    lesson_title: str | None
    source_file: str | None
    lesson_url: str | None
    book_id: str
    format: str | None = None
    locations: list[LocationOut] = Field(default=[])
    has_original: HasOriginal = False


@dataclass(frozen=True, slots=True)
class LessonEntryOut:
    """A lesson in the table of contents; what is not known of it is null."""

    parent_doc_id: str
    lesson_title: str | None
    source_file: str | None
    module: str | None
    chapter: int | None
    lesson: int | None
    hardware_tier: int | None
    proficiency_level: str | None
    book_id: str | None = None


class LessonsOut(WireModel):
    """The table of contents of a book, or of several one after another."""

    book_id: str | None = Field(description="Null if there are several")
    lessons: list[LessonEntryOut]


class InfoOut(WireModel):
    """What is indexed of a book, or of several together."""

    name: str | None = Field(description="The collection; null as long as nothing was indexed")
    status: StoreColour | Literal["empty"] = Field(
        description="The vector store's: `green` up, `yellow` degraded, `red` down; `empty` if it"
        " is up and nothing is indexed"
    )
    message: str | None = Field(description="What is wrong with the vector store, if anything is")
    points_count: int = Field(description="The chunks of the book, as `total_chunks`")
    vectors_count: int = Field(description="The chunks of the book, as `total_chunks`")
    book_id: str | None = Field(description="Null if it is about several")
    files_indexed: int
    total_chunks: int
    chunks_by_module: dict[str, int] = Field(
        description="Files outside of modules count under ''", examples=[{"ros2": 291}]
    )
    embedding_model: str | None
    dimensions: int | None
    indexed_commit: str | None = Field(description="What the index holds, of a book in git")
    last_indexed_at: datetime | None
