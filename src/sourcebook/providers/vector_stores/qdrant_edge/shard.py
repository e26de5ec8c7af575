"""The calls of the embedded Qdrant engine: configuration, points, pages and errors.

Measured with qdrant-edge-py 0.9.0: no call of the engine releases Python's global lock, so the
process stands still while one runs. That is why its graph index (HNSW) stays off: building one
for 100,000 points takes a minute in a single call. Searching them without it takes 13 ms, or
1 ms with an indexed filter, and finds exactly the nearest.
"""

import json
import os
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import qdrant_edge as engine

from sourcebook.core.errors import RetrievalUnavailable, SourcebookError
from sourcebook.core.vectors import (
    IndexQuery,
    Point,
    PointRef,
    ScoredPoint,
    SparseVector,
    TermMatches,
)
from sourcebook.providers.vector_stores.payload import (
    ENCODER_KEY,
    KEYS_KEY,
    REF_KEYS,
    payload,
    point_ref,
)
from sourcebook.providers.vector_stores.qdrant_edge.filters import compile_filter, lists_key
from sourcebook.providers.vector_stores.qdrant_edge.known_points import KnownPoint, KnownPoints
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_query, unit_vector

DENSE = "dense"
SPARSE = "sparse"
CONFIG_FILE = "edge_config.json"
# The engine would reserve 64 MiB for the log of every index, which it never needs: each write is
# flushed, and a write that is longer than this gets a file of its own length.
LOG_FILE_BYTES = 1 << 20


@contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Translate what the engine raises, panics included; its own messages hold paths."""
    try:
        yield
    except SourcebookError:
        raise
    except BaseException as exc:
        if not isinstance(exc, Exception) and type(exc).__name__ != "PanicException":
            raise
        raise RetrievalUnavailable(f"The vector store failed: {doing}") from exc


def create_shard(folder: Path, dimensions: int) -> None:
    """Create an empty shard with a dense and a sparse vector for each point."""
    config = engine.EdgeConfig(
        vectors={DENSE: engine.EdgeVectorParams(dimensions, engine.Distance.Cosine)},
        sparse_vectors={SPARSE: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)},
        optimizers=engine.EdgeOptimizersConfig(indexing_threshold=0),
        # The default is eight for every index, of which a single segment never uses two.
        max_search_threads=1,
    )
    # The engine's own interface has no option for its log. It reads what is not given from here.
    log_options = {"segment_capacity": LOG_FILE_BYTES, "segment_queue_len": 0, "retain_closed": 1}
    folder.mkdir()
    (folder / CONFIG_FILE).write_text(json.dumps({"wal_options": log_options}))
    shard = engine.EdgeShard.load(str(folder), config)
    shard.update(
        engine.UpdateOperation.create_field_index(KEYS_KEY, engine.PayloadSchemaType.Keyword)
    )
    shard.close()


def read_dimensions(folder: Path) -> int:
    """Read the length of the dense vectors from the shard's own configuration file."""
    config = json.loads((folder / CONFIG_FILE).read_text())
    return int(config["vectors"][DENSE]["size"])


def bytes_on_disk(folder: Path) -> int:
    """Add up what the files of a shard take; most of them are longer than what they hold."""
    blocks = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                blocks += Path(parent, name).stat().st_blocks
    return blocks * 512


def sync_files(folder: Path) -> None:
    """Flush all files of a shard to the disk."""
    for parent, _, names in os.walk(folder):
        for name in names:
            # The engine clears parts of its log away at any time.
            with suppress(FileNotFoundError), Path(parent, name).open("rb") as file:
                os.fsync(file.fileno())


def engine_point(point: Point, dimensions: int) -> engine.Point:
    """Convert a point; EmbeddingFailed if its vectors would poison the index."""
    vectors: dict[str, engine.NamedVector] = {DENSE: unit_vector(point.dense, dimensions)}
    if point.sparse is not None:
        check_sparse(point.sparse)
        vectors[SPARSE] = engine.SparseVector([*point.sparse.indices], [*point.sparse.values])
    return engine.Point(point.ref.id, vectors, payload(point.ref, point.metadata, point.vectors))


