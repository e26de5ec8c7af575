"""What a command is told in its own process is what the service would tell it."""

from dataclasses import replace
from typing import Any

import httpx2
import pytest

from sourcebook.cli.app_transport import AppTransport
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.service.http.app import create_app
from sourcebook.service.http.command_app import CommandApp
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import RateLimit, RateLimits
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.fake_sessions import FakeSessions

REQUESTS: list[tuple[str, str, object]] = [
    ("POST", "/search", {"query": "What is a node?"}),
    ("POST", "/search", {"query": "What is a node?", "limit": 3, "explain": True}),
    ("POST", "/search", {"query": "What is a node?", "chapter_min": 3, "chapter_max": 2}),
    ("POST", "/search", {"query": "What is a node?", "limit": 0}),
    ("POST", "/search", {"query": "What is a node?", "limit": "3"}),
    ("POST", "/chat", {"query": "What is a node?"}),
    ("POST", "/chat", {"query": " "}),
    ("POST", "/chat", {"query": "What is a node?", "mode": "selected_text"}),
    ("POST", "/chat/stream", {"query": "What is a node?"}),
    ("POST", "/chat/stream", {"query": "What is a node?", "top_k": 0}),
    ("GET", "/info", None),
    ("GET", "/ingestion/status", None),
    ("GET", "/search", None),
    ("GET", "/nothing", None),
]


def command_app(use_cases: UseCases) -> CommandApp:
    return CommandApp(use_cases, lambda: use_cases)


async def told(app: Any, method: str, path: str, body: object) -> tuple[int, str, object]:
    async with httpx2.AsyncClient(
        transport=AppTransport(app), base_url="http://localhost"
    ) as client:
        reply = await client.request(method, path, json=body)
    kind = reply.headers["content-type"]
    if kind != "application/json":
        return reply.status_code, kind, reply.text
    said = reply.json()
    if isinstance(said, dict):
        # The ids of the log, and what differs from one answer to the next.
        said.pop("trace_id", None)
        said.pop("explain", None)
        if reply.is_error:
            # Commands show the sentence alone.
            said = said.get("detail", said.get("message"))
    return reply.status_code, kind, said


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_it_replies_as_the_whole_app_does(
    use_cases: UseCases, method: str, path: str, body: object
) -> None:
    use_cases = replace(use_cases, sessions=FakeSessions())  # type: ignore[arg-type]
    limits = RateLimits(chats=RateLimit(0))
    whole = create_app(use_cases, AccessRule(None), [], admin=AccessRule(None), rate_limits=limits)

    replied = await told(command_app(use_cases), method, path, body)

    assert replied == await told(whole, method, path, body)


async def test_a_failure_has_the_words_of_its_contract(use_cases: UseCases) -> None:
    class Failing:
        async def search(self, _: object) -> object:
            raise RetrievalUnavailable("the index is away")

    class Broken:
        async def search(self, _: object) -> object:
            raise ValueError("a bug")

    for books in (Failing(), Broken()):
        failing = replace(use_cases, books=books)  # type: ignore[arg-type]
        whole = create_app(failing, AccessRule(None), [])
        asked = ("POST", "/search", {"query": "What is a node?"})

        assert await told(command_app(failing), *asked) == await told(whole, *asked)


async def test_use_cases_are_built_only_for_what_needs_them(use_cases: UseCases) -> None:
    built = []

    def build() -> UseCases:
        built.append(1)
        return use_cases

    app = CommandApp(use_cases, build)

    await told(app, "POST", "/search", {"query": "What is a node?"})
    assert not built
    await told(app, "GET", "/info", None)
    await told(app, "GET", "/info", None)
    assert len(built) == 1
