"""Several processes on one Postgres ledger and one index: each is a set of use cases here."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestJob, JobRequest, Outcome
from sourcebook.core.ports import Ledger
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.ingestion.job_runner import JobReport, JobRunner
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
from sourcebook.ingestion.upkeep.sweeper import GRACE_PERIOD_S, Sweeper
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.storage.ledger.postgres_locks import PostgresLeadership, open_leadership
from sourcebook.providers.storage.ledger.sql_ledger import open_postgres_ledger
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.wiring.background import (
    BackgroundParts,
    open_background,
    repeat_while_leading,
    run_in_background,
)
from sourcebook.service.wiring.ingestion import (
    BookConfig,
    DocumentParts,
    assemble_book,
    assemble_documents,
)
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeEmbedder, MemoryConversations
from tests.memory_store import MemoryStore
from tests.postgres import fresh_database

WAIT_S = 60.0


@dataclass(frozen=True)
class Process:
    """What one process has: a ledger of its own connections, and use cases over it."""

    ledger: Ledger
    use: UseCases
    posted: DocumentParts
    place: BackgroundParts


@pytest.fixture
async def url(postgres_url: str) -> str:
    return await fresh_database(postgres_url)


@pytest.fixture
def settings(url: str) -> Settings:
    return load_settings(ledger_url=url)


@asynccontextmanager
async def process(url: str, store: MemoryStore) -> AsyncIterator[Process]:
    async with open_postgres_ledger(url, shared=True) as ledger:
        models = EmbeddingModels([FakeEmbedder("minilm")])
        book = assemble_book(ledger, store, models, BookConfig())
        posted = assemble_documents(ledger, store, models)
        use = build_use_cases(Storage(ledger, store, shared=True), models, None, book, posted)
        place = BackgroundParts(
            ledger,
            store,
            book.book_jobs,
            book.book_collection,
            "book",
            (book.runner, posted.runner),
            MemoryConversations(),
        )
        yield Process(ledger, use, posted, place)


@pytest.fixture
async def two(url: str, store: MemoryStore) -> AsyncIterator[tuple[Process, Process]]:
    async with AsyncExitStack() as stack:
        one, other = [await stack.enter_async_context(process(url, store)) for _ in range(2)]
        yield one, other


# Leadership is in Postgres.
FOLDER = DataFolder(Path("unused"))


class Held:
    """Work that goes on until it is released; it notes who did what."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.started = asyncio.Event()
        self.release = asyncio.Event()

    async def run(self, job: IngestJob, _: JobReport) -> Outcome:
        self.begun.append(job.id)
        self.started.set()
        await self.release.wait()
        return Outcome("completed")


async def ended(ledger: Ledger, *job_ids: int) -> list[str]:
    """How the jobs ended, once they have."""
    async with asyncio.timeout(WAIT_S):
        while True:
            jobs = [await ledger.jobs.get(job_id) for job_id in job_ids]
            if all(job.finished for job in jobs):
                return [job.status for job in jobs]
            await asyncio.sleep(0.01)


async def test_writers_of_two_processes_lose_nothing(
    two: tuple[Process, Process], store: MemoryStore
) -> None:
    one, other = two
    await one.use.catalog.create("lessons", {}, "minilm")

    async def write(process: Process, name: str, number: int) -> None:
        own = Document(f"{name}{number}", f"{name} says {number}", {})
        contested = Document(f"both{number}", f"{name} says the same {number}", {"by": name})
        await process.use.ingestor.add("lessons", [own, contested])

    writes = [write(p, name, n) for p, name in ((one, "a"), (other, "b")) for n in range(20)]
    await asyncio.gather(*writes)

    assert (await other.ledger.collections.get("lessons")).count == 60
    assert all(found.clean for found in await Verifier(one.ledger, store).verify())


async def test_a_collection_that_two_create_at_once_has_one_index(
    two: tuple[Process, Process], store: MemoryStore
) -> None:
    postings = [PostedDocument("tool", f"{n}.md", f"t{n}", f"text number {n}") for n in range(2)]
    await asyncio.gather(*(p.use.inbox.put(post) for p, post in zip(two, postings, strict=True)))

    assert len(await store.indexes()) == 1
    assert (await two[0].ledger.collections.get("documents")).count == 2


async def test_what_a_replica_enqueues_a_worker_does(
    two: tuple[Process, Process], settings: Settings
) -> None:
    replica, worker = two
    only_serves = settings.model_copy(update={"work": False})
    before = len(asyncio.all_tasks())
    async with open_background(only_serves, FOLDER, replica.place, shared=True):
        assert len(asyncio.all_tasks()) == before
        postings = [PostedDocument("tool", f"{n}.md", f"t{n}", f"text {n}") for n in range(30)]
        job = await replica.use.bulk_imports.submit(postings)
        async with open_background(settings, FOLDER, worker.place, shared=True):
            assert await ended(replica.ledger, job.id) == ["completed"]

    _, tally = await replica.use.bulk_imports.status(job.id)
    assert tally.by_status == {"created": 30}


