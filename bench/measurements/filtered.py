"""Filtered search among 100,000 chunks, compared with Chroma's persistent store.

Both stores run inside a process, without HTTP and without a model. The vectors are made up, in
clusters as those of texts are; the truth for recall is a look at every vector.
"""

import asyncio
import time
from collections.abc import Sequence
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from bench.peer_process import Peer, peer
from bench.run import ROUNDS, Run
from bench.table import Goal, Row, each, percentile, ratios
from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk, Document
from sourcebook.core.filters import AllOf, Compare, OneOf
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery
from sourcebook.core.writes import ChunkVersion, DocumentVersion, Write
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.storage.ledger.sql_ledger import open_sqlite_ledger
from sourcebook.providers.vector_stores.mirror.store import MirrorStore

DIMENSIONS, CLUSTERS, TOP_K = 384, 500, 10
MODULES, TIERS = 20, 4
# Neighbours in a cluster then have cosines near 0.75.
NOISE = 0.03
BATCH_SIZE = 1_000
FILTER = AllOf((OneOf("module", (7,)), Compare("tier", "lte", 2)))
WHERE = {"$and": [{"module": 7}, {"tier": {"$lte": 2}}]}


def measure(run: Run) -> list[Row]:
    """The median time of a search, and how many of the true nearest it finds."""
    random = np.random.default_rng(1)
    size, asked = run.amount(100_000, 5_000), run.amount(50, 10)
    centres = _unit(random.normal(size=(CLUSTERS, DIMENSIONS)))
    vectors, queries = (
        _unit(centres[random.integers(CLUSTERS, size=n)] + random.normal(0, NOISE, (n, DIMENSIONS)))
        for n in (size, asked * ROUNDS)
    )
    file = run.folder / "vectors.npy"
    np.save(file, vectors)
    with peer("chroma_store.py", str(run.folder / "chroma"), str(file)) as chroma:
        return asyncio.run(_beside(chroma, run, vectors, queries.reshape(ROUNDS, asked, -1)))


async def _beside(chroma: Peer, run: Run, vectors: FloatArray, rounds: FloatArray) -> list[Row]:
    about = [
        {"module": number % MODULES, "tier": number % 7 % TIERS} for number in range(len(vectors))
    ]
    chroma.ask(do="fill", metadatas=about)
    async with open_sqlite_ledger(run.folder / "ledger.db") as ledger:
        await _fill(ledger, vectors, about)
        store = MirrorStore(ledger.mirrors, Bm25Encoder())
        # Searches know the revision that they read at.
        revision = (await ledger.collections.get("bench")).revision
        await _search(store, rounds[0][:3], revision)
        ours_ms, theirs_ms, ours_right, theirs_right = [], [], [], []
        for queries in rounds:
            truth = _truth(queries, vectors, about)
            found, latencies_ms = await _search(store, queries, revision)
            ours_ms.append(percentile(latencies_ms, 0.5))
            ours_right.append(_recall(found, truth))
            there = chroma.ask(do="search", queries=queries.tolist(), where=WHERE, top_k=TOP_K)
            theirs_ms.append(percentile(there["latencies_ms"], 0.5))
            theirs_right.append(_recall(there["found"], truth))
    what = f"filtered search, {len(vectors):,} chunks"
    return [
        Row(
            f"{what}, p50",
            ratios(theirs_ms, ours_ms),
            Goal(">=", 50),
            ours=each(ours_ms, "ms"),
            theirs=each(theirs_ms, "ms"),
        ),
        Row(
            f"{what}, recall@{TOP_K}",
            ours_right,
            Goal(">=", 0.97, ""),
            "",
            ours=each(ours_right, ""),
            theirs=each(theirs_right, ""),
        ),
    ]


async def _fill(ledger: Ledger, vectors: FloatArray, about: list[dict[str, int]]) -> None:
    collection = Collection("bench", "bench", {}, Generation("bench", "bench", "1", DIMENSIONS))
    await ledger.collections.create(collection)
    for start in range(0, len(vectors), BATCH_SIZE):
        some = range(start, min(start + BATCH_SIZE, len(vectors)))
        await ledger.vectors.remember("1", {str(n): (vectors[n].tolist(),) for n in some})
        versions = tuple(_version(str(number), about[number]) for number in some)
        write = Write(uuid4().hex, collection.id, "bench", versions, announced=False)
        await ledger.documents.commit(write)


def _version(number: str, metadata: dict[str, int]) -> DocumentVersion:
    chunk = Chunk(number, number, 0, "", {**metadata})
    document = Document(number, "", {**metadata})
    return DocumentVersion(document, "1", number, (ChunkVersion(chunk, "1", number, 1),))


async def _search(
    store: MirrorStore, queries: FloatArray, revision: int
) -> tuple[list[list[int]], list[float]]:
    found, latencies_ms = [], []
    for query in queries.tolist():
        started_s = time.perf_counter()
        hits = await store.search("bench", IndexQuery(query, TOP_K, FILTER, revision=revision))
        latencies_ms.append((time.perf_counter() - started_s) * 1000)
        found.append([int(hit.ref.chunk_id) for hit in hits])
    return found, latencies_ms


def _truth(
    queries: FloatArray, vectors: FloatArray, about: Sequence[dict[str, int]]
) -> list[list[int]]:
    passing = np.array([number for number, m in enumerate(about) if FILTER.matches(m)])
    order = np.argsort(-(queries @ vectors[passing].T), axis=1)[:, :TOP_K]
    return [passing[row].tolist() for row in order]


def _recall(found: list[list[int]], truth: list[list[int]]) -> float:
    right = [len({*one} & {*other}) / TOP_K for one, other in zip(found, truth, strict=True)]
    return float(np.mean(right))


def _unit(rows: npt.NDArray[np.float64]) -> FloatArray:
    scaled: FloatArray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled
