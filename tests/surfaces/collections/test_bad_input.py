"""What malformed requests get: a 4xx that helps, in the dialect, with nothing stored."""

import httpx2
import pytest

JSON = {"Content-Type": "application/json"}

BODIES = {
    "not JSON": b"{",
    "empty": b"",
    "binary": bytes(range(256)),
    "NaN": b'{"name": NaN}',
    "Infinity": b'{"name": -Infinity}',
    "too large a number": b'{"name": 1e999}',
    "half a surrogate": b'{"name": "\\ud800"}',
    "UTF-16": '{"name": "a"}'.encode("utf-16"),
    "too deep": b"[" * 5_000 + b"]" * 5_000,
    "null": b"null",
    "a number": b"5",
    "an array": b"[]",
    "a string": b'"name"',
    "wrong type": b'{"name": {"a": 1}, "embedding_model": "minilm"}',
    "NUL in the name": b'{"name": "a\\u0000", "embedding_model": "minilm"}',
    "NUL in metadata": b'{"name": "a", "embedding_model": "minilm", "metadata": {"k": "\\u0000"}}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/collections"),
        ("POST", "/collections/robotics/documents"),
        ("PUT", "/collections/robotics/metadata"),
        ("POST", "/query"),
        ("POST", "/rerank"),
    ],
)
async def test_a_malformed_body_is_400(
    client: httpx2.AsyncClient, method: str, path: str, body: bytes
) -> None:
    await client.post("/collections", json={"name": "robotics", "embedding_model": "minilm"})

    reply = await client.request(method, path, content=body, headers=JSON)

    assert reply.status_code == 400
    assert list(reply.json()) == ["detail"]
    assert isinstance(reply.json()["detail"], str)
    collections = (await client.get("/collections")).json()["collections"]
    assert [(c["name"], c["count"]) for c in collections] == [("robotics", 0)]


async def test_a_body_that_is_not_declared_as_json_is_refused(client: httpx2.AsyncClient) -> None:
    body = b'{"name": "robotics", "embedding_model": "minilm"}'

    reply = await client.post("/collections", content=body, headers={"Content-Type": "text/plain"})

    assert reply.status_code == 415
    assert "Content-Type: application/json" in reply.json()["detail"]
    assert (await client.get("/collections")).json() == {"collections": []}


async def test_json_errors_say_where_they_are(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/query", content=b'{"query": NaN}', headers=JSON)

    assert reply.json()["detail"].startswith("The body is not valid JSON: ")


@pytest.mark.parametrize(
    "path", ["/collections/..%2F..%2Fetc%2Fpasswd", "/collections/a/b/c", "/collections/"]
)
async def test_an_unknown_path_is_404_in_the_dialect(client: httpx2.AsyncClient, path: str) -> None:
    reply = await client.get(path)

    assert reply.status_code == 404
    assert list(reply.json()) == ["detail"]


async def test_a_wrong_method_names_the_right_ones(client: httpx2.AsyncClient) -> None:
    reply = await client.patch("/collections")

    assert reply.status_code == 405
    assert "PATCH is not possible" in reply.json()["detail"]
    assert reply.headers["allow"] == "GET, POST"


@pytest.mark.parametrize("path", ["/livez", "/health", "/collections", "/query"])
async def test_head_is_answered_like_get(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.head(path)).status_code == 200


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({"a": {"$foo": 1}}, "unknown operator \"$foo\" on field 'a'"),
        ({"$foo": []}, 'unknown operator "$foo"'),
        ({"$and": []}, "$and needs an array with at least one filter"),
        ({"$or": {"a": 1}}, "$or needs an array"),
        ({"a": {}}, "field 'a' has no operator"),
        ({"a": None}, "compares with a string, a number or true/false, got null"),
        ({"a": [1]}, "got [1]"),
        ({"a": {"$gt": "x"}}, "needs a number"),
        ({"a": {"$lte": True}}, "needs a number, got true"),
        ({"a": {"$in": []}}, "needs an array with at least one value"),
        ({"a": {"$in": [[1]]}}, "got [1]"),
        ({"": 1}, "field names have 1 to 256 characters"),
        ({"a": {"$in": list(range(51))}}, "51 terms; 50 at most"),
        ({f"f{n}": n for n in range(51)}, "51 terms; 50 at most"),
    ],
)
async def test_a_bad_filter_says_what_is_wrong(
    client: httpx2.AsyncClient, where: object, says: str
) -> None:
    await client.post("/collections", json={"name": "robotics", "embedding_model": "minilm"})
    body = {"collection": "robotics", "query": "a", "where": where}

    reply = await client.post("/query", json=body)

    assert reply.status_code == 400
    assert reply.json()["detail"].startswith("Invalid 'where' filter: ")
    assert says in reply.json()["detail"]


def nested(depth: int) -> dict[str, object]:
    where: dict[str, object] = {"a": 1}
    for _ in range(depth):
        where = {"$or": [where, {"b": 2}]}
    return where


@pytest.mark.parametrize(("depth", "status"), [(5, 200), (6, 400), (200, 400)])
async def test_filters_are_five_levels_deep_at_most(
    client: httpx2.AsyncClient, depth: int, status: int
) -> None:
    await client.post("/collections", json={"name": "robotics", "embedding_model": "minilm"})
    body = {"collection": "robotics", "query": "a", "where": nested(depth)}

    assert (await client.post("/query", json=body)).status_code == status
