"""A refresh is cut off in every call once: the old index or the new one is in use, and it ends."""

import asyncio
import copy
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import index_terms
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.search.searcher import Searcher
from sourcebook.service.wiring.background import repair
from sourcebook.service.wiring.ingestion import assemble_reindexing
from sourcebook.testing.lease_contract import claimed
from tests.chaos import faults as faulting
from tests.chaos.faults import Crashed, Faults, Kind, Moment, faulty_store
from tests.fakes import FakeClock
from tests.ledgers import open_copied_ledger
from tests.unit.ingestion.reindex.world import NAME, TEXTS, World, make_world, two_models

MAX_CALLS = 40
ENCODER = Bm25Encoder()


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MemoryStore]:
    """A ledger in which a refresh waits, and the index without terms."""
    file, store = tmp_path_factory.mktemp("waiting") / "ledger.db", MemoryStore()

    async def make() -> None:
        async with open_copied_ledger(file, FakeClock()) as ledger:
            world = await make_world(ledger, store, FakeClock())
            await world.jobs.refresh(await world.collection())

    asyncio.run(make())
    return file, store


async def found(world: World, words: str) -> set[str]:
    searcher = Searcher(
        world.ledger, index_terms(world.store, ENCODER), world.models, terms=ENCODER
    )
    hits = (await searcher.search(NAME, words, 9, mode="keyword")).hits
    return {hit.chunk.document_id for hit in hits}


async def run_with(world: World, faults: Faults | None) -> None:
    job = await claimed(world.ledger, "reindex")
    ledger, store = world.ledger, index_terms(world.store, ENCODER)
    if faults is not None:
        ledger, store = faulting.faulty_ledger(ledger, faults), faulty_store(store, faults)
    with suppress(Crashed):
        await assemble_reindexing(ledger, store, world.models).runner.run(job)


@pytest.mark.parametrize("moment", Moment)
async def test_a_refresh_that_is_cut_off_in_any_call_is_done_after_a_restart(
    waiting: tuple[Path, MemoryStore],
    moment: Moment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(faulting, "PARTS_OF_A_LEDGER", faulting.PARTS_OF_A_LEDGER | {"jobs"})
    for nth in range(1, MAX_CALLS):
        file = tmp_path / f"{nth}.db"
        shutil.copy(waiting[0], file)
        clock, faults = FakeClock(), Faults(nth, moment, Kind.CRASH)
        async with open_copied_ledger(file, clock) as ledger:
            world = World(ledger, copy.deepcopy(waiting[1]), clock, *two_models())
            await run_with(world, faults)
            assert (nth, await world.seen()) == (nth, TEXTS)
            await repair(ledger, index_terms(world.store, ENCODER))
            if (await ledger.jobs.count_unfinished()).get(("reindex", "running")):
                await run_with(world, None)
            assert (nth, await found(world, "words")) == (nth, {*TEXTS})
            await world.check(**TEXTS)
            assert (nth, await world.store.indexes()) == (nth, await world.indexes())
        if not faults.struck:
            return
    raise AssertionError(f"There are more than {MAX_CALLS} calls")
