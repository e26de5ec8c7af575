"""No reply is larger than a limit, and one that is cut says so and how to go on."""

import httpx2
import pytest
from starlette.types import Message, Receive, Scope, Send

from sourcebook.providers.storage.ledger import documents
from sourcebook.service.http.app import create_app
from sourcebook.surfaces import reply_size
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import ConcurrencyLimit, RateLimits
from sourcebook.surfaces.use_cases import UseCases

LIMIT = 3_500
LONG = "arm " * 250  # a thousand bytes
COUNT = 5


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_PAGE_BYTES", LIMIT)
    monkeypatch.setattr(reply_size, "MAX_PAGE_BYTES", LIMIT)


@pytest.fixture
async def filled(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    await client.post("/collections", json={"name": "guide", "embedding_model": "minilm"})
    posted = [{"id": f"d{n}", "text": LONG, "metadata": {}} for n in range(COUNT)]
    reply = await client.post("/collections/guide/documents", json={"documents": posted})
    assert reply.status_code == 200, reply.text
    return client


async def test_a_page_of_documents_that_is_cut_says_where_the_next_begins(
    filled: httpx2.AsyncClient,
) -> None:
    found: list[str] = []
    offset: int | None = 0
    while offset is not None:
        reply = await filled.get("/collections/guide/documents", params={"offset": str(offset)})
        page = reply.json()
        assert len(reply.content) < LIMIT + 500
        assert (page["total"], page["count"]) == (COUNT, len(page["documents"]))
        assert ("note" in page) == ("next_offset" in page)
        found += [document["id"] for document in page["documents"]]
        offset = page.get("next_offset")

    assert found == [f"d{n}" for n in range(COUNT)]


async def test_a_page_that_was_asked_to_be_short_is_not_cut(filled: httpx2.AsyncClient) -> None:
    page = (await filled.get("/collections/guide/documents", params={"limit": "2"})).json()

    assert page.keys() == {"documents", "count", "total"}


async def test_a_document_that_is_larger_than_a_page_comes_alone(
    filled: httpx2.AsyncClient,
) -> None:
    huge = {"id": "d0", "text": LONG * 5, "metadata": {}}
    await filled.post("/collections/guide/documents", json={"documents": [huge]})

    page = (await filled.get("/collections/guide/documents")).json()

    assert ([one["id"] for one in page["documents"]], page["next_offset"]) == (["d0"], 1)


async def test_a_search_gives_the_best_that_fit_and_says_so(filled: httpx2.AsyncClient) -> None:
    asked = {"collection": "guide", "query": "arm", "top_k": COUNT, "explain": True}

    reply = (await filled.post("/query", json=asked)).json()

    assert len(reply["results"]) == len(reply["explain"]["results"]) == 3
    assert reply["note"].startswith("Only the first 3 of 5 are here")


async def test_a_search_of_several_collections_gives_what_fits(filled: httpx2.AsyncClient) -> None:
    asked = {"userMessage": "arm", "collections": ["guide"], "top_k": COUNT, "explain": True}

    reply = (await filled.post("/collect", json=asked)).json()

    assert len(reply["data"]) == len(reply["explain"]["results"]) == 3
    assert reply["note"].startswith("Only the first 3 of 5 are here")


async def test_the_values_of_a_field_go_on_after_the_last(client: httpx2.AsyncClient) -> None:
    await client.post("/collections", json={"name": "guide", "embedding_model": "minilm"})
    posted = [{"text": "arm", "metadata": {"tag": f"{n}" * 1_000}} for n in range(COUNT)]
    await client.post("/collections/guide/documents", json={"documents": posted})
    path, asked = "/collections/guide/metadata-values", {"field": "tag"}

    first = (await client.get(path, params=asked)).json()
    second = (await client.get(path, params={**asked, "after": first["values"][-1]})).json()

    assert (first["count"], second["count"]) == (3, 2)
    assert "note" in first
    assert second.keys() == {"field", "values", "count"}


async def test_the_list_of_collections_goes_on_after_the_last_name(
    client: httpx2.AsyncClient,
) -> None:
    names = [f"guide-{n}" for n in range(COUNT)]
    for name in reversed(names):
        about = {"about": "x" * 1_000}
        posted = {"name": name, "embedding_model": "minilm", "metadata": about}
        assert (await client.post("/collections", json=posted)).status_code == 200

    first = (await client.get("/collections")).json()
    rest = (await client.get("/collections", params={"after": names[2]})).json()

    assert [one["name"] for one in first["collections"]] == names[:3]
    assert first["note"].endswith("Go on with after=guide-2.")
    assert [one["name"] for one in rest["collections"]] == names[3:]
    assert rest.keys() == {"collections"}


async def test_a_list_of_posted_documents_goes_on_at_the_next_offset(
    client: httpx2.AsyncClient,
) -> None:
    for n in range(COUNT):
        about = {"text": "arm", "title": "Arms", "metadata": {"about": "x" * 700}}
        posted = {"source": "s", "path": f"{n}.md", **about}
        reply = await client.post("/api/rag/ingest", json=posted)
        assert reply.status_code == 200, reply.text

    first = (await client.get("/api/rag/documents")).json()
    second = (
        await client.get("/api/rag/documents", params={"offset": str(first["nextOffset"])})
    ).json()
    whole = (await client.get("/api/rag/documents", params={"limit": "1"})).json()

    assert first["count"] == len(first["data"]) == len(first["documents"]) == first["nextOffset"]
    assert first["total"] == COUNT
    assert second["data"][0]["path"] == f"{first['nextOffset']}.md"
    assert "nextOffset" not in whole


async def test_few_pages_are_in_memory_at_the_same_time(
    use_cases: UseCases, filled: httpx2.AsyncClient
) -> None:
    slots = ConcurrencyLimit(1, max_waiting=0, reason="Too many pages")
    limits = RateLimits(page_slots=slots)
    app = create_app(use_cases, AccessRule(None), [], None, rate_limits=limits)
    taken: list[int] = []

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            taken.append(slots.taken)
            await send(message)

        await app(scope, receive, note)

    path, transport = "/collections/guide/documents", httpx2.ASGITransport(app=watched)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        served = await client.get(path)
        async with slots.slot():
            refused = await client.get(path)

    assert (served.status_code, refused.status_code) == (200, 429)
    assert refused.json()["detail"].startswith("Too many pages; try again")
    # Until the last piece is sent.
    assert set(taken) == {1}
    assert slots.taken == 0
