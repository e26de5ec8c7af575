"""Documents and their chunks: written whole, read as they were at one revision."""

import json
import math
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.collections import Generation
from sourcebook.core.documents import (
    MAX_PAGE_BYTES,
    Chunk,
    Document,
    DocumentGroup,
    DocumentHeader,
    Page,
    WholeDocument,
)
from sourcebook.core.errors import Conflict, IndexMoved, NotFound
from sourcebook.core.filters import Filter
from sourcebook.core.jobs import Fence
from sourcebook.core.vectors import PointRef
from sourcebook.core.writes import ChunkVersion, DocumentVersion, Write
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.chunk_rows import (
    CHUNK_COLUMNS,
    WHOLE_CHUNKS,
    chunk_of,
    chunk_version_of,
    read_chunk,
    read_documents_after,
    relink,
)
from sourcebook.providers.storage.ledger.collection_rows import move_to
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.ledger.document_groups import read_groups
from sourcebook.providers.storage.ledger.document_rows import (
    insert_chunks,
    mark_chunks_dead,
    upsert_documents,
)
from sourcebook.providers.storage.ledger.filters import is_matching, text_of_field
from sourcebook.providers.storage.ledger.job_rows import check_fence
from sourcebook.providers.storage.ledger.whole_documents import read_versions_after
from sourcebook.providers.storage.sql import in_batches, is_storable

HEADER_BATCH = 1_000
DOCUMENT_BATCH = 50

_COLLECTION = schema.collections.c
_DOCUMENT = schema.documents.c
_FIELD = schema.fields.c
_CHUNK = schema.chunks.c

_HEADER = (
    _DOCUMENT.key,
    _DOCUMENT.id,
    _DOCUMENT.version,
    _DOCUMENT.metadata,
    _DOCUMENT.created_at_s,
    _DOCUMENT.updated_at_s,
)
# Hidden from SQLite's planner: from ten chunks on it would read the whole collection instead of
# looking them up by their ids.
_OWN_COLLECTION = func.coalesce(_CHUNK.collection_id, "") == bindparam("collection")
_WAS_LIVE = and_(
    _CHUNK.born <= bindparam("revision"),
    or_(_CHUNK.died.is_(None), _CHUNK.died > bindparam("revision")),
)
_CHUNKS_AT = select(*CHUNK_COLUMNS).where(
    _OWN_COLLECTION, _CHUNK.chunk_id.in_(bindparam("wanted", expanding=True)), _WAS_LIVE
)
_CHUNKS_BY_KEY = select(*CHUNK_COLUMNS).where(
    _OWN_COLLECTION, _CHUNK.key.in_(bindparam("wanted", expanding=True)), _WAS_LIVE
)
_STATEMENTS = select(_CHUNK.chunk_id, _CHUNK.statements).where(
    _CHUNK.chunk_id.in_(bindparam("wanted", expanding=True)),
    _CHUNK.died.is_(None),
    _CHUNK.statements.is_not(None),
)
_LIVE = select(_CHUNK.chunk_id, _CHUNK.version).where(
    _CHUNK.collection_id == bindparam("wanted"), _CHUNK.died.is_(None)
)
_LIVE_AT = select(_CHUNK.chunk_id, _CHUNK.version).where(
    _CHUNK.collection_id == bindparam("wanted"), _WAS_LIVE
)
_OWNER = select(_CHUNK.document_id).where(
    _OWN_COLLECTION,
    _CHUNK.chunk_id == bindparam("chunk"),
    _CHUNK.died.is_(None),
)


