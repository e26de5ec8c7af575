"""`POST /query` under load, and the memory after it, compared with a Chroma server.

The peer is `chroma run` with sentence-transformers in the client's process. No question is asked
twice, so no cache answers; both sides hold the same vectors of the same chunks.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.bundled_model import bundled_model, open_bundled_model
from bench.load_clients import put_load
from bench.peer_process import Peer, peer
from bench.run import ROUNDS, Run
from bench.servers import Server, chroma, sourcebook
from bench.table import Goal, Row, each, percentile, ratios
from bench.texts import Texts, read_texts

TOP_K = 5
BATCH_SIZE = 100
GOALS = {1: 2.5, 10: 4.0, 100: 6.0}
MAX_MEMORY_MB = 600


@dataclass(frozen=True, slots=True)
class Side:
    """Queries per second and 95th percentiles, by number of clients, a value for each round."""

    per_s: dict[int, list[float]] = field(default_factory=lambda: {c: [] for c in GOALS})
    p95_ms: dict[int, list[float]] = field(default_factory=lambda: {c: [] for c in GOALS})

    def note(self, clients: int, seconds: float, latencies_ms: Sequence[float]) -> None:
        """Add a round."""
        self.per_s[clients].append(len(latencies_ms) / seconds)
        self.p95_ms[clients].append(percentile(latencies_ms, 0.95))


def measure(run: Run) -> list[Row]:
    """1, 10 and 100 clients in turn."""
    asked = {1: run.amount(60, 10), 10: run.amount(200, 20), 100: run.amount(500, 100)}
    texts = read_texts(run.amount(1_000, 100), (ROUNDS + 1) * sum(asked.values()))
    model = str(bundled_model().folder)
    ours, theirs = Side(), Side()
    with (
        sourcebook(run.folder / "ours") as server,
        chroma(run.folder / "theirs") as store,
        peer("chroma_client.py", store.url.rpartition(":")[2], model) as client,
    ):
        _fill(server, client, texts)
        questions = iter(texts.questions)
        for number in range(ROUNDS + 1):
            for clients, count in asked.items():
                some = [next(questions) for _ in range(count)]
                # The first round only warms both sides up.
                _round(server, client, clients, some, (ours, theirs) if number else None)
        theirs_mb = store.memory.resident_mb + client.memory_mb
        memory = server.memory.resident_mb, theirs_mb
    return [*_rows(ours, theirs), _memory(*memory)]


def _round(
    server: Server,
    client: Peer,
    clients: int,
    questions: list[str],
    sides: tuple[Side, Side] | None,
) -> None:
    bodies = [{"collection": "bench", "query": text, "top_k": TOP_K} for text in questions]
    done = put_load(f"{server.url}/query", clients, bodies)
    if done.failures:
        raise RuntimeError(f"{done.failures} of {len(bodies)} queries failed")
    there = client.ask(do="load", clients=clients, questions=questions, top_k=TOP_K)
    if sides is not None:
        sides[0].note(clients, done.seconds, done.latencies_ms)
        sides[1].note(clients, there["seconds"], there["latencies_ms"])


def _fill(server: Server, client: Peer, texts: Texts) -> None:
    vectors = asyncio.run(_vectors(texts.chunks))
    server.post("/collections", {"name": "bench", "embedding_model": "minilm"})
    for start in range(0, len(texts.chunks), BATCH_SIZE):
        some = texts.chunks[start : start + BATCH_SIZE]
        ids = [str(start + place) for place in range(len(some))]
        about = [{"tier": int(id_) % 4} for id_ in ids]
        documents = [
            {"id": id_, "text": text, "metadata": metadata}
            for id_, text, metadata in zip(ids, some, about, strict=True)
        ]
        server.post("/collections/bench/documents", {"documents": documents})
        there = vectors[start : start + BATCH_SIZE]
        client.ask(do="add", ids=ids, texts=some, metadatas=about, vectors=there)


async def _vectors(chunks: list[str]) -> list[list[float]]:
    async with open_bundled_model() as embedder:
        return [list(vectors[0]) for vectors in await embedder.embed_documents(chunks)]


def _rows(ours: Side, theirs: Side) -> list[Row]:
    rows = [
        Row(
            f"POST /query, {clients} client{'s' if clients > 1 else ''}",
            ratios(ours.per_s[clients], theirs.per_s[clients]),
            Goal(">=", goal),
            ours=each(ours.per_s[clients], "/s"),
            theirs=each(theirs.per_s[clients], "/s"),
        )
        for clients, goal in GOALS.items()
    ]
    p95 = Row(
        "POST /query, 100 clients, p95",
        ratios(ours.p95_ms[100], theirs.p95_ms[100]),
        Goal("<=", 0.2),
        ours=each(ours.p95_ms[100], "ms"),
        theirs=each(theirs.p95_ms[100], "ms"),
    )
    return [*rows, p95]


def _memory(ours_mb: float, theirs_mb: float) -> Row:
    return Row(
        "memory after that load (peer: server and client)",
        [ours_mb],
        Goal("<=", MAX_MEMORY_MB, "MB"),
        "MB",
        ours=each([ours_mb], "MB"),
        theirs=each([theirs_mb], "MB"),
    )
