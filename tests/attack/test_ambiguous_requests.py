"""Requests that two readers could understand differently are refused, not guessed at."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from sourcebook.service.config.settings import load_settings
from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases

KEY = "a-long-enough-admin-key"
ADMIN = {"X-Admin-API-Key": KEY}


@pytest.fixture
async def local(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    settings = load_settings()
    admin = AccessRule(KEY.encode())
    app = create_app(use_cases, AccessRule(None), settings.origins, settings.hosts, admin=admin)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


@pytest.mark.parametrize(
    "host",
    [
        "localhost/.evil.com",
        "evil.com@localhost",
        "localhost#.evil.com",
        "localhost?.evil.com",
        "localhost\\.evil.com",
        "localhost:80:80",
        "localhost:evil",
        "localhost,evil.com",
        " localhost",
        "localhost\t",
        "[::1].evil.com",
        "[::1]@evil.com",
        "::1",
    ],
)
async def test_a_host_that_is_not_a_name_and_a_port_is_refused(
    local: httpx2.AsyncClient, host: str
) -> None:
    reply = await local.get("/collections", headers=[(b"host", host.encode())])

    assert reply.status_code == 400
    assert "ALLOWED_HOSTS" in reply.json()["detail"]


@pytest.mark.parametrize("second", ["evil.com", "localhost"])
async def test_a_second_host_is_refused(local: httpx2.AsyncClient, second: str) -> None:
    hosts = [(b"host", b"localhost"), (b"Host", second.encode())]

    reply = await local.get("/collections", headers=hosts)

    assert reply.status_code == 400
    assert "2 Host headers" in reply.json()["detail"]


@pytest.mark.parametrize(
    ("path", "status", "name"),
    [
        ("/lesson/a?hardware_tier=1&hardware_tier=4", 422, "hardware_tier"),
        ("/lesson/a?hardware_tier=4&hardware_tier=1", 422, "hardware_tier"),
        ("/lesson/a?hardware_tier=1&hardware%5Ftier=4", 422, "hardware_tier"),
        ("/context/a?book_id=a&book_id=b", 422, "book_id"),
        ("/context/a?prev=1&next=1&next=2", 422, "next"),
        ("/collections/a/documents?where=%7B%7D&where=%7B%7D", 400, "where"),
        ("/api/rag/documents?source=a&source=b", 400, "source"),
    ],
)
async def test_a_parameter_that_is_given_twice_is_refused(
    local: httpx2.AsyncClient, path: str, status: int, name: str
) -> None:
    reply = await local.get(path)

    assert reply.status_code == status
    assert f"'{name}' must be given once" in reply.text


async def test_a_list_may_be_given_value_by_value(local: httpx2.AsyncClient) -> None:
    reply = await local.get("/ingestion/changes?exclude=a&exclude=b", headers=ADMIN)

    assert "given once" not in reply.text
