"""The table of conversations, as spec 004 has it, and how a database comes to have it."""

from pathlib import Path

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    DateTime,
    Double,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    Uuid,
    inspect,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from sourcebook.core.errors import HistoryUnavailable

MIGRATIONS = Path(__file__).parent / "conversation_migrations"
VERSION_TABLE = "sourcebook_conversations_version"

metadata = MetaData()

conversations = Table(
    "conversations",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("response", Text, nullable=False),
    Column("sources", JSON().with_variant(JSONB(), "postgresql"), nullable=False),
    Column("mode", Text, nullable=False),
    Column("selected_text", Text),
    Column("chunks_retrieved", Integer, nullable=False),
    Column("latency_ms", Double, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Index("idx_conversations_session_id", "session_id"),
    Index("idx_conversations_session_created", "session_id", text("created_at DESC")),
)


def ensure_table(connection: Connection) -> None:
    """Make the table unless it is there; HistoryUnavailable if another one has its name."""
    _take_turns(connection)
    if inspect(connection).has_table(conversations.name):
        _check_columns(connection)
    else:
        # Somebody may have dropped it: then the version must not say that it is there.
        connection.execute(text(f"DROP TABLE IF EXISTS {VERSION_TABLE}"))
    _upgrade(connection)


def _check_columns(connection: Connection) -> None:
    found = {column["name"] for column in inspect(connection).get_columns(conversations.name)}
    missing = [column.name for column in conversations.columns if column.name not in found]
    if missing:
        raise HistoryUnavailable(
            "The database has a table 'conversations' that is not the one of conversations:"
            f" it lacks {', '.join(missing)}. Rename it, or name another database"
        )


def _take_turns(connection: Connection) -> None:
    """Several processes may begin at once; the others wait here and find it done."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(7274496213)"))
    else:
        # The driver begins a transaction for rows, but not for tables.
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _upgrade(connection: Connection) -> None:
    # Alembic is only needed here, once per start.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS))
    command.upgrade(config, "head")
