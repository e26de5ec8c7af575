"""The conversations table, its migrations, and exchanges as rows."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    DateTime,
    Dialect,
    Double,
    Index,
    Integer,
    MetaData,
    RowMapping,
    Table,
    Text,
    TypeDecorator,
    Uuid,
    inspect,
    text,
)
from sqlalchemy.types import TypeEngine

from sourcebook.core.conversations import Exchange, ExchangeMode
from sourcebook.core.errors import HistoryUnavailable, InvalidInput
from sourcebook.core.metadata import JsonValue
from sourcebook.core.text import check_text
from sourcebook.providers.storage.migration import Migrations
from sourcebook.providers.storage.sql import as_storable

VERSION_TABLE = "sourcebook_conversations_version"
MIGRATIONS = Migrations(Path(__file__).parent / "migrations", 7_274_496_213, VERSION_TABLE)

metadata = MetaData()


class _Json(TypeDecorator[JsonValue]):
    """JSON, which Postgres has as `jsonb`."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[JsonValue]:
        if dialect.name != "postgresql":
            return dialect.type_descriptor(JSON())
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415 - see `insert_or_ignore`

        return dialect.type_descriptor(JSONB())


conversations = Table(
    "conversations",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("response", Text, nullable=False),
    Column("sources", _Json(), nullable=False),
    Column("mode", Text, nullable=False),
    Column("selected_text", Text),
    Column("chunks_retrieved", Integer, nullable=False),
    Column("latency_ms", Double, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Index("idx_conversations_session_id", "session_id"),
    Index("idx_conversations_session_created", "session_id", text("created_at DESC")),
)


def ensure_table(connection: Connection) -> None:
    """Create the table unless it exists; HistoryUnavailable if another one has its name."""
    _lock(connection)
    if inspect(connection).has_table(conversations.name):
        _check_columns(connection)
    else:
        # Somebody may have dropped the table: then the recorded version is wrong.
        connection.execute(text(f"DROP TABLE IF EXISTS {VERSION_TABLE}"))
    MIGRATIONS.upgrade(connection)


def _check_columns(connection: Connection) -> None:
    found = {column["name"] for column in inspect(connection).get_columns(conversations.name)}
    missing = [column.name for column in conversations.columns if column.name not in found]
    if missing:
        raise HistoryUnavailable(
            "The database has a table 'conversations' that is not the one of conversations:"
            f" it lacks {', '.join(missing)}. Rename it, or name another database"
        )


def _lock(connection: Connection) -> None:
    """Several processes may start at once; the others wait here and find the table done."""
    MIGRATIONS.lock(connection)
    if connection.dialect.name == "sqlite":
        # The driver begins a transaction for rows, but not for tables.
        connection.exec_driver_sql("BEGIN IMMEDIATE")


_MODES: Mapping[object, ExchangeMode] = {mode: mode for mode in get_args(ExchangeMode)}


def as_row(exchange: Exchange) -> dict[str, object]:
    """Convert an exchange to columns; characters that no database stores are escaped."""
    # An escape could turn one session's id into that of another.
    check_text(exchange.session_id, "session id")
    selected = exchange.selected_text
    return {
        "id": _uuid(exchange.id),
        "session_id": exchange.session_id,
        "query": as_storable(exchange.query),
        "response": as_storable(exchange.response),
        "sources": [_storable(dict(source)) for source in exchange.sources],
        "mode": exchange.mode,
        "selected_text": None if selected is None else as_storable(selected),
        "chunks_retrieved": exchange.chunks_retrieved,
        "latency_ms": exchange.latency_ms,
        "created_at": as_time(exchange.created_at_s),
    }


def as_exchange(row: RowMapping) -> Exchange:
    """Convert a row to an exchange; rows that another program wrote may lack values."""
    sources = row["sources"]
    return Exchange(
        id=str(row["id"]),
        session_id=row["session_id"],
        query=row["query"] or "",
        response=row["response"] or "",
        sources=tuple(source for source in sources if isinstance(source, Mapping))
        if isinstance(sources, list)
        else (),
        mode=_MODES.get(row["mode"], "general"),
        selected_text=row["selected_text"],
        chunks_retrieved=row["chunks_retrieved"] or 0,
        latency_ms=row["latency_ms"] or 0.0,
        created_at_s=_as_seconds(row["created_at"]),
    )


def as_time(seconds: float) -> datetime:
    """Convert Unix seconds to the column's type: in UTC, to the microsecond."""
    return datetime.fromtimestamp(seconds, UTC)


def _as_seconds(time: datetime) -> float:
    # SQLite stores no time zone. What it stores is UTC, whatever the zone of this machine.
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _uuid(id_: str) -> uuid.UUID:
    try:
        return uuid.UUID(id_)
    except ValueError:
        raise InvalidInput(f"The id of an exchange must be a UUID, not {id_[:40]!r}") from None


def _storable(value: JsonValue) -> JsonValue:
    # `jsonb` refuses some characters even when JSON escapes them.
    if isinstance(value, str):
        return as_storable(value)
    if isinstance(value, list):
        return [_storable(element) for element in value]
    if isinstance(value, dict):
        return {as_storable(key): _storable(element) for key, element in value.items()}
    return value
