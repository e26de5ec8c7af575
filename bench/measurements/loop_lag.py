"""Blocking of the event loop: 100 searches arrive while 2,000 documents are loaded.

A process of its own asks `/livez` every 20 ms; inside the server, a task notes how late it wakes.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor

from bench.load_clients import probing, put_load
from bench.run import ROUNDS, Run
from bench.servers import Server, sourcebook
from bench.table import Goal, Row, each, percentile
from bench.texts import read_texts

BATCH_SIZE = 1_000
BURSTS, BURST = 5, 20
PAUSE_S = 1.0
MAX_LAG_MS = 100


def measure(run: Run) -> list[Row]:
    """The longest wait of every round, seen from outside and from inside."""
    texts = read_texts(run.amount(2_000, 200), BURSTS * BURST * ROUNDS)
    outside: list[list[float]] = []
    file = run.folder / "lags.json"
    with sourcebook(run.folder, module="bench.loop_lag_server", BENCH_LAG_FILE=str(file)) as server:
        server.post("/collections", {"name": "bench", "embedding_model": "minilm"})
        for number in range(ROUNDS):
            # Other texts in each round: those that are known are not embedded again.
            documents = [{"text": f"Round {number}. {text}"} for text in texts.chunks]
            questions = texts.questions[number::ROUNDS]
            with probing(f"{server.url}/livez") as latencies_ms:
                _load_and_search(server, documents, questions)
            outside.append(latencies_ms)
    inside: list[float] = json.loads(file.read_text("utf-8"))
    longest = [max(latencies_ms) for latencies_ms in outside]
    usual = [percentile(latencies_ms, 0.99) for latencies_ms in outside]
    what = f"{len(texts.chunks):,} documents load while {BURSTS * BURST} searches arrive"
    goal = Goal("<=", MAX_LAG_MS, "ms")
    return [
        Row(f"{what}: longest `/livez`", longest, goal, "ms", ours=f"p99 {each(usual, 'ms')}"),
        Row(
            f"{what}: longest lag inside, all rounds",
            [max(inside)],
            goal,
            "ms",
            ours=f"p99 {each([percentile(inside, 0.99)], 'ms')}",
        ),
    ]


def _load_and_search(server: Server, documents: list[dict[str, str]], questions: list[str]) -> None:
    with ThreadPoolExecutor(1) as thread:
        loading = thread.submit(_load, server, documents)
        for number in range(BURSTS):
            time.sleep(PAUSE_S)
            some = questions[number * BURST : (number + 1) * BURST]
            bodies = [{"collection": "bench", "query": text} for text in some]
            put_load(f"{server.url}/query", BURST, bodies)
        loading.result()


def _load(server: Server, documents: list[dict[str, str]]) -> None:
    for start in range(0, len(documents), BATCH_SIZE):
        some = documents[start : start + BATCH_SIZE]
        server.post("/collections/bench/documents", {"documents": some})
