"""Every call of every operation fails once, before and after its effect: nothing is ever half."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from sourcebook.core.errors import Conflict, NotFound, RetrievalUnavailable
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.sweeper import ABANDONED_AFTER_S, Sweeper
from sourcebook.service.wiring.background import repair
from tests.chaos import LONG
from tests.chaos.faults import Crashed, Faults, Kind, Moment
from tests.chaos.naive import NAIVE_WRITERS
from tests.chaos.operations import CHANGES, WRITES, Change
from tests.chaos.world import Parts, Template, World, document, state
from tests.memory_store import MemoryStore

MAX_CALLS = 60
FAILURES = [Kind.ERROR, Kind.CANCELLED] if LONG else [Kind.ERROR]
# A process that ends after a call leaves what it leaves by ending before the next one.
CRASHES = [*Moment] if LONG else [Moment.BEFORE]
# A call that only reads and fails afterwards leaves what it leaves by failing before.
READS = {
    "embedder.embed_documents",
    "ledger.collections.get",
    "ledger.documents.get",
    "ledger.documents.walk",
    "ledger.garbage.abandoned_writes",
    "ledger.garbage.dead_chunks",
    "ledger.garbage.retired_collections",
    "ledger.garbage.retired_indexes",
    "ledger.garbage.wanted_indexes",
    "ledger.vectors.recall",
    "store.indexes",
}
FAULTS = (Crashed, RetrievalUnavailable, asyncio.CancelledError)

Ingesting = Callable[[Parts], Ingestor]


@pytest.fixture(scope="module", params=["mirrored", "written"])
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Template:
    """A world whose index mirrors the ledger, and one whose index is written like a server's."""
    store = None if request.param == "mirrored" else MemoryStore()
    template = Template(tmp_path_factory.mktemp("template"), store)
    asyncio.run(template.make())
    return template


def ours(parts: Parts) -> Ingestor:
    return parts.ingestor


async def strike(world: World, change: Change, faults: Faults, ingesting: Ingesting) -> bool:
    """Run the change with a fault in it; whether there was a call for the fault to strike."""
    operation = world.history.begin(change.effects)
    parts = world.parts.with_faults(faults)
    with suppress(*FAULTS):
        await change.run(parts, ingesting(parts))
        world.history.confirm(operation)
    return faults.struck


async def crash_everywhere(
    template: Template, folder: Path, change: Change, moment: Moment, ingesting: Ingesting
) -> AsyncGenerator[tuple[str, World]]:
    """A started world after a crash in every call of the change, and the call's name."""
    for nth in range(1, MAX_CALLS):
        async with template.copied(folder) as world:
            faults = Faults(nth, moment, Kind.CRASH)
            struck = await strike(world, change, faults, ingesting)
            await world.stop()
            await world.start()
            yield faults.calls[-1], world
        if not struck:
            return
    raise AssertionError(f"There are more than {MAX_CALLS} calls")


@pytest.mark.parametrize("moment", CRASHES)
@pytest.mark.parametrize("name", CHANGES)
async def test_a_crash_in_any_call_leaves_the_old_or_the_new(
    template: Template, in_memory: Path, name: str, moment: Moment
) -> None:
    async for call, world in crash_everywhere(template, in_memory, CHANGES[name], moment, ours):
        assert (call, await world.violations()) == (call, [])
        await repair(world.parts.ledger, world.parts.store)
        assert (call, await world.violations()) == (call, [])
        assert (call, await world.leftovers()) == (call, [])


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("moment", Moment)
@pytest.mark.parametrize("name", CHANGES)
async def test_a_failure_in_any_call_needs_no_restart(
    template: Template,
    in_memory: Path,
    name: str,
    moment: Moment,
    kind: Kind,
) -> None:
    change = CHANGES[name]
    for nth in range(1, MAX_CALLS):
        async with template.copied(in_memory) as world:
            faults = Faults(nth, moment, kind)
            struck = await strike(world, change, faults, ours)
            if struck and moment is Moment.AFTER and faults.calls[nth - 1] in READS and not LONG:
                continue
            assert (faults.calls, await world.violations()) == (faults.calls, [])
            await again(world, change)
            await add_to_every_collection(world)
            assert (faults.calls, await world.violations()) == (faults.calls, [])
            await sweep_later(world)
            assert (faults.calls, await world.leftovers()) == (faults.calls, [])
        if not struck:
            return
    raise AssertionError(f"There are more than {MAX_CALLS} calls")


async def again(world: World, change: Change) -> None:
    """The client tries once more; it may hear that it is done already."""
    operation = world.history.begin(change.effects)
    with suppress(NotFound, Conflict):
        await change.run(world.parts, world.parts.ingestor)
    world.history.confirm(operation)


async def add_to_every_collection(world: World) -> None:
    parts = world.parts
    for collection in await parts.catalog.all():
        effects = {(collection.name, "after"): state("after", 1)}
        operation = world.history.begin(effects)
        await parts.ingestor.add(collection.name, [document("after", 1)])
        world.history.confirm(operation)


async def sweep_later(world: World) -> None:
    """What a service does all the time, and then what its next start does."""
    parts = world.parts
    parts.clock.now_s += ABANDONED_AFTER_S
    sweeper = Sweeper(parts.ledger, parts.store, parts.clock)
    await sweeper.sweep()
    assert await world.violations() == []
    await sweeper.sweep_all()


@pytest.mark.parametrize("template", ["written"], indirect=True)
@pytest.mark.parametrize("naive", NAIVE_WRITERS, ids=lambda naive: naive.__name__)
async def test_a_naive_writer_is_found_out(
    template: Template, in_memory: Path, naive: Ingesting
) -> None:
    found: list[str] = []
    change = WRITES["replace one and add one"]
    crashes = crash_everywhere(template, in_memory, change, Moment.BEFORE, naive)
    async with aclosing(crashes):
        async for _, world in crashes:
            await repair(world.parts.ledger, world.parts.store)
            found = await world.violations()
            if found:
                break

    assert found
