"""A database at the newest revision is left alone, and every other one is Alembic's."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import text

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.conversations.schema import MIGRATIONS as OF_CONVERSATIONS
from sourcebook.providers.storage.ledger.schema import MIGRATIONS as OF_LEDGER
from sourcebook.providers.storage.ledger.sqlite import open_sqlite
from sourcebook.providers.storage.migration import Migrations

# Opens a ledger, and tells whether that took Alembic.
OPEN = """
import asyncio, sys
from pathlib import Path
from sourcebook.providers.storage.ledger.sqlite import open_sqlite

async def main():
    async with open_sqlite(Path(sys.argv[1])):
        print("alembic" in sys.modules)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "migrations", [OF_LEDGER, OF_CONVERSATIONS], ids=["ledger", "conversations"]
)
def test_the_newest_revision_is_the_one_that_alembic_finds(migrations: Migrations) -> None:
    config = Config()
    config.set_main_option("script_location", str(migrations.folder))
    scripts = ScriptDirectory.from_config(config)

    assert scripts.get_heads() == [migrations.head]
    for script in scripts.walk_revisions():
        assert Path(script.path).name.startswith(f"{script.revision}_")


async def test_a_database_at_the_newest_revision_is_opened_without_alembic(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with open_sqlite(path):
        pass

    command = [sys.executable, "-c", OPEN, str(path)]
    opened = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)

    assert opened.stdout.strip() == "False"


async def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "ledger.db") as ledger, ledger.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(
        ConfigurationError, match=r"newer version .* is 9999, .* restore the backup"
    ):
        async with open_sqlite(tmp_path / "ledger.db"):
            pass
