"""Maps chunks, lessons and searches to the schemas of the book contract."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import orjson

from sourcebook.core.documents import (
    Chunk,
    DocumentHeader,
    Hit,
    Location,
    Span,
    WholeDocument,
)
from sourcebook.core.health import ServiceHealth
from sourcebook.core.jobs import IngestJob
from sourcebook.core.lesson_links import page_link
from sourcebook.core.locations import locate, location_fields, url_at
from sourcebook.core.metadata import Metadata
from sourcebook.search.books import BookStatistics
from sourcebook.search.explanation import Explanation
from sourcebook.surfaces.book.schemas import (
    ChunkOut,
    ExplainOut,
    InfoOut,
    LessonChunkOut,
    LessonEntryOut,
    LessonOut,
    LocationOut,
)
from sourcebook.surfaces.explanations import hit_fields, stage_fields
from sourcebook.surfaces.schema_types import STORE_COLOURS, utc_time

# The score of a chunk that was not searched for.
DIRECT_SCORE = 1.0
ENTRIES_AT_ONCE = 200


def hits_out(hits: Sequence[Hit], base_url: str | None) -> list[ChunkOut]:
    return [chunk_out(hit.chunk, hit.score, base_url) for hit in hits]


def explain_out(explanation: Explanation) -> ExplainOut:
    results = [
        {"chunk_id": stages.hit.chunk.id, **hit_fields(stages)} for stages in explanation.hits
    ]
    return ExplainOut.model_validate({**stage_fields(explanation), "results": results})


def lesson_out(
    whole: WholeDocument, base_url: str | None, *, has_original: bool = False
) -> LessonOut:
    about = whole.document.metadata
    return LessonOut(
        parent_doc_id=whole.document.id,
        total_chunks=len(whole.chunks),
        chunks=[_lesson_chunk(chunk, base_url) for chunk in whole.chunks],
        text=whole.document.text,
        lesson_title=_text(about, "lesson_title"),
        source_file=_text(about, "source_file"),
        lesson_url=_url(about, base_url),
        book_id=book_of(about),
        format=_text(about, "format"),
        locations=[_location_out(place) for place in _locations(whole.chunks)],
        has_original=has_original,
    )


def book_of(about: Metadata) -> str:
    """Return the book that a lesson or a chunk is from."""
    return _text(about, "book_id") or ""


def source_file(about: Metadata) -> str | None:
    """Return the path of the file that a lesson or a chunk is from."""
    return _text(about, "source_file")


def _locations(chunks: Sequence[Chunk]) -> list[Location]:
    """Join the locations of all chunks, which overlap."""
    found = {
        place.start: place for chunk in chunks if chunk.extent for place in chunk.extent.locations
    }
    return [found[start] for start in sorted(found)]


def _location_out(place: Location) -> LocationOut:
    fields = {"start": place.start, "end": place.end, **location_fields(place)}
    return LocationOut.model_validate(fields)


def lessons_json(book_id: str | None, headers: Sequence[DocumentHeader]) -> Iterator[bytes]:
    """The JSON of `LessonsOut`, some entries at a time."""
    yield b'{"book_id":%b,"lessons":[' % orjson.dumps(book_id)
    for start in range(0, len(headers), ENTRIES_AT_ONCE):
        entries = orjson.dumps(_lesson_entries(headers[start : start + ENTRIES_AT_ONCE]))
        yield (b"," if start else b"") + entries[1:-1]
    yield b"]}"


def _lesson_entries(headers: Sequence[DocumentHeader]) -> list[LessonEntryOut]:
    return [
        LessonEntryOut(
            parent_doc_id=header.id,
            lesson_title=_text(header.metadata, "lesson_title"),
            source_file=_text(header.metadata, "source_file"),
            module=_text(header.metadata, "module"),
            chapter=_number(header.metadata, "chapter"),
            lesson=_number(header.metadata, "lesson"),
            hardware_tier=_number(header.metadata, "hardware_tier"),
            proficiency_level=_text(header.metadata, "proficiency_level"),
            book_id=_text(header.metadata, "book_id"),
        )
        for header in headers
    ]


def chunk_out(chunk: Chunk, score: float, base_url: str | None) -> ChunkOut:
    about, extent, links = chunk.metadata, chunk.extent, chunk.links
    place = locate(extent.locations, Span(extent.start, extent.end)) if extent else None
    return ChunkOut(
        chunk_id=chunk.id,
        text=chunk.text,
        score=score,
        source_file=_text(about, "source_file"),
        section_title=_text(about, "section_title"),
        module=_text(about, "module"),
        chapter=_number(about, "chapter"),
        lesson=_number(about, "lesson"),
        lesson_title=_text(about, "lesson_title"),
        lesson_description=_text(about, "lesson_description"),
        hardware_tier=_number(about, "hardware_tier"),
        proficiency_level=_text(about, "proficiency_level"),
        layer=_text(about, "layer"),
        chunk_index=chunk.ordinal,
        total_chunks=links.total,
        parent_doc_id=chunk.document_id,
        prev_chunk_id=links.previous,
        next_chunk_id=links.next,
        content_hash=_text(about, "content_hash"),
        citation=citation(about),
        lesson_url=_url(about, base_url, _text(about, "anchor"), place),
        start=extent.start if extent else None,
        end=extent.end if extent else None,
        line_start=extent.first_line if extent else None,
        line_end=extent.last_line if extent else None,
        page=place.page if place else None,
        boxes=[list(box) for box in place.boxes] or None if place else None,
        anchor=place.anchor if place else None,
        slide=place.slide if place else None,
        row=place.row if place else None,
        cell=place.cell if place else None,
        book_id=_text(about, "book_id"),
    )


def info_out(
    book_id: str | None, statistics: BookStatistics, latest: IngestJob | None, store: ServiceHealth
) -> InfoOut:
    """Map how much of the books is indexed; `latest` is the job that last changed the index."""
    collection = statistics.collection
    healthy = store.status == "up"
    return InfoOut(
        name=collection.name if collection else None,
        status="empty" if healthy and not statistics.chunks else STORE_COLOURS[store.status],
        message=None if healthy else store.message,
        points_count=statistics.chunks,
        vectors_count=statistics.chunks,
        book_id=book_id,
        files_indexed=statistics.files,
        total_chunks=statistics.chunks,
        chunks_by_module=statistics.chunks_by_module,
        embedding_model=collection.generation.model if collection else None,
        dimensions=collection.generation.dimensions if collection else None,
        indexed_commit=latest.commit if latest else None,
        last_indexed_at=utc_time(latest.finished_at_s) if latest else None,
    )


def citation(about: Metadata) -> str:
    """Cite a chunk by its lesson, its section and its module, as far as they are known."""
    return " | ".join(_citation_parts(about)) or _text(about, "source_file") or ""


def _citation_parts(about: Metadata) -> Iterator[str]:
    chapter, lesson = _number(about, "chapter"), _number(about, "lesson")
    if title := _text(about, "lesson_title"):
        yield title
    elif lesson:
        yield f"Lesson {chapter}.{lesson}" if chapter else f"Lesson {lesson}"
    elif chapter:
        yield f"Chapter {chapter}"
    if section := _text(about, "section_title"):
        yield f"Section: {section}"
    if module := _text(about, "module"):
        yield f"Module {module.upper()}"


def _lesson_chunk(chunk: Chunk, base_url: str | None) -> LessonChunkOut:
    shared = chunk_out(chunk, DIRECT_SCORE, base_url)
    overlap = chunk.extent.overlap if chunk.extent else 0
    return LessonChunkOut(**asdict(shared), overlap=overlap)


def _url(
    about: Metadata,
    base_url: str | None,
    anchor: str | None = None,
    place: Location | None = None,
) -> str | None:
    url = page_link(about, base_url, anchor)
    return None if url is None else url_at(url, place)


# The collection may hold documents of another contract, with metadata of any type.


def _text(about: Metadata, field: str) -> str | None:
    value = about.get(field)
    return value if isinstance(value, str) else None


def _number(about: Metadata, field: str) -> int | None:
    value = about.get(field)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
