"""The format of exported files: one object for each collection and each document."""

from typing import Annotated, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from sourcebook.core.books import KeptLayout
from sourcebook.core.documents import Extent, Span
from sourcebook.core.errors import InvalidInput
from sourcebook.core.locations import location_json, read_location
from sourcebook.core.text import check_text
from sourcebook.core.vectors import Vector
from sourcebook.ingestion.transfer.records import (
    MovedChunk,
    MovedCollection,
    MovedDocument,
    MovedRecord,
)

# The end of the last year that dates can have.
MAX_TIME_S = 253_402_300_800


def _storable(text: str) -> str:
    try:
        check_text(text, "text")
    except InvalidInput as error:
        raise PydanticCustomError("text", "{reason}", {"reason": error.message}) from None
    return text


# Lines and positions fit into the columns of every database, times into the calendar.
Position: TypeAlias = Annotated[int, Field(ge=0, lt=2**31)]
LineNumber: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]
UnixTime: TypeAlias = Annotated[float, Field(ge=0, lt=MAX_TIME_S, allow_inf_nan=False)]
Text: TypeAlias = Annotated[str, AfterValidator(_storable)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class LocationLine(_Line):
    """Where characters of the document stand in the file that it was converted from."""

    at: list[Position] = Field(min_length=2, max_length=2)
    page: LineNumber | None = None
    boxes: list[Annotated[list[float], Field(min_length=4, max_length=4)]] | None = None
    anchor: Text | None = None
    slide: LineNumber | None = None
    row: LineNumber | None = None
    cell: LineNumber | None = None


class ChunkLine(_Line):
    """A chunk. Its text is the document's at `spans`; `vectors` are of the model's reading it."""

    id: Text | None = None
    text: str
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    spans: list[Annotated[list[Position], Field(min_length=2, max_length=2)]] | None = Field(
        None, min_length=1
    )
    lines: list[LineNumber] | None = Field(None, min_length=2, max_length=2)
    overlap: Position = 0
    locations: list[LocationLine] = Field(default_factory=list)
    embedded_sha256: str | None = None
    vectors: list[list[float]] = Field(default_factory=list)


class BookLine(_Line):
    """Which files of a book are lessons."""

    book_id: Text = Field(min_length=1, max_length=200)
    patterns: list[Text] = Field(min_length=1)
    exclude: list[Text] = Field(default_factory=list)
    automatic: bool = False
    source: Text = ""
    chosen_at_s: UnixTime = 0.0


class CollectionLine(_Line):
    """A collection. The vectors of its documents are those of `model_revision`."""

    type: Literal["collection"] = "collection"
    collection: str
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    model: str | None = None
    model_revision: str | None = None
    books: list[BookLine] = Field(default_factory=list)


class DocumentLine(_Line):
    """A document. Only `text` is needed."""

    type: Literal["document"] = "document"
    collection: str | None = None
    id: str | int | None = None
    text: str
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    created_at_s: UnixTime | None = None
    updated_at_s: UnixTime | None = None
    version: str | None = None
    chunks: list[ChunkLine] | None = None


def _kind(value: object) -> str:
    return str(value.get("type", "document")) if isinstance(value, dict) else "document"


_LINE: TypeAdapter[CollectionLine | DocumentLine] = TypeAdapter(
    Annotated[
        Annotated[CollectionLine, Tag("collection")] | Annotated[DocumentLine, Tag("document")],
        Discriminator(_kind),
    ]
)


def parse_record(value: object) -> MovedRecord:
    """Parse an object of a file; InvalidInput names what is wrong."""
    try:
        line = _LINE.validate_python(value)
    except ValidationError as error:
        raise InvalidInput(_explained(error)) from None
    if isinstance(line, CollectionLine):
        books = tuple(_book(line.collection, book) for book in line.books)
        return MovedCollection(
            line.collection, line.metadata, line.model, line.model_revision, books
        )
    return MovedDocument(
        collection=line.collection,
        id=None if line.id is None else str(line.id),
        text=line.text,
        metadata=line.metadata,
        chunks=None if line.chunks is None else tuple(map(_chunk, line.chunks)),
        created_at_s=line.created_at_s,
        updated_at_s=line.updated_at_s,
        version=line.version,
    )


def as_object(record: MovedRecord) -> dict[str, object]:
    """Return the object that stands for a record in a file."""
    if isinstance(record, MovedCollection):
        return {
            "type": "collection",
            "collection": record.name,
            "metadata": record.metadata,
            "model": record.model,
            "model_revision": record.model_revision,
            "books": [_book_object(kept) for kept in record.books],
        }
    return {
        "type": "document",
        "collection": record.collection,
        "id": record.id,
        "text": record.text,
        "metadata": record.metadata,
        "created_at_s": record.created_at_s,
        "updated_at_s": record.updated_at_s,
        "version": record.version,
        "chunks": [_chunk_object(chunk) for chunk in record.chunks or ()],
    }


def _book(collection: str, line: BookLine) -> KeptLayout:
    return KeptLayout(
        collection=collection,
        book_id=line.book_id,
        patterns=tuple(line.patterns),
        exclude=tuple(line.exclude),
        automatic=line.automatic,
        source=line.source,
        chosen_at_s=line.chosen_at_s,
    )


def _book_object(kept: KeptLayout) -> dict[str, object]:
    return {
        "book_id": kept.book_id,
        "patterns": list(kept.patterns),
        "exclude": list(kept.exclude),
        "automatic": kept.automatic,
        "source": kept.source,
        "chosen_at_s": kept.chosen_at_s,
    }


def _chunk(line: ChunkLine) -> MovedChunk:
    return MovedChunk(
        id=line.id,
        text=line.text,
        metadata=line.metadata,
        extent=_extent(line),
        embedded_hash=line.embedded_sha256,
        embedding=tuple(line.vectors),
    )


def _extent(line: ChunkLine) -> Extent | None:
    if line.spans is None:
        return None
    first_line, last_line = line.lines or (1, 1)
    spans = tuple(Span(start, end) for start, end in line.spans)
    locations = tuple(
        read_location(place.model_dump(exclude_none=True)) for place in line.locations
    )
    return Extent(spans, first_line, last_line, line.overlap, locations=locations)


def _chunk_object(chunk: MovedChunk) -> dict[str, object]:
    extent = chunk.extent
    placed: dict[str, object] = {}
    if extent is not None:
        placed = {
            "spans": [[span.start, span.end] for span in extent.spans],
            "lines": [extent.first_line, extent.last_line],
            "overlap": extent.overlap,
        }
        if extent.locations:
            placed["locations"] = [location_json(place) for place in extent.locations]
    vectors = {"vectors": [_short(vector) for vector in chunk.embedding]} if chunk.embedding else {}
    return {
        "id": chunk.id,
        "text": chunk.text,
        "metadata": chunk.metadata,
        **placed,
        "embedded_sha256": chunk.embedded_hash,
        **vectors,
    }


def _short(vector: Vector) -> list[float]:
    """Round to the nine digits that tell all 32-bit floats apart; the ledger keeps no more."""
    return [float(f"{number:.9g}") for number in vector]


def _explained(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)[0]
    # The first part is the kind of the line.
    where = ".".join(str(part) for part in found["loc"][1:])
    if found["type"] == "extra_forbidden":
        return f"The field {where!r} is not known: put what a document should keep into 'metadata'"
    if found["type"].startswith("union_tag"):
        return "'type' must be 'document' or 'collection'; it may be left out for a document"
    if not where:
        return "It is no object with 'text'"
    return f"{where!r}: {found['msg']}"
