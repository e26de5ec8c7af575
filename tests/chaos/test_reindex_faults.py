"""Every call of a change of the model fails once, before and after its effect."""

import asyncio
import copy
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestJob
from sourcebook.ingestion.reindex.jobs import ReindexJobs
from sourcebook.service.wiring.background import repair
from sourcebook.service.wiring.ingestion import assemble_reindexing
from tests.chaos import LONG as LONG_RUN
from tests.chaos import faults as faulting
from tests.chaos.faults import Crashed, Faults, Kind, Moment, faulty_embedder, faulty_store
from tests.contract.lease_contract import claimed
from tests.fakes import FakeClock
from tests.ledgers import open_copied_ledger
from tests.memory_folder import memory_folder
from tests.memory_store import MemoryStore
from tests.unit.ingestion.reindex.world import LONG, NAME, TEXTS, World, make_world, two_models

MAX_CALLS = 60
# A process that ends after a call leaves what it leaves by ending before the next one.
CUT_OFF = (
    [(kind, moment) for kind in (Kind.CRASH, Kind.CANCELLED) for moment in Moment]
    if LONG_RUN
    else [(Kind.CRASH, Moment.BEFORE)]
)
AFTER = {**TEXTS, "a": "newer words of a", "d": f"words of d {LONG}"}


@pytest.fixture(autouse=True)
def _jobs_fail_too(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = faulting.PARTS_OF_A_LEDGER | {"jobs"}
    monkeypatch.setattr(faulting, "PARTS_OF_A_LEDGER", parts)


class Prepared:
    """A world in which a job waits, made once and copied for every fault."""

    def __init__(self, folder: Path, what: str) -> None:
        self._folder = folder
        self._store = MemoryStore()
        self._copies = 0
        self.what = what
        self.goal = "newer" if what == "change" else "minilm"

    async def make(self) -> None:
        """Order a change, or the way back after further writes."""
        clock = FakeClock()
        async with open_copied_ledger(self._folder / "ledger.db", clock) as ledger:
            await prepare(await make_world(ledger, self._store, clock), self.what)

    @asynccontextmanager
    async def copied(self) -> AsyncIterator[World]:
        """A world like it."""
        self._copies += 1
        file = self._folder / f"{self._copies}.db"
        shutil.copy(self._folder / "ledger.db", file)
        clock = FakeClock()
        async with open_copied_ledger(file, clock) as ledger:
            yield World(ledger, copy.deepcopy(self._store), clock, *two_models())


@pytest.fixture(scope="module", params=["change", "rollback"])
def waiting(request: pytest.FixtureRequest) -> Iterator[Prepared]:
    with memory_folder() as folder:
        prepared = Prepared(folder, request.param)
        asyncio.run(prepared.make())
        yield prepared


async def prepare(world: World, what: str) -> None:
    """Leave a job in it."""
    await world.catalog.set_metadata(NAME, {"saved_questions": ["words of a"]}, merge=True)
    await world.put(a="newer words of a", d=f"words of d {LONG}")
    if what == "change":
        await world.jobs.submit(NAME, "newer")
        return
    await world.put(a=TEXTS["a"])
    await world.change()
    await world.put(a="newer words of a")
    await world.jobs.roll_back(NAME)


async def run_with(world: World, faults: Faults) -> IngestJob:
    """Take the job up; the fault may strike any call of it."""
    job = await claimed(world.ledger, "reindex")
    parts = assemble_reindexing(
        faulting.faulty_ledger(world.ledger, faults),
        faulty_store(world.store, faults),
        EmbeddingModels(faulty_embedder(model, faults) for model in (world.old, world.new)),
    )
    with suppress(Crashed, asyncio.CancelledError):
        await parts.runner.run(job)
    return await world.ledger.jobs.get(job.id)


async def check(world: World, call: str) -> None:
    """One whole generation is in use, and nothing else will be left."""
    try:
        await world.check(**AFTER)
    except AssertionError as error:
        raise AssertionError(f"after {call}") from error
    assert (call, await world.store.indexes()) == (call, await world.indexes())


@pytest.mark.parametrize(("kind", "moment"), CUT_OFF)
async def test_a_job_that_is_cut_off_in_any_call_is_done_after_a_restart(
    waiting: Prepared, kind: Kind, moment: Moment
) -> None:
    goal = waiting.goal
    for nth in range(1, MAX_CALLS):
        async with waiting.copied() as world:
            faults = Faults(nth, moment, kind)
            job = await run_with(world, faults)
            call = f"{nth}: {faults.calls[-1]}"
            assert (call, await world.seen()) == (call, AFTER)
            await world.check_index()
            # As a process that is alone does when it opens the ledger.
            await world.ledger.jobs.let_all_go()
            await repair(world.ledger, world.store)
            assert (call, await world.seen()) == (call, AFTER)
            if not job.finished:
                job = await world.run()
            assert (call, job.status) == (call, "completed")
            assert (await world.collection()).generation.model == goal
            await check(world, call)
        if not faults.struck:
            return
    raise AssertionError(f"There are more than {MAX_CALLS} calls")


@pytest.mark.parametrize("moment", Moment)
async def test_a_job_in_which_any_call_fails_can_be_ordered_again(
    waiting: Prepared, moment: Moment
) -> None:
    goal = waiting.goal
    for nth in range(1, MAX_CALLS):
        async with waiting.copied() as world:
            faults = Faults(nth, moment, Kind.ERROR)
            with suppress(Exception):
                await run_with(world, faults)
            call = f"{nth}: {faults.calls[-1]}"
            assert (call, await world.seen()) == (call, AFTER)
            await world.check_index()
            await again(world, goal)
            assert (call, (await world.collection()).generation.model) == (call, goal)
            await check(world, call)
        if not faults.struck:
            return
    raise AssertionError(f"There are more than {MAX_CALLS} calls")


async def again(world: World, goal: str) -> None:
    """Whoever ordered it looks, and orders it once more if it was not done."""
    reindexer = ReindexJobs(world.ledger, world.models, lambda: None)
    job = (await reindexer.status(NAME)).job
    assert job is not None
    if job.finished and (await world.collection()).generation.model != goal:
        if goal == "newer":
            await reindexer.submit(NAME, goal)
        else:
            await reindexer.roll_back(NAME)
    world.clock.now_s += 60.0
    if (await reindexer.status(NAME)).job != job or not job.finished:
        await world.run()
