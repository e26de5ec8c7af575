"""Runs Alembic migrations, unless the database is at the newest revision."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, String, column, inspect, select, table, text

DEFAULT_VERSION_TABLE = "alembic_version"


@dataclass(frozen=True)
class Migrations:
    """A folder of Alembic migrations in a linear history.

    The name of each file begins with its revision, and the last name is the newest revision.
    """

    folder: Path
    # Of the advisory lock on Postgres, since several replicas may start at once.
    lock_key: int
    version_table: str = DEFAULT_VERSION_TABLE

    def upgrade(self, connection: Connection, revision: str = "head") -> None:
        """Bring the tables to a revision."""
        if revision == "head" and self._is_at_head(connection):
            return
        # Importing it takes longer than everything else that a start does with the database.
        from alembic import command  # noqa: PLC0415
        from alembic.config import Config  # noqa: PLC0415

        self.lock(connection)
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(self.folder))
        command.upgrade(config, revision)

    def lock(self, connection: Connection) -> None:
        """Lock out other replicas until the end of the transaction (Postgres only)."""
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({self.lock_key})"))

    @cached_property
    def head(self) -> str:
        """The newest revision, found without Alembic."""
        newest = max(path.name for path in (self.folder / "versions").glob("[0-9]*.py"))
        return newest.partition("_")[0]

    def _is_at_head(self, connection: Connection) -> bool:
        if not inspect(connection).has_table(self.version_table):
            return False
        version = column("version_num", String)
        found = connection.scalars(select(version).select_from(table(self.version_table)))
        return list(found) == [self.head]
