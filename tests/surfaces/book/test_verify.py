"""Comparing index and ledger over HTTP, while the service is used."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import httpx2
import pytest

from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import PointRef
from sourcebook.ingestion.upkeep import verifier
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import ADMIN, JOINTS, LESSONS, Library, section

VERIFY = "/ingestion/verify"


class BusyStore(MemoryStore):
    """A store on which something is done just before each scan."""

    def __init__(self) -> None:
        super().__init__()
        self.scans = 0
        self.before_scan: Callable[[], Awaitable[None]] | None = None

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        self.scans += 1
        if self.before_scan is not None:
            await self.before_scan()
        async for batch in super().scan(index_id):
            yield batch


async def rewrite(library: Library, client: httpx2.AsyncClient, words: str) -> None:
    library.source.write(JOINTS, LESSONS[JOINTS] + section("More", words))
    await client.post("/ingestion/trigger", headers=ADMIN)
    await library.work_off()


@pytest.fixture
def store() -> BusyStore:
    return BusyStore()


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "LOOK_INTERVAL_S", 0.0)


async def test_an_index_that_fits_its_ledger_is_clean(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    reply = await client.get(VERIFY, headers=ADMIN)

    assert reply.status_code == 200, reply.text
    assert reply.json()["clean"] is True
    (found,) = reply.json()["collections"]
    assert (found["collection"], found["clean"], found["chunks"]) == ("book", True, 8)


async def test_what_the_index_lacks_is_named(
    client: httpx2.AsyncClient, indexed: Library, ledger: Ledger, store: MemoryStore
) -> None:
    collection = await ledger.collections.get("book")
    index_id = collection.generation.index_id
    refs = [ref async for batch in store.scan(index_id) for ref in batch]
    await store.delete(index_id, [refs[0].id])

    reply = (await client.get(VERIFY, headers=ADMIN)).json()

    assert reply["clean"] is False
    assert reply["collections"][0]["missing"] == [refs[0].chunk_id]


async def test_it_needs_the_admin_key(client: httpx2.AsyncClient) -> None:
    assert (await client.get(VERIFY)).status_code == 401


async def test_what_is_written_meanwhile_is_no_difference(
    client: httpx2.AsyncClient, indexed: Library, store: BusyStore
) -> None:
    async def write_once() -> None:
        store.before_scan = None
        await rewrite(indexed, client, "damping")

    store.before_scan = write_once

    reply = await client.get(VERIFY, headers=ADMIN)

    assert (reply.status_code, reply.json()["clean"]) == (200, True), reply.text
    assert store.scans == 2


async def test_a_collection_that_is_never_at_rest_is_a_conflict(
    client: httpx2.AsyncClient, indexed: Library, store: BusyStore
) -> None:
    async def write_always() -> None:
        await rewrite(indexed, client, f"damping{store.scans}")

    store.before_scan = write_always

    reply = await client.get(VERIFY, headers=ADMIN)

    assert reply.status_code == 409
    assert "when its job has ended" in reply.json()["detail"]