async def test_no_job_is_done_by_two_workers(two: tuple[Process, Process]) -> None:
    work = [Held(), Held()]
    for held in work:
        held.release.set()
    runners = [JobRunner(p.ledger.jobs, held) for p, held in zip(two, work, strict=True)]
    jobs = [await two[0].ledger.jobs.enqueue(JobRequest(f"book-{n}")) for n in range(40)]
    async with run_in_background(*(runner.run_for_ever() for runner in runners)):
        assert set(await ended(two[0].ledger, *(job.id for job in jobs))) == {"completed"}

    assert sorted(work[0].begun + work[1].begun) == [job.id for job in jobs]


async def test_a_process_that_starts_takes_no_job_away(
    two: tuple[Process, Process], settings: Settings
) -> None:
    one, other = two
    await one.ledger.jobs.enqueue(JobRequest("book"))
    job = await one.ledger.jobs.claim(30.0)
    assert job is not None
    async with open_background(settings, FOLDER, replace(other.place, runners=()), shared=True):
        assert await other.ledger.jobs.claim(30.0) is None


async def test_a_worker_that_ends_gives_its_job_back(
    two: tuple[Process, Process], settings: Settings
) -> None:
    ending, staying = two
    held = Held()
    runner = JobRunner(ending.ledger.jobs, held)
    job = await ending.ledger.jobs.enqueue(JobRequest("book"))
    place = replace(ending.place, runners=(runner,))
    async with open_background(settings, FOLDER, place, shared=True):
        await held.started.wait()

    again = await staying.ledger.jobs.claim(30.0)
    assert again is not None
    assert (again.id, again.attempts) == (job.id, 1)


async def test_a_reader_of_another_process_keeps_what_it_may_still_need(
    two: tuple[Process, Process], store: MemoryStore
) -> None:
    one, other = two
    await one.use.catalog.create("lessons", {}, "minilm")
    await one.use.ingestor.add("lessons", [Document("d", "the old text", {})])
    before = await other.ledger.collections.get("lessons")
    await one.use.ingestor.add("lessons", [Document("d", "the new text", {})])

    await Sweeper(one.ledger, store).sweep()
    assert await store.count(before.generation.index_id) == 2
    await Sweeper(one.ledger, store, now_s=lambda: time.time() + GRACE_PERIOD_S + 1).sweep()
    assert await store.count(before.generation.index_id) == 1


async def test_an_index_that_is_gone_comes_back_while_others_write(
    two: tuple[Process, Process], store: MemoryStore
) -> None:
    one, other = two
    await one.use.catalog.create("lessons", {}, "minilm")
    await one.use.ingestor.add("lessons", [Document(f"d{n}", f"text {n}", {}) for n in range(20)])
    lost = await one.ledger.collections.get("lessons")
    await store.drop(lost.generation.index_id)

    await Rebuilder(one.ledger, store).rebuild_missing(listed_are_there=True)
    await other.use.ingestor.add("lessons", [Document("new", "one more", {})])

    assert all(found.clean for found in await Verifier(other.ledger, store).verify())
    assert len(await store.indexes()) == 1


async def test_two_that_rebuild_at_once_leave_one_index(
    two: tuple[Process, Process], store: MemoryStore
) -> None:
    one, other = two
    await one.use.catalog.create("lessons", {}, "minilm")
    await one.use.ingestor.add("lessons", [Document("d", "text", {})])
    await store.drop((await one.ledger.collections.get("lessons")).generation.index_id)

    await asyncio.gather(
        *(
            Rebuilder(process.ledger, store).rebuild_missing(listed_are_there=True)
            for process in (one, other)
        )
    )

    assert len(await store.indexes()) == 1
    assert all(found.clean for found in await Verifier(one.ledger, store).verify())


class Duty:
    """A chore that says when it was done, and is done again at once."""

    def __init__(self) -> None:
        self.done = asyncio.Event()

    async def __call__(self) -> float:
        self.done.set()
        return 0.001


async def test_one_process_does_the_chores_and_another_takes_over(url: str) -> None:
    async with AsyncExitStack() as stack:
        leads: list[PostgresLeadership] = [
            await stack.enter_async_context(open_leadership(url)) for _ in range(2)
        ]
        first, second = Duty(), Duty()
        assert await leads[0].lead()
        async with (
            asyncio.timeout(WAIT_S),
            run_in_background(repeat_while_leading(leads[1], second, interval_s=0.001)),
        ):
            async with run_in_background(repeat_while_leading(leads[0], first, interval_s=0.001)):
                await first.done.wait()
                assert not await leads[1].lead()
                assert not second.done.is_set()
            await leads[0].resign()
            await second.done.wait()


async def test_a_chore_that_fails_gets_its_next_turn() -> None:
    class Always:
        async def lead(self) -> bool:
            return True

    tried = 0
    done = asyncio.Event()

    async def chore() -> float:
        nonlocal tried
        tried += 1
        if tried == 1:
            raise RuntimeError("for once")
        done.set()
        return 60.0

    async with run_in_background(repeat_while_leading(Always(), chore, interval_s=0.001)):
        async with asyncio.timeout(WAIT_S):
            await done.wait()

    assert tried == 2
