"""Documents posted to `/api/rag/ingest`: how long one takes, and the contract's other targets."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from bench.load_clients import put_load
from bench.run import ROUNDS, Run
from bench.servers import Server, sourcebook
from bench.table import Goal, Row, percentile
from bench.texts import read_texts
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.models import bundled_entries, open_model

DOCUMENT_CHARACTERS = 10_000
BATCH = 10
# The texts that a client embeds in a batch are passages, not books.
PASSAGE_CHARACTERS = 800


def measure(run: Run) -> list[Row]:
    """The targets of contract 003, section 6."""
    posted = run.amount(20, 3)
    texts = read_texts(ROUNDS * posted * 12 + ROUNDS * BATCH * 5, ROUNDS * 100)
    chunks = iter(texts.chunks)
    posting_s: list[float] = []
    searching_ms: list[float] = []
    with sourcebook(run.folder) as server:
        for number in range(ROUNDS):
            posting_s.append(max(_posted(server, chunks, f"{number}-{n}") for n in range(posted)))
            questions = texts.questions[number * 100 : (number + 1) * 100]
            bodies = [{"query": question} for question in questions]
            searched = put_load(f"{server.url}/api/rag/search", 1, bodies)
            searching_ms.append(percentile(searched.latencies_ms, 0.95))
    embedding_ms = asyncio.run(_embedding_ms(run.folder, chunks))
    return [
        Row(
            f"POST /api/rag/ingest, 10 KB, longest of {posted}", posting_s, Goal("<=", 5, "s"), "s"
        ),
        Row("POST /api/rag/search, p95", searching_ms, Goal("<=", 500, "ms"), "ms"),
        Row(f"embedding of {BATCH} texts", embedding_ms, Goal("<=", 200, "ms"), "ms"),
    ]


def _posted(server: Server, chunks: Iterator[str], path: str) -> float:
    text = ""
    while len(text) < DOCUMENT_CHARACTERS:
        text += next(chunks) + "\n\n"
    body = {"source": "bench", "path": path, "title": path, "text": text[:DOCUMENT_CHARACTERS]}
    started_s = time.perf_counter()
    reply = server.post("/api/rag/ingest", body)
    taken_s = time.perf_counter() - started_s
    if reply["status"] != "created":
        raise RuntimeError(f"{path} was {reply['status']}, not created")
    return taken_s


async def _embedding_ms(folder: Path, chunks: Iterator[str]) -> list[float]:
    taken_ms = []
    async with open_model(load_settings(), bundled_entries()[0], DataFolder(folder)) as embedder:
        for number in range(ROUNDS + 1):
            texts = [next(chunks)[:PASSAGE_CHARACTERS] for _ in range(BATCH)]
            started_s = time.perf_counter()
            await embedder.embed_documents(texts)
            if number:  # the first warms it up
                taken_ms.append((time.perf_counter() - started_s) * 1000)
    return taken_ms