class SqlDocuments:
    """Implements `DocumentLedger`."""

    def __init__(self, database: Database, now_s: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now_s = now_s

    async def announce(self, write_id: str, index_id: str, point_ids: Sequence[str]) -> None:
        """Record which points are about to be written, so that a crash leaves no orphans."""
        row = {
            "id": write_id,
            "index_id": index_id,
            "point_ids": list(point_ids),
            "announced_at_s": self._now_s(),
        }
        async with self._database.writing() as connection:
            await connection.execute(insert(schema.pending_writes), row)

    async def commit(self, write: Write) -> None:
        """Make the write live, atomically. IndexMoved if the collection has another index now.

        Conflict if it was not announced, or so long ago that its points were cleared away.
        """
        now_s = self._now_s()
        ids = [version.document.id for version in write.documents]
        async with self._database.writing() as connection:
            await check_fence(connection, write.fence)
            index_id, revision = await _advance(connection, write.collection_id)
            if index_id != write.index_id:
                raise IndexMoved(f"The index of collection {write.collection_id} was replaced")
            if write.announced:
                await _withdraw(connection, write.id)
            await mark_chunks_dead(connection, write.collection_id, ids, revision, now_s)
            added = await upsert_documents(connection, write, now_s)
            await insert_chunks(connection, write, revision)
            await _count(connection, write.collection_id, added)

    async def delete(
        self, collection_id: str, document_ids: Sequence[str], fence: Fence | None = None
    ) -> int:
        """Delete documents atomically; return how many existed."""
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            _, revision = await _advance(connection, collection_id)
            await mark_chunks_dead(connection, collection_id, document_ids, revision, self._now_s())
            removed = 0
            for batch in in_batches(document_ids):
                gone = delete(schema.documents).where(
                    _DOCUMENT.collection_id == collection_id, _DOCUMENT.id.in_(batch)
                )
                removed += (await connection.execute(gone)).rowcount
            await _count(connection, collection_id, -removed)
        return removed

    async def empty(self, collection_id: str, generation: Generation) -> int:
        """Delete all documents atomically, with a new generation; return how many there were."""
        now_s = self._now_s()
        async with self._database.writing() as connection:
            _, revision = await _advance(connection, collection_id)
            await mark_chunks_dead(connection, collection_id, None, revision, now_s)
            gone = delete(schema.documents).where(_DOCUMENT.collection_id == collection_id)
            removed = (await connection.execute(gone)).rowcount
            await _count(connection, collection_id, -removed)
            await move_to(connection, collection_id, generation, now_s)
        return removed

    async def get(self, collection_id: str, document_ids: Sequence[str]) -> Mapping[str, Document]:
        """Return the existing documents of these ids, by id."""
        found: dict[str, Document] = {}
        async with self._database.reading() as connection:
            for batch in in_batches(document_ids):
                query = select(_DOCUMENT.id, _DOCUMENT.text, _DOCUMENT.metadata).where(
                    _DOCUMENT.collection_id == collection_id, _DOCUMENT.id.in_(batch)
                )
                for id_, text, metadata in await connection.execute(query):
                    found[id_] = Document(id=id_, text=text, metadata=metadata)
        return found

    async def find(self, collection_id: str, filter_: Filter, limit: int, offset: int) -> Page:
        """Return documents whose metadata match, in the order of their creation."""
        query = select(_DOCUMENT.key, _DOCUMENT.id, _DOCUMENT.text, _DOCUMENT.metadata)
        documents: list[Document] = []
        last_key, skipped, left = 0, offset, MAX_PAGE_BYTES
        async with self._database.reading() as connection:
            matching = is_matching(connection, collection_id, filter_)
            query = query.where(matching).order_by(_DOCUMENT.key)
            total = await _total(connection, matching)
            # A few at a time: a thousand long ones would fill the memory.
            while len(documents) < limit and left > 0:
                size = min(DOCUMENT_BATCH, limit - len(documents))
                batch = query.where(_DOCUMENT.key > last_key).offset(skipped).limit(size)
                rows = (await connection.execute(batch)).all()
                for row in rows:
                    document = Document(id=row.id, text=row.text, metadata=row.metadata)
                    left -= _bytes_of(document)
                    if left < 0 and documents:
                        break
                    documents.append(document)
                if len(rows) < size:
                    break
                last_key, skipped = rows[-1].key, 0
        return Page(documents=tuple(documents), total=total)

    async def headers(
        self, collection_id: str, filter_: Filter, limit: int | None = None, offset: int = 0
    ) -> list[DocumentHeader]:
        """Return matching documents without their texts, in the order of their creation."""
        headers: list[DocumentHeader] = []
        wanted = math.inf if limit is None else limit
        last_key, skipped = 0, offset
        async with self._database.reading() as connection:
            matching = is_matching(connection, collection_id, filter_)
            query = select(*_HEADER).where(matching).order_by(_DOCUMENT.key)
            while wanted > len(headers):
                size = int(min(HEADER_BATCH, wanted - len(headers)))
                batch = query.where(_DOCUMENT.key > last_key).offset(skipped).limit(size)
                rows = (await connection.execute(batch)).all()
                headers += [DocumentHeader(*header) for _, *header in rows]
                if len(rows) < size:
                    break
                last_key, skipped = rows[-1].key, 0
        return headers

    async def headers_by(
        self, collection_id: str, filter_: Filter, field: str, limit: int, offset: int
    ) -> list[DocumentHeader]:
        """Return a page of matching documents without their texts, in the order of a field."""
        async with self._database.reading() as connection:
            in_order = func.coalesce(text_of_field(field), "").collate(_collation(connection))
            query = (
                select(*_HEADER)
                .where(is_matching(connection, collection_id, filter_))
                .order_by(in_order, _DOCUMENT.key)
                .limit(limit)
                .offset(offset)
            )
            rows = (await connection.execute(query)).all()
        return [DocumentHeader(*header) for _, *header in rows]

    async def groups(
        self, collection_id: str, field: str, value: str | None = None
    ) -> list[DocumentGroup]:
        """Return how much there is of each text that a field has, or of this one, in order."""
        if value is not None and not is_storable(value):
            return []
        async with self._database.reading() as connection:
            return await read_groups(connection, collection_id, field, value)

    async def header(self, collection_id: str, document_id: str) -> DocumentHeader | None:
        """Return a document without its text; None if there is no such document."""
        if not is_storable(document_id):
            return None
        query = select(*_HEADER).where(
            _DOCUMENT.collection_id == collection_id, _DOCUMENT.id == document_id
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else DocumentHeader(*row[1:])

    async def headers_of(
        self, collection_id: str, document_ids: Sequence[str]
    ) -> Mapping[str, DocumentHeader]:
        """Return the existing documents of these ids without their texts, by id, oldest first."""
        rows: list[RowMapping] = []
        async with self._database.reading() as connection:
            for batch in in_batches(document_ids):
                query = select(*_HEADER).where(
                    _DOCUMENT.collection_id == collection_id, _DOCUMENT.id.in_(batch)
                )
                rows += (await connection.execute(query)).mappings().all()
        ordered = sorted(rows, key=lambda row: int(row["key"]))
        return {row["id"]: DocumentHeader(*[*row.values()][1:]) for row in ordered}

    async def count(self, collection_id: str, filter_: Filter) -> int:
        """Count the documents that match."""
        async with self._database.reading() as connection:
            return await _total(connection, is_matching(connection, collection_id, filter_))

    async def whole(self, collection_id: str, document_id: str) -> WholeDocument | None:
        """Return a document with all its chunks of one version; None if there is none."""
        if not is_storable(document_id):
            return None
        wanted = select(_DOCUMENT.version, _DOCUMENT.id, _DOCUMENT.text, _DOCUMENT.metadata).where(
            _DOCUMENT.collection_id == collection_id, _DOCUMENT.id == document_id
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
            if row is None:
                return None
            version, *document = row
            chunks = WHOLE_CHUNKS.where(
                _CHUNK.collection_id == collection_id,
                _CHUNK.document_id == document_id,
                _CHUNK.version == version,
                _CHUNK.died.is_(None),
            ).order_by(_CHUNK.ordinal, _CHUNK.key)
            rows = (await connection.execute(chunks)).mappings().all()
        return WholeDocument(Document(*document), tuple(chunk_of(row) for row in rows))

    async def document_of(self, collection_id: str, chunk_id: str) -> str | None:
        """Return the id of the document that has this chunk now."""
        if not is_storable(chunk_id):
            return None

        def query(connection: Connection) -> str | None:
            return connection.scalar(_OWNER, {"collection": collection_id, "chunk": chunk_id})

        return await self._database.read(query)

    async def mend_links(self, collection_id: str) -> int:
        """Correct order and links of all documents' chunks; return how many were wrong."""
        mended, after = 0, ""
        while True:
            async with self._database.writing() as connection:
                rows = await read_documents_after(connection, collection_id, after)
                mended += await relink(connection, rows)
            if not rows:
                return mended
            after = rows[-1]["document_id"]

    async def field_values(self, collection_id: str, field: str) -> set[str]:
        """Return every value of a metadata field as text; lists give their elements."""
        query = (
            select(_FIELD.text)
            .where(_FIELD.collection_id == collection_id, _FIELD.field == field)
            .distinct()
        )
        async with self._database.reading() as connection:
            return set((await connection.scalars(query)).all())

    async def chunks_at(
        self, collection_id: str, revision: int, refs: Iterable[PointRef]
    ) -> Mapping[tuple[str, str], Chunk]:
        """Return the chunks that were live at that revision, by (chunk id, version)."""
        refs = [*refs]
        keys = {ref.key for ref in refs}
        has_keys = None not in keys
        wanted: Sequence[str | int | None] = [
            *(keys if has_keys else {ref.chunk_id for ref in refs})
        ]
        chunks = _CHUNKS_BY_KEY if has_keys else _CHUNKS_AT

        # What was live at a revision never changes, so the batches need no common snapshot.
        def query(connection: Connection) -> dict[tuple[str, str], Chunk]:
            found: dict[tuple[str, str], Chunk] = {}
            for batch in in_batches(wanted):
                about = {"collection": collection_id, "revision": revision, "wanted": batch}
                for row in connection.execute(chunks, about):
                    version, chunk = read_chunk(row)
                    found[chunk.id, version] = chunk
            return found

        return await self._database.read(query)

    async def statements(self, chunk_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return what live chunks say, packed, by chunk id, as far as it was kept."""

        def query(connection: Connection) -> dict[str, bytes]:
            return {
                row[0]: row[1]
                for batch in in_batches(chunk_ids)
                for row in connection.execute(_STATEMENTS, {"wanted": batch})
            }

        return await self._database.read(query)

    async def walk(
        self, collection_id: str, born_after: int = 0
    ) -> AsyncIterator[Sequence[ChunkVersion]]:
        """Yield the live chunks from after that revision, in batches of whole documents."""
        after = ""
        while True:
            async with self._database.reading() as connection:
                rows = await read_documents_after(connection, collection_id, after, born_after)
            if not rows:
                return
            yield [chunk_version_of(row) for row in rows]
            after = rows[-1]["document_id"]

    async def walk_documents(self, collection_id: str) -> AsyncIterator[Sequence[DocumentVersion]]:
        """Yield all documents with their chunks, in batches, in the order of their creation."""
        after = 0
        while True:
            async with self._database.reading() as connection:
                found = await read_versions_after(connection, collection_id, after)
            if not found:
                return
            yield list(found.values())
            after = max(found)

    async def live(self, collection_id: str) -> set[tuple[str, str]]:
        """Return the (chunk id, version) of every live chunk."""
        return await self._versions(_LIVE, {"wanted": collection_id})

    async def live_at(self, collection_id: str, revision: int) -> set[tuple[str, str]]:
        """Return the (chunk id, version) of every chunk that was live at that revision."""
        return await self._versions(_LIVE_AT, {"wanted": collection_id, "revision": revision})

    async def _versions(
        self, chunks: Select[str, str], wanted: Mapping[str, str | int]
    ) -> set[tuple[str, str]]:
        def query(connection: Connection) -> set[tuple[str, str]]:
            return {(row[0], row[1]) for row in connection.execute(chunks, wanted)}

        return await self._database.read(query)


def _collation(connection: AsyncConnection) -> str:
    """Return the collation that compares characters by number, as Python does."""
    return "C" if connection.dialect.name == "postgresql" else "BINARY"


def _bytes_of(document: Document) -> int:
    about = json.dumps(document.metadata, ensure_ascii=False)
    return len(document.text.encode()) + len(about.encode())


async def _total(connection: AsyncConnection, matching: ColumnElement[bool]) -> int:
    query = select(func.count()).select_from(schema.documents).where(matching)
    return await connection.scalar(query) or 0


async def _advance(connection: AsyncConnection, collection_id: str) -> tuple[str, int]:
    """Increment the revision; return the collection's index and the new revision."""
    row = (
        await connection.execute(
            update(schema.collections)
            .where(_COLLECTION.id == collection_id)
            .values(revision=_COLLECTION.revision + 1)
            .returning(_COLLECTION.index_id, _COLLECTION.revision, _COLLECTION.state)
        )
    ).one_or_none()
    if row is None:
        raise NotFound("The collection was deleted in the meantime")
    index_id, revision, state = row
    if state == "retired":
        # Nobody would ever see what is written into it.
        raise Conflict("The collection was replaced by a new one in the meantime; try again")
    return index_id, revision


async def _withdraw(connection: AsyncConnection, write_id: str) -> None:
    """Delete the announcement of a write. Conflict if it was cleared away as abandoned."""
    announced = delete(schema.pending_writes).where(schema.pending_writes.c.id == write_id)
    if (await connection.execute(announced)).rowcount == 0:
        raise Conflict(
            "The write took so long that what it had prepared was cleared away; send the documents"
            " again"
        )


async def _count(connection: AsyncConnection, collection_id: str, added: int) -> None:
    await connection.execute(
        update(schema.collections)
        .where(_COLLECTION.id == collection_id)
        .values(document_count=_COLLECTION.document_count + added)
    )
