"""The reading room as it is served: who gets it, its files, and what they may do."""

import re

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases
from sourcebook.surfaces.web.room_files import room_files
from tests.memory_store import MemoryStore
from tests.two_books import COOKING, ROBOTS, keyed_app, streaming_client, two_books

CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
# What could turn text into markup or code.
UNSAFE = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
    r"|setHTML|createContextualFragment|srcdoc"
)


@pytest.mark.parametrize("accept", [CHROMIUM, "text/html", "application/json;q=0.5, text/html"])
async def test_browsers_get_the_page(client: httpx2.AsyncClient, accept: str) -> None:
    reply = await client.get("/", headers={"Accept": accept})

    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "Accept" in reply.headers["vary"]
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy


@pytest.mark.parametrize(
    "accept",
    [None, "*/*", "application/json", "application/json, text/html;q=0.9", "text/html;q=x"],
)
async def test_other_clients_get_the_json_as_before(
    client: httpx2.AsyncClient, accept: str | None
) -> None:
    reply = await client.get("/", headers={"Accept": accept} if accept else {})

    assert reply.json()["service"] == "Sourcebook"
    assert "Accept" in reply.headers["vary"]


async def test_the_page_holds_no_script_or_style_and_names_files_that_exist(
    client: httpx2.AsyncClient,
) -> None:
    html = (await client.get("/", headers={"Accept": "text/html"})).text

    assert "<script>" not in html
    assert "<style" not in html
    assert not re.search(r"\son\w+=|\sstyle=|//", html)
    named = set(re.findall(r'(?:src|href)="(/[^"]+)"', html))
    assert len(named) >= 4
    for path in named:
        reply = await client.get(path)
        assert reply.status_code == 200, path
        assert "immutable" in reply.headers["cache-control"]


async def test_a_file_of_another_release_is_not_remembered(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/room/000000000000/room.js")

    assert reply.status_code == 200
    assert reply.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["nothing.js", "index.html", "..%2Froutes.py", "room_files.py"])
async def test_only_the_files_of_the_room_are_served(client: httpx2.AsyncClient, name: str) -> None:
    revision = room_files().revision

    assert (await client.get(f"/room/{revision}/{name}")).status_code == 404


async def test_behind_a_proxy_the_files_are_under_its_prefix(use_cases: UseCases) -> None:
    app = create_app(use_cases, AccessRule(None), [], root_path="/ask")
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        html = (await client.get("/ask", headers={"Accept": "text/html"})).text
        style = re.search(r'rel="stylesheet" href="([^"]+)"', html)
        assert style is not None
        assert style[1].startswith("/ask/room/")
        assert (await client.get(style[1])).status_code == 200


def test_no_module_makes_markup_out_of_text() -> None:
    modules = {name: text for name, text in room_files().assets.items() if name.endswith(".js")}

    assert len(modules) > 10
    for name, text in modules.items():
        assert not UNSAFE.search(text.decode()), name


def test_nothing_is_loaded_from_elsewhere() -> None:
    for name, text in room_files().assets.items():
        addresses = set(re.findall(r"https?://[\w.]+", text.decode()))
        assert addresses <= {"http://www.w3.org"}, name


async def test_the_room_says_whether_there_is_a_book_and_who_writes(
    client: httpx2.AsyncClient, use_cases: UseCases
) -> None:
    said = (await client.get("/room")).json()

    assert said["indexed"] is False
    assert said["model"] == "extractive"
    assert said["grounding"] == "strict"
    assert said["book_id"] == use_cases.book_rules.book_id
    assert said["books"] == [said["book_id"]]
    questions = (await client.get("/room/questions")).json()
    assert questions == {"book_id": said["book_id"], "questions": []}


@pytest.mark.parametrize("lists_books", [True, False])
async def test_any_book_has_a_room_and_all_are_named_where_the_operator_lists_them(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, lists_books: bool
) -> None:
    app = keyed_app(await two_books(ledger, store, models), lists_books=lists_books)
    async with streaming_client(app) as client:
        kept = (await client.get("/room")).json()
        other = (await client.get(f"/room?book_id={COOKING}")).json()
        offered = (await client.get(f"/room/questions?book_id={COOKING}")).json()

    listed = [ROBOTS, COOKING] if lists_books else [ROBOTS]
    assert (kept["book_id"], kept["books"]) == (ROBOTS, listed)
    assert (other["book_id"], other["books"]) == (COOKING, listed)
    assert offered["book_id"] == COOKING


async def test_a_book_that_is_not_there_has_no_room(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/room?book_id=fish")

    assert reply.status_code == 404
    assert reply.json()["message"] == "Nothing is indexed of the book 'fish'"


async def test_files_are_sent_compressed_to_those_who_can_read_that(
    client: httpx2.AsyncClient,
) -> None:
    path = f"/room/{room_files().revision}/room.css"

    packed = await client.get(path, headers={"Accept-Encoding": "gzip, br"})
    plain = await client.get(path, headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert packed.content == plain.content == room_files().assets["room.css"]
    assert "content-encoding" not in plain.headers
    assert "Accept-Encoding" in packed.headers["vary"]


async def test_the_widget_loads_with_everything_it_needs_within_40_kb(
    client: httpx2.AsyncClient,
) -> None:
    origin = {"Origin": "http://localhost:3000"}
    waiting, loaded = ["/widget.js"], dict[str, int]()
    while waiting:
        path = waiting.pop()
        if path in loaded:
            continue
        reply = await client.get(path, headers=origin)
        assert reply.status_code == 200, path
        assert reply.headers["access-control-allow-origin"] == "http://localhost:3000"
        assert reply.headers["cross-origin-resource-policy"] == "cross-origin"
        loaded[path] = int(reply.headers["content-length"])
        named = re.findall(r'^(?:import|export) (?:.*from )?"(\./[^"]+)"', reply.text, re.MULTILINE)
        waiting += [str(httpx2.URL(f"http://localhost{path}").join(name).path) for name in named]

    assert len(loaded) > 8
    assert sum(loaded.values()) <= 40_000


async def test_a_site_that_was_not_allowed_cannot_load_the_widget(
    client: httpx2.AsyncClient,
) -> None:
    reply = await client.get("/widget.js", headers={"Origin": "https://other.example"})

    assert "access-control-allow-origin" not in reply.headers
