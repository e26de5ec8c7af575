"""The root, the documentation page and the OpenAPI document."""

import re

import httpx2
import pytest

from sourcebook import __version__


async def test_the_root_says_what_this_is(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/")).json() == {
        "service": "Sourcebook",
        "name": "Sourcebook",
        "version": __version__,
        "status": "running",
        "docs": "/docs",
        "health": "/health",
    }


async def test_the_documentation_needs_no_other_host(client: httpx2.AsyncClient) -> None:
    page = await client.get("/docs")

    assert page.status_code == 200
    assert "//" not in re.sub(r"<!--.*?-->", "", page.text)
    sources = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(sources) == 3
    for source in sources:
        asset = await client.get(f"/{source}")
        assert asset.status_code == 200
        assert len(asset.content) > 100
    assert "script-src 'self';" in page.headers["content-security-policy"]
    assert "<script>" not in page.text


async def test_an_unknown_asset_is_404(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/docs/assets/..%2Froutes.py")).status_code == 404


async def test_every_route_documents_its_errors_and_no_phantom_422(
    client: httpx2.AsyncClient,
) -> None:
    document = (await client.get("/openapi.json")).json()

    operations = {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert "POST /query" in operations
    for name, operation in operations.items():
        assert "HTTPValidationError" not in str(operation), name
        assert operation.get("description"), name
        # Bad input is 422 in the words of the book's contract and 400 in all others.
        in_book = bool({"book", "books", "ingestion"} & set(operation["tags"]))
        takes_input = bool(operation.get("parameters")) or "requestBody" in operation
        assert ("422" in operation["responses"]) == (in_book and takes_input), name
        if "requestBody" in operation:
            assert {"408", "413", "415"} <= operation["responses"].keys(), name
            assert ("400" in operation["responses"]) != in_book, name
    with_name = [o for n, o in operations.items() if "/collections/{name}" in n]
    assert all("404" in operation["responses"] for operation in with_name)
    assert "HTTPValidationError" not in document["components"]["schemas"]
    tags = {tag for operation in operations.values() for tag in operation["tags"]}
    assert tags - {"web"} == {tag["name"] for tag in document["tags"]}


@pytest.mark.parametrize("given", ["abc-123", None, "bad id\twith spaces", "x" * 65])
async def test_every_reply_has_an_id_a_time_and_safe_headers(
    client: httpx2.AsyncClient, given: str | None
) -> None:
    reply = await client.get("/nowhere", headers={"X-Request-ID": given} if given else {})

    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", reply.headers["x-request-id"])
    assert (reply.headers["x-request-id"] == given) == (given == "abc-123")
    assert re.fullmatch(r"\d+\.\dms", reply.headers["x-response-time"])
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"


async def test_only_configured_origins_may_call_from_a_page(client: httpx2.AsyncClient) -> None:
    known = await client.get("/health", headers={"Origin": "http://localhost:3000"})
    unknown = await client.get("/health", headers={"Origin": "http://evil.example"})

    assert known.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert "access-control-allow-origin" not in unknown.headers
