"""What operators choose for the chat is what holds."""

import httpx2
import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.settings import load_settings
from sourcebook.service.http.app import configured_rate_limits
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.chat_client import ASKED, chat_app, client_of
from tests.surfaces.chat.fake_sessions import FakeSessions

VARIABLES = (
    "API_RATE_LIMIT",
    "SOURCEBOOK_SEARCH_RATE_LIMIT",
    "SOURCEBOOK_CHATS_AT_ONCE",
    "SOURCEBOOK_TRUSTED_PROXIES",
)


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


async def statuses(client: httpx2.AsyncClient, path: str, times: int) -> list[int]:
    return [
        (
            await client.post(path, json=ASKED, headers={"X-Forwarded-For": f"203.0.113.{n}"})
        ).status_code
        for n in range(times)
    ]


def test_the_defaults_are_those_of_the_contract() -> None:
    settings = load_settings()

    assert (settings.chat_rate_limit, settings.search_rate_limit) == (60, 0)
    assert (settings.chats_at_once, settings.trusted_proxies) == (10, ())


async def test_the_limits_can_be_chosen(
    use_cases: UseCases, sessions: FakeSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_RATE_LIMIT", "2")
    monkeypatch.setenv("SOURCEBOOK_SEARCH_RATE_LIMIT", "1")
    app = chat_app(use_cases, sessions, configured_rate_limits(load_settings()))
    async with client_of(app) as client:
        assert await statuses(client, "/chat", 3) == [200, 200, 429]
        assert await statuses(client, "/search", 2) == [200, 429]


async def test_proxies_can_be_named(
    use_cases: UseCases, sessions: FakeSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_RATE_LIMIT", "1")
    monkeypatch.setenv("SOURCEBOOK_TRUSTED_PROXIES", "192.0.2.1, 10.0.0.0/8")
    app = chat_app(use_cases, sessions, configured_rate_limits(load_settings()))
    async with client_of(app, "192.0.2.1") as proxy, client_of(app, "192.0.2.2") as stranger:
        assert await statuses(proxy, "/chat", 3) == [200, 200, 200]
        assert await statuses(stranger, "/chat", 2) == [200, 429]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_RATE_LIMIT", "-1"),
        ("API_RATE_LIMIT", "many"),
        ("SOURCEBOOK_SEARCH_RATE_LIMIT", "1.5"),
        ("SOURCEBOOK_CHATS_AT_ONCE", "0"),
        ("SOURCEBOOK_TRUSTED_PROXIES", "proxy.example"),
        ("SOURCEBOOK_TRUSTED_PROXIES", "10.0.0.0/8,10.0.0.0/99"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ConfigurationError, match=name):
        load_settings()


async def test_programs_on_this_machine_are_not_limited_unless_asked(
    use_cases: UseCases, sessions: FakeSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = chat_app(use_cases, sessions, configured_rate_limits(load_settings()))
    async with client_of(app, "127.0.0.1") as client, client_of(app) as stranger:
        local = [(await client.post("/chat", json=ASKED)).status_code for _ in range(61)]
        others = [(await stranger.post("/chat", json=ASKED)).status_code for _ in range(61)]
    monkeypatch.setenv("API_RATE_LIMIT", "60")
    app = chat_app(use_cases, sessions, configured_rate_limits(load_settings()))
    async with client_of(app, "127.0.0.1") as client:
        asked = [(await client.post("/chat", json=ASKED)).status_code for _ in range(61)]

    assert local == [200] * 61
    assert others == asked == [200] * 60 + [429]


async def test_behind_a_proxy_on_this_machine_each_client_is_limited(
    use_cases: UseCases, sessions: FakeSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCEBOOK_TRUSTED_PROXIES", "127.0.0.1")
    app = chat_app(use_cases, sessions, configured_rate_limits(load_settings()))
    async with client_of(app, "127.0.0.1") as proxy:

        async def ask(caller: str) -> int:
            headers = {"X-Forwarded-For": caller}
            return (await proxy.post("/chat", json=ASKED, headers=headers)).status_code

        one = [await ask("203.0.113.1") for _ in range(61)]
        assert one == [200] * 60 + [429]
        assert await ask("203.0.113.2") == 200


async def test_under_a_prefix_everybody_is_limited(
    use_cases: UseCases, sessions: FakeSessions
) -> None:
    settings = load_settings(root_path="/kb")
    app = chat_app(use_cases, sessions, configured_rate_limits(settings))
    async with client_of(app, "127.0.0.1") as proxy:
        found = [(await proxy.post("/chat", json=ASKED)).status_code for _ in range(61)]

    assert found[-1] == 429
