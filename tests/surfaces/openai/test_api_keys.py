"""A key opens its books up to its tier, and nothing that a request says opens more."""

import httpx2
import pytest

from sourcebook.surfaces.use_cases import UseCases
from tests.two_books import (
    COOKING,
    EVERYTHING_KEY,
    KIOSK_KEY,
    NODE,
    ROBOTS,
    WEIGHT,
    keyed_app,
    streaming_client,
)

HEAVY = {"role": "user", "content": "What does the arm of the robot weigh?"}
NODES = {"role": "user", "content": "What is a node of a robot?"}


@pytest.fixture
def kiosk(use_cases: UseCases) -> httpx2.AsyncClient:
    return streaming_client(keyed_app(use_cases, required=True), KIOSK_KEY)


async def said(client: httpx2.AsyncClient, question: object, **fields: object) -> str:
    body = {"model": "sourcebook", "messages": [question], **fields}
    reply = await client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200, reply.text
    text: str = reply.json()["choices"][0]["message"]["content"]
    return text


@pytest.mark.parametrize("key", [None, "", "wrong", KIOSK_KEY + "x"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/models"),
        ("GET", "/v1/models/sourcebook"),
        ("POST", "/v1/chat/completions"),
        ("POST", "/v1/responses"),
        ("POST", "/v1/embeddings"),
        ("POST", "/v1/rerank"),
    ],
)
async def test_without_a_known_key_nothing_is_told(
    use_cases: UseCases, key: str | None, method: str, path: str
) -> None:
    async with streaming_client(keyed_app(use_cases, required=True), key) as client:
        # Not even whether the body could be used.
        content = b"{" if method == "POST" else b""
        reply = await client.request(method, path, content=content)

    assert reply.status_code == 401
    assert reply.json()["error"]["code"] == "invalid_api_key"
    assert reply.headers["www-authenticate"] == "Bearer"


async def test_a_key_without_bounds_reads_everything(use_cases: UseCases) -> None:
    async with streaming_client(keyed_app(use_cases, required=True), EVERYTHING_KEY) as client:
        assert WEIGHT in await said(client, HEAVY)
        models = (await client.get("/v1/models")).json()["data"]

    assert len(models) == 3


async def test_a_key_lists_and_answers_from_its_books_alone(kiosk: httpx2.AsyncClient) -> None:
    models = [one["id"] for one in (await kiosk.get("/v1/models")).json()["data"]]

    assert models == [f"sourcebook/{ROBOTS}"]
    assert NODE in await said(kiosk, NODES)
    assert NODE in await said(kiosk, NODES, model=models[0])
    for body in ({"model": f"sourcebook/{COOKING}"}, {"metadata": {"book": COOKING}}):
        asked = {"model": "sourcebook", "messages": [NODES], **body}
        reply = await kiosk.post("/v1/chat/completions", json=asked)
        assert reply.status_code == 404
        assert COOKING not in reply.json()["error"]["message"].partition("Available")[2]


@pytest.mark.parametrize("metadata", [None, {}, {"tier": "4"}, {"tier": 4}, {"tier": "1"}])
async def test_no_request_reads_above_the_tier_of_its_key(
    kiosk: httpx2.AsyncClient, metadata: object
) -> None:
    assert WEIGHT not in await said(kiosk, HEAVY, metadata=metadata)
    reply = await kiosk.post(
        "/v1/responses",
        json={"model": "sourcebook", "input": HEAVY["content"], "metadata": metadata},
    )
    assert WEIGHT not in reply.text


async def test_who_guesses_keys_is_slowed_down_and_the_right_one_still_passes(
    use_cases: UseCases,
) -> None:
    app = keyed_app(use_cases, required=True)
    async with streaming_client(app, "guess") as guesser, streaming_client(app, KIOSK_KEY) as kiosk:
        statuses = [(await guesser.get("/v1/models")).status_code for _ in range(6)]
        assert statuses == [401] * 5 + [429]
        assert (await kiosk.get("/v1/models")).status_code == 200


async def test_where_no_key_is_required_any_is_taken(use_cases: UseCases) -> None:
    async with streaming_client(keyed_app(use_cases), "unused") as client:
        assert WEIGHT in await said(client, HEAVY)
