"""A file of the book as a document: what it is about, and the chunks that it is cut into."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sourcebook.core.chain import linked
from sourcebook.core.documents import Chunk, Document, Extent, TokenSpans
from sourcebook.core.errors import InvalidInput
from sourcebook.core.lesson_links import lesson_path
from sourcebook.core.metadata import JsonValue, Metadata, check_text
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import DocumentVersion
from sourcebook.ingestion.frontmatter import FrontMatter, read_front_matter
from sourcebook.ingestion.identity import chunk_ids, fingerprint, hash_text, lesson_id
from sourcebook.ingestion.layout import Place
from sourcebook.ingestion.markdown.chunker import CHUNKER_VERSION, Cut, cut_markdown
from sourcebook.ingestion.versions import new_version

# Part of every fingerprint: raise it when the same file would give other metadata or vectors.
LESSON_VERSION = 2
# What a chunk is embedded with besides its text; the rest of the model's window is the chunk's.
MAX_HEADING_CHARACTERS = 200
# A chunk's own metadata; all else it has from its lesson.
LESSON_ONLY = frozenset({"fingerprint", "chunk_count", "slug", "sidebar_position"})


@dataclass(frozen=True, slots=True)
class BookFile:
    """A file that belongs to the book: where it stands, and what its bytes and ours make of it."""

    path: str
    place: Place
    document_id: str
    file_hash: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """A file, read: the document and its chunks. `embedded` are the texts that vectors are of."""

    document: Document
    chunks: tuple[Chunk, ...]
    embedded: Mapping[str, str]
    hashes: tuple[str, ...]
    warnings: tuple[str, ...]

    def version(self, embeddings: Mapping[str, Embedding]) -> DocumentVersion:
        """The lesson as a version that may go live."""
        return new_version(self.document, self.chunks, self.hashes, embeddings)


def book_file(book_id: str, path: str, place: Place, content: bytes, model: str) -> BookFile:
    """Name a file and tell what it depends on; `model` is the revision that embeds it."""
    file_hash = hashlib.sha256(content).hexdigest()
    made_by = (model, CHUNKER_VERSION, LESSON_VERSION)
    stands_at = (place.module, place.chapter, place.lesson)
    return BookFile(
        path=path,
        place=place,
        document_id=lesson_id(book_id, path),
        file_hash=file_hash,
        fingerprint=fingerprint([file_hash, *made_by, *stands_at]),
    )


def decode(content: bytes) -> str:
    """The text of a file, character for character; InvalidInput if it is none."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The file is not UTF-8 text (byte {error.start})") from None
    check_text(text, "file")
    return text


def read_lesson(book_id: str, file: BookFile, source: str, tokens: TokenSpans) -> Lesson:
    """Cut a file into chunks. A draft is known, but holds nothing that could be found or read."""
    matter = read_front_matter(source)
    if matter.draft:
        about = _about(book_id, file, matter, title=None, chunks=0) | {"draft": True}
        return Lesson(Document(file.document_id, "", about), (), {}, (), matter.warnings)
    mdx = file.path.lower().endswith(".mdx")
    cut = cut_markdown(source, tokens, body_start=matter.body_start, mdx=mdx)
    about = _about(book_id, file, matter, title=cut.title, chunks=len(cut.chunks))
    chunks = _chunks(book_id, file.document_id, about, cut.chunks)
    texts = [embedded_text(chunk) for chunk in chunks]
    hashes = [hash_text(text) for text in texts]
    return Lesson(
        document=Document(file.document_id, source, about),
        chunks=chunks,
        embedded=dict(zip(hashes, texts, strict=True)),
        hashes=tuple(hashes),
        warnings=matter.warnings,
    )


def embedded_text(chunk: Chunk) -> str:
    """A chunk as the model reads it: with its heading, which a continuation lacks.

    The whole path of headings before every chunk finds less: see decision 0010.
    """
    heading = chunk.metadata.get("section_title")
    if not isinstance(heading, str) or heading in chunk.text:
        return chunk.text
    return f"{heading[:MAX_HEADING_CHARACTERS]}\n\n{chunk.text}"


def _about(
    book_id: str, file: BookFile, matter: FrontMatter, title: str | None, chunks: int
) -> dict[str, JsonValue]:
    """What the lesson's metadata say; what is not known is left out."""
    values: dict[str, JsonValue] = {
        "book_id": book_id,
        "parent_doc_id": file.document_id,
        "source_file": file.path,
        "source_file_hash": file.file_hash,
        "fingerprint": file.fingerprint,
        "chunk_count": chunks,
        "module": file.place.module,
        "chapter": file.place.chapter,
        "lesson": file.place.lesson,
        "lesson_title": matter.title or title,
        "lesson_description": matter.description,
        "lesson_path": lesson_path(file.path, matter.doc_id, matter.slug),
        "hardware_tier": matter.hardware_tier,
        "proficiency_level": matter.proficiency_level,
        "layer": matter.layer,
        "doc_id": matter.doc_id,
        "slug": matter.slug,
        "sidebar_position": matter.sidebar_position,
    }
    return {field: value for field, value in values.items() if value is not None}


def _chunks(
    book_id: str, document_id: str, about: Metadata, cuts: Sequence[Cut]
) -> tuple[Chunk, ...]:
    hashes = [hash_text(piece.text) for piece in cuts]
    ids = chunk_ids(book_id, document_id, hashes)
    shared = {field: value for field, value in about.items() if field not in LESSON_ONLY}
    chunks = [
        Chunk(
            id=ids[ordinal],
            document_id=document_id,
            ordinal=ordinal,
            text=piece.text,
            metadata={**shared, **_about_chunk(piece, ordinal, hashes[ordinal])},
            extent=Extent(piece.spans, piece.first_line, piece.last_line, piece.overlap),
        )
        for ordinal, piece in enumerate(cuts)
    ]
    return tuple(linked(chunks))


def _about_chunk(piece: Cut, ordinal: int, content_hash: str) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {
        "section_title": piece.section_title,
        "headings": list(piece.headings) or None,
        "anchor": piece.anchor,
        "chunk_index": ordinal,
        "content_hash": content_hash,
    }
    return {field: value for field, value in values.items() if value is not None}
