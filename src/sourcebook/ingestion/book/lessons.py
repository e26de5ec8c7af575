"""Turns a file of the book into a document: its metadata and its chunks."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sourcebook.core.chunk_links import link_chunks
from sourcebook.core.chunk_sections import sections_of
from sourcebook.core.documents import Chunk, ConvertedDocument, Document, Extent, TokenSpans
from sourcebook.core.hardware_tiers import MIN_TIER
from sourcebook.core.lesson_links import lesson_path
from sourcebook.core.locations import within
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.ports import FileFormat
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import DocumentVersion
from sourcebook.ingestion.book.frontmatter import FrontMatter, read_front_matter
from sourcebook.ingestion.book.place import Place
from sourcebook.ingestion.chunk_writer import new_version
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS, ChunkLimits, chunker_id
from sourcebook.ingestion.chunking.markdown import (
    MARKDOWN_CHUNKER_VERSION,
    ChunkedMarkdown,
    HeadingInChunk,
    MarkdownChunk,
    chunk_markdown,
)
from sourcebook.ingestion.embedded_parts import join_parts
from sourcebook.ingestion.identity import chunk_ids, fingerprint, hash_text, lesson_id

# Part of every fingerprint: raise it when the same file would give other metadata or vectors.
LESSON_VERSION = 6
# The heading is embedded with the chunk; the rest of the model's window is for the chunk's text.
MAX_HEADING_CHARACTERS = 100
# As many headings of a chunk are recorded, so that a sentence can be cited with its own.
MAX_SECTIONS = 64
# Metadata of the lesson that its chunks do not repeat.
LESSON_ONLY = frozenset({"fingerprint", "chunk_count", "slug", "sidebar_position"})


@dataclass(frozen=True, slots=True)
class BookFile:
    """A file of the book; its fingerprint changes with anything that its chunks depend on.

    `format` says how it is converted; None for markdown, which is read as it is. `url` is the
    address of a page that comes from a website. `unreadable_tier` is the lesson's if its front
    matter is not valid and no tier can be salvaged from it.
    """

    path: str
    place: Place
    document_id: str
    file_hash: str
    fingerprint: str
    format: FileFormat | None = None
    url: str | None = None
    unreadable_tier: int = MIN_TIER


@dataclass(frozen=True, slots=True)
class LessonDocument:
    """A lesson as a document with its chunks; `embedded` maps text hashes to the texts to embed."""

    document: Document
    chunks: tuple[Chunk, ...]
    embedded: Mapping[str, str]
    hashes: tuple[str, ...]
    warnings: tuple[str, ...]

    def version(self, embeddings: Mapping[str, Embedding]) -> DocumentVersion:

        return new_version(self.document, self.chunks, self.hashes, embeddings)


def book_file(
    book_id: str,
    path: str,
    place: Place,
    content: bytes,
    model: str,
    *,
    limits: ChunkLimits = MARKDOWN_LIMITS,
    file_format: FileFormat | None = None,
    url: str | None = None,
    unreadable_tier: int = MIN_TIER,
) -> BookFile:
    """Identify and fingerprint a file; `model` is the revision of the embedding model."""
    file_hash = hashlib.sha256(content).hexdigest()
    chunker = chunker_id(MARKDOWN_CHUNKER_VERSION, limits, MARKDOWN_LIMITS)
    made_by = (model, chunker, LESSON_VERSION)
    stands_at = (place.module, place.chapter, place.lesson)
    converted_by = () if file_format is None else (str(file_format),)
    fetched_from = () if url is None else (url,)
    kept_from = () if unreadable_tier == MIN_TIER else (unreadable_tier,)
    return BookFile(
        path=path,
        place=place,
        document_id=lesson_id(book_id, path),
        file_hash=file_hash,
        fingerprint=fingerprint(
            [file_hash, *made_by, *stands_at, *converted_by, *fetched_from, *kept_from]
        ),
        format=file_format,
        url=url,
        unreadable_tier=unreadable_tier,
    )


def read_lesson(
    book_id: str,
    file: BookFile,
    converted: ConvertedDocument,
    tokens: TokenSpans,
    limits: ChunkLimits,
) -> LessonDocument:
    """Split a file into chunks. A draft is stored without text, so nobody can find or read it."""
    source = converted.text
    matter = FrontMatter(body_start=0)
    if file.format is None:
        matter = read_front_matter(source, file.unreadable_tier)
    warnings = (*converted.warnings, *matter.warnings)
    if matter.draft:
        about = _about(book_id, file, matter, title=None, chunks=0) | {"draft": True}
        return LessonDocument(Document(file.document_id, "", about), (), {}, (), warnings)
    chunked = chunk_markdown(
        source,
        tokens,
        body_start=matter.body_start,
        description=matter.description_span,
        mdx=file.path.lower().endswith(".mdx"),
        limits=limits,
        anchors=None if file.format is None else _anchors(converted),
    )
    title = _title(file, chunked, converted)
    about = _about(book_id, file, matter, title=title, chunks=len(chunked.chunks))
    chunks = _chunks(book_id, file.document_id, about, chunked.chunks, converted)
    texts = [embedded_text(chunk) for chunk in chunks]
    hashes = [hash_text(text) for text in texts]
    return LessonDocument(
        document=Document(file.document_id, source, about),
        chunks=chunks,
        embedded=dict(zip(hashes, texts, strict=True)),
        hashes=tuple(hashes),
        warnings=warnings,
    )


def _title(file: BookFile, chunked: ChunkedMarkdown, converted: ConvertedDocument) -> str | None:
    """Return the first heading of level 1, or the title of a web page whose first part that is.

    Without either, a file is named by its first heading.
    """
    first, named = chunked.title, converted.title
    is_page = file.format is not None and file.format.id == "html"
    if first and named and is_page and chunked.has_parts and not named.startswith(first):
        return named
    return first or named or chunked.first_heading


def _anchors(converted: ConvertedDocument) -> dict[int, str]:
    """Return the anchors of a page by the starts of their headings."""
    return {place.start: place.anchor for place in converted.locations if place.anchor}


def embedded_text(chunk: Chunk) -> str:
    """Return the text to embed: the sections that the chunk joins, as parts with a vector each.

    A continuation gets its heading, which it lacks. Adding the whole path of headings lowers
    recall: see decisions 0010 and 0021.
    """
    starts = _numbers(chunk.metadata.get("part_starts")) or [0]
    bounds = pairwise([*starts, len(chunk.text)])
    first, *others = [chunk.text[start:end].strip() for start, end in bounds]
    sections = sections_of(chunk.metadata)
    heading = sections[0].title if sections else ""
    if heading and not first.startswith("#") and heading not in first:
        first = f"{heading[:MAX_HEADING_CHARACTERS]}\n\n{first}"
    return join_parts([first, *others])


def _numbers(value: JsonValue) -> list[int]:
    return [each for each in value if isinstance(each, int)] if isinstance(value, list) else []


def _about(
    book_id: str, file: BookFile, matter: FrontMatter, title: str | None, chunks: int
) -> dict[str, JsonValue]:
    """Build the lesson's metadata without the fields that are unknown."""
    values: dict[str, JsonValue] = {
        "book_id": book_id,
        "parent_doc_id": file.document_id,
        "source_file": file.path,
        "source_file_hash": file.file_hash,
        "source_url": file.url,
        "fingerprint": file.fingerprint,
        "chunk_count": chunks,
        "module": file.place.module,
        "chapter": file.place.chapter,
        "lesson": file.place.lesson,
        "lesson_title": matter.title or title,
        "lesson_description": matter.description,
        "lesson_path": lesson_path(_path_on_website(file), matter.doc_id, matter.slug),
        "hardware_tier": matter.hardware_tier,
        "proficiency_level": matter.proficiency_level,
        "layer": matter.layer,
        "doc_id": matter.doc_id,
        "slug": matter.slug,
        "sidebar_position": matter.sidebar_position,
        "format": None if file.format is None else file.format.id,
    }
    return {field: value for field, value in values.items() if value is not None}


