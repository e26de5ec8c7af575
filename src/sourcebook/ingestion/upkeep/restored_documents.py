"""Puts a document together from the points of its chunks. It reads no store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sourcebook.core.chunk_links import link_chunks
from sourcebook.core.documents import Document
from sourcebook.core.vectors import DocumentRecord, Embedding, Point, Vector
from sourcebook.core.writes import ChunkVersion, DocumentVersion
from sourcebook.ingestion.document_records import assembled_text
from sourcebook.ingestion.identity import digest, hash_text


@dataclass(frozen=True, slots=True)
class RestoredDocument:
    """A complete version of a document, and the embeddings of its chunks by text hash."""

    version: DocumentVersion
    record: DocumentRecord
    embeddings: Mapping[str, Embedding]


def complete_versions(points: Sequence[Point]) -> list[RestoredDocument]:
    """Return the versions that are complete, the newest first, of all points of one document."""
    versions: dict[str, list[Point]] = {}
    for point in points:
        versions.setdefault(point.ref.version, []).append(point)
    complete = [found for some in versions.values() if (found := _restored(some)) is not None]
    return sorted(
        complete,
        key=lambda found: (found.record.updated_at_s, found.version.version),
        reverse=True,
    )


def embeddings_of(points: Sequence[Point]) -> dict[str, Embedding]:
    """Return the embeddings of all chunks whose points are complete, by text hash."""
    vectors: dict[tuple[str, str], dict[int, Vector]] = {}
    chunks: dict[tuple[str, str], ChunkVersion] = {}
    for point in points:
        if point.content is not None:
            key = point.ref.chunk_id, point.ref.version
            chunks[key] = point.content.chunk
            vectors.setdefault(key, {})[point.content.vector] = point.dense
    return {
        chunk.text_hash: tuple(vectors[key][n] for n in range(chunk.vectors))
        for key, chunk in chunks.items()
        if vectors[key].keys() == {*range(chunk.vectors)} and all(vectors[key].values())
    }


def _restored(points: Sequence[Point]) -> RestoredDocument | None:
    """Return the version whose points these are, unless something of it is missing or changed."""
    contents = [(point.ref, point.content) for point in points if point.content is not None]
    record = next((c.document for _, c in contents if c.document is not None), None)
    firsts = [(ref, content.chunk) for ref, content in contents if content.vector == 0]
    embeddings = embeddings_of(points)
    if record is None or any(
        len(firsts) != version.chunk.links.total
        or version.text_hash not in embeddings
        or digest(version.chunk) != ref.digest
        for ref, version in firsts
    ):
        return None
    by_id = {version.chunk.id: version for _, version in firsts}
    linked = link_chunks([version.chunk for version in by_id.values()])
    text = assembled_text(record, linked)
    if hash_text(text) != record.text_hash:
        return None
    ref = points[0].ref
    version = DocumentVersion(
        document=Document(ref.document_id, text, record.metadata),
        version=ref.version,
        text_hash=record.text_hash,
        chunks=tuple(
            ChunkVersion(chunk, ref.version, by_id[chunk.id].text_hash, by_id[chunk.id].vectors)
            for chunk in linked
        ),
        created_at_s=record.created_at_s,
        updated_at_s=record.updated_at_s,
    )
    return RestoredDocument(version, record, embeddings)
