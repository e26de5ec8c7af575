"""Checks a document that comes in, and prepares its chunks. It reads no ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sourcebook.core.chunk_links import link_chunks
from sourcebook.core.documents import Chunk, Document, Extent
from sourcebook.core.errors import EmbeddingFailed, InvalidInput
from sourcebook.core.metadata import check_metadata
from sourcebook.core.text import check_text, is_blank
from sourcebook.core.vectors import Embedding, check_vector
from sourcebook.core.writes import DocumentVersion
from sourcebook.ingestion.book.lessons import embedded_text
from sourcebook.ingestion.chunk_writer import new_version
from sourcebook.ingestion.collection_documents import MAX_ID_LENGTH
from sourcebook.ingestion.collection_documents import MAX_TEXT_LENGTH as MAX_CHUNK_LENGTH
from sourcebook.ingestion.identity import chunk_ids, hash_text
from sourcebook.ingestion.posted.inbox import MAX_TEXT_LENGTH
from sourcebook.ingestion.transfer.records import MovedChunk, MovedDocument
from sourcebook.text.spans import Lines

MAX_CHUNK_ID_LENGTH = 36


@dataclass(frozen=True, slots=True)
class IncomingChunk:
    """A chunk, the text to embed for it, and its embedding if that came along and fits."""

    chunk: Chunk
    embedded_text: str
    embedded_hash: str
    embedding: Embedding = ()


@dataclass(frozen=True, slots=True)
class IncomingDocument:
    """A document that can be written; `place` is where it came from."""

    place: str
    document: Document
    chunks: tuple[IncomingChunk, ...]
    created_at_s: float | None = None
    updated_at_s: float | None = None

    @property
    def chunk_ids(self) -> list[str]:
        return [incoming.chunk.id for incoming in self.chunks]

    def version(self, embeddings: Mapping[str, Embedding]) -> DocumentVersion:
        """Return a version that can go live, with the times of the one that it was."""
        chunks = [one.chunk for one in self.chunks]
        hashes = [one.embedded_hash for one in self.chunks]
        fresh = new_version(self.document, chunks, hashes, embeddings)
        return replace(fresh, created_at_s=self.created_at_s, updated_at_s=self.updated_at_s)


def incoming_document(
    place: str, moved: MovedDocument, owner: str, dimensions: int | None
) -> IncomingDocument:
    """Check a document and prepare it; `owner` is the collection, which new chunk ids depend on.

    `dimensions` are those of the collection's model, if the vectors are that model's; otherwise
    vectors are left out. InvalidInput says what is wrong.
    """
    document = _checked_document(moved)
    given = moved.chunks
    if given is None:
        given = (MovedChunk(document.text, document.metadata),)
    if given and is_blank(document.text):
        raise InvalidInput("'text' is empty; there is nothing to search in it")
    for number, chunk in enumerate(given):
        _check_chunk(chunk, document, number, alone=len(given) == 1)
    chunks = _linked(given, document, owner)
    return IncomingDocument(
        place,
        document,
        tuple(
            _incoming_chunk(chunk, moved_chunk, dimensions)
            for chunk, moved_chunk in zip(chunks, given, strict=True)
        ),
        moved.created_at_s,
        moved.updated_at_s,
    )


def _checked_document(moved: MovedDocument) -> Document:
    check_text(moved.text, "'text'")
    if len(moved.text) > MAX_TEXT_LENGTH:
        raise InvalidInput(f"'text' has {len(moved.text)} characters, {MAX_TEXT_LENGTH} at most")
    check_metadata(moved.metadata)
    # The same text gets the same id, so that it can be imported again.
    id_ = f"doc_{hash_text(moved.text)[:32]}" if moved.id is None else moved.id
    if not 1 <= len(id_) <= MAX_ID_LENGTH:
        raise InvalidInput(f"'id' must have 1 to {MAX_ID_LENGTH} characters")
    check_text(id_, "'id'")
    return Document(id_, moved.text, moved.metadata)


def _check_chunk(chunk: MovedChunk, document: Document, number: int, *, alone: bool) -> None:
    where = f"chunk {number + 1}"
    check_metadata(chunk.metadata)
    if chunk.id is not None and not 1 <= len(chunk.id) <= MAX_CHUNK_ID_LENGTH:
        raise InvalidInput(
            f"The id of {where} must have 1 to {MAX_CHUNK_ID_LENGTH} characters; leave it out for a"
            " new one"
        )
    if is_blank(chunk.text):
        raise InvalidInput(f"The text of {where} is empty; leave the chunk out")
    if len(chunk.text) > MAX_CHUNK_LENGTH:
        raise InvalidInput(
            f"The text of {where} has {len(chunk.text)} characters, {MAX_CHUNK_LENGTH} at most"
        )
    if chunk.extent is None and not (alone and chunk.text == document.text):
        raise InvalidInput(
            f"It is not said where {where} stands in the text: give its 'spans', or leave 'chunks'"
            " out, and the document is one chunk"
        )
    if chunk.extent is not None and _end_of(chunk.extent) > len(document.text):
        raise InvalidInput(f"The 'spans' of {where} end after the text of the document")
    if chunk.extent is not None and chunk.text != _text_at(document.text, chunk.extent):
        raise InvalidInput(
            f"The text of {where} is not the document's text at its 'spans': put right what was"
            " changed, or leave 'chunks' out, and the document is one chunk"
        )


def _end_of(extent: Extent) -> int:
    return max(span.end for span in extent.spans)


def _text_at(text: str, extent: Extent) -> str:
    return "".join(text[span.start : span.end] for span in extent.spans)


def _with_lines(extent: Extent | None, lines: Lines) -> Extent | None:
    """Add the line that each span begins on, which files do not have."""
    if extent is None:
        return None
    return replace(extent, span_lines=tuple(lines.number(span.start) for span in extent.spans))


def _linked(given: Sequence[MovedChunk], document: Document, owner: str) -> list[Chunk]:
    """Link the chunks as they come, which must be their reading order."""
    lines = Lines(document.text)
    fresh = chunk_ids(owner, document.id, [hash_text(chunk.text) for chunk in given])
    chunks = [
        Chunk(
            id=new if chunk.id is None else chunk.id,
            document_id=document.id,
            ordinal=ordinal,
            text=chunk.text,
            metadata=chunk.metadata,
            extent=_with_lines(chunk.extent, lines),
        )
        for ordinal, (chunk, new) in enumerate(zip(given, fresh, strict=True))
    ]
    if len({chunk.id for chunk in chunks}) < len(chunks):
        raise InvalidInput("Two of its chunks have the same id")
    linked = link_chunks(chunks)
    if [chunk.id for chunk in linked] != [chunk.id for chunk in chunks]:
        raise InvalidInput("Its chunks are not in reading order, by their 'spans'")
    return linked


def _incoming_chunk(chunk: Chunk, moved: MovedChunk, dimensions: int | None) -> IncomingChunk:
    own = hash_text(chunk.text)
    if moved.embedded_hash is None or moved.embedded_hash == own:
        text, text_hash = chunk.text, own
    else:
        # Lessons are embedded with their headings.
        text = embedded_text(chunk)
        text_hash = hash_text(text)
    fits = moved.embedded_hash is None or moved.embedded_hash == text_hash
    if dimensions is None or not fits:
        return IncomingChunk(chunk, text, text_hash)
    try:
        for vector in moved.embedding:
            check_vector(vector, dimensions)
    except EmbeddingFailed as error:
        reason = error.message.removeprefix("The embedder gave ")
        raise InvalidInput(f"Chunk {chunk.ordinal + 1} has {reason}") from error
    return IncomingChunk(chunk, text, text_hash, moved.embedding)
