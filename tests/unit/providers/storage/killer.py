"""Opens databases in processes that are killed on the way."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

# Forks once per line, so that everything is imported once, and answers with the fork's exit code.
# A fork kills itself before the statement of a number, or before the one that records a revision.
SCRIPT = """
import aiosqlite, alembic.command, asyncio, asyncpg, json, os, re, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from sourcebook.providers.storage.conversations.sql_conversations import (
    open_postgres_conversations,
    open_sqlite_conversations,
)
from sourcebook.providers.storage.ledger.sql_ledger import open_postgres_ledger, open_sqlite_ledger

async def open_database(kind, place):
    on_postgres = "://" in place
    if kind == "ledger":
        opening = open_postgres_ledger(place) if on_postgres else open_sqlite_ledger(Path(place))
        async with opening:
            return
    opening = (
        open_postgres_conversations(place, 30)
        if on_postgres
        else open_sqlite_conversations(Path(place), 30)
    )
    async with opening as store:
        await store.check()

def open_and_kill(kind, place, before):
    count = 0
    records = re.compile(rf"_version .*(VALUES \\(|SET version_num=)'{before}'")

    @event.listens_for(Engine, "before_cursor_execute")
    def kill(_, __, statement, *___):
        nonlocal count
        count += 1
        if count == before or records.search(statement):
            os.kill(os.getpid(), signal.SIGKILL)

    signal.alarm(60)
    asyncio.run(open_database(kind, place))

for line in sys.stdin:
    child = os.fork()
    if not child:
        open_and_kill(*json.loads(line))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Killer:
    """Opens a database in a process of its own, which is killed on the way."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    async def open(
        self, kind: Literal["ledger", "conversations"], place: str, *, before: int | str
    ) -> int:
        """The exit code of the process, killed before a statement or a revision's record."""
        return await asyncio.to_thread(self._ask, json.dumps([kind, place, before]))

    def _ask(self, line: str) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def open_killer() -> Iterator[Killer]:
    """Start the process that is forked for each kill."""
    command, pipe = [sys.executable, "-c", SCRIPT], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        yield Killer(process)
