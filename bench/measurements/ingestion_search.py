"""`POST /search` in a book: alone, while another book is ingested, and with 100 clients."""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bench.book_servers import BookServer, book_server
from bench.http_load import Loaded
from bench.load_clients import put_load
from bench.pages import read_pages, write_pages
from bench.run import ROUNDS, Run
from bench.table import Goal, Row, each, percentile, ratios
from bench.texts import read_texts

MAX_LATENCY_MS = 500
CROWD = 100
BEGIN_TIMEOUT_S = 60


def measure(run: Run) -> list[Row]:
    """One client alone and during an ingestion, in turn; then a crowd."""
    asked = run.amount(200, 20)
    _write_books(run.folder / "books", run.amount(150, 40))
    questions = iter(read_texts(1, ROUNDS * (2 * asked + 5 * CROWD) + asked).questions)
    idle: list[list[float]] = []
    busy: list[list[float]] = []
    crowd: list[Loaded] = []
    with book_server(run.folder, DOCS_PATH=str(run.folder / "books")) as server:
        server.ingest(docs_path="0")
        _searched(server, questions, asked)
        for number in range(1, ROUNDS + 1):
            idle.append(_searched(server, questions, asked).latencies_ms)
            crowd.append(_searched(server, questions, 5 * CROWD, CROWD))
            job_id = _begun(server, str(number))
            busy.append(_searched(server, questions, asked).latencies_ms)
            _still_running(server, job_id)
            server.finish(job_id)
    return _rows(idle, busy, crowd)


def _write_books(books: Path, size: int) -> None:
    """Other pages in each book: texts that are known are not embedded again."""
    pages = read_pages()
    for number in range(ROUNDS + 1):
        write_pages(pages[number * size : (number + 1) * size], books / str(number))


def _searched(server: BookServer, questions: Iterator[str], count: int, clients: int = 1) -> Loaded:
    bodies = [{"query": question} for question in islice(questions, count)]
    return put_load(f"{server.server.url}/search", clients, bodies)


def _begun(server: BookServer, book: str) -> int:
    """Order an ingestion of another book, and wait until its chunks are being stored."""
    job_id = server.begin(book_id=book, docs_path=book)
    end_s = time.monotonic() + BEGIN_TIMEOUT_S
    while not server.job(job_id)["chunks_created"]:
        if time.monotonic() > end_s:
            raise RuntimeError(f"Job {job_id} stored nothing within {BEGIN_TIMEOUT_S} s")
        time.sleep(0.05)
    return job_id


def _still_running(server: BookServer, job_id: int) -> None:
    if server.job(job_id)["status"] != "running":
        raise RuntimeError("The ingestion ended before the searches did; use more pages")


def _rows(idle: list[list[float]], busy: list[list[float]], crowd: list[Loaded]) -> list[Row]:
    idle_ms, busy_ms, crowd_ms = (
        [percentile(latencies_ms, 0.95) for latencies_ms in rounds]
        for rounds in (idle, busy, [loaded.latencies_ms for loaded in crowd])
    )
    goal = Goal("<=", MAX_LATENCY_MS, "ms")
    return [
        Row("POST /search, p95 (002 SC-001)", idle_ms, goal, "ms"),
        Row(f"POST /search, {CROWD} clients, p95", crowd_ms, goal, "ms"),
        Row(
            f"POST /search, {CROWD} clients, failures (002 SC-007)",
            [loaded.failures for loaded in crowd],
            Goal("<=", 0, ""),
            "",
        ),
        Row(
            "POST /search during an ingestion, p95, beside the same alone",
            ratios(busy_ms, idle_ms),
            Goal("<=", 2),
            ours=f"{each(busy_ms, 'ms')} beside {each(idle_ms, 'ms')}",
        ),
    ]
