"""Everything that the chat takes and gives is in the OpenAPI document."""

from typing import Any

import httpx2
import pytest

ROUTES = {
    "/chat": {"post"},
    "/chat/stream": {"post"},
    "/conversations/{session_id}": {"get", "delete"},
}


@pytest.fixture
async def document(client: httpx2.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/openapi.json")).json()
    return found


def resolve(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = schema["$ref"].removeprefix("#/components/schemas/")
    found: dict[str, Any] = document["components"]["schemas"][name]
    return found


def references(value: object) -> set[str]:
    if isinstance(value, list):
        return {name for item in value for name in references(item)}
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*(references(item) for item in value.values()))


@pytest.mark.spec("004 SC-008")
@pytest.mark.spec("004 FR-012")
async def test_every_route_is_documented_with_its_errors(document: dict[str, Any]) -> None:
    for path, methods in ROUTES.items():
        assert set(document["paths"][path]) == methods
        for operation in document["paths"][path].values():
            assert operation["tags"] == ["chat"]
            refused = {s: r for s, r in operation["responses"].items() if s != "200"}
            assert {"400", "503"} <= refused.keys()
            for reply in refused.values():
                assert list(reply["content"]) == ["application/json"]
                error = resolve(document, reply["content"]["application/json"]["schema"])
                assert set(error["required"]) == {
                    "error_code",
                    "message",
                    "details",
                    "retry_after",
                    "trace_id",
                }


async def test_a_stream_is_documented_event_by_event(document: dict[str, Any]) -> None:
    whole = document["paths"]["/chat"]["post"]["responses"]["200"]["content"]
    stream = document["paths"]["/chat/stream"]["post"]["responses"]["200"]["content"]

    assert set(whole) == {"application/json", "text/event-stream"}
    assert list(stream) == ["text/event-stream"]
    assert whole["text/event-stream"] == stream["text/event-stream"]
    event = stream["text/event-stream"]["itemSchema"]
    kinds = event["properties"]["data"]["contentSchema"]["oneOf"]
    assert [kind["properties"]["type"]["const"] for kind in kinds] == [
        "status",
        "found",
        "chunk",
        "sources",
        "done",
        "error",
    ]


async def test_no_reference_leads_nowhere(document: dict[str, Any]) -> None:
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}

    assert references(document) <= known


async def test_the_request_is_documented_with_its_limits(document: dict[str, Any]) -> None:
    body = document["paths"]["/chat"]["post"]["requestBody"]["content"]["application/json"]
    fields = resolve(document, body["schema"])["properties"]

    assert (fields["query"]["minLength"], fields["query"]["maxLength"]) == (1, 2_000)
    assert (fields["top_k"]["minimum"], fields["top_k"]["maximum"]) == (1, 20)
    assert fields["mode"]["enum"] == ["general", "selected_text"]
