"""MirrorStore: the embedded index, in memory, filled from the ledger when it is asked for.

Nothing is written to it and nothing of it is on the disk: the ledger says what was born and died,
and a mirror that is behind reads that before it answers. So any number of processes may have one.
"""

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
    Sequence,
    Set,
)
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import Filter, terms
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.metadata import Metadata
from sourcebook.core.mirrors import Deaths, MirroredChunk, MirrorSource
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import MirrorLedger, TermEncoder
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    TermMatches,
)
from sourcebook.providers.free_memory import release_free_memory
from sourcebook.providers.lexical.term_indexing import titles
from sourcebook.providers.vector_stores.index_checks import missing_index
from sourcebook.providers.vector_stores.mirror.arrays import NEVER, Mirror, View, point_name
from sourcebook.providers.vector_stores.mirror.columns import Column
from sourcebook.providers.vector_stores.mirror.compare import Found, Question, compare, count_terms
from sourcebook.providers.vector_stores.mirror.postings import pack_terms
from sourcebook.providers.vector_stores.unit_vectors import unit_query

log = logging.getLogger(__name__)
_T = TypeVar("_T")

# One compares while another reads the ledger's rows.
THREADS = 2
MAX_MIRRORS = 256
# So many questions are compared at once: more would make the first of them wait.
MAX_BATCH = 32
TEXTS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A question that waits to be compared with a view."""

    question: Question
    view: View
    found: "asyncio.Future[Found]"

    def settle(self, answers: "asyncio.Future[list[Found]]", place: int) -> None:
        """Give the answer, or what went wrong, to whoever still waits."""
        if self.found.done():
            return
        error = answers.exception()
        if error is None:
            self.found.set_result(answers.result()[place])
        else:
            self.found.set_exception(error)


@dataclass(slots=True)
class _Mirrored:
    """A mirror, what it is filled from, and the questions that wait for it."""

    source: MirrorSource
    mirror: Mirror
    advancing: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: list[_Waiting] = field(default_factory=list)
    comparing: "asyncio.Task[None] | None" = None


class MirrorStore:
    """Implements `VectorStore` for collections of the ledger; writing to it does nothing."""

    finds_terms = True
    reads_ledger = True
    counts_terms = True

    def __init__(self, ledger: MirrorLedger, encoder: TermEncoder) -> None:
        self._ledger = ledger
        self._encoder = encoder
        self._threads = ThreadPoolExecutor(THREADS, "mirror")
        self._mirrors: OrderedDict[str, _Mirrored] = OrderedDict()

    def close(self) -> None:
        """Forget all mirrors."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._mirrors.clear()

    async def create(self, spec: IndexSpec) -> None:
        """Nothing to do: the ledger says what the index mirrors."""

    async def drop(self, index_id: str) -> None:
        """Forget a mirror."""
        self._mirrors.pop(index_id, None)

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Nothing to do: what is committed is found."""

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Nothing to do: what is deleted is not found."""

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        view, found = await self._ask(index_id, query)
        return _points(view, found)

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        view, found = await self._ask(index_id, query)
        points = _points(view, found)
        keys = view.keys[[*found.scores]].tolist()
        scores = {
            point_name(key, 0): score
            for key, score in zip(keys, found.scores.values(), strict=True)
        }
        context = _nearness(view, found, points, query.context)
        return TermMatches(tuple(points), scores, found.is_everything, context)

    async def count_terms(
        self, index_id: str, wanted: Set[int], filter_: Filter, revision: int
    ) -> Mapping[int, int]:
        mirrored = await self._current(index_id, revision)
        await self._add_columns(mirrored, filter_)
        return await self._run(count_terms, mirrored.mirror.view, wanted, filter_, revision)

    async def indexes(self) -> set[str]:
        """Every collection has its mirror."""
        return set(await self._ledger.index_ids())

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        """What is live now; nothing of an index that no collection uses yet."""
        if await self._ledger.source(index_id) is None:
            return
        view = (await self._current(index_id, None)).mirror.view
        for start in range(0, view.size, TEXTS_AT_ONCE):
            some = range(start, min(view.size, start + TEXTS_AT_ONCE))
            yield [
                self._scanned(view, slot, ordinal)
                for slot in some
                if view.died[slot] == NEVER
                for ordinal in range(view.count_of(slot))
            ]

    async def count(self, index_id: str) -> int:
        mirrored = await self._current(index_id, None)
        view = mirrored.mirror.view
        return int(np.count_nonzero((view.died == NEVER)[view.owners]))

    async def check(self) -> ServiceHealth:
        """There is nothing that could be away: the ledger has a check of its own."""
        return HealthTimer().report()

    def _scanned(self, view: View, slot: int, ordinal: int) -> PointRef:
        chunk_id, document_id, version = view.refs[slot]
        id_ = point_ids(chunk_id, version, ordinal + 1)[ordinal]
        encoder = self._encoder.revision
        return PointRef(id_, chunk_id, document_id, version, "", terms=encoder, ordinal=ordinal)

    async def _ask(self, index_id: str, query: IndexQuery) -> tuple[View, Found]:
        mirrored = await self._current(index_id, query.revision)
        dense = unit_query(query.dense, mirrored.source.dimensions)
        await self._add_columns(mirrored, query.filter)
        view = mirrored.mirror.view
        revision = view.revision if query.revision is None else query.revision
        question = Question(
            np.array(dense, np.float32),
            query.limit,
            revision,
            query.filter,
            query.sparse,
            query.by_terms_alone,
        )
        return view, await self._compare(mirrored, view, question)

    async def _compare(self, mirrored: _Mirrored, view: View, question: Question) -> Found:
        """Compare with whatever else waits: while a thread compares some, more gather."""
        found: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        mirrored.waiting.append(_Waiting(question, view, found))
        if mirrored.comparing is None:
            mirrored.comparing = asyncio.create_task(self._compare_waiting(mirrored))
        return await found

    async def _compare_waiting(self, mirrored: _Mirrored) -> None:
        try:
            while mirrored.waiting:
                batch, mirrored.waiting = _next_batch(mirrored.waiting)
                view, questions = batch[0].view, [one.question for one in batch]
                answers = asyncio.ensure_future(self._run(compare, view, questions))
                await asyncio.wait([answers])
                for place, one in enumerate(batch):
                    one.settle(answers, place)
        finally:
            mirrored.comparing = None

    async def _current(self, index_id: str, revision: int | None) -> _Mirrored:
        """The mirror of an index, up to a revision at least; to the latest if it is None."""
        mirrored = self._mirrors.get(index_id)
        if mirrored is None:
            source = await self._ledger.source(index_id)
            if source is None:
                raise RetrievalUnavailable(missing_index(index_id))
            fresh = _Mirrored(source, Mirror(source.dimensions))
            mirrored = self._mirrors.setdefault(index_id, fresh)
            while len(self._mirrors) > MAX_MIRRORS:
                self._mirrors.popitem(last=False)
        self._mirrors.move_to_end(index_id)
        if revision is None or mirrored.mirror.view.revision < revision:
            async with mirrored.advancing:
                if revision is None or mirrored.mirror.view.revision < revision:
                    await self._advance(index_id, mirrored)
        return mirrored

    async def _advance(self, index_id: str, mirrored: _Mirrored) -> None:
        mirror, source = mirrored.mirror, mirrored.source
        after, upto = mirror.view.revision, await self._ledger.revision(source.collection_id)
        if upto is None:
            self._mirrors.pop(index_id, None)
            raise RetrievalUnavailable(missing_index(index_id))
        await self._add_born(mirrored, after, upto)
        deaths = await self._ledger.deaths(source.collection_id, after, upto)
        live = None
        if 0 < after < deaths.swept:
            live = await self._ledger.live_keys(source.collection_id)
        await self._run(_bury, mirror, upto, deaths, live)
        if not after:
            # The rows were as much as what stays.
            await self._run(release_free_memory)

    async def _add_born(self, mirrored: _Mirrored, after: int, upto: int) -> None:
        """If this ends half way, the next one begins at the same revision, and adds what is new."""
        mirror, encoder = mirrored.mirror, self._encoder.revision
        async for page in self._ledger.born(mirrored.source, encoder, after, upto):
            born = await self._with_terms(mirror.unknown(page))
            rows: list[Metadata] = []
            if mirror.view.columns.fields:
                rows = await self._metadata_of([chunk.key for chunk in born])
            await self._run(mirror.add, born, rows)

    async def _with_terms(self, born: Sequence[MirroredChunk]) -> list[MirroredChunk]:
        """Read the terms of chunks of which nobody remembers them, and remember them."""
        unread = [chunk.key for chunk in born if chunk.terms is None]
        if not unread:
            return [*born]
        read: dict[int, bytes] = {}
        for start in range(0, len(unread), TEXTS_AT_ONCE):
            texts = await self._ledger.texts(unread[start : start + TEXTS_AT_ONCE])
            read |= await self._run(self._read_terms, texts)
        try:
            await self._ledger.remember_terms(self._encoder.revision, read)
        except RetrievalUnavailable as error:
            # A full disk, or another writer: the next one reads them again.
            log.warning("terms_not_remembered", extra={"reason": error.message})
        return [
            chunk if chunk.terms is not None else chunk._replace(terms=read.get(chunk.key))
            for chunk in born
        ]

    def _read_terms(self, texts: Iterable[tuple[int, str, Metadata]]) -> dict[int, bytes]:
        return {
            key: pack_terms(self._encoder.document(text, [*titles(about)]))
            for key, text, about in texts
        }

    async def _add_columns(self, mirrored: _Mirrored, filter_: Filter) -> None:
        """Build the columns of fields that a filter names for the first time."""
        wanted = {term.field for term in terms(filter_)}
        if wanted <= mirrored.mirror.view.columns.fields:
            return
        async with mirrored.advancing:
            view = mirrored.mirror.view
            if new := wanted - view.columns.fields:
                metadata = await self._metadata_of([int(key) for key in view.keys])
                view.columns.add(await self._run(_columns, new, metadata))

    async def _metadata_of(self, keys: Sequence[int]) -> list[Metadata]:
        return await self._run(_parsed, keys, await self._ledger.metadata(keys))

    async def _run(self, call: Callable[..., _T], *args: object) -> _T:
        try:
            done = asyncio.get_running_loop().run_in_executor(self._threads, call, *args)
        except RuntimeError as error:
            raise RetrievalUnavailable("The vector store is not open") from error
        return await done


