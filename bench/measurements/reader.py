"""What reading the evidence adds to an answer without a language model.

The same questions to the same book with the reader and without it, turn by turn, one client. A
server that has just started is asked once before, so that the reader is loaded.
"""

import random
import statistics
from pathlib import Path

from bench.book_servers import book_server
from bench.load_clients import put_load
from bench.measurements.chat import read_book
from bench.run import ROUNDS, Run
from bench.table import Goal, Row, each, ratios

TOP_K = 5
MAX_ADDED_MS = 200


def measure(run: Run) -> list[Row]:
    """The usual answer with a reader, without one, and the difference."""
    book = read_book()
    with book_server(run.folder, DOCS_PATH=str(book.pages)) as server:
        server.ingest()
    took: dict[str, list[float]] = {"bundled": [], "off": []}
    for number in range(ROUNDS):
        asked = random.Random(number).sample(book.questions, len(book.questions))  # noqa: S311
        count = min(len(asked), run.amount(60, 10))
        for reader, times in took.items():
            times.append(_usual_ms(run.folder, asked[:count], reader))
    added = [one - other for one, other in zip(took["bundled"], took["off"], strict=True)]
    compared = f"{each(took['bundled'], 'ms')} beside {each(took['off'], 'ms')}"
    return [
        Row(
            f"`/chat`, top_k {TOP_K}, 1 client, median: what the reader adds",
            added,
            Goal("<=", MAX_ADDED_MS, "ms"),
            "ms",
            ours=compared,
        ),
        Row("the same, as a ratio", ratios(took["bundled"], took["off"])),
    ]


def _usual_ms(folder: Path, questions: list[str], reader: str) -> float:
    with book_server(folder, API_RATE_LIMIT="0", SOURCEBOOK_READER=reader) as server:
        url = f"{server.server.url}/chat"
        put_load(url, 1, [{"query": "What is this book about?", "top_k": TOP_K}])
        bodies = [{"query": one, "top_k": TOP_K} for one in questions]
        return statistics.median(put_load(url, 1, bodies).latencies_ms)
