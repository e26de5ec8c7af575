"""Runs background work: jobs, and the chores that one leading process does for all."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sourcebook.answering.feedback import Feedback
from sourcebook.core.errors import (
    HistoryUnavailable,
    RetrievalUnavailable,
    Unavailable,
    logged_reason,
)
from sourcebook.core.ports import ConversationStore, Ledger, VectorStore
from sourcebook.ingestion.book.collection import BookCollection
from sourcebook.ingestion.book.jobs import BookJobs
from sourcebook.ingestion.job_runner import JobRunner
from sourcebook.ingestion.upkeep.cache_sweeper import DEFAULT_LIMITS, CacheLimits, CacheSweeper
from sourcebook.ingestion.upkeep.orphaned_indexes import OrphanedIndexes
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
from sourcebook.ingestion.upkeep.sweeper import Sweeper
from sourcebook.service.config.data_folder import DataFolder, open_leadership
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


@dataclass(frozen=True, slots=True)
class BackgroundParts:
    """What background work needs; `reconcile_every_s` is 0 if no book is configured.

    `serves` is False for a command and the library, which soon end.
    """

    ledger: Ledger
    store: VectorStore
    book_jobs: BookJobs
    book_collection: BookCollection
    book_id: str
    runners: tuple[JobRunner, ...]
    conversations: ConversationStore
    reconcile_every_s: float = 0.0
    serves: bool = True
    cache_limits: CacheLimits = DEFAULT_LIMITS
    feedback: Feedback | None = None


@asynccontextmanager
async def open_background(
    settings: Settings, folder: DataFolder, place: BackgroundParts, *, shared: bool
) -> AsyncIterator[None]:
    """Run jobs and chores, as far as this process should.

    Whoever has an index that cannot be shared repairs it first; if it is away, once it is back.
    """
    if not settings.work:
        yield
        return
    async with AsyncExitStack() as stack:
        leadership: Leadership
        if settings.ledger_url is None:
            leadership = stack.enter_context(open_leadership(folder, stays=place.serves))
        else:
            # SQLAlchemy is not needed by every command.
            from sourcebook.providers.storage.ledger import postgres_locks  # noqa: PLC0415

            url = settings.ledger_url.get_secret_value()
            leadership = await stack.enter_async_context(postgres_locks.open_leadership(url))
        gently = shared or not await try_repair(place)
        if not gently:
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
    await Rebuilder(ledger, store).rebuild_missing()
    await Sweeper(ledger, store).sweep_all()


async def try_repair(place: BackgroundParts) -> bool:
    """Repair; return False if the store is away and it must be done later."""
    try:
        await repair(place.ledger, place.store)
    except RetrievalUnavailable as error:
        _put_off(error)
        return False
    return True


def chores_of(place: BackgroundParts, *, gently: bool) -> list[Chore]:
    """Return the chores that one process does for all. Two doing them at once would do no harm.

    `gently`: repair as well, while others read and write.
    """
    sweeper, strays = Sweeper(place.ledger, place.store), OrphanedIndexes(place.ledger, place.store)
    cache_sweeper = CacheSweeper(place.ledger, place.cache_limits)
    reconciler = Reconciler(place.book_jobs, place.book_id)

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
            rebuilder = Rebuilder(place.ledger, place.store)
            await rebuilder.rebuild_missing(listed_are_there=True)
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

    chores: list[Chore] = [
        sweep,
        sweep_cache,
        purge_feedback,
        Purger(place.conversations).purge,
    ]
    if gently:
        chores.append(repair_gently)
    if place.reconcile_every_s:
        chores.append(reconcile)
    return chores


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


def _put_off(error: RetrievalUnavailable) -> None:
    log.warning("mending_put_off", extra={"reason": error.message})
