"""Which collections a chat searches: those that the question names, or the service's own."""

from collections.abc import AsyncIterator, Mapping, Sequence

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import Ledger
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.adopted import FakeAdopted
from tests.conftest import open_client
from tests.fakes import FakeEmbedder, FakeLanguageModel, Searched
from tests.memory_store import MemoryStore
from tests.surfaces.chat.chat_client import check, events_of

NODE = "A node is one process of a ROS 2 system."
ASKED = {"query": "What is a node of ROS 2?", "collections": ["robotics"]}


@pytest.fixture
def adopted(embedder: FakeEmbedder) -> FakeAdopted:
    return FakeAdopted(embedder, "manuals")


@pytest.fixture
def use_cases(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, adopted: FakeAdopted
) -> UseCases:
    storage = Storage(ledger, store, adopted={adopted.name: adopted})
    return build_use_cases(storage, models, reranker=None)


@pytest.fixture
async def client(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(use_cases) as client:
        await put(client, "robotics", [("n1", NODE, {"tier": 1})])
        yield client


async def put(
    client: httpx2.AsyncClient,
    name: str,
    documents: Sequence[tuple[str, str, Mapping[str, JsonValue]]],
) -> None:
    created = {"name": name, "embedding_model": "minilm"}
    assert (await client.post("/collections", json=created)).status_code == 200
    body = [{"id": id_, "text": text, "metadata": about} for id_, text, about in documents]
    path = f"/collections/{name}/documents"
    assert (await client.post(path, json={"documents": body})).status_code == 200


async def post_document(client: httpx2.AsyncClient, text: str, **metadata: JsonValue) -> None:
    body = {"source": "nas", "path": "/a.md", "title": "A", "text": text, "metadata": metadata}
    assert (await client.post("/api/rag/ingest", json=body)).status_code == 200


async def test_a_collection_can_be_asked_by_its_name(client: httpx2.AsyncClient) -> None:
    reply = (await client.post("/chat", json=ASKED)).json()

    assert reply["answer"] == f"{NODE} [1]"
    assert reply["metadata"]["collections"] == ["robotics"]
    (source,) = reply["sources"]
    assert (source["collection"], source["document_id"]) == ("robotics", "n1")
    assert (source["source_url"], source["page_title"]) == ("", "n1")
    assert NODE[source["char_start"] : source["char_end"]] == source["chunk_text"]
    assert (source["line_start"], source["line_end"]) == (1, 1)


async def test_the_place_of_a_quote_is_known_in_the_services_own_collection_too(
    client: httpx2.AsyncClient,
) -> None:
    text = f"Robots are many.\n\n{NODE}"
    await put(client, "documents", [("n1", text, {})])

    reply = (await client.post("/chat", json={"query": ASKED["query"]})).json()

    (source,) = reply["sources"]
    assert (source["collection"], source["document_id"]) == ("documents", "n1")
    assert text[source["char_start"] : source["char_end"]] == source["chunk_text"]
    assert (source["line_start"], source["line_end"]) == (3, 3)


async def test_a_stream_says_which_collections_it_read(client: httpx2.AsyncClient) -> None:
    *_, done = events_of((await client.post("/chat/stream", json=ASKED)).text)

    assert done["metadata"]["collections"] == ["robotics"]
    assert done["metadata"]["answered"] is True


async def test_without_names_the_service_reads_its_own(
    client: httpx2.AsyncClient, adopted: FakeAdopted
) -> None:
    asked = {"query": ASKED["query"]}
    before = (await client.post("/chat", json=asked)).json()
    await post_document(client, NODE)
    after = (await client.post("/chat", json=asked)).json()

    assert before["metadata"]["answered"] is False
    assert before["metadata"]["collections"] == ["manuals"]
    assert after["metadata"]["answered"] is True
    assert after["metadata"]["collections"] == ["documents", "manuals"]


async def test_documents_and_adopted_collections_have_names_too(
    client: httpx2.AsyncClient, adopted: FakeAdopted
) -> None:
    await post_document(client, NODE)
    await adopted.put({"p1": ("A node of ROS 2 is one process.", {"page_title": "Nodes"})})

    for name, title in (("documents", "A"), ("manuals", "Nodes")):
        reply = (await client.post("/chat", json={**ASKED, "collections": [name]})).json()
        assert reply["metadata"]["collections"] == [name]
        assert {(one["collection"], one["page_title"]) for one in reply["sources"]} == {
            (name, title)
        }


async def test_a_name_that_is_given_twice_is_searched_once(client: httpx2.AsyncClient) -> None:
    asked = {**ASKED, "collections": ["robotics", "documents", "robotics"]}
    await post_document(client, "Cheese is made of milk.")

    reply = (await client.post("/chat", json=asked)).json()

    assert reply["metadata"]["collections"] == ["robotics", "documents"]


async def test_a_book_without_lessons_is_known_and_holds_nothing(
    client: httpx2.AsyncClient,
) -> None:
    reply = await client.post("/chat", json={**ASKED, "collections": ["book", "documents"]})

    assert reply.status_code == 200
    assert reply.json()["metadata"]["collections"] == []


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_an_unknown_name_is_answered_with_the_known_ones(
    client: httpx2.AsyncClient, path: str
) -> None:
    reply = await client.post(path, json={**ASKED, "collections": ["robotics", "robots"]})

    said = check(reply, 404, "not_found")
    assert said["message"] == (
        "Collection 'robots' not found. Available: ['book', 'documents', 'manuals', 'robotics']"
    )


@pytest.mark.parametrize("collections", [[], [""], ["a"] * 21, "robotics", [1], {"a": 1}, ["a\0"]])
async def test_what_is_no_list_of_names_is_refused(
    client: httpx2.AsyncClient, collections: JsonValue
) -> None:
    reply = await client.post("/chat", json={**ASKED, "collections": collections})

    said = check(reply, 400, "validation_error")
    assert said["details"]["field"].startswith("collections")


@pytest.mark.parametrize(("model", "status"), [("gone", 503), (None, 400)])
async def test_a_collection_without_its_model_gives_the_error_of_a_query(
    client: httpx2.AsyncClient, model: str | None, status: int
) -> None:
    about = {"metadata": {"embedding_model": model}}
    await client.put("/collections/robotics/metadata?merge=true", json=about)

    queried = await client.post("/query", json={"query": "node", "collection": "robotics"})
    asked = await client.post("/chat", json=ASKED)

    assert (asked.status_code, queried.status_code) == (status, status)
    assert asked.json()["message"] == queried.json()["detail"]
    assert asked.json()["error_code"] == {503: "embedding_failed", 400: "validation_error"}[status]


async def test_an_adopted_collection_whose_model_is_missing_says_so_when_it_is_named(
    client: httpx2.AsyncClient, adopted: FakeAdopted
) -> None:
    adopted.model = "gone"

    named = await client.post("/chat", json={**ASKED, "collections": ["manuals"]})
    unnamed = await client.post("/chat", json={"query": ASKED["query"]})

    assert "needs model 'gone'" in check(named, 503, "embedding_failed")["message"]
    assert unnamed.status_code == 200
    assert unnamed.json()["metadata"]["collections"] == []


async def test_a_selection_is_still_the_only_source(client: httpx2.AsyncClient) -> None:
    asked = {**ASKED, "mode": "selected_text", "selected_text": NODE, "collections": ["unknown"]}

    reply = (await client.post("/chat", json=asked)).json()

    assert reply["metadata"]["answered"] is True
    assert reply["metadata"]["collections"] == []
    assert reply["sources"][0]["collection"] is None


TIERS: Mapping[str, tuple[JsonValue, int]] = {
    "plain": (3, 3),
    "text": ("3", 3),
    "words": ("Tier 3", 3),
    "odd": ("tier-4 (GPU)", 4),
    "list": ([1, 4], 4),
    "object": ({"least": 3}, 3),
    "low": (2, 2),
    "missing": (None, 1),
}


@pytest.mark.parametrize("tier", [1, 2, 3, 4])
async def test_nothing_above_the_tier_leaves_a_named_collection(
    client: httpx2.AsyncClient, tier: int
) -> None:
    documents = [
        (id_, f"The {id_} robot arm lifts ten kilograms.", {"hardware_tier": written})
        for id_, (written, _) in TIERS.items()
    ]
    await put(client, "arms", documents)
    asked = {"query": "What does the robot arm lift?", "top_k": 20, "hardware_tier": tier}

    reply = (await client.post("/chat", json={**asked, "collections": ["arms"]})).json()

    below = {id_ for id_, (_, needed) in TIERS.items() if needed <= tier}
    assert reply["metadata"]["chunks_retrieved"] == len(below)
    assert {source["document_id"] for source in reply["sources"]} <= below


async def test_a_tier_also_holds_for_posted_documents_that_are_named(
    client: httpx2.AsyncClient,
) -> None:
    await post_document(client, NODE, hardware_tier=3)
    asked = {**ASKED, "collections": ["documents"]}

    low = (await client.post("/chat", json={**asked, "hardware_tier": 2})).json()
    high = (await client.post("/chat", json={**asked, "hardware_tier": 3})).json()

    assert low["metadata"]["chunks_retrieved"] == 0
    assert high["metadata"]["chunks_retrieved"] == 1


@pytest.mark.parametrize(
    ("about", "url", "title"),
    [
        ({"source_url": "https://a.example/x", "source": "b", "title": "X"}, 0, "X"),
        ({"source": "https://a.example/x"}, 0, "https://a.example/x"),
        ({"url": "https://a.example/x", "source": 5}, 0, "https://a.example/x"),
        ({"source": "javascript:alert(1)"}, "./javascript:alert(1)", "javascript:alert(1)"),
    ],
)
async def test_a_citation_names_the_address_in_the_metadata(
    client: httpx2.AsyncClient, about: Mapping[str, JsonValue], url: str | int, title: str
) -> None:
    await put(client, "pages", [("p1", f"# Nodes\n\n{NODE}", about)])
    asked = {**ASKED, "collections": ["pages"]}
    shown = url or "https://a.example/x"

    (source,) = (await client.post("/chat", json=asked)).json()["sources"]
    narrowed = await client.post("/chat", json={**asked, "filters": {"source_url": shown}})
    elsewhere = await client.post("/chat", json={**asked, "filters": {"source_url": "/y"}})

    assert (source["source_url"], source["page_title"]) == (shown, title)
    assert source["section_heading"] == "Nodes"
    assert narrowed.json()["metadata"]["chunks_retrieved"] == 1
    assert elsewhere.json()["metadata"]["chunks_retrieved"] == 0


async def test_a_language_model_searches_nothing_but_what_the_question_names(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    model = FakeLanguageModel([Searched("secret door code"), f"{NODE} [1]"])
    use_cases = build_use_cases(
        Storage(ledger, store), models, None, answering=AnsweringParts(language_model=model)
    )
    async with open_client(use_cases) as client:
        await put(client, "robotics", [("n1", NODE, {})])
        await put(client, "secrets", [("s1", "The secret door code is 4711.", {})])
        await post_document(client, "The secret door code was 1147.")

        reply = (await client.post("/chat", json=ASKED)).json()

    assert reply["metadata"]["collections"] == ["robotics"]
    assert model.found
    assert not any("4711" in found or "1147" in found for found in model.found)
