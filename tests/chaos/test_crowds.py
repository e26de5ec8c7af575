"""Many clients at once, over HTTP in process, with the real ledger and the embedded store."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from sourcebook.core.errors import Conflict
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from tests.chaos import LONG
from tests.chaos.checker import Observed, contradictions
from tests.chaos.client import seen

CREATE = {"name": "robotics", "embedding_model": "minilm"}
DOCUMENTS = "/collections/robotics/documents"
CROWD = 50
VERSIONS, REBUILDS = (20, 10) if LONG else (10, 5)
MAX_READS = 10_000


@pytest.fixture
def store(ledger: Ledger) -> Iterator[MirrorStore]:
    store = MirrorStore(ledger.mirrors, Bm25Encoder())
    yield store
    store.close()


@pytest.fixture(autouse=True)
async def _collection(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/collections", json=CREATE)).status_code == 200


def version(id_: str, number: int) -> dict[str, Any]:
    text = f"words of {id_} version {number}"
    return {"id": id_, "text": text, "metadata": {"name": id_, "version": number}}


async def put(client: httpx2.AsyncClient, *documents: dict[str, Any]) -> int:
    return (await client.post(DOCUMENTS, json={"documents": documents})).status_code


async def listed(client: httpx2.AsyncClient, where: object = None) -> Any:
    query: dict[str, str | int] = {"limit": 1000, "where": json.dumps(where or {})}
    reply = await client.get(DOCUMENTS, params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def found(client: httpx2.AsyncClient, where: object = None) -> list[Any]:
    body = {"collection": "robotics", "query": "words", "top_k": 1000, "where": where}
    reply = await client.post("/query", json=body)
    assert reply.status_code == 200, reply.text
    results: list[Any] = reply.json()["results"]
    return results


async def assert_sound(client: httpx2.AsyncClient, ledger: Ledger, store: MirrorStore) -> None:
    """Count, list and search agree, and so do ledger and index."""
    count = (await client.get("/collections/robotics")).json()["count"]
    page = await listed(client)
    documents = tuple(seen(document) for document in page["documents"])
    hits = tuple(seen(hit) for hit in await found(client))
    assert contradictions(Observed("robotics", count, page["total"], documents, hits)) == []
    assert [f for f in await Verifier(ledger, store).verify() if not f.clean] == []


async def test_fifty_writers_and_fifty_readers_lose_nothing(
    client: httpx2.AsyncClient, ledger: Ledger, store: MirrorStore
) -> None:
    async def write(writer: int) -> None:
        for batch in range(3):
            ids = [f"{writer}-{batch}-{n}" for n in range(2)]
            assert await put(client, *(version(id_, batch) for id_ in ids)) == 200

    async def read(reader: int) -> None:
        for batch in range(3):
            where = {"name": {"$in": [f"{reader}-{batch}-{n}" for n in range(2)]}}
            ids = [hit["id"] for hit in await found(client, where)]
            assert len(ids) == len(set(ids))
            assert len(ids) in {0, 2}
            assert (await listed(client, where))["total"] in {0, 2}

    await asyncio.gather(*(work(n) for n in range(CROWD) for work in (write, read)))

    assert (await listed(client))["total"] == CROWD * 3 * 2
    await assert_sound(client, ledger, store)


async def test_fifty_identical_posts_at_once_give_one_document(
    client: httpx2.AsyncClient, ledger: Ledger, store: MirrorStore
) -> None:
    replies = await asyncio.gather(*(put(client, version("a", 1)) for _ in range(CROWD)))

    assert set(replies) == {200}
    assert len(await found(client)) == (await listed(client))["total"] == 1
    await assert_sound(client, ledger, store)


async def test_fifty_collections_of_one_name_at_once_are_one(
    client: httpx2.AsyncClient, store: MirrorStore
) -> None:
    body = {"name": "other", "embedding_model": "minilm"}
    replies = await asyncio.gather(*(client.post("/collections", json=body) for _ in range(CROWD)))

    assert sorted(reply.status_code for reply in replies) == [200, *[400] * (CROWD - 1)]
    assert len(await store.indexes()) == 2


async def test_writers_survive_emptying_deleting_and_recreating(
    client: httpx2.AsyncClient, ledger: Ledger, store: MirrorStore
) -> None:
    async def write(writer: int) -> list[int]:
        ids = [f"{writer}-{n}" for n in range(3)]
        return [await put(client, *(version(id_, n) for id_ in ids)) for n in range(10)]

    async def empty() -> list[int]:
        return [(await client.delete(f"{DOCUMENTS}/all")).status_code for _ in range(20)]

    async def recreate() -> list[int]:
        codes = []
        for _ in range(10):
            codes.append((await client.delete("/collections/robotics")).status_code)
            codes.append((await client.post("/collections", json=CREATE)).status_code)
        return codes

    workers = [write(n) for n in range(10)] + [empty(), empty(), recreate()]
    codes = {code for done in await asyncio.gather(*workers) for code in done}

    assert codes <= {200, 404, 409}
    await assert_sound(client, ledger, store)


async def test_a_document_that_is_replaced_is_always_seen_in_one_version(
    client: httpx2.AsyncClient, ledger: Ledger, store: MirrorStore
) -> None:
    writing = asyncio.Event()
    assert await put(client, version("a", 0), version("b", 0)) == 200

    async def replace(id_: str) -> None:
        for number in range(1, VERSIONS):
            assert await put(client, version(id_, number)) == 200

    async def rebuild() -> None:
        for _ in range(REBUILDS):
            # A writer may be quicker; then the rebuilt index is thrown away.
            with suppress(Conflict):
                await Rebuilder(ledger, store).rebuild(await ledger.collections.get("robotics"))
            await asyncio.sleep(0.01)

    async def read(id_: str) -> None:
        newest = [0, 0]
        for _ in range(MAX_READS):
            if writing.is_set():
                return
            page = await listed(client, {"name": id_})
            hits = await found(client, {"name": id_})
            for way, documents in enumerate((page["documents"], hits)):
                newest[way] = only_version(documents, at_least=newest[way])

    readers = [asyncio.create_task(read(id_)) for id_ in "ab" for _ in range(2)]
    await asyncio.gather(replace("a"), replace("b"), rebuild())
    writing.set()
    await asyncio.gather(*readers)

    await assert_sound(client, ledger, store)


def only_version(documents: Sequence[Any], at_least: int) -> int:
    (document,) = documents
    number: int = document["metadata"]["version"]
    assert document["text"].endswith(f"version {number}")
    assert number >= at_least
    return number
