"""On loopback we answer to our own names, and to the pages that are allowed."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from sourcebook.service.config.settings import load_settings
from sourcebook.service.http.app import create_app
from sourcebook.service.http.host_check import host_name
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases

BODY = {"name": "robotics", "embedding_model": "minilm"}


@pytest.fixture
async def local(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    settings = load_settings()
    app = create_app(use_cases, AccessRule(None), settings.origins, settings.hosts)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8000", "127.0.0.1:9", "[::1]:8000", "LOCALHOST"]
)
async def test_our_own_names_are_answered(local: httpx2.AsyncClient, host: str) -> None:
    assert (await local.get("/collections", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.nip.example", "", "a b", "[::1", "x/?#"],
)
async def test_other_names_are_refused(local: httpx2.AsyncClient, host: str) -> None:
    reply = await local.get("/collections", headers={"Host": host})

    assert reply.status_code == 400
    assert "ALLOWED_HOSTS" in reply.json()["detail"]
    assert reply.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/health"])
async def test_probes_may_use_any_name(local: httpx2.AsyncClient, path: str) -> None:
    assert (await local.get(path, headers={"Host": "10.0.0.7:8000"})).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:3000.evil.example"]
)
async def test_pages_of_other_sites_cannot_write(local: httpx2.AsyncClient, origin: str) -> None:
    reply = await local.post("/collections", json=BODY, headers={"Origin": origin})

    assert reply.status_code == 403
    assert (await local.get("/collections")).json() == {"collections": []}


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:8000"])
async def test_our_own_pages_and_the_allowed_ones_can(
    local: httpx2.AsyncClient, origin: str
) -> None:
    reply = await local.post("/collections", json=BODY, headers={"Origin": origin})

    assert reply.status_code == 200


@pytest.fixture(params=["*", "*,http://localhost:3000", "http://localhost:3000, *"])
async def open_to_all(
    request: pytest.FixtureRequest, use_cases: UseCases, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx2.AsyncClient]:
    monkeypatch.setenv("ALLOWED_ORIGINS", request.param)
    settings = load_settings()
    app = create_app(use_cases, AccessRule(None), settings.origins, settings.hosts)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


async def test_a_star_allows_pages_of_any_origin(open_to_all: httpx2.AsyncClient) -> None:
    asked = {
        "Origin": "https://anywhere.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }

    preflight = await open_to_all.options("/collections", headers=asked)
    written = await open_to_all.post("/collections", json=BODY, headers={"Origin": asked["Origin"]})

    assert (preflight.status_code, written.status_code) == (200, 200)
    for reply in (preflight, written):
        assert reply.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in reply.headers


async def test_a_star_does_not_open_other_host_names(open_to_all: httpx2.AsyncClient) -> None:
    reply = await open_to_all.get("/collections", headers={"Host": "evil.example"})

    assert reply.status_code == 400


def test_a_slash_after_an_origin_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_ORIGINS", "https://book.example/, http://localhost:3000")

    assert load_settings().origins == ["https://book.example", "http://localhost:3000"]


def test_names_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "Docs.Example, other")

    assert load_settings().hosts == frozenset(
        {"localhost", "127.0.0.1", "::1", "docs.example", "other"}
    )


def test_elsewhere_any_name_is_answered_unless_some_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ADMIN_API_KEY", "a-long-enough-admin-key")

    assert load_settings(host="0.0.0.0").hosts is None
    monkeypatch.setenv("ALLOWED_HOSTS", "docs.example")
    assert load_settings(host="0.0.0.0").hosts == frozenset({"docs.example"})


@pytest.mark.parametrize(
    ("header", "name"), [("A:1", "a"), ("[::1]:2", "::1"), ("", ""), ("[", ""), ("u@h", "")]
)
def test_names_are_read_without_port_and_brackets(header: str, name: str) -> None:
    assert host_name(header) == name
