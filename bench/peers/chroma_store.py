"""Chroma's persistent store inside this process. Arguments: its folder and a file of vectors."""

import sys
import time

import chromadb
import numpy as np
from json_lines import answer_lines

BATCH_SIZE = 2_000

vectors = np.load(sys.argv[2])
chroma = chromadb.PersistentClient(sys.argv[1])
collection = chroma.get_or_create_collection(
    "bench", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
)


def fill(metadatas: list[dict[str, int]]) -> None:
    """Store all vectors, each under its number."""
    for start in range(0, len(vectors), BATCH_SIZE):
        end = min(start + BATCH_SIZE, len(vectors))
        collection.add(
            ids=[str(number) for number in range(start, end)],
            embeddings=vectors[start:end],
            metadatas=metadatas[start:end],
        )


def search(queries: list[list[float]], where: dict[str, object], top_k: int) -> dict[str, object]:
    """The nearest to each query that pass the filter, and how long each search took."""
    found, latencies_ms = [], []
    for query in queries:
        started_s = time.perf_counter()
        hits = collection.query(
            query_embeddings=[query], n_results=top_k, where=where, include=["distances"]
        )
        latencies_ms.append((time.perf_counter() - started_s) * 1000)
        found.append([int(number) for number in hits["ids"][0]])
    return {"found": found, "latencies_ms": latencies_ms}


answer_lines({"fill": fill, "search": search})
