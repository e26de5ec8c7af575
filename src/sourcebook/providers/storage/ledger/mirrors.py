"""What an index in memory reads: chunks with their vectors and terms, in the order they came."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial

from sqlalchemy import Connection, Text, and_, bindparam, cast, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.metadata import Metadata
from sourcebook.core.mirrors import Deaths, MirroredChunk, MirrorSource
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.sql import in_batches, insert_or_ignore

PAGE_SIZE = 2_000
AFTER_ALL_KEYS = 2**62

_COLLECTION = schema.collections.c
_CHUNK = schema.chunks.c
_EMBEDDING = schema.embeddings.c
_TERMS = schema.chunk_terms.c

_STATE = select(_COLLECTION.revision, _COLLECTION.swept).where(
    _COLLECTION.id == bindparam("collection")
)
_OWNER = select(_COLLECTION.id, _COLLECTION.model_revision, _COLLECTION.dimensions).where(
    _COLLECTION.index_id == bindparam("index")
)
# Pages follow the index on (collection, born, key).
_BORN = (
    select(
        _CHUNK.key,
        _CHUNK.chunk_id,
        _CHUNK.document_id,
        _CHUNK.version,
        _CHUNK.born,
        _CHUNK.died,
        func.coalesce(_EMBEDDING.vectors, b""),
        _TERMS.terms,
    )
    .outerjoin(
        schema.embeddings,
        and_(
            _EMBEDDING.text_hash == _CHUNK.text_hash,
            _EMBEDDING.model_revision == bindparam("model"),
        ),
    )
    .outerjoin(
        schema.chunk_terms,
        and_(_TERMS.chunk_key == _CHUNK.key, _TERMS.encoder == bindparam("encoder")),
    )
    .where(
        _CHUNK.collection_id == bindparam("collection"),
        _CHUNK.born >= bindparam("born"),
        _CHUNK.born <= bindparam("upto"),
        (_CHUNK.born > bindparam("born")) | (_CHUNK.key > bindparam("key")),
    )
    .order_by(_CHUNK.born, _CHUNK.key)
    .limit(PAGE_SIZE)
)
_DIED = select(_CHUNK.key, _CHUNK.died).where(
    _CHUNK.collection_id == bindparam("collection"),
    _CHUNK.died > bindparam("after"),
    _CHUNK.died <= bindparam("upto"),
)
_LIVE = select(_CHUNK.key).where(
    _CHUNK.collection_id == bindparam("collection"), _CHUNK.died.is_(None)
)
# As text: reading their JSON is up to whoever needs it.
_METADATA = select(_CHUNK.key, cast(_CHUNK.metadata, Text)).where(
    _CHUNK.key.in_(bindparam("keys", expanding=True))
)
_TEXTS = select(_CHUNK.key, _CHUNK.text, _CHUNK.metadata).where(
    _CHUNK.key.in_(bindparam("keys", expanding=True))
)


class SqlMirrors:
    """Implements `MirrorLedger`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def index_ids(self) -> list[str]:
        """Return the index of every collection."""

        def query(connection: Connection) -> list[str]:
            return [*connection.scalars(select(_COLLECTION.index_id))]

        return await self._database.read(query)

    async def source(self, index_id: str) -> MirrorSource | None:
        """Return what the index of that id mirrors; None if no collection uses it."""

        def query(connection: Connection) -> MirrorSource | None:
            row = connection.execute(_OWNER, {"index": index_id}).one_or_none()
            return None if row is None else MirrorSource(*row)

        return await self._database.read(query)

    async def revision(self, collection_id: str) -> int | None:
        """Return the revision of a collection now; None if it is gone."""

        def query(connection: Connection) -> int | None:
            state = connection.execute(_STATE, {"collection": collection_id}).one_or_none()
            return None if state is None else state.revision

        return await self._database.read(query)

    async def born(
        self, source: MirrorSource, encoder: str, after: int, upto: int
    ) -> AsyncIterator[Sequence[MirroredChunk]]:
        """Yield what was born between two revisions, in batches, in the order it came."""
        fixed: dict[str, str | int] = {
            "collection": source.collection_id,
            "model": source.model_revision,
            "encoder": encoder,
            "upto": upto,
        }
        last = {"born": after, "key": AFTER_ALL_KEYS}
        while True:
            # A chunk that was born stays, or is dead for everybody: the batches need no snapshot.
            page = await self._database.read(partial(_read_born, wanted={**fixed, **last}))
            if page:
                yield page
            if len(page) < PAGE_SIZE:
                return
            last = {"born": page[-1].born, "key": page[-1].key}

    async def deaths(self, collection_id: str, after: int, upto: int) -> Deaths:
        """Return what died between two revisions."""

        def query(connection: Connection) -> Deaths:
            wanted = {"collection": collection_id}
            dead = connection.execute(_DIED, {**wanted, "after": after, "upto": upto})
            died = [(row[0], row[1]) for row in dead]
            # Last: what was swept meanwhile may be missing above.
            state = connection.execute(_STATE, wanted).one_or_none()
            return Deaths(died, upto if state is None else state.swept)

        return await self._database.read(query)

    async def live_keys(self, collection_id: str) -> list[int]:
        """Return the keys of all chunks that are live."""

        def query(connection: Connection) -> list[int]:
            return [*connection.scalars(_LIVE, {"collection": collection_id})]

        return await self._database.read(query)

    async def metadata(self, keys: Sequence[int]) -> Mapping[int, str]:
        """Return the metadata of chunks as JSON, by key."""

        def query(connection: Connection) -> dict[int, str]:
            return {
                key: text
                for batch in in_batches(keys)
                for key, text in connection.execute(_METADATA, {"keys": [*batch]})
            }

        return await self._database.read(query)

    async def texts(self, keys: Sequence[int]) -> list[tuple[int, str, Metadata]]:
        """Return the keys, texts and metadata of chunks."""

        def query(connection: Connection) -> list[tuple[int, str, Metadata]]:
            return [
                (row[0], row[1], row[2])
                for batch in in_batches(keys)
                for row in connection.execute(_TEXTS, {"keys": [*batch]})
            ]

        return await self._database.read(query)

    async def remember_terms(self, encoder: str, terms: Mapping[int, bytes]) -> None:
        """Keep the terms of chunks, by key, so that nobody has to read them again."""
        rows = [
            {"chunk_key": key, "encoder": encoder, "terms": packed}
            for key, packed in sorted(terms.items())
        ]
        async with self._database.writing() as connection:
            for batch in in_batches(rows):
                await _insert(connection, batch)


def _read_born(connection: Connection, wanted: Mapping[str, str | int]) -> Sequence[MirroredChunk]:
    return [MirroredChunk(*row) for row in connection.execute(_BORN, wanted)]


async def _insert(connection: AsyncConnection, rows: Sequence[Mapping[str, object]]) -> None:
    # A chunk may have been forgotten since, and another process may have been faster.
    known = select(_CHUNK.key).where(_CHUNK.key.in_([row["chunk_key"] for row in rows]))
    keys = set(await connection.scalars(known))
    new = [row for row in rows if row["chunk_key"] in keys]
    if new:
        await connection.execute(insert_or_ignore(connection.dialect.name, schema.chunk_terms), new)


async def note_swept(connection: AsyncConnection, keys: Sequence[int]) -> None:
    """Record that chunks are about to be forgotten, so that older mirrors know they lack them."""
    last = (
        select(_CHUNK.collection_id, func.max(_CHUNK.died))
        .where(_CHUNK.key.in_(keys))
        .group_by(_CHUNK.collection_id)
    )
    for collection_id, died in (await connection.execute(last)).all():
        await connection.execute(
            update(schema.collections)
            .where(_COLLECTION.id == collection_id, _COLLECTION.swept < died)
            .values(swept=died)
        )
