"""A collection changes its model: a new index beside the old one, swapped in one step."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    Conflict,
    EmbeddingFailed,
    InvalidInput,
    ModelNotLoaded,
    NotFound,
    RateLimited,
)
from sourcebook.core.jobs import JobRequest, reindex_queue
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.ports import Ledger
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.identity import hash_text
from sourcebook.ingestion.job_runner import JobReport
from sourcebook.ingestion.lazy_collection import LazyCollection
from sourcebook.ingestion.overload_retry import OverloadRetry
from sourcebook.ingestion.posted.inbox import Inbox
from sourcebook.ingestion.reindex.jobs import ReindexJobs
from sourcebook.ingestion.reindex.run import ReindexRun
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
from sourcebook.ingestion.upkeep.sweeper import GRACE_PERIOD_S, Sweeper
from sourcebook.service.wiring.ingestion import assemble_reindexing
from tests.contract.lease_contract import LEASE_S, claimed
from tests.contract.ledger_values import land, version_of, write_of
from tests.fakes import FakeClock
from tests.memory_store import MemoryStore
from tests.unit.ingestion.reindex.world import LONG, NAME, TEXTS, HookedStore, World, make_world


@pytest.fixture(params=[64, 32], ids=["same dimensions", "other dimensions"])
async def world(
    request: pytest.FixtureRequest, ledger: Ledger, store: MemoryStore, clock: FakeClock
) -> World:
    return await make_world(ledger, store, clock, dimensions=request.param)


async def test_the_new_model_takes_over_with_every_document(world: World) -> None:
    before = await world.collection()

    job = await world.change()

    after = await world.collection()
    assert (job.status, job.error) == ("completed", None)
    assert (after.generation.model, after.generation.model_revision) == ("newer", "rev-2")
    assert after.metadata == {**before.metadata, "embedding_model": "newer"}
    assert after.previous == before.generation
    assert not world.models.reindex_required(after)
    assert (job.progress.chunks_found, job.progress.chunks_created) == (3, 3)
    assert (job.progress.chunks_embedded, job.progress.chunks_reused) == (3, 0)
    await world.check(**TEXTS)
    assert await world.store.indexes() == await world.indexes()


async def test_writes_after_the_change_use_the_new_model(world: World) -> None:
    await world.change()
    batches = len(world.old.batches)

    await world.put(a="newer words of a", d="words of d")
    await world.ingestor.delete(NAME, ["b"])

    assert len(world.old.batches) == batches
    await world.check(a="newer words of a", c=TEXTS["c"], d="words of d")


async def test_questions_are_asked_of_the_old_index_until_the_swap(world: World) -> None:
    seen: list[dict[str, str]] = []

    async def look() -> None:
        seen.append(await world.seen())
        assert (await world.collection()).generation.model == "minilm"

    world.new.hook = look
    await world.change()

    assert seen == [TEXTS]


async def test_what_is_written_meanwhile_is_in_the_new_index(world: World) -> None:
    async def write() -> None:
        await world.put(a="newer words of a", d=f"words of d {LONG}")
        await world.ingestor.delete(NAME, ["b"])
        world.new.hook = write_more

    async def write_more() -> None:
        await world.put(d="words of d", e=f"words of e {LONG}")

    world.new.hook = write
    job = await world.change()

    assert job.status == "completed"
    expected = {"a": "newer words of a", "c": TEXTS["c"]}
    await world.check(**expected, d="words of d", e=f"words of e {LONG}")


async def test_a_reader_never_sees_a_part(world: World) -> None:
    stop = asyncio.Event()
    looks = 0

    async def read() -> None:
        nonlocal looks
        while not stop.is_set():
            assert await world.seen() == TEXTS
            looks += 1

    reading = asyncio.create_task(read())
    for _ in range(3):
        assert (await world.change()).status == "completed"
        assert (await world.back()).status == "completed"
    stop.set()
    await reading

    assert looks > 3


async def test_a_writer_that_prepared_for_the_old_model_embeds_again(world: World) -> None:
    async def change() -> None:
        assert (await world.change()).status == "completed"

    world.old.hook = change
    await world.put(a="newer words of a", d=f"words of d {LONG}")

    assert (await world.collection()).generation.model == "newer"
    await world.check(**{**TEXTS, "a": "newer words of a", "d": f"words of d {LONG}"})


async def test_a_posting_that_prepared_for_the_old_model_is_cut_and_embedded_again(
    world: World,
) -> None:
    async def change() -> None:
        assert (await world.change()).status == "completed"

    collection = LazyCollection(world.ledger, world.store, world.models, NAME, {})
    world.old.hook = change

    receipt = await Inbox(world.ledger, world.store, collection).put(
        PostedDocument("notes", "a.md", "A", "words of a posting")
    )

    assert (receipt.status, (await world.collection()).generation.model) == ("created", "newer")
    await world.check(**TEXTS, **{receipt.document_id: "words of a posting"})


async def test_a_write_that_outlives_a_change_and_its_rollback_loses_no_points(
    world: World,
) -> None:
    """It was prepared for the index that is in use again: its points must not be swept."""

    async def change_and_go_back() -> None:
        assert (await world.change()).status == "completed"
        assert (await world.back()).status == "completed"

    store = HookedStore(world.store)
    store.hook = change_and_go_back
    documents = [Document("d", "words of d", {})]
    await Ingestor(world.ledger, cast(MemoryStore, store), world.models).add(NAME, documents)

    await world.check(**TEXTS, d="words of d")


async def test_a_collection_that_is_written_to_all_the_time_is_left_as_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sourcebook.ingestion.reindex.run.MAX_ROUNDS", 3)
    count = 0

    async def write() -> None:
        nonlocal count
        count += 1
        await world.put(a=f"words of a number {count}")
        world.new.hook = write

    world.new.hook = write
    job = await world.change()
    world.new.hook = None

    assert job.status == "failed"
    assert "written to all the time" in (job.error or "")
    assert (await world.collection()).generation.model == "minilm"
    world.clock.now_s += GRACE_PERIOD_S
    await Sweeper(world.ledger, world.store, world.clock).sweep()
    assert await world.store.indexes() == await world.indexes()


async def test_a_rollback_goes_back_to_the_very_index(world: World) -> None:
    first = (await world.collection()).generation
    await world.change()
    second = (await world.collection()).generation
    batches = len(world.old.batches)

    job = await world.back()

    after = await world.collection()
    assert (job.status, job.error) == ("completed", None)
    assert (after.generation, after.previous) == (first, second)
    assert after.wanted_model == "minilm"
    assert len(world.old.batches) == batches
    await world.check(**TEXTS)


async def test_a_rollback_brings_what_was_written_since(world: World) -> None:
    await world.change()
    await world.put(a="newer words of a", d=f"words of d {LONG}")
    await world.ingestor.delete(NAME, ["b"])

    job = await world.back()

    assert (job.status, job.progress.chunks_embedded) == ("completed", 2)
    await world.check(a="newer words of a", c=TEXTS["c"], d=f"words of d {LONG}")


async def test_one_can_go_back_and_forth(world: World) -> None:
    await world.change()
    for text in ("second words", "third words", "fourth words"):
        await world.put(a=text)
        assert (await world.back()).status == "completed"
        await world.check(**{**TEXTS, "a": text})

    assert (await world.collection()).generation.model == "minilm"
    assert await world.store.indexes() == await world.indexes()


async def test_a_kept_index_that_is_gone_is_filled_again_without_embedding(world: World) -> None:
    first = (await world.collection()).generation.index_id
    await world.change()
    await world.store.drop(first)
    batches = len(world.old.batches)

    job = await world.back()

    assert job.status == "completed"
    assert (await world.collection()).generation.index_id == first
    assert len(world.old.batches) == batches
    await world.check(**TEXTS)


async def test_a_further_change_lets_the_older_index_go(world: World) -> None:
    first = (await world.collection()).generation.index_id
    await world.change()
    second = (await world.collection()).generation.index_id
    assert await world.jobs.submit(NAME, "minilm") is not None
    await world.run()

    assert first not in await world.indexes()
    assert second in await world.indexes()
    await world.check(**TEXTS)
    assert await world.store.indexes() == await world.indexes()


@pytest.mark.parametrize("how", ["delete", "empty"])
async def test_both_indexes_go_with_the_documents(world: World, how: str) -> None:
    await world.change()
    both = await world.indexes()

    if how == "delete":
        await world.catalog.delete(NAME)
    else:
        await world.ingestor.empty(NAME)
        assert (await world.collection()).previous is None

    assert set(await world.ledger.garbage.retired_indexes(math.inf)) == both


async def test_a_rebuilt_collection_can_still_go_back(world: World) -> None:
    await world.change()

    await Rebuilder(world.ledger, world.store).rebuild(await world.collection())
    await world.check(**TEXTS)

    assert (await world.back()).status == "completed"
    await world.check(**TEXTS)


async def test_without_the_old_model_the_change_still_works(world: World) -> None:
    await world.ledger.collections.change_metadata(
        NAME, lambda old: {**old, "saved_questions": ["words of a"]}
    )
    only_new = EmbeddingModels([world.new])
    assert await ReindexJobs(world.ledger, only_new, lambda: None).submit(NAME, "newer") is not None

    job = await world.run(only_new)

    assert (job.status, job.recall) == ("completed", None)
    assert await world.seen(only_new) == TEXTS
    with pytest.raises(ModelNotLoaded, match=r"'minilm'.*Available: \['newer'\]"):
        await ReindexJobs(world.ledger, only_new, lambda: None).roll_back(NAME)


@pytest.mark.parametrize("saved", [["words of a", "six seven"], '["words of a", "six seven"]'])
async def test_the_recall_on_saved_questions_is_reported(world: World, saved: JsonValue) -> None:
    await world.ledger.collections.change_metadata(
        NAME, lambda old: {**old, "saved_questions": saved}
    )

    recall = (await world.change()).recall

    assert recall is not None
    assert (recall.questions, recall.k) == (2, 10)
    # With three chunks, the first ten are all of them.
    assert (recall.mean, recall.worst) == (1.0, 1.0)


async def test_recall_falls_where_the_new_model_finds_other_chunks(world: World) -> None:
    await world.put(**{f"n{n}": f"words number {n}" for n in range(40)})
    question = "words number 7"
    await world.ledger.collections.change_metadata(
        NAME, lambda old: {**old, "saved_questions": [question]}
    )
    # To this model, every text is the same.
    world.new.override = ([1.0] * world.new.dimensions,)

    recall = (await world.change()).recall

    assert recall is not None
    assert 0.0 <= recall.worst == recall.mean < 1.0


@pytest.mark.parametrize("saved", [None, "no JSON", '{"a": 1}', [], ["  ", 7], 3])
async def test_without_questions_there_is_no_recall(world: World, saved: JsonValue) -> None:
    await world.ledger.collections.change_metadata(
        NAME,
        lambda old: {**old, "saved_questions": saved},
    )

    assert (await world.change()).recall is None


async def test_a_model_that_fails_leaves_everything_as_it_was(world: World) -> None:
    before = await world.collection()
    world.new.failing = True

    job = await world.change()

    assert (job.status, job.error) == ("failed", "The fake embedder was told to fail")
    assert await world.collection() == before
    await world.check(**TEXTS)
    assert await world.store.indexes() == await world.indexes()


async def test_a_model_that_takes_no_more_is_waited_for(world: World) -> None:
    waited: list[float] = []

    async def refuse() -> None:
        raise RateLimited("Later", retry_after_s=7.0)

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def nearest(*_: object) -> Sequence[str]:
        return ()

    world.new.hook = refuse
    await world.jobs.submit(NAME, "newer")
    run = ReindexRun(
        world.ledger, world.store, world.models, nearest, retry=OverloadRetry(sleep=sleep)
    )

    outcome = await run.run(await claimed(world.ledger, "reindex"), JobReport())

    assert outcome.status == "completed"
    assert [7.0 <= seconds <= 8.0 for seconds in waited] == [True]


async def test_an_attempt_that_was_cut_off_costs_no_embedding_again(world: World) -> None:
    await world.put(**{f"n{n}": f"words number {n}" for n in range(600)})
    job = await world.jobs.submit(NAME, "newer")
    assert job is not None
    first = await claimed(world.ledger, "reindex")

    async def cut_off() -> None:
        world.new.hook = die

    async def die() -> None:
        raise KeyboardInterrupt

    world.new.hook = cut_off
    parts = assemble_reindexing(world.ledger, world.store, world.models)
    with pytest.raises(KeyboardInterrupt):
        await parts.runner.run(first)
    embedded = sum(map(len, world.new.batches))
    begun = (await world.ledger.jobs.get(first.id)).building
    world.clock.now_s += LEASE_S
    done = await world.run()

    assert (begun is not None, done.id, done.attempts) == (True, first.id, 2)
    assert (done.status, done.progress.chunks_reused) == ("completed", embedded)
    assert done.progress.chunks_embedded == 603 - embedded
    assert 0 < embedded < 603
    await world.check_index()
    world.clock.now_s += GRACE_PERIOD_S
    await Sweeper(world.ledger, world.store, world.clock).sweep()
    assert await world.store.indexes() == await world.indexes()


async def test_a_start_leaves_the_index_of_a_job_that_runs_elsewhere_alone(world: World) -> None:
    async def start() -> None:
        await Sweeper(world.ledger, world.store, world.clock).sweep_all()

    world.new.hook = start

    assert (await world.change()).status == "completed"
    await world.check(**TEXTS)


async def test_a_job_that_was_done_and_not_ended_is_not_done_again(world: World) -> None:
    await world.jobs.submit(NAME, "newer")
    first = await claimed(world.ledger, "reindex")
    parts = assemble_reindexing(world.ledger, world.store, world.models)
    await parts.jobs.status(NAME)
    run = ReindexRun(world.ledger, world.store, world.models, _nothing)
    assert (await run.run(first, JobReport())).status == "completed"
    swapped = await world.collection()

    world.clock.now_s += LEASE_S
    again = await world.run()

    assert (again.id, again.status) == (first.id, "completed")
    assert await world.collection() == swapped


async def test_a_rollback_that_was_done_and_not_ended_does_not_go_forth_again(world: World) -> None:
    await world.change()
    await world.jobs.roll_back(NAME)
    first = await claimed(world.ledger, "reindex")
    run = ReindexRun(world.ledger, world.store, world.models, _nothing)
    await run.run(first, JobReport())

    world.clock.now_s += LEASE_S
    await world.run()

    assert (await world.collection()).generation.model == "minilm"


async def test_a_cancelled_job_leaves_no_trace(world: World) -> None:
    async def cancel() -> None:
        await world.jobs.cancel(NAME)
        report.cancelled = True

    await world.put(**{f"n{n}": f"words number {n}" for n in range(600)})
    await world.jobs.submit(NAME, "newer")
    job, report = await claimed(world.ledger, "reindex"), JobReport()
    world.new.hook = cancel
    run = ReindexRun(world.ledger, world.store, world.models, _nothing)
    outcome = await run.run(job, report)
    await world.ledger.jobs.finish(job.fence, outcome, report.progress, ())

    ended = await world.ledger.jobs.get(job.id)
    assert (ended.status, ended.building) == ("cancelled", None)
    assert (await world.collection()).generation.model == "minilm"
    world.clock.now_s += GRACE_PERIOD_S
    await Sweeper(world.ledger, world.store, world.clock).sweep()
    assert await world.store.indexes() == await world.indexes()


@pytest.mark.parametrize("back", [False, True])
async def test_a_job_that_was_cancelled_before_its_last_step_does_not_take_it(
    world: World, *, back: bool
) -> None:
    """Also when it has not heard of it yet: it is told once a second."""
    await world.put(a="alpha")
    if back:
        await world.change()
        await world.jobs.roll_back(NAME)
    else:
        await world.jobs.submit(NAME, "newer")
    before = await world.collection()
    job, report = await claimed(world.ledger, "reindex"), JobReport()
    await world.jobs.cancel(NAME)

    outcome = await ReindexRun(world.ledger, world.store, world.models, _nothing).run(job, report)

    assert outcome.status == "cancelled"
    assert await world.collection() == before


async def test_the_metadata_decide_where_no_model_is_named(world: World) -> None:
    await world.catalog.set_metadata(NAME, {"embedding_model": "newer"}, merge=True)
    assert world.models.reindex_required(await world.collection())

    assert await world.jobs.submit(NAME) is not None
    await world.run()

    assert not world.models.reindex_required(await world.collection())
    await world.check(**TEXTS)
    await world.put(d="words of d")


async def test_a_wish_for_a_third_model_in_the_meantime_is_heard(world: World) -> None:
    async def wish() -> None:
        await world.catalog.set_metadata(NAME, {"embedding_model": "third"}, merge=True)

    world.new.hook = wish
    job = await world.change()

    assert job.status == "failed"
    assert "'third'" in (job.error or "")
    assert (await world.collection()).wanted_model == "third"


async def test_nothing_is_ordered_where_there_is_nothing_to_do(world: World) -> None:
    await world.catalog.set_metadata(NAME, {"embedding_model": "newer"}, merge=True)

    assert await world.jobs.submit(NAME, "minilm") is None

    assert (await world.collection()).wanted_model == "minilm"
    assert (await world.jobs.status(NAME)).job is None


async def test_orders_for_the_same_model_are_one_job(world: World) -> None:
    first = await world.jobs.submit(NAME, "newer")
    assert first is not None

    assert await world.jobs.submit(NAME, "newer") == first
    with pytest.raises(Conflict, match=f"Job {first.id} changes .* 'newer'"):
        await world.jobs.submit(NAME, "minilm")


@pytest.mark.parametrize(
    ("name", "model", "error", "said"),
    [
        ("unknown", "newer", NotFound, "'unknown'"),
        (NAME, "third", InvalidInput, r"'third' not loaded. Available: \['minilm', 'newer'\]"),
    ],
)
async def test_an_order_that_cannot_be_met_is_refused(
    world: World, name: str, model: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        await world.jobs.submit(name, model)


async def test_there_is_no_way_back_from_the_first_model(world: World) -> None:
    with pytest.raises(Conflict, match="no earlier index"):
        await world.jobs.roll_back(NAME)
    with pytest.raises(Conflict, match="waits or runs"):
        await world.jobs.cancel(NAME)
    assert (await world.jobs.status(NAME)).back_to is None


@pytest.mark.parametrize("gone", ["deleted", "replaced"])
async def test_a_collection_that_is_gone_ends_the_job(world: World, gone: str) -> None:
    collection = await world.collection()
    await world.jobs.submit(NAME, "newer")
    if gone == "deleted":
        await world.catalog.delete(NAME)
    else:
        fresh = replace(collection, id="0" * 32, name="~0", state="building", revision=0, count=0)
        await world.ledger.collections.create(fresh)
        assert await world.ledger.collections.replace(collection, fresh)

    job = await world.run()

    assert (job.status, gone in (job.error or "")) == ("failed", True)


async def test_a_kept_index_that_was_let_go_ends_the_rollback(world: World) -> None:
    collection = await world.collection()
    request = JobRequest(reindex_queue(collection.id), model="minilm", back_to="long gone")
    await world.ledger.jobs.enqueue_reindex(collection.id, request)

    job = await world.run()

    assert (job.status, "not kept" in (job.error or "")) == ("failed", True)


async def test_lessons_are_embedded_with_their_headings(world: World) -> None:
    """As a book's are: the text that was embedded is not the chunk's text alone."""
    about: Metadata = {
        "section_starts": [0],
        "section_titles": ["Heading"],
        "section_anchors": ["heading"],
    }
    version = version_of("lesson", "second half", about)
    chunk = replace(version.chunks[0], text_hash=hash_text("Heading\n\nsecond half"))
    plain = version_of("plain", "second half", about)
    other = replace(plain.chunks[0], text_hash=hash_text("second half"))
    collection = await world.collection()
    both = replace(version, chunks=(chunk,)), replace(plain, chunks=(other,))
    await land(world.ledger, write_of(collection, *both))

    await world.change()

    texts = {text for batch in world.new.batches for text in batch}
    assert {"Heading\n\nsecond half", "second half"} <= texts


async def test_a_text_that_cannot_be_embedded_is_said(world: World) -> None:
    async def refuse() -> None:
        raise EmbeddingFailed("Text 2 has no words")

    world.new.hook = refuse

    assert (await world.change()).error == "Text 2 has no words"


async def _nothing(*_: object) -> Sequence[str]:
    return ()
