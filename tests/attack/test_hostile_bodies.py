"""A body that is small, but made of very many values, does not keep the process from its work."""

from collections.abc import Iterator
from typing import Any

import httpx2
import orjson
import pytest
from fastapi.routing import APIRoute, _IncludedRouter
from pydantic import TypeAdapter

from sourcebook.service.http.app import _routes
from sourcebook.surfaces import strict_json, validation_errors
from sourcebook.surfaces.route_classes import FormRoute

# Each error of a list takes 30 µs to be told.
MAX_ERRORS = 1_000
JSON = {"Content-Type": "application/json"}


def lists_of(schema: object) -> Iterator[dict[str, Any]]:
    """The lists in a schema of pydantic's core whose elements may be wrong: not any JSON."""
    if isinstance(schema, dict):
        if schema.get("type") == "list" and "JsonValue" not in str(schema["items_schema"]):
            yield schema
        for part in schema.values():
            yield from lists_of(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            yield from lists_of(part)


def request_lists() -> Iterator[tuple[str, dict[str, Any]]]:
    routers = [one.original_router for one in _routes() if isinstance(one, _IncludedRouter)]
    for route in (route for router in routers for route in router.routes):
        if not isinstance(route, APIRoute) or isinstance(route, FormRoute):
            continue
        if route.body_field is not None:
            adapter: TypeAdapter[Any] = route.body_field._type_adapter
            for one in lists_of(adapter.core_schema):
                yield f"{route.path}: {one['items_schema']}"[:300], one


def test_a_list_of_a_request_ends_at_its_first_error_or_is_short() -> None:
    found = list(request_lists())
    endless = [
        where
        for where, one in found
        if not one.get("fail_fast") and one.get("max_length", MAX_ERRORS + 1) > MAX_ERRORS
    ]

    assert len(found) > 10
    assert endless == []


@pytest.mark.parametrize("value", ["[]", "1", '""', '"a\\"b,"', '{"a": 1}'])
async def test_a_body_of_too_many_values_is_not_parsed(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setattr(strict_json, "MAX_VALUES", 100)
    monkeypatch.setattr(orjson, "loads", lambda _: pytest.fail("it was parsed"))
    body = f'{{"query": "a", "documents": [{",".join([value] * 200)}]}}'

    reply = await client.post("/rerank", content=body, headers=JSON)

    assert reply.status_code == 413
    assert "more than 100 values" in reply.json()["detail"]


async def test_commas_and_brackets_in_texts_are_no_values(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict_json, "MAX_VALUES", 100)
    await client.post("/collections", json={"name": "guide", "embedding_model": "minilm"})
    texts = [r'one, "two, [three], {four} \\', "\\"]
    documents = [{"text": text * 50} for text in texts]

    reply = await client.post("/collections/guide/documents", json={"documents": documents})

    assert reply.status_code == 200


async def test_a_long_list_is_refused_before_its_elements_are_checked(
    client: httpx2.AsyncClient,
) -> None:
    many = {"model": "minilm", "input": [[]] * 3_000}

    reply = await client.post("/v1/embeddings", json=many)

    assert reply.status_code == 400
    assert "'input' has 3000 elements, 2048 at most" in reply.json()["error"]["message"]


async def test_what_is_not_read_of_a_conversation_is_not_checked(
    client: httpx2.AsyncClient,
) -> None:
    items = [*[1] * 3_000, *[{"role": "user", "content": "hi"}] * 1_000]

    reply = await client.post("/v1/responses", json={"model": "sourcebook", "input": items})

    assert reply.status_code == 200


async def test_an_error_shows_the_beginning_of_a_value_and_reads_no_more_of_it() -> None:
    class Endless(list[object]):
        def __iter__(self) -> Iterator[object]:
            while True:
                yield 1

    assert len(validation_errors._shown(Endless([1]))) <= validation_errors.MAX_VALUE_LENGTH + 1
