"""What goes on beside the requests: jobs, and the chores that one process does for all."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sourcebook.core.errors import Conflict, HistoryUnavailable, RetrievalUnavailable
from sourcebook.core.ports import ConversationStore, Ledger, VectorStore
from sourcebook.ingestion.book.collection import BookCollection
from sourcebook.ingestion.book.jobs import BookJobs
from sourcebook.ingestion.job_runner import JobRunner
from sourcebook.ingestion.upkeep.orphaned_indexes import OrphanedIndexes
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder, Rebuilt
from sourcebook.ingestion.upkeep.sweeper import Sweeper
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.reconciler import Reconciler

log = logging.getLogger(__name__)

SWEEP_INTERVAL_S = 30.0
REPAIR_INTERVAL_S = 600.0
# How often those who do not lead ask whether they do now, and a store that is away is tried again.
LEADERSHIP_INTERVAL_S = 15.0
PURGE_INTERVAL_S = 86_400.0
PURGE_RETRY_INTERVAL_S = 60.0
CANCEL_TIMEOUT_S = 5.0

# Does something once, and says in how many seconds to do it again.
Chore: TypeAlias = Callable[[], Awaitable[float]]


class Leadership(Protocol):
    """Who does the chores, where several processes could."""

    async def lead(self) -> bool:
        """Tell whether this process does, for now."""
        ...


class SoleOwner:
    """Leads, because there is nobody else."""

    async def lead(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class Workplace:
    """What background work needs; `reconcile_every_s` is 0 if there is no book to look at."""

    ledger: Ledger
    store: VectorStore
    book_jobs: BookJobs
    book_collection: BookCollection
    book_id: str
    runners: tuple[JobRunner, ...]
    conversations: ConversationStore
    reconcile_every_s: float = 0.0


@asynccontextmanager
async def open_background(
    settings: Settings, place: Workplace, *, shared: bool
) -> AsyncIterator[None]:
    """Work beside the requests, as far as this process should.

    A sole owner mends first; if the store is away, once it is back.
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
            gently = not await mended(place)
            await place.book_collection.clear_abandoned()
        chores = chores_of(place, gently=gently)
        works = [runner.run_for_ever() for runner in place.runners]
        works += [do_in_turn(leadership, chore) for chore in chores]
        await stack.enter_async_context(in_background(*works))
        yield


async def mend(ledger: Ledger, store: VectorStore) -> None:
    """Clear what a crash left, and bring back an index that is gone. Nothing is embedded.

    Only for the sole owner: what looks abandoned could be another process's work.
    """
    # Indexes that are gone or damaged first: nothing could be cleared from those.
    for rebuilt in await Rebuilder(ledger, store).rebuild_missing():
        _tell_of(rebuilt)
    await Sweeper(ledger, store).sweep_all()
    await ledger.jobs.let_all_go()


async def mended(place: Workplace) -> bool:
    """Mend, or say that the store is away and that it must be done later."""
    try:
        await mend(place.ledger, place.store)
    except RetrievalUnavailable as error:
        _put_off(error)
        # That needs no store, and jobs are not to wait for leases that nobody holds.
        await place.ledger.jobs.let_all_go()
        return False
    return True


def chores_of(place: Workplace, *, gently: bool) -> list[Chore]:
    """What one process does for all. Two that did it at once would do no harm.

    `gently`: mend as well, while others read and write.
    """
    sweeper, strays = Sweeper(place.ledger, place.store), OrphanedIndexes(place.ledger, place.store)
    reconciler = Reconciler(place.book_jobs, place.book_id)

    async def sweep() -> float:
        await sweeper.sweep()
        return SWEEP_INTERVAL_S

    async def mend_gently() -> float:
        try:
            await rebuild_gone(place.ledger, place.store)
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

    chores: list[Chore] = [sweep, Purger(place.conversations).purge]
    if gently:
        chores.append(mend_gently)
    if place.reconcile_every_s:
        chores.append(reconcile)
    return chores


async def rebuild_gone(ledger: Ledger, store: VectorStore) -> None:
    """Bring back indexes that the store does not know, while others read and write."""
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


async def do_in_turn(
    leadership: Leadership, chore: Chore, interval_s: float = LEADERSHIP_INTERVAL_S
) -> None:
    """Do a chore again and again, while this process leads."""
    while True:
        wait_s = interval_s
        try:
            if await leadership.lead():
                wait_s = await chore()
        except Exception:
            # The edge of a background task: its next turn must come all the same.
            log.exception("chore_failed")
        await asyncio.sleep(wait_s)


@asynccontextmanager
async def in_background(*works: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run them until the block ends; then they have a moment to give back what they hold."""
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


async def _is_there(store: VectorStore, index_id: str) -> bool:
    """Ask for the index itself: the list of a cluster can lag behind."""
    try:
        await store.count(index_id)
    except RetrievalUnavailable:
        return False
    return True


def _put_off(error: RetrievalUnavailable) -> None:
    log.warning("mending_put_off", extra={"reason": error.message})


def _tell_of(rebuilt: Rebuilt) -> None:
    log.warning("index_rebuilt", extra={"collection": rebuilt.collection, "points": rebuilt.points})


class Purger:
    """Deletes what is older than the retention."""

    def __init__(self, store: ConversationStore) -> None:
        self._store = store

    async def purge(self) -> float:
        """Purge once; in how many seconds to do it again."""
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
