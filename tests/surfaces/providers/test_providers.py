"""The providers contract: which there are, what they take, whether they work, how they do."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime

import httpx2
import pytest

from sourcebook.core.providers import ProviderDirectory
from sourcebook.providers.outbound.destinations import stranger_policy
from sourcebook.service.providers.health import ProviderInUse
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fake_providers import Part, fake_directory
from tests.unit.providers.far_side import FarSide, far_side, reply

KEY = "a-long-enough-admin-key"
ADMIN = {"X-Admin-API-Key": KEY}
CANARY = "sk-canary-7f3a9e"
TEST = "/providers/server/test"


@pytest.fixture
async def server() -> AsyncIterator[FarSide]:
    async with far_side(reply(body=b'{"collections": ["book"]}')) as side:
        yield side


def opened(use_cases: UseCases, directory: ProviderDirectory) -> httpx2.AsyncClient:
    return open_client(replace(use_cases, providers=directory), admin=KEY.encode())


@pytest.fixture
async def client(use_cases: UseCases, server: FarSide) -> AsyncIterator[httpx2.AsyncClient]:
    in_use = {("vector_stores", "server"): ProviderInUse(Part())}
    directory = fake_directory(
        policy=stranger_policy([f"127.0.0.1:{server.port}"]),
        in_use=in_use,  # type: ignore[arg-type]
    )
    async with opened(use_cases, directory) as client:
        yield client


@pytest.mark.spec("000 RAG Provider Discovery")
async def test_all_providers_are_listed_without_a_key(client: httpx2.AsyncClient) -> None:
    found = (await client.get("/providers")).json()["providers"]

    server = next(one for one in found if one["id"] == "server")
    assert server == {
        "kind": "vector_stores",
        "id": "server",
        "display_name": "Server",
        "description": "",
        "capabilities": [
            "collections",
            "search",
            "metadata_filtering",
            "dynamic_collections",
        ],
        "installed": True,
        "package": "tests",
        "version": "",
    }
    assert {one["kind"] for one in found} == {"vector_stores", "embedders"}


async def test_the_list_can_be_of_one_kind(client: httpx2.AsyncClient) -> None:
    found = (await client.get("/providers", params={"kind": "embedders"})).json()["providers"]

    assert [one["id"] for one in found] == ["code", "plain", "words"]


async def test_an_unknown_kind_is_bad_input(client: httpx2.AsyncClient) -> None:
    for path in ("/providers", "/providers/server/schema", "/providers/server/health"):
        answer = await client.get(path, params={"kind": "databases"})

        assert answer.status_code == 400
        assert list(answer.json()) == ["detail"]


@pytest.mark.spec("000 Provider Initialization with Schema")
async def test_the_schema_is_a_form_and_a_json_schema(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/providers/SERVER/schema")

    assert answer.status_code == 200
    schema = answer.json()
    assert list(schema) == [
        "provider",
        "kind",
        "display_name",
        "description",
        "fields",
        "capabilities",
        "json_schema",
    ]
    assert schema["provider"] == "server"
    url, key, model = schema["fields"]
    assert url == {
        "name": "url",
        "type": "url",
        "label": "URL",
        "description": "",
        "required": True,
        "default": None,
        "secret": False,
    }
    assert (key["name"], key["type"], key["secret"], key["default"]) == (
        "api_key",
        "password",
        True,
        None,
    )
    assert (model["required"], model["default"]) == (False, "small")
    assert schema["json_schema"]["properties"]["url"]["format"] == "uri"


async def test_an_unknown_provider_is_not_found(client: httpx2.AsyncClient) -> None:
    for path in ("schema", "health"):
        answer = await client.get(f"/providers/nothing/{path}")

        assert answer.status_code == 404
        assert "Available providers: crashing, " in answer.json()["detail"]
    tested = await client.post("/providers/nothing/test", json={"config": {}}, headers=ADMIN)
    assert tested.status_code == 404


async def test_a_provider_that_cannot_be_loaded_is_unavailable(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/providers/missing/schema")
    listed = (await client.get("/providers")).json()["providers"]

    assert answer.status_code == 503
    assert "cannot be loaded" in answer.json()["detail"]
    assert "cannot be loaded" in next(one for one in listed if one["id"] == "missing")["problem"]


@pytest.mark.spec("000 RAG Provider Selection")
@pytest.mark.parametrize("named", [{}, {"provider": "server"}, {"provider": "Server"}])
async def test_a_connection_that_works(
    client: httpx2.AsyncClient, server: FarSide, named: dict[str, str]
) -> None:
    config = {"url": server.url, "api_key": CANARY}

    answer = await client.post(TEST, json={"config": config, **named}, headers=ADMIN)

    assert answer.status_code == 200
    found = answer.json()
    assert found.pop("duration") > 0
    assert found == {
        "success": True,
        "provider": "server",
        "kind": "vector_stores",
        "type": "rag",
        "method": "api",
        "details": {"model": "small", "points": 3},
        "collectionCount": 1,
        "collections": ["book"],
    }
    assert answer.headers["cache-control"] == "no-store"


async def test_a_connection_that_does_not_work(client: httpx2.AsyncClient, server: FarSide) -> None:
    server.reply = reply("401 Unauthorized", CANARY.encode())
    config = {"url": server.url, "api_key": CANARY}

    answer = await client.post(TEST, json={"config": config}, headers=ADMIN)

    assert answer.status_code == 400
    found = answer.json()
    assert list(found) == ["success", "provider", "error", "errorType", "duration"]
    assert (found["success"], found["errorType"]) == (False, "authentication")
    assert CANARY not in answer.text


async def test_the_kind_decides_what_it_is_called(
    client: httpx2.AsyncClient, server: FarSide
) -> None:
    path = "/providers/words/test"

    answer = await client.post(path, json={"config": {"url": server.url}}, headers=ADMIN)

    assert answer.json()["type"] == "embedding"


async def test_this_machine_is_not_reached_unless_it_is_allowed(
    client: httpx2.AsyncClient,
) -> None:
    async with far_side() as trap:
        answer = await client.post(TEST, json={"config": {"url": trap.url}}, headers=ADMIN)

    assert answer.status_code == 400
    assert answer.json()["errorType"] == "network"
    assert "SOURCEBOOK_ALLOWED_PRIVATE_HOSTS" in answer.json()["error"]
    assert trap.connections == 0


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"config": CANARY},
        {"config": [CANARY]},
        {"config": None},
        [CANARY],
        CANARY,
        {"config": {}, "provider": CANARY},
        {"config": {"url": {"a": CANARY}}},
        {"config": {"api_key": [CANARY], "url": "http://a"}},
        {"config": {"unknown": CANARY}},
    ],
)
async def test_bad_input_is_refused_and_not_repeated(
    client: httpx2.AsyncClient, body: object
) -> None:
    answer = await client.post(TEST, json=body, headers=ADMIN)

    assert answer.status_code == 400
    assert "detail" in answer.json() or answer.json()["errorType"] == "invalid_config"
    assert CANARY not in answer.text


@pytest.mark.spec("000 Health Check with Details")
async def test_the_health_of_a_provider_in_use(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/providers/server/health")

    assert answer.status_code == 200
    health = answer.json()
    assert datetime.fromisoformat(health.pop("timestamp")).tzinfo is not None
    assert health == {
        "provider": "server",
        "kind": "vector_stores",
        "status": "up",
        "error": None,
        "latency_ms": 1.5,
        "collection_count": None,
        "storage_bytes": None,
    }


async def test_a_provider_that_is_not_in_use_is_not_configured(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/providers/words/health")

    assert (answer.status_code, answer.json()["status"]) == (200, "not_configured")


async def test_a_service_without_a_directory_has_no_providers(use_cases: UseCases) -> None:
    async with open_client(use_cases, admin=KEY.encode()) as client:
        assert (await client.get("/providers")).json() == {"providers": []}
        for path in ("schema", "health"):
            assert (await client.get(f"/providers/qdrant/{path}")).status_code == 404
        tested = await client.post(TEST, json={"config": {}}, headers=ADMIN)
        assert tested.status_code == 404
