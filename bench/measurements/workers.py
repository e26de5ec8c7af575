"""`POST /query` with 100 clients: two workers on one folder against one process on it.

Both run at once, and are asked in turn. The connections of a worker's clients are its own, so each
round opens new ones.
"""

from bench.load_clients import put_load
from bench.run import ROUNDS, Run
from bench.servers import Server, sourcebook
from bench.table import Goal, Row, each, ratios
from bench.texts import read_texts

TOP_K = 5
BATCH_SIZE = 100
CLIENTS = 100
WORKERS = 2


def measure(run: Run) -> list[Row]:
    """The same questions go to both; no cache answers, for each side is asked them once."""
    asked = run.amount(1_000, 200)
    texts = read_texts(run.amount(1_000, 100), (ROUNDS + 1) * asked)
    with (
        sourcebook(run.folder / "data", SOURCEBOOK_WORK="false") as one,
        sourcebook(run.folder / "data", SOURCEBOOK_WORKERS=str(WORKERS)) as several,
    ):
        _fill(one, texts.chunks)
        questions = iter(texts.questions)
        per_s: tuple[list[float], list[float]] = ([], [])
        for number in range(ROUNDS + 1):
            some = [next(questions) for _ in range(asked)]
            bodies = [{"collection": "bench", "query": text, "top_k": TOP_K} for text in some]
            for server, side in zip((several, one), per_s, strict=True):
                done = put_load(f"{server.url}/query", CLIENTS, bodies)
                if done.failures:
                    raise RuntimeError(f"{done.failures} of {len(bodies)} queries failed")
                # The first round only warms both up.
                if number:
                    side.append(len(bodies) / done.seconds)
    return [
        Row(
            f"POST /query, {CLIENTS} clients, {WORKERS} workers against one process",
            ratios(*per_s),
            Goal(">=", 1.3),
            ours=each(per_s[0], "/s"),
            theirs=each(per_s[1], "/s"),
        )
    ]


def _fill(server: Server, chunks: list[str]) -> None:
    server.post("/collections", {"name": "bench", "embedding_model": "minilm"})
    for start in range(0, len(chunks), BATCH_SIZE):
        some = chunks[start : start + BATCH_SIZE]
        documents = [{"id": str(start + place), "text": text} for place, text in enumerate(some)]
        server.post("/collections/bench/documents", {"documents": documents})
