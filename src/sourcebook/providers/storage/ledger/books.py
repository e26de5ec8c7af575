"""Books in the ledger: which of their files are lessons."""

from sqlalchemy import ColumnElement, RowMapping, and_, delete, select, update

from sourcebook.core.books import KeptLayout
from sourcebook.core.jobs import Fence
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.ledger.job_rows import check_fence
from sourcebook.providers.storage.ledger.self_test_rows import is_test_of
from sourcebook.providers.storage.sql import as_storable, insert_new, is_storable

_BOOK = schema.books.c


class SqlBooks:
    """Implements `BookLedger`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, collection: str, book_id: str) -> KeptLayout | None:
        """Return what is kept with the book; None if nothing is."""
        if not (is_storable(collection) and is_storable(book_id)):
            return None
        query = select(schema.books).where(_is(collection, book_id))
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
        return None if row is None else _layout_of(row)

    async def all(self, collection: str) -> list[KeptLayout]:
        """Return what is kept with the books of a collection, by book id."""
        if not is_storable(collection):
            return []
        query = select(schema.books).where(_BOOK.collection == collection)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.order_by(_BOOK.book_id))).mappings().all()
        return [_layout_of(row) for row in rows]

    async def put(self, kept: KeptLayout, fence: Fence | None = None) -> None:
        """Keep it in place of what was kept with the book. LeaseLost."""
        row = _columns(kept)
        async with self._database.writing() as connection:
            await check_fence(connection, fence)
            if not await insert_new(connection, schema.books, [row]):
                known = update(schema.books).where(_is(kept.collection, kept.book_id))
                await connection.execute(known.values(**row))

    async def delete(self, collection: str, book_id: str) -> bool:
        """Forget what is kept with the book, its self-test too; return whether a layout was."""
        if not (is_storable(collection) and is_storable(book_id)):
            return False
        async with self._database.writing() as connection:
            await connection.execute(
                delete(schema.self_tests).where(is_test_of(collection, book_id))
            )
            gone = await connection.execute(delete(schema.books).where(_is(collection, book_id)))
        return gone.rowcount == 1


def _is(collection: str, book_id: str) -> ColumnElement[bool]:
    return and_(_BOOK.collection == collection, _BOOK.book_id == book_id)


def _columns(kept: KeptLayout) -> dict[str, object]:
    return {
        "collection": kept.collection,
        "book_id": kept.book_id,
        "patterns": list(kept.patterns),
        "exclude": list(kept.exclude),
        "automatic": kept.automatic,
        "source": as_storable(kept.source),
        "chosen_at_s": kept.chosen_at_s,
    }


def _layout_of(row: RowMapping) -> KeptLayout:
    return KeptLayout(
        collection=row["collection"],
        book_id=row["book_id"],
        patterns=tuple(row["patterns"]),
        exclude=tuple(row["exclude"]),
        automatic=row["automatic"],
        source=row["source"],
        chosen_at_s=row["chosen_at_s"],
    )
