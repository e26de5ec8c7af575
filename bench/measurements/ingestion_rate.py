"""Ingestion end to end, compared with the bare embedder on the same texts, in this process.

End to end is a job from its start to its end: files read, cut into chunks, embedded, and stored in
ledger and index. Bare is one call of the same model for all texts that the job embedded.
"""

import time
from pathlib import Path

import uvloop

from bench.in_process_ingestion import InProcessIngestion, open_ingestion
from bench.pages import read_pages, write_pages
from bench.run import ROUNDS, Run
from bench.table import Goal, Row, each, ratios

WARM_UP_PAGES = 40


def measure(run: Run) -> list[Row]:
    """Other pages in each round: texts that are known are not embedded again."""
    pages, books = read_pages(), run.folder / "books"
    size = run.amount(150, 20)
    write_pages(pages[:WARM_UP_PAGES], books / "0")
    for number in range(1, ROUNDS + 1):
        start = WARM_UP_PAGES + (number - 1) * size
        write_pages(pages[start : start + size], books / str(number))
    ours, bare = uvloop.run(_beside(books, run.folder / "data"))
    return [
        Row(
            f"ingestion of {size} pages, beside the bare embedder",
            ratios(ours, bare),
            Goal(">=", 0.85),
            ours=each(ours, "chunks/s"),
            theirs=each(bare, "chunks/s"),
        )
    ]


async def _beside(books: Path, data: Path) -> tuple[list[float], list[float]]:
    """Chunks per second, end to end and bare, in each round."""
    ours, bare = [], []
    async with open_ingestion(books, data) as ingestion:
        for number in range(ROUNDS + 1):
            rates = await _round(ingestion, str(number))
            # The first round only warms up: each new shape of a batch takes the model a moment.
            if number:
                ours.append(rates[0])
                bare.append(rates[1])
    return ours, bare


async def _round(ingestion: InProcessIngestion, book: str) -> tuple[float, float]:
    embedder = ingestion.embedder
    embedder.texts.clear()
    started_s = time.perf_counter()
    await ingestion.ingest(book)
    ingested_s = time.perf_counter() - started_s
    texts = [*embedder.texts]
    started_s = time.perf_counter()
    await embedder.embed_documents(texts)
    return len(texts) / ingested_s, len(texts) / (time.perf_counter() - started_s)
