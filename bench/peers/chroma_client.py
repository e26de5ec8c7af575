"""A client of `chroma run` that embeds with sentence-transformers.

Arguments: the server's port and the model's folder. Each of its clients is a thread, which embeds
its own question, as an application with a Chroma server does.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import chromadb
from json_lines import answer_lines
from sentence_transformers import SentenceTransformer

model = SentenceTransformer(sys.argv[2], device="cpu")
chroma = chromadb.HttpClient("127.0.0.1", int(sys.argv[1]))
collection = chroma.get_or_create_collection(
    "bench", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
)


def add(
    ids: list[str], texts: list[str], metadatas: list[dict[str, int]], vectors: list[list[float]]
) -> None:
    """Store documents with their vectors."""
    collection.add(ids=ids, documents=texts, metadatas=metadatas, embeddings=vectors)


def load(clients: int, questions: list[str], top_k: int) -> dict[str, object]:
    """Ask every question once; as many at a time as there are clients."""
    started_s = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        latencies_ms = list(threads.map(lambda text: _ask(text, top_k), questions))
    return {"seconds": time.perf_counter() - started_s, "latencies_ms": latencies_ms}


def _ask(question: str, top_k: int) -> float:
    started_s = time.perf_counter()
    vector = model.encode(question, normalize_embeddings=True, show_progress_bar=False)
    collection.query(query_embeddings=[vector.tolist()], n_results=top_k)
    return (time.perf_counter() - started_s) * 1000


answer_lines({"add": add, "load": load})
