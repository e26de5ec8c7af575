"""kill -9 while a book is indexed: no reader ever notices, and every job comes to an end."""

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from sourcebook.core.jobs import MODES, IngestMode
from tests.chaos import LONG, dice
from tests.chaos.administrator import HANG_S, Administrator
from tests.chaos.leftovers import left_behind
from tests.chaos.manuscript import BOOK, Manuscript
from tests.chaos.readership import Reader, differences
from tests.e2e.processes import run, serving

KILLS = 100 if LONG else 3  # as many as there are modes


@contextmanager
def reading(url: str, reader: Reader) -> Iterator[None]:
    """Let the reader read all the time, until the server is gone or nobody wants it any more."""
    over = threading.Event()

    async def read() -> None:
        async with httpx2.AsyncClient(base_url=url, timeout=HANG_S) as client:
            try:
                while not over.is_set():
                    await reader.read_all(client)
            except httpx2.TransportError:
                return
            except AssertionError as problem:
                reader.problems.append(str(problem))

    thread = threading.Thread(target=lambda: asyncio.run(read()))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(HANG_S)
    assert not thread.is_alive(), "A reader hangs"


def begin_a_job(
    admin: Administrator, book: Manuscript, mode: IngestMode, chance: random.Random
) -> None:
    """Edit, order a job, and edit on while it runs; mostly, once what was interrupted has ended."""
    if chance.random() < 0.7:
        admin.wait_for_the_end()
    for _ in range(chance.randint(1, 8)):
        book.edit()
    job_id = admin.order(mode)
    for _ in range(chance.randint(0, 4)):
        book.edit()
    admin.wait_until_begun(job_id)


@pytest.mark.spec("002 US2.3")
def test_a_server_killed_at_any_moment_of_any_job_goes_on_and_no_reader_notices(
    tmp_path: Path, serve: tuple[str, ...]
) -> None:
    serve = (*serve, "--data-dir", "data")
    data = tmp_path / "data"
    book = Manuscript(tmp_path / "docs", seed=0)
    book.begin()
    env = {"DOCS_PATH": "docs", "BOOK_ID": BOOK, "SOURCEBOOK_RECONCILE_MINUTES": "0"}
    reader = Reader(book)
    chance = dice(1)
    interrupted = 0
    for kill in range(KILLS):
        with serving(*serve, cwd=tmp_path, env=env) as server:
            admin = Administrator(server, data)
            if kill == 0:
                assert admin.ingest("incremental") == "completed"
            with reading(server.url, reader):
                # Later, the job that goes on is now and then killed again.
                if kill < len(MODES) or chance.random() < 0.8:
                    begin_a_job(admin, book, MODES[kill % len(MODES)], chance)
                time.sleep(chance.choice([0.0, chance.uniform(0.0, 0.1), chance.uniform(0.0, 0.5)]))
                server.kill()
        left = left_behind(data)
        interrupted += left.running
        problems = reader.problems + left.problems
        assert not problems, f"after kill {kill + 1}: {problems}"

    with serving(*serve, cwd=tmp_path, env=env) as server:
        admin = Administrator(server, data)
        admin.wait_for_the_end()
        assert admin.ingest("incremental") == "completed"
        assert differences(server.client, book.files()) == []
        assert server.stop() == 0
    left = left_behind(data)
    assert (left.problems, left.running, left.abandoned) == ([], 0, 0)
    verified = run("verify", "--data-dir", "data", cwd=tmp_path)
    assert (verified.code, "differs" in verified.out) == (0, False), verified.out
    assert reader.lessons_read
    print(f"{KILLS} kills, {interrupted} jobs interrupted, {reader.lessons_read} lessons read")