def _path_on_website(file: BookFile) -> str:
    """Return the path below the folder that the website serves as its docs."""
    return file.path.removeprefix(f"{file.place.root}/" if file.place.root else "")


def _chunks(
    book_id: str,
    document_id: str,
    about: Metadata,
    parts: Sequence[MarkdownChunk],
    converted: ConvertedDocument,
) -> tuple[Chunk, ...]:
    hashes = [hash_text(part.text) for part in parts]
    ids = chunk_ids(book_id, document_id, hashes)
    shared = {field: value for field, value in about.items() if field not in LESSON_ONLY}
    chunks = [
        Chunk(
            id=ids[ordinal],
            document_id=document_id,
            ordinal=ordinal,
            text=part.text,
            metadata={**shared, **_about_chunk(part, ordinal, hashes[ordinal])},
            extent=Extent(
                part.spans,
                part.first_line,
                part.last_line,
                part.overlap,
                part.span_lines,
                within(converted.locations, part.spans),
            ),
        )
        for ordinal, part in enumerate(parts)
    ]
    return tuple(link_chunks(chunks))


def _about_chunk(part: MarkdownChunk, ordinal: int, content_hash: str) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {
        "section_title": part.section_title,
        "headings": list(part.headings) or None,
        "anchor": part.anchor,
        "chunk_index": ordinal,
        "content_hash": content_hash,
        **_named_places("part", part.parts if len(part.parts) > 1 or part.parts[0].start else ()),
        **_named_places("section", _sections(part)),
    }
    return {field: value for field, value in values.items() if value is not None}


def _sections(part: MarkdownChunk) -> tuple[HeadingInChunk, ...]:
    headings = part.all_headings
    if len(headings) > MAX_SECTIONS:
        # Better no heading for the rest than a wrong one.
        rest = HeadingInChunk(headings[MAX_SECTIONS].start, "", None)
        headings = (*headings[:MAX_SECTIONS], rest)
    return headings


def _named_places(kind: str, places: Sequence[HeadingInChunk]) -> dict[str, JsonValue]:
    """Describe places of a chunk in lists of the same length, as `core/chunk_sections.py` reads."""
    if not places:
        return {}
    return {
        f"{kind}_starts": [place.start for place in places],
        f"{kind}_titles": [place.title for place in places],
        f"{kind}_anchors": [place.anchor or "" for place in places],
    }
