"""Runs background work: jobs, and the chores that one leading process does for all."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sourcebook.answering.feedback import Feedback
from sourcebook.core.errors import (
    Conflict,
    HistoryUnavailable,
    RetrievalUnavailable,
    Unavailable,
    logged_reason,
)
from sourcebook.core.ports import ConversationStore, Ledger, VectorStore
from sourcebook.ingestion.book.collection import BookCollection
from sourcebook.ingestion.book.jobs import BookJobs
from sourcebook.ingestion.job_runner import JobRunner
from sourcebook.ingestion.reindex.jobs import ReindexJobs
from sourcebook.ingestion.reindex.outdated_indexes import OutdatedIndexes
from sourcebook.ingestion.upkeep.cache_sweeper import DEFAULT_LIMITS, CacheLimits, CacheSweeper
from sourcebook.ingestion.upkeep.orphaned_indexes import OrphanedIndexes
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder, Rebuilt
from sourcebook.ingestion.upkeep.sweeper import Sweeper
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.reconciler import Reconciler

log = logging.getLogger(__name__)

SWEEP_INTERVAL_S = 30.0
REPAIR_INTERVAL_S = 600.0
# How often followers ask whether they lead now, and an unavailable store is tried again.
LEADERSHIP_INTERVAL_S = 15.0
CACHE_SWEEP_INTERVAL_S = 3_600.0
FEEDBACK_PURGE_INTERVAL_S = 3_600.0
PURGE_INTERVAL_S = 86_400.0
PURGE_RETRY_INTERVAL_S = 60.0
CANCEL_TIMEOUT_S = 5.0

# Does something once, and returns the seconds until the next time.
Chore: TypeAlias = Callable[[], Awaitable[float]]


class Leadership(Protocol):
    """Decides which of several processes does the chores."""

    async def lead(self) -> bool:
        """Return whether this process leads for now."""
        ...


class SoleOwner:
    """Leads always: there is no other process."""

    async def lead(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class BackgroundParts:
    """What background work needs; `reconcile_every_s` is 0 if no book is configured."""

    ledger: Ledger
    store: VectorStore
    book_jobs: BookJobs
    book_collection: BookCollection
    book_id: str
    reindex_jobs: ReindexJobs
    runners: tuple[JobRunner, ...]
    conversations: ConversationStore
    reconcile_every_s: float = 0.0
    cache_limits: CacheLimits = DEFAULT_LIMITS
    feedback: Feedback | None = None


@asynccontextmanager
async def open_background(
    settings: Settings, place: BackgroundParts, *, shared: bool
) -> AsyncIterator[None]:
    """Run jobs and chores, as far as this process should.

    A sole owner repairs first; if the store is away, once it is back.
    """
    if shared and not settings.work:
        yield
        return
    async with AsyncExitStack() as stack:
        leadership: Leadership = SoleOwner()
        gently = shared
        if shared and settings.ledger_url is not None:
            # SQLAlchemy is not needed by every command.
            from sourcebook.providers.storage.ledger.postgres_locks import (  # noqa: PLC0415
                open_leadership,
            )

            url = settings.ledger_url.get_secret_value()
            leadership = await stack.enter_async_context(open_leadership(url))
        else:
            gently = not await try_repair(place)
            await place.book_collection.clear_abandoned()
        chores = chores_of(place, gently=gently)
        works = [runner.run_for_ever() for runner in place.runners]
        works += [repeat_while_leading(leadership, chore) for chore in chores]
        await stack.enter_async_context(run_in_background(*works))
        yield


async def repair(ledger: Ledger, store: VectorStore) -> None:
    """Clear what a crash left, and rebuild missing indexes. Nothing is embedded.

    Only for the sole owner: what looks abandoned could be another process's work.
    """
    # Indexes that are gone or damaged first: nothing could be cleared from those.
    for rebuilt in await Rebuilder(ledger, store).rebuild_missing():
        _tell_of(rebuilt)
    await Sweeper(ledger, store).sweep_all()
    await ledger.jobs.let_all_go()


async def try_repair(place: BackgroundParts) -> bool:
    """Repair; return False if the store is away and it must be done later."""
    try:
        await repair(place.ledger, place.store)
    except RetrievalUnavailable as error:
        _put_off(error)
        # That needs no store, and jobs are not to wait for leases that nobody holds.
        await place.ledger.jobs.let_all_go()
        return False
    return True


def chores_of(place: BackgroundParts, *, gently: bool) -> list[Chore]:
    """Return the chores that one process does for all. Two doing them at once would do no harm.

    `gently`: repair as well, while others read and write.
    """
    sweeper, strays = Sweeper(place.ledger, place.store), OrphanedIndexes(place.ledger, place.store)
    cache_sweeper = CacheSweeper(place.ledger, place.cache_limits)
    reconciler = Reconciler(place.book_jobs, place.book_id)
    outdated = OutdatedIndexes(place.ledger, place.store, place.reindex_jobs)

    async def sweep() -> float:
        await sweeper.sweep()
        return SWEEP_INTERVAL_S

    async def sweep_cache() -> float:
        if forgotten := await cache_sweeper.sweep():
            log.info("embeddings_forgotten", extra={"embeddings": forgotten})
        return CACHE_SWEEP_INTERVAL_S

    async def purge_feedback() -> float:
        if place.feedback is not None and (purged := await place.feedback.purge()):
            log.info("feedback_purged", extra={"entries": purged})
        return FEEDBACK_PURGE_INTERVAL_S

    async def repair_gently() -> float:
        try:
            await rebuild_missing(place.ledger, place.store)
            await place.book_collection.clear_abandoned()
            for index_id in await strays.clear():
                log.warning("stray_index_dropped", extra={"index": index_id})
        except RetrievalUnavailable as error:
            _put_off(error)
            return LEADERSHIP_INTERVAL_S
        return REPAIR_INTERVAL_S

    async def reconcile() -> float:
        await reconciler.look()
        return place.reconcile_every_s

    async def refresh_outdated() -> float:
        return REPAIR_INTERVAL_S if await outdated.refresh() else LEADERSHIP_INTERVAL_S

    chores: list[Chore] = [
        sweep,
        sweep_cache,
        purge_feedback,
        refresh_outdated,
        Purger(place.conversations).purge,
    ]
    if gently:
        chores.append(repair_gently)
    if place.reconcile_every_s:
        chores.append(reconcile)
    return chores


async def rebuild_missing(ledger: Ledger, store: VectorStore) -> None:
    """Rebuild indexes that the store lacks, while others read and write."""
    # The collections first: the index of one that is found now must exist already.
    collections = await ledger.collections.all(hidden=True)
    existing = await store.indexes()
    for collection in collections:
        index_id = collection.generation.index_id
        if (
            collection.state == "retired"
            or index_id in existing
            or await _is_there(store, index_id)
        ):
            continue
        try:
            _tell_of(await Rebuilder(ledger, store).rebuild(collection))
        except Conflict:
            log.info("rebuild_not_needed", extra={"collection": collection.name})


async def repeat_while_leading(
    leadership: Leadership, chore: Chore, interval_s: float = LEADERSHIP_INTERVAL_S
) -> None:
    """Repeat a chore for as long as this process leads."""
    while True:
        wait_s = interval_s
        try:
            if await leadership.lead():
                wait_s = await chore()
        except Unavailable as error:
            log.warning("chore_put_off", extra=logged_reason(error))
        except Exception:
            # The edge of a background task: its next turn must come all the same.
            log.exception("chore_failed")
        await asyncio.sleep(wait_s)


@asynccontextmanager
async def run_in_background(*works: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run coroutines until the block ends; then cancel them, with a timeout."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            ended, late = await asyncio.wait(tasks, timeout=CANCEL_TIMEOUT_S)
            for task in ended:
                if not task.cancelled() and (error := task.exception()) is not None:
                    log.error("background_work_failed", exc_info=error)
            if late:
                log.warning("background_work_left_behind", extra={"tasks": len(late)})


class Purger:
    """Deletes conversations that are older than the retention."""

    def __init__(self, store: ConversationStore) -> None:
        self._store = store

    async def purge(self) -> float:
        """Purge once; return the seconds until the next time."""
        try:
            deleted = await self._store.purge()
        except HistoryUnavailable as error:
            log.warning("purge_failed", extra={"reason": error.message})
            return PURGE_RETRY_INTERVAL_S
        except Exception:
            # The edge of a background task: the next purge must come all the same.
            log.exception("purge_crashed")
            return PURGE_RETRY_INTERVAL_S
        if deleted:
            log.info("conversations_purged", extra={"exchanges": deleted})
        return PURGE_INTERVAL_S


async def _is_there(store: VectorStore, index_id: str) -> bool:
    """Ask for the index itself: a cluster's list can be out of date."""
    try:
        await store.count(index_id)
    except RetrievalUnavailable:
        return False
    return True


def _put_off(error: RetrievalUnavailable) -> None:
    log.warning("mending_put_off", extra={"reason": error.message})


def _tell_of(rebuilt: Rebuilt) -> None:
    log.warning("index_rebuilt", extra={"collection": rebuilt.collection, "points": rebuilt.points})
