"""Describes documents for the points of a readable store, and puts their texts together again."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence

from sourcebook.core.documents import Chunk, Document, DocumentHeader
from sourcebook.core.ports import Ledger, ReadableStore, VectorStore
from sourcebook.core.vectors import DocumentRecord
from sourcebook.core.writes import ChunkVersion, DocumentVersion
from sourcebook.ingestion.identity import hash_text


async def records_of_new(
    ledger: Ledger,
    store: VectorStore,
    collection_id: str,
    documents: Sequence[DocumentVersion],
    now_s: float,
) -> dict[str, DocumentRecord]:
    """Describe versions that are about to be written, by document; nothing for other stores."""
    if not isinstance(store, ReadableStore):
        return {}
    ids = [version.document.id for version in documents]
    known = await ledger.documents.headers_of(collection_id, ids)
    # In a thread: a thousand documents, or a long one, would hold up other requests.
    return await asyncio.to_thread(
        lambda: {
            version.document.id: _record(
                version.document,
                [chunk.chunk for chunk in version.chunks],
                _times_s(version, known.get(version.document.id), now_s),
                position,
            )
            for position, version in enumerate(documents)
        }
    )


async def records_of_stored(
    ledger: Ledger, store: VectorStore, collection_id: str, chunks: Sequence[ChunkVersion]
) -> dict[str, DocumentRecord]:
    """Describe the documents of these live chunks, which must be all of theirs."""
    if not isinstance(store, ReadableStore):
        return {}
    of_document: dict[str, list[Chunk]] = {}
    for version in chunks:
        of_document.setdefault(version.chunk.document_id, []).append(version.chunk)
    headers = await ledger.documents.headers_of(collection_id, [*of_document])
    documents = await ledger.documents.get(collection_id, [*of_document])
    return await asyncio.to_thread(
        lambda: {
            id_: _record(
                documents[id_],
                of_document[id_],
                (header.created_at_s, header.updated_at_s),
                position,
            )
            for position, (id_, header) in enumerate(headers.items())
            if id_ in documents
        }
    )


def assembled_text(record: DocumentRecord, chunks: Iterable[Chunk]) -> str:
    """Put a document's text together from its chunks and its gaps."""
    text = ""
    for start, piece in sorted([*record.gaps, *_pieces(chunks)], key=lambda placed: placed[0]):
        # Chunks overlap: only what comes after is new.
        text += piece[max(0, len(text) - start) :]
    return text


def _record(
    document: Document, chunks: Sequence[Chunk], times_s: tuple[float, float], position: int
) -> DocumentRecord:
    created_at_s, updated_at_s = times_s
    return DocumentRecord(
        metadata=document.metadata,
        text_hash=hash_text(document.text),
        gaps=tuple(_gaps(document.text, chunks)),
        created_at_s=created_at_s,
        updated_at_s=updated_at_s,
        position=position,
    )


def _times_s(
    version: DocumentVersion, header: DocumentHeader | None, now_s: float
) -> tuple[float, float]:
    """Return when the document came and changed, as the ledger will record it."""
    came_s = now_s if version.created_at_s is None else version.created_at_s
    changed_s = now_s if version.updated_at_s is None else version.updated_at_s
    return came_s if header is None else header.created_at_s, changed_s


def _gaps(text: str, chunks: Iterable[Chunk]) -> Iterator[tuple[int, str]]:
    covered = 0
    for start, piece in sorted(_pieces(chunks), key=lambda placed: placed[0]):
        if start > covered:
            yield covered, text[covered:start]
        covered = max(covered, start + len(piece))
    if covered < len(text):
        yield covered, text[covered:]


def _pieces(chunks: Iterable[Chunk]) -> Iterator[tuple[int, str]]:
    """Yield the stretches of a document's text that its chunks have, with their places."""
    for chunk in chunks:
        if chunk.extent is None:
            yield 0, chunk.text  # the only chunk of its document, and all of it
            continue
        taken = 0
        for span in chunk.extent.spans:
            length = span.end - span.start
            yield span.start, chunk.text[taken : taken + length]
            taken += length
