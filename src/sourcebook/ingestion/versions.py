"""A new version of a document, from its chunks and their embeddings."""

from collections.abc import Mapping, Sequence

from sourcebook.core.documents import Chunk, Document
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import ChunkVersion, DocumentVersion
from sourcebook.ingestion.identity import hash_text, new_id


def new_version(
    document: Document,
    chunks: Sequence[Chunk],
    text_hashes: Sequence[str],
    embeddings: Mapping[str, Embedding],
) -> DocumentVersion:
    """The document as it may go live; `text_hashes` are of the texts that were embedded."""
    version = new_id()
    return DocumentVersion(
        document,
        version,
        hash_text(document.text),
        tuple(
            ChunkVersion(chunk, version, text_hash, len(embeddings[text_hash]))
            for chunk, text_hash in zip(chunks, text_hashes, strict=True)
        ),
    )
