"""Runs Alembic migrations, unless the database is at the newest revision."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, String, column, inspect, select, table, text

DEFAULT_VERSION_TABLE = "alembic_version"


class NewerSchema(Exception):
    """The tables were made by a newer version of Sourcebook, and this one does not know them."""


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
        """Bring the tables to a revision; NewerSchema if they are beyond the newest known."""
        found = self.version(connection)
        if found is not None and found not in self.known:
            raise NewerSchema(f"Its revision is {found}, and the newest known is {self.head}")
        if revision == "head" and found == self.head:
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
    def known(self) -> frozenset[str]:
        """Every revision, found without Alembic."""
        files = (self.folder / "versions").glob("[0-9]*.py")
        return frozenset(path.name.partition("_")[0] for path in files)

    @property
    def head(self) -> str:
        """The newest revision."""
        return max(self.known)

    def version(self, connection: Connection) -> str | None:
        """The revision that the tables have; None if there are none."""
        if not inspect(connection).has_table(self.version_table):
            return None
        version = column("version_num", String)
        found = connection.scalars(select(version).select_from(table(self.version_table)))
        return found.first()
