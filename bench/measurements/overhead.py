"""The cost of a query without its embedding: HTTP, filter, store and ledger.

A question that was just asked is not embedded again, so its time is that of all the rest; what a
new question takes longer is the embedding. One client, new and known questions in turn.
"""

from bench.load_clients import put_load
from bench.run import ROUNDS, Run
from bench.servers import Server, sourcebook
from bench.table import Goal, Row, each, percentile, ratios
from bench.texts import read_texts


def measure(run: Run) -> list[Row]:
    """The median of both kinds of questions in every round."""
    asked = run.amount(100, 20)
    texts = read_texts(run.amount(1_000, 100), (ROUNDS + 1) * asked)
    rest_ms, embedding_ms = [], []
    with sourcebook(run.folder) as server:
        _fill(server, texts.chunks)
        for number in range(ROUNDS + 1):
            questions = texts.questions[number * asked : (number + 1) * asked]
            new_ms, known_ms = _p50_ms(server, questions), _p50_ms(server, questions)
            if number:
                rest_ms.append(known_ms)
                embedding_ms.append(new_ms - known_ms)
    return [
        Row(
            "all of a query but the embedding, beside the embedding",
            ratios(rest_ms, embedding_ms),
            Goal("<=", 1),
            ours=f"{each(rest_ms, 'ms')} beside {each(embedding_ms, 'ms')}",
        )
    ]


def _p50_ms(server: Server, questions: list[str]) -> float:
    bodies = [
        {"collection": "bench", "query": text, "top_k": 5, "where": {"tier": {"$lte": 2}}}
        for text in questions
    ]
    return percentile(put_load(f"{server.url}/query", 1, bodies).latencies_ms, 0.5)


def _fill(server: Server, chunks: list[str]) -> None:
    server.post("/collections", {"name": "bench", "embedding_model": "minilm"})
    for start in range(0, len(chunks), 100):
        documents = [
            {"text": text, "metadata": {"tier": place % 4}}
            for place, text in enumerate(chunks[start : start + 100])
        ]
        server.post("/collections/bench/documents", {"documents": documents})