def _next_batch(waiting: Sequence[_Waiting]) -> tuple[list[_Waiting], list[_Waiting]]:
    """Those to compare at once, with one view, and those that come after them."""
    view = waiting[0].view
    batch = [one for one in waiting if one.view is view][:MAX_BATCH]
    chosen = set(map(id, batch))
    return batch, [one for one in waiting if id(one) not in chosen]


def _bury(mirror: Mirror, upto: int, deaths: Deaths, live: Sequence[int] | None) -> None:
    mirror.bury(deaths.died)
    if live is not None:
        mirror.bury_all_but(live, deaths.swept)
    mirror.reach(upto)
    mirror.drop_dead(deaths.swept)


def _parsed(keys: Sequence[int], known: Mapping[int, str]) -> list[Metadata]:
    # What was forgotten meanwhile is dead, and nobody asks for it any more.
    return [json.loads(known.get(key, "{}")) for key in keys]


def _columns(fields: Iterable[str], metadata: Sequence[Metadata]) -> dict[str, Column]:
    columns = {name: Column() for name in fields}
    for name, column in columns.items():
        column.extend(row.get(name) for row in metadata)
    return columns


def _points(view: View, found: Found) -> list[ScoredPoint]:
    places = zip(found.rows.tolist(), found.cosines.tolist(), strict=True)
    return [ScoredPoint(view.point(row), cosine) for row, cosine in places]


def _nearness(
    view: View, found: Found, points: Sequence[ScoredPoint], context: Iterable[str]
) -> dict[str, float]:
    """The cosine of each point to the nearest one of the context, by point id."""
    rows = [row for id_ in context for row in _rows_named(view, id_)]
    if not rows:
        return {}
    near = (view.vectors[found.rows] @ view.vectors[rows].T).max(axis=1)
    return {
        point.ref.id: cosine
        for point, cosine in zip(points, np.clip(near, -1, 1).tolist(), strict=True)
    }


def _rows_named(view: View, id_: str) -> Iterable[int]:
    key, _, ordinal = id_.partition(".")
    if not (key.isdecimal() and ordinal.isdecimal()):
        return []
    slots = np.flatnonzero(view.keys == int(key))
    return [int(view.first_rows[slot]) + int(ordinal) for slot in slots]
