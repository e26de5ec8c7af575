"""What the tools take and return; snake_case, and every result has less than 25,000 tokens."""

from datetime import datetime

from pydantic import Field

from sourcebook.surfaces.schema_types import WireModel

# A character is a token at most, whatever the language: 20 results of 1,000 characters, with their
# addresses and lines, stay below the limit too.
MAX_PAGE_LENGTH = 16_000
MAX_TEXT_LENGTH = 800
MAX_TITLE_LENGTH = 200
MAX_RESULTS = 20
MAX_BOOKS = 100


class SearchFilters(WireModel):
    """What to search. Every filter that is given must hold."""

    book: str | None = Field(default=None, description="A book, as list_books gives its id")
    tier: int | None = Field(
        default=None, ge=1, le=4, description="Nothing above this hardware tier"
    )
    module: str | None = Field(default=None, description="One module")
    chapter_min: int | None = Field(default=None, ge=0, description="This chapter or a later one")
    chapter_max: int | None = Field(
        default=None, ge=0, description="This chapter or an earlier one"
    )


class FoundOut(WireModel):
    """A passage that was found; `fetch` takes its id."""

    id: str
    title: str
    url: str
    text: str
    score: float
    book: str
    path: str | None
    line_start: int | None
    line_end: int | None


class SearchOut(WireModel):
    """The passages, best first."""

    results: list[FoundOut]


class DocumentMetadata(WireModel):
    """Where a document stands; `result_start` is the character at which the result begins."""

    book: str
    path: str | None
    offset: int
    total_characters: int
    result_start: int | None = None


class DocumentOut(WireModel):
    """A document, or the part of it that begins at `metadata.offset`.

    `next_offset` is where to go on; null at the end.
    """

    id: str
    title: str
    text: str
    url: str
    metadata: DocumentMetadata
    next_offset: int | None


class SourceOut(WireModel):
    """A source; `[number]` in the answer points to it, and `quote` is verbatim."""

    number: int
    title: str
    url: str
    quote: str
    book: str | None
    path: str | None
    line_start: int | None
    line_end: int | None


class PlaceOut(WireModel):
    """A place that comes close to what was asked."""

    title: str
    url: str


class AnswerOut(WireModel):
    """An answer of which every sentence is proven by a source, or quoted from it.

    `answered` is false if the book does not hold the answer: then `closest` are places to look at.
    """

    answer: str
    answered: bool
    sources: list[SourceOut]
    closest: list[PlaceOut]


class BookOut(WireModel):
    """A book; tools that name none mean the default ones."""

    id: str
    lessons: int
    updated_at: datetime | None
    is_default: bool


class BooksOut(WireModel):
    """The books that may be read; `next_offset` is where to go on, null at the end."""

    books: list[BookOut]
    next_offset: int | None
