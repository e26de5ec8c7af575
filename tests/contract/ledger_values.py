"""Builds collections, documents and writes for the ledger contract."""

import uuid
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TypeAlias

from sourcebook.core.chunk_links import link_chunks
from sourcebook.core.collections import Collection, Generation, hidden_name
from sourcebook.core.documents import Chunk, Document, Extent, Span
from sourcebook.core.jobs import Fence
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import PointRef
from sourcebook.core.writes import ChunkVersion, DocumentVersion, Write

ALL = 1_000

OpenLedger: TypeAlias = Callable[[], AbstractAsyncContextManager[Ledger]]


def new_collection(name: str = "robotics") -> Collection:
    """Return a collection that no ledger holds yet."""
    generation = Generation(uuid.uuid4().hex, "minilm", "rev-1", 3)
    return Collection(uuid.uuid4().hex, name, {"embedding_model": "minilm"}, generation)


def being_built(live: Collection) -> Collection:
    """Return a hidden collection that will replace a live one."""
    fresh = new_collection(live.name)
    return replace(fresh, name=hidden_name(fresh.id), state="building")


def version_of(id_: str, text: str = "text", metadata: Metadata | None = None) -> DocumentVersion:
    """Return a new version of a document with one chunk."""
    version = uuid.uuid4().hex
    document = Document(id_, text, metadata or {})
    chunk = Chunk(str(uuid.uuid4()), id_, 0, text, document.metadata)
    return DocumentVersion(document, version, "hash", (ChunkVersion(chunk, version, "hash", 1),))


def chain_of(id_: str, *texts: str, metadata: Metadata | None = None) -> DocumentVersion:
    """Return a new version of a document with several linked chunks."""
    version = uuid.uuid4().hex
    document = Document(id_, "".join(texts), metadata or {})
    ends = [sum(map(len, texts[: n + 1])) for n in range(len(texts))]
    chunks = [
        Chunk(
            id=str(uuid.uuid4()),
            document_id=id_,
            ordinal=n,
            text=text,
            metadata=document.metadata,
            extent=Extent((Span(end - len(text), end),), first_line=n + 1, last_line=n + 1),
        )
        for n, (text, end) in enumerate(zip(texts, ends, strict=True))
    ]
    rows = tuple(ChunkVersion(chunk, version, "hash", 1) for chunk in link_chunks(chunks))
    return DocumentVersion(document, version, "hash", rows)


def chunks_of(version: DocumentVersion) -> tuple[Chunk, ...]:
    """Return the chunks of a version in order."""
    return tuple(chunk.chunk for chunk in version.chunks)


def with_chunks(version: DocumentVersion, *chunks: Chunk) -> DocumentVersion:
    """Return the version with other chunks."""
    rows = tuple(ChunkVersion(chunk, version.version, "hash", 1) for chunk in chunks)
    return replace(version, chunks=rows)


def write_of(
    collection: Collection, *versions: DocumentVersion, fence: Fence | None = None
) -> Write:
    """Return a write of these versions into the collection's index."""
    return Write(uuid.uuid4().hex, collection.id, collection.generation.index_id, versions, fence)


def ref_of(version: DocumentVersion) -> PointRef:
    """Return the point of a version's only chunk."""
    chunk = version.chunks[0].chunk
    return PointRef(str(uuid.uuid4()), chunk.id, chunk.document_id, version.version, "digest")


async def put(ledger: Ledger, collection: Collection, *versions: DocumentVersion) -> Collection:
    """Commit versions and return the collection as it is after that."""
    await land(ledger, write_of(collection, *versions))
    return await found(ledger, collection)


async def land(ledger: Ledger, write: Write) -> None:
    """Announce a write, of no points, and commit it."""
    await ledger.documents.announce(write.id, write.index_id, [])
    await ledger.documents.commit(write)


async def found(ledger: Ledger, collection: Collection) -> Collection:
    """Return the collection as it is now, whatever its name."""
    current = await ledger.collections.by_id(collection.id)
    assert current is not None
    return current
