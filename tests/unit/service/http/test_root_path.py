"""Under a prefix everything works, whether the proxy takes it off or not."""

import re
from collections.abc import AsyncIterator

import httpx2
import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.http.app import all_paths, create_app
from sourcebook.service.http.root_path import check_root_path, without_prefix
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases

PREFIX = "/team/kb"


@pytest.fixture(params=["stripping", "passing on"])
async def browser(
    request: pytest.FixtureRequest, use_cases: UseCases
) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser that sees the prefix, behind a proxy that takes it off, or does not."""
    app = create_app(use_cases, AccessRule(None), [], root_path=PREFIX)

    async def at_the_proxy(asked: httpx2.Request) -> None:
        path = asked.url.raw_path.decode()
        assert path.startswith(PREFIX), path
        if request.param == "stripping":
            asked.url = asked.url.copy_with(raw_path=path.removeprefix(PREFIX).encode() or b"/")

    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app, raise_app_exceptions=False),
        base_url="https://book.example",
        event_hooks={"request": [at_the_proxy]},
    ) as client:
        yield client


async def test_the_documentation_page_finds_all_it_needs(browser: httpx2.AsyncClient) -> None:
    page = await browser.get(f"{PREFIX}/docs")

    # As a browser resolves them: all are relative to the page.
    for link in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert (await browser.get(f"{PREFIX}/{link}")).status_code == 200, link
    script = (await browser.get(f"{PREFIX}/docs/assets/start.js")).text
    assert 'new URL("openapi.json", location.href)' in script


async def test_execute_on_the_documentation_page_reaches_the_service(
    browser: httpx2.AsyncClient,
) -> None:
    described = (await browser.get(f"{PREFIX}/openapi.json")).json()

    (server,) = described["servers"]
    assert "/collections" in described["paths"]
    reply = await browser.post(
        f"{server['url']}/collections",
        json={"name": "robotics", "embedding_model": "minilm"},
        headers={"Origin": "https://book.example"},
    )
    assert reply.status_code == 200, reply.text
    assert (await browser.get(f"{server['url']}/collections/robotics")).status_code == 200


async def test_the_prefix_is_taken_off_once(use_cases: UseCases) -> None:
    app = create_app(use_cases, AccessRule(None), [], root_path=PREFIX)

    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="https://book.example"
    ) as client:
        assert (await client.get(f"{PREFIX}/metrics")).status_code == 200
        assert (await client.get(f"{PREFIX}{PREFIX}/metrics")).status_code == 404


@pytest.mark.parametrize("path", [PREFIX, f"{PREFIX}/"])
async def test_links_begin_with_the_prefix(browser: httpx2.AsyncClient, path: str) -> None:
    root = (await browser.get(path)).json()

    for link in ("docs", "health"):
        assert root[link] == f"{PREFIX}/{link}"
        assert (await browser.get(root[link])).status_code == 200
    lost = (await browser.get(f"{PREFIX}/nowhere")).json()["message"]
    assert lost == f"There is nothing at /nowhere; {PREFIX}/docs lists every route"


async def test_errors_keep_the_dialect_of_their_contract(browser: httpx2.AsyncClient) -> None:
    book = await browser.post(f"{PREFIX}/search", json={"query": ""})
    chat = await browser.post(f"{PREFIX}/chat", json={"query": ""})
    upload = await browser.post(f"{PREFIX}/collections", content=b"x" * 300_000)

    assert (book.status_code, list(book.json())) == (422, ["detail"])
    assert (chat.status_code, chat.json()["error_code"]) == (400, "validation_error")
    assert upload.status_code in {413, 415}


async def test_metrics_name_routes_without_the_prefix(browser: httpx2.AsyncClient) -> None:
    await browser.get(f"{PREFIX}/collections")

    metrics = (await browser.get(f"{PREFIX}/metrics")).text

    assert 'route="/collections",status="200"' in metrics


async def test_without_a_prefix_the_description_names_no_server(
    client: httpx2.AsyncClient,
) -> None:
    assert "servers" not in (await client.get("/openapi.json")).json()


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/kb", "/"),
        ("/kb/", "/"),
        ("/kb/chat", "/chat"),
        ("/kb/kb/chat", "/kb/chat"),
        ("/chat", "/chat"),
        ("/kbx/chat", "/kbx/chat"),
        ("/", "/"),
    ],
)
def test_only_the_whole_prefix_is_taken_off(path: str, below: str) -> None:
    assert without_prefix(path, "/kb") == below


@pytest.mark.parametrize("prefix", ["/api", "/docs", "/chat/kb", "/collections"])
def test_a_prefix_that_begins_like_a_route_is_refused(prefix: str) -> None:
    with pytest.raises(ConfigurationError, match=f"SOURCEBOOK_ROOT_PATH '{prefix}'.*/sourcebook"):
        check_root_path(prefix, all_paths())


@pytest.mark.parametrize("prefix", ["", "/sourcebook", "/apis", "/team/chat"])
def test_any_other_prefix_is_taken(prefix: str) -> None:
    check_root_path(prefix, all_paths())
