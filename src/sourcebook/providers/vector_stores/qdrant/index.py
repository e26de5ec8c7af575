"""One index on a Qdrant server: a collection with a dense and a sparse vector for each point."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import chain

from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import Compare, Filter, OneOf, terms
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    SparseVector,
    TermMatches,
)
from sourcebook.providers.vector_stores.index_checks import missing_index
from sourcebook.providers.vector_stores.qdrant.connection import translated
from sourcebook.providers.vector_stores.qdrant.filters import (
    Fields,
    can_be_indexed,
    compile_filter,
    kind_of,
    lists,
)
from sourcebook.providers.vector_stores.qdrant.plain_payload import (
    FLOAT,
    KEYS,
    KEYWORD,
    REF_SELECTION,
    schema_of,
)
from sourcebook.providers.vector_stores.qdrant.points import (
    DENSE,
    MAX_BATCH_POINTS,
    SPARSE,
    among,
    batches,
    dense_vector,
    scored,
    server_id,
    server_points,
    server_ref,
    siblings_of,
)
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_query

MAX_DELETED_POINTS = 1_000


class ServerIndex:
    """The collection of one index.

    It observes the limits of a server in strict mode: how many points one request may ask for or
    write, and that filters name indexed keys only.
    """

    def __init__(
        self,
        client: AsyncQdrantClient,
        index_id: str,
        name: str,
        info: models.CollectionInfo,
        *,
        timeout_s: float,
        max_payload_indexes: int,
    ) -> None:
        self.spec = IndexSpec(index_id, _dimensions(index_id, info))
        self._client = client
        self._name = name
        self._indexed = {path: index.data_type for path, index in info.payload_schema.items()}
        self._timeout_s = timeout_s
        self._max_payload_indexes = max_payload_indexes
        self._limits = strict_limits(info)

    async def index_fields(self, spec: IndexSpec) -> None:
        """Create payload indexes for these fields, unless they exist."""
        # Filters need the first, whoever mends the collection by hand the second.
        always = {KEYS: KEYWORD, "document_id": KEYWORD}
        for key, schema in (always | {one.name: schema_of(one) for one in spec.fields}).items():
            if key not in self._indexed:
                await self._index_key(key, schema)

    async def upsert(self, points: Sequence[Point]) -> None:
        """Write points, in several requests if there are many.

        One request is applied whole. If a later one fails, what the earlier ones wrote stays: no
        reader sees it, since the ledger does not say that it is live, and the sweeper removes it.
        """
        # In a thread: checking thousands of vectors would hold up other requests.
        whole = await asyncio.to_thread(server_points, points, self.spec.dimensions)
        max_points = min(MAX_BATCH_POINTS, self._limits.max_written or MAX_BATCH_POINTS)
        for batch in batches(whole, self.spec.dimensions, max_points):
            async with self._asking("writing to"):
                await self._client.upsert(self._name, batch, wait=True)

    async def delete(self, point_ids: Sequence[str]) -> None:
        for start in range(0, len(point_ids), MAX_DELETED_POINTS):
            ids = map(server_id, point_ids[start : start + MAX_DELETED_POINTS])
            some = models.PointIdsList(points=[*ids])
            async with self._asking("deleting from"):
                await self._client.delete(self._name, some, wait=True)

    async def search(self, query: IndexQuery) -> list[ScoredPoint]:
        wanted = unit_query(query.dense, self.spec.dimensions)
        where = await self._compiled(query)
        if where is False:
            return []
        found = await self._nearest(wanted, query.limit, where)
        return [scored(point) for point in found]

    async def match(self, query: IndexQuery) -> TermMatches:
        """Return the nearest points, and those with the terms of the query."""
        wanted = unit_query(query.dense, self.spec.dimensions)
        where = await self._compiled(query)
        if where is False:
            return TermMatches((), {}, is_everything=True)
        near, by_terms = await asyncio.gather(
            self._nearest(wanted, 0 if query.by_terms_alone else query.limit, where),
            self._with_terms(query.sparse, query.limit, where),
        )
        siblings = {id_ for point in by_terms for id_ in siblings_of(point)}
        siblings -= {str(point.id) for point in near}
        others: list[models.ScoredPoint] = []
        if siblings:
            others = await self._nearest(wanted, len(siblings), among(sorted(siblings)))
        return TermMatches(
            tuple(scored(point) for point in (*near, *others)),
            {str(point.id): point.score for point in by_terms},
            is_everything=max(len(near), len(by_terms)) < query.limit,
            context=await self._nearness(query.context, [str(one.id) for one in (*near, *others)]),
        )

    async def count(self) -> int:
        async with self._asking("counting"):
            return (await self._client.count(self._name, exact=True)).count

    async def page(
        self, offset: models.ExtendedPointId | None, limit: int
    ) -> tuple[list[PointRef], models.ExtendedPointId | None]:
        """Return a page of points from an id on, and the id of the next page."""
        async with self._asking("reading"):
            found, following = await self._client.scroll(
                self._name,
                offset=offset,
                limit=self._allowed(limit),
                with_payload=[*REF_SELECTION],
                with_vectors=False,
            )
        return [server_ref(point) for point in found], following

    async def _nearness(self, context: Sequence[str], point_ids: Sequence[str]) -> dict[str, float]:
        """Return the cosine of each of the points to the nearest one of the context."""
        if not context or not point_ids:
            return {}
        async with self._asking("reading"):
            records = await self._client.retrieve(
                self._name, [*context], with_payload=False, with_vectors=[DENSE]
            )
        rankings = await asyncio.gather(
            *(self._nearest(dense_vector(one), len(point_ids), among(point_ids)) for one in records)
        )
        found: dict[str, float] = {}
        for point in map(scored, chain.from_iterable(rankings)):
            found[point.ref.id] = max(point.score, found.get(point.ref.id, -1.0))
        return found

    async def _compiled(self, query: IndexQuery) -> models.Filter | bool:
        """Return the filter as the server reads it; False if nothing can pass."""
        if query.limit < 1:
            return False
        absent = await self._prepare_for(query.filter)
        only_indexed = self._limits.only_indexed
        where = compile_filter(query.filter, Fields(self._indexed, only_indexed, absent=absent))
        if not query.among or where is False:
            return where
        among = models.HasIdCondition(has_id=[*query.among])
        return models.Filter(must=[among] if where is True else [among, where])

    async def _nearest(
        self, wanted: list[float], limit: int, where: models.Filter | bool
    ) -> list[models.ScoredPoint]:
        return await self._query(wanted, DENSE, limit, where)

    async def _with_terms(
        self, terms: SparseVector | None, limit: int, where: models.Filter | bool
    ) -> list[models.ScoredPoint]:
        if terms is None or not terms.indices:
            return []
        check_sparse(terms)
        vector = models.SparseVector(indices=[*terms.indices], values=[*terms.values])
        return await self._query(vector, SPARSE, limit, where)

    async def _query(
        self,
        wanted: list[float] | models.SparseVector,
        using: str,
        limit: int,
        where: models.Filter | bool,
    ) -> list[models.ScoredPoint]:
        """Search in as many requests as the server's limit needs."""
        found: list[models.ScoredPoint] = []
        while len(found) < limit:
            allowed = self._allowed(limit - len(found))
            async with self._asking("searching"):
                page = await self._client.query_points(
                    self._name,
                    query=wanted,
                    using=using,
                    limit=allowed,
                    offset=len(found),
                    query_filter=None if isinstance(where, bool) else where,
                    with_payload=[*REF_SELECTION],
                    with_vectors=False,
                )
            found += page.points
            if len(page.points) < allowed:
                break
        return found

    def _asking(self, doing: str) -> AbstractAsyncContextManager[None]:
        about = f"{doing} index {self.spec.id!r}"
        return translated(about, missing_index(self.spec.id), self._timeout_s)

    def _allowed(self, limit: int) -> int:
        return min(limit, self._limits.max_asked or limit)

    async def _prepare_for(self, filter_: Filter) -> set[str]:
        """Index the fields that a filter names for the first time; return those no point has."""
        kinds = {
            term.field: kind_of(term.values[0]) if isinstance(term, OneOf) else FLOAT
            for term in terms(filter_)
            if isinstance(term, Compare) or term.values
        }
        new = [field for field in kinds if field not in self._indexed]
        held = await asyncio.gather(*map(self._holds, new))
        absent = {field for field, is_held in zip(new, held, strict=True) if not is_held}
        for field in new:
            has_room = len(self._indexed) < self._max_payload_indexes
            if has_room and field not in absent and can_be_indexed(field):
                await self._index_key(field, kinds[field])
        return absent

    async def _holds(self, field: str) -> bool:
        async with self._asking("searching"):
            found, _ = await self._client.scroll(
                self._name,
                scroll_filter=models.Filter(must=[lists(field)]),
                limit=1,
                with_payload=False,
            )
        return bool(found)

    async def _index_key(
        self, key: str, schema: models.PayloadSchemaType | models.KeywordIndexParams
    ) -> None:
        async with self._asking("indexing a field of"):
            await self._client.create_payload_index(self._name, key, field_schema=schema, wait=True)
        self._indexed[key] = schema if isinstance(schema, models.PayloadSchemaType) else KEYWORD


def _dimensions(index_id: str, info: models.CollectionInfo) -> int:
    vectors = info.config.params.vectors
    if not isinstance(vectors, dict) or DENSE not in vectors:
        raise RetrievalUnavailable(
            f"The collection of index {index_id!r} was not made by Sourcebook: it has no vector"
            f" named {DENSE!r}; drop it, or give this installation a server of its own"
        )
    return vectors[DENSE].size


@dataclass(frozen=True, slots=True)
class StrictLimits:
    """How many points one request may ask for or write, and whether filters need an index.

    None is no limit.
    """

    max_asked: int | None = None
    max_written: int | None = None
    only_indexed: bool = False


def strict_limits(info: models.CollectionInfo) -> StrictLimits:
    """Read the limits that Qdrant Cloud, for one, sets for a collection."""
    strict = info.config.strict_mode_config
    if strict is None or not strict.enabled:
        return StrictLimits()
    only_indexed = strict.unindexed_filtering_retrieve is False
    return StrictLimits(strict.max_query_limit, strict.upsert_max_batchsize, only_indexed)
