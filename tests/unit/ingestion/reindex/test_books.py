"""A book whose collection changes its model: the next run goes on from there."""

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.service.wiring.ingestion import assemble_reindexing
from tests.books import ARMS, ROS, BookWorld, lesson_text
from tests.contract.lease_contract import claimed
from tests.memory_store import MemoryStore
from tests.unit.ingestion.reindex.world import HookedEmbedder, two_models


@pytest.fixture
def embedders() -> tuple[HookedEmbedder, HookedEmbedder]:
    return two_models(dimensions=32)


@pytest.fixture
def models(embedders: tuple[HookedEmbedder, HookedEmbedder]) -> EmbeddingModels:
    return EmbeddingModels(embedders)


@pytest.fixture
async def world(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> BookWorld:
    world = BookWorld(ledger, store, models)
    world.source.write(ROS, lesson_text("Topics", "Publishers", "Subscribers", tier=1))
    world.source.write(ARMS, lesson_text("Arms", "Joints", "Grippers", tier=3))
    assert (await world.ingest()).status == "completed"
    return world


async def change(world: BookWorld, models: EmbeddingModels) -> None:
    """Give the book's collection the new model."""
    parts = assemble_reindexing(world.ledger, world.store, models)
    name = (await world.collection()).name
    assert await parts.jobs.submit(name, "newer") is not None
    job = await claimed(world.ledger, "reindex")
    await parts.runner.run(job)
    assert (await world.ledger.jobs.get(job.id)).status == "completed"


async def check(world: BookWorld) -> None:
    """The new model is in use, for all of the book."""
    assert (await world.collection()).generation.model == "newer"
    assert await world.paths() == {ROS, ARMS}
    (found,) = await Verifier(world.ledger, world.store).verify()
    assert found.clean, found


async def test_the_next_run_reads_all_files_and_embeds_nothing_that_is_known(
    world: BookWorld, models: EmbeddingModels
) -> None:
    await change(world, models)

    job = await world.ingest()
    again = await world.ingest()

    assert (job.status, job.progress.files_processed) == ("completed", 2)
    assert job.progress.chunks_embedded == 0
    assert again.progress.files_processed == 0
    await check(world)


@pytest.mark.parametrize("mode", ["incremental", "full"])
async def test_a_run_that_is_overtaken_by_the_change_begins_again(
    world: BookWorld,
    models: EmbeddingModels,
    embedders: tuple[HookedEmbedder, HookedEmbedder],
    mode: str,
) -> None:
    async def overtake() -> None:
        await change(world, models)

    world.source.write(ROS, lesson_text("Topics", "Publishers", "Actions", tier=1))
    embedders[0].hook = overtake

    job = await world.ingest("full" if mode == "full" else "incremental")

    assert (job.status, job.error) == ("completed", None)
    assert (job.progress.files_processed, job.progress.files_left) == (2, 0)
    lesson = await world.lesson(ROS)
    assert lesson is not None
    assert "Actions" in lesson.document.text
    await check(world)


async def test_a_recreation_with_the_old_model_does_not_undo_the_change(
    world: BookWorld,
    models: EmbeddingModels,
    embedders: tuple[HookedEmbedder, HookedEmbedder],
) -> None:
    async def overtake() -> None:
        await change(world, models)

    world.source.write(ROS, lesson_text("Topics", "Publishers", "Actions", tier=1))
    embedders[0].hook = overtake

    overtaken = await world.ingest("recreate")
    model = (await world.collection()).generation.model
    again = await world.ingest("recreate")

    assert (overtaken.status, model) == ("failed", "newer")
    assert "run it again" in (overtaken.error or "")
    assert again.status == "completed"
    await check(world)