@dataclass(frozen=True, slots=True)
class Searching:
    """Searches a shard, and says of each point what it stands for."""

    shard: engine.EdgeShard
    known: KnownPoints
    dimensions: int

    def nearest(self, query: IndexQuery, absent: Set[str]) -> list[ScoredPoint]:
        """Return the nearest points, best first, with their cosines; no point has `absent` keys."""
        wanted = unit_query(query.dense, self.dimensions)
        where = _where(query, absent)
        if where is False:
            return []
        return self._scored(
            self._search(wanted, DENSE, query.limit, None if where is True else where)
        )

    def match(self, query: IndexQuery, absent: Set[str]) -> TermMatches:
        """Return the nearest points, and those with the terms of the query."""
        wanted = unit_query(query.dense, self.dimensions)
        compiled = _where(query, absent)
        if compiled is False:
            return TermMatches((), {}, is_everything=True)
        where = None if compiled is True else compiled
        found: list[engine.ScoredPoint] = []
        if not query.by_terms_alone:
            found = self._search(wanted, DENSE, query.limit, where)
        found_by_terms = self._with_terms(query.sparse, query.limit, where)
        near, by_terms = self._scored(found), self._read(found_by_terms)
        ids = {point.ref.id for point in near}
        siblings = {id_ for one, _ in by_terms for id_ in one.siblings} - ids
        # They pass the filter: all points of a chunk have the same metadata.
        others = self._among(wanted, siblings)
        return TermMatches(
            (*near, *others),
            {one.ref.id: score for one, score in by_terms},
            is_everything=max(len(found), len(found_by_terms)) < query.limit,
            context=self._nearness(query.context, ids | siblings),
        )

    def _nearness(self, context: Sequence[str], point_ids: Set[str]) -> dict[str, float]:
        """Return the cosine of each of the points to the nearest one of the context."""
        found: dict[str, float] = {}
        if not context or not point_ids:
            return found
        for record in self.shard.retrieve([*context], with_payload=False, with_vector=[DENSE]):
            for point in self._among(_dense(record), point_ids):
                found[point.ref.id] = max(point.score, found.get(point.ref.id, -1.0))
        return found

    def _among(self, wanted: list[float], point_ids: Set[str]) -> list[ScoredPoint]:
        if not point_ids:
            return []
        among = engine.Filter(must=[engine.HasIdCondition({*point_ids})])
        return self._scored(self._search(wanted, DENSE, len(point_ids), among))

    def _with_terms(
        self, terms: SparseVector | None, limit: int, where: engine.Filter | None
    ) -> list[engine.ScoredPoint]:
        if terms is None or not terms.indices:
            return []
        check_sparse(terms)
        vector = engine.SparseVector([*terms.indices], [*terms.values])
        return self._search(vector, SPARSE, limit, where)

    def _search(
        self,
        wanted: list[float] | engine.SparseVector,
        using: str,
        limit: int,
        where: engine.Filter | None,
    ) -> list[engine.ScoredPoint]:
        query = engine.Query.Nearest(wanted, using=using)
        return self.shard.search(engine.SearchRequest(query=query, limit=limit, filter=where))

    def _scored(self, found: Sequence[engine.ScoredPoint]) -> list[ScoredPoint]:
        # Single precision can end a hair beyond one.
        return [
            ScoredPoint(one.ref, max(-1.0, min(1.0, score))) for one, score in self._read(found)
        ]

    def _read(self, found: Sequence[engine.ScoredPoint]) -> list[tuple[KnownPoint, float]]:
        scores = {point.id: point.score for point in found}
        known = self.known.read(self.shard, list(scores))
        return [(known[id_], score) for id_, score in scores.items() if id_ in known]


def _where(query: IndexQuery, absent: Set[str]) -> engine.Filter | bool:
    where = compile_filter(query.filter, absent)
    if not query.among or where is False:
        return where
    among = engine.HasIdCondition({*query.among})
    return engine.Filter(must=[among] if where is True else [among, where])


def page(
    shard: engine.EdgeShard, offset: str | None, limit: int
) -> tuple[list[PointRef], str | None]:
    """Return the references of a page of points from an id on, and the id of the next page."""
    request = engine.ScrollRequest(
        offset=offset, limit=limit, with_payload=[*REF_KEYS, ENCODER_KEY]
    )
    found, next_offset = shard.scroll(request)
    return [_ref(point) for point in found], None if next_offset is None else str(next_offset)


def holds_key(shard: engine.EdgeShard, key: str) -> bool:
    """Return whether any point has a value at that payload key."""
    found, _ = shard.scroll(engine.ScrollRequest(limit=1, filter=lists_key(key)))
    return bool(found)


def _dense(record: engine.Record) -> list[float]:
    vectors = record.vector if isinstance(record.vector, dict) else {}
    dense = vectors.get(DENSE)
    values = dense if isinstance(dense, list) else []
    return [value for value in values if isinstance(value, float)]


def _ref(point: engine.Record) -> PointRef:
    return point_ref(str(point.id), point.payload or {})
