import asyncio
import io
import json
import logging
import socket
import sys
import threading
from collections.abc import AsyncIterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sourcebook.core.errors import NotFound, Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import ConnectionTest, ProviderKind
from sourcebook.providers.outbound.destinations import STRANGER, stranger_policy
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.logging import set_up_logging
from sourcebook.service.providers.connection_test import ConnectionScope
from sourcebook.service.providers.directory import (
    Directory,
    operator_directory,
    service_directory,
)
from sourcebook.service.providers.health import ProviderInUse
from sourcebook.service.providers.placeholders import ServiceKey, ServicePlaceholders
from tests import fake_providers
from tests.fake_providers import Part, fake_directory
from tests.fakes import FakeClock
from tests.unit.providers.far_side import FarSide, Names, far_side, reply

CANARY = "sk-canary-7f3a9e"
HANGING_IMPORT = """
import threading

GO_ON = threading.Event()
GO_ON.wait(60)
"""
LISTED = reply(body=b'{"collections": ["book", "documents"]}')


@pytest.fixture
async def server() -> AsyncIterator[FarSide]:
    async with far_side(LISTED) as side:
        yield side


def config(side: FarSide, **more: JsonValue) -> dict[str, JsonValue]:
    return {"url": side.url, **more}


def a_key(side: FarSide, name: str = "QDRANT_API_KEY") -> ServiceKey:
    return ServiceKey(name, CANARY, frozenset({("http", "127.0.0.1", side.port)}))


def said(test: ConnectionTest) -> tuple[bool, str | None, str]:
    return test.success, test.error_type, test.error or ""


async def test_a_connection_that_works_is_reported_with_its_collections(server: FarSide) -> None:
    test = await fake_directory().test("server", config(server, api_key=CANARY))

    assert (test.success, test.provider, test.kind) == (True, "server", "vector_stores")
    assert test.collections == ("book", "documents")
    assert test.collection_count == 2
    assert test.details == {"model": "small", "points": 3}
    assert test.duration_ms > 0
    assert f"api-key: {CANARY}".encode() in server.requests[0]


@pytest.mark.parametrize(
    ("status", "error_type"),
    [
        ("401 Unauthorized", "authentication"),
        ("403 Forbidden", "authorization"),
        ("404 Not Found", "not_found"),
        ("429 Too Many Requests", "rate_limit"),
        ("500 Oops", "unknown"),
        ("302 Found", "unknown"),
        ("504 Gateway Timeout", "timeout"),
    ],
)
async def test_what_a_server_answers_is_told_in_our_words(
    server: FarSide, status: str, error_type: str
) -> None:
    words = "far-side-words"
    code = status.split(" ", maxsplit=1)[0]
    server.reply = reply(f"{code} {words}", words.encode(), f"X-Words: {words}", "Location: /")

    test = await fake_directory().test("server", config(server))

    assert (test.success, test.error_type) == (False, error_type)
    assert words not in repr(test)


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", b"[]", b'{"collections": 5}', b"\xff\xfe", b'"a"', b""]
)
async def test_a_reply_that_makes_no_sense_is_no_success(server: FarSide, body: bytes) -> None:
    server.reply = reply(body=body)

    test = await fake_directory().test("server", config(server))

    assert said(test)[:2] == (False, "unknown")
    assert "right kind of server" in (test.error or "")


async def test_a_reply_without_an_end_is_cut_off(server: FarSide) -> None:
    server.reply = reply(body=b"x" * (4 * 1024 * 1024 + 1))

    test = await fake_directory().test("server", config(server))

    assert said(test)[:2] == (False, "unknown")
    assert "larger than" in (test.error or "")


async def test_nobody_there_is_a_network_error() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    test = await fake_directory().test("server", {"url": f"http://127.0.0.1:{port}"})

    assert said(test)[:2] == (False, "network")


async def test_plain_http_behind_https_is_a_network_error() -> None:
    async def speak_plainly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(reply("400 Bad Request"))
        writer.close()

    plain = await asyncio.start_server(speak_plainly, "127.0.0.1", 0)
    port = plain.sockets[0].getsockname()[1]

    test = await fake_directory().test("server", {"url": f"https://127.0.0.1:{port}"})
    plain.close()

    assert said(test)[:2] == (False, "network")
    assert "TLS" in (test.error or "")


async def test_a_host_that_does_not_exist_is_a_network_error() -> None:
    test = await fake_directory(resolve=Names()).test("server", {"url": "http://nobody.example"})

    assert said(test)[:2] == (False, "network")


@pytest.mark.parametrize("provider", ["server", "own-client"])
async def test_a_private_host_is_refused_to_strangers(server: FarSide, provider: str) -> None:
    fake_providers.opened.clear()

    test = await fake_directory(policy=STRANGER).test(provider, config(server))

    assert said(test)[:2] == (False, "network")
    assert test.error == (
        "Address '127.0.0.1' is not allowed: it is private."
        " Add the host to SOURCEBOOK_ALLOWED_PRIVATE_HOSTS if it is yours"
    )
    assert server.connections == 0
    assert fake_providers.opened == []


async def test_a_private_host_that_is_allowed_is_tested(server: FarSide) -> None:
    directory = fake_directory(policy=stranger_policy([f"127.0.0.1:{server.port}"]))

    assert (await directory.test("server", config(server))).success


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "gopher://127.0.0.1", "http://a@127.0.0.1", "http://a\\@b", "x"]
)
@pytest.mark.parametrize("provider", ["server", "own-client"])
async def test_a_url_that_is_odd_is_a_wrong_setting(url: str, provider: str) -> None:
    test = await fake_directory().test(provider, {"url": url})

    assert said(test)[:2] == (False, "invalid_config")


@pytest.mark.parametrize("key", ["two\nlines-" + CANARY, "中-" + CANARY])
async def test_a_key_that_cannot_be_sent_is_a_wrong_setting(server: FarSide, key: str) -> None:
    test = await fake_directory().test("server", config(server, api_key=key))

    assert said(test)[:2] == (False, "invalid_config")
    assert CANARY not in (test.error or "")


@pytest.mark.parametrize("folder", ["/etc", "/no/such/folder", "~/x", "../x", "/etc/../etc"])
async def test_a_stranger_cannot_look_around_on_the_disk(folder: str) -> None:
    """What is there and what is not get the same reply."""
    test = await fake_directory(policy=STRANGER).test(
        "own-client", {"url": "http://93.184.216.34", "model": folder}
    )

    assert said(test)[:2] == (False, "invalid_config")
    assert "Over HTTP no folder of this machine" in (test.error or "")


async def test_a_stranger_can_try_an_installed_model(tmp_path: Path) -> None:
    model = {"url": "http://93.184.216.34", "model": str(tmp_path / "models" / "m")}

    directory = fake_directory(tmp_path / "models", policy=STRANGER)

    assert (await directory.test("own-client", {**model})).success


@pytest.mark.parametrize(
    "wrong", [{}, {"url": 5}, {"url": "http://a", "unknown": CANARY}, {"url": None}]
)
async def test_wrong_settings_connect_to_nothing(wrong: dict[str, JsonValue]) -> None:
    test = await fake_directory(resolve=Names()).test("server", wrong)

    assert said(test)[:2] == (False, "invalid_config")
    assert CANARY not in repr(test)


async def test_a_test_ends_in_time_even_if_the_provider_does_not() -> None:
    test = await fake_directory(test_timeout_s=0.05).test("hanging", {"url": "http://127.0.0.1"})

    assert said(test)[:2] == (False, "timeout")


async def test_whoever_leaves_takes_the_test_along(server: FarSide) -> None:
    before = asyncio.all_tasks()
    waiting = asyncio.create_task(fake_directory().test("hanging", config(server)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    for task in asyncio.all_tasks() - before:
        await asyncio.wait_for(task, 5)


@pytest.mark.parametrize("names", [["a\nb"], ["\x1b[31m"], ["x" * 256], ["\u202eabc"], [""]])
async def test_what_does_not_look_like_a_name_is_not_passed_on(
    server: FarSide, names: list[str]
) -> None:
    server.reply = reply(body=json.dumps({"collections": ["book", *names]}).encode())

    test = await fake_directory().test("server", config(server))

    assert test.collections == ("book",)
    assert test.collection_count == 2


async def test_a_thousand_names_are_enough(server: FarSide) -> None:
    names = [f"c{number}" for number in range(1_500)]
    server.reply = reply(body=json.dumps({"collections": names}).encode())

    test = await fake_directory().test("server", config(server))

    assert test.collections == tuple(names[:1_000])
    assert test.collection_count == 1_500


async def test_texts_of_the_far_side_are_no_details(server: FarSide) -> None:
    details = {"version": "1.2.3", "Bad Key": 1, "nested": {"a": "b"}, "count": 7, "ready": True}
    server.reply = reply(body=json.dumps({"collections": [], "details": details}).encode())

    test = await fake_directory().test("server", config(server))

    assert test.details == {"model": "small", "points": 3, "count": 7, "ready": True}


async def test_a_provider_without_a_probe_is_opened_in_a_folder_of_its_own(tmp_path: Path) -> None:
    fake_providers.opened.clear()

    test = await fake_directory(tmp_path / "models").test("plain", {})

    assert test.success
    assert test.details == {"latency_ms": 1.5}
    [opening] = fake_providers.opened
    assert opening.models_dir == tmp_path / "models"
    assert not opening.download
    assert not opening.data_dir.exists()


async def test_a_provider_that_opens_but_is_down_is_no_success() -> None:
    test = await fake_directory().test("ill", {})

    assert said(test)[:2] == (False, "unknown")
    assert "words" not in (test.error or "")


async def test_an_unknown_provider_is_not_found() -> None:
    directory = fake_directory()

    for ask in (directory.schema, directory.health):
        with pytest.raises(NotFound, match="Available providers: "):
            await ask("nothing")
    with pytest.raises(NotFound):
        await directory.test("nothing", {})
    with pytest.raises(NotFound):
        await directory.test("server", {}, "rerankers")


async def test_a_broken_provider_is_reported_and_not_fatal() -> None:
    directory = fake_directory()

    with pytest.raises(Unavailable, match="cannot be loaded"):
        await directory.schema("missing")
    assert said(await directory.test("missing", {}))[:2] == (False, "invalid_config")
    assert (await directory.health("missing")).status == "not_configured"


async def test_a_provider_that_would_end_the_process_only_fails_its_test() -> None:
    test = await fake_directory().test("leaving", {"url": "http://127.0.0.1"})

    assert said(test)[:2] == (False, "unknown")


async def test_an_import_that_hangs_keeps_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left behind in one thread, however many ask, and holds up neither them nor the end."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow_plug_in.py").write_text(HANGING_IMPORT, "utf-8")
    slow = EntryPoint("slow", "slow_plug_in:PROVIDER", "sourcebook.embedders")
    around, keys = ConnectionScope(tmp_path), ServicePlaceholders()
    directory = Directory(Registry([slow]), around, keys, test_timeout_s=0.1, load_timeout_s=0.1)
    before = set(threading.enumerate())

    with pytest.raises(Unavailable, match="'slow' takes too long to load"):
        await directory.schema("slow")
    asked = await asyncio.gather(*(directory.test("slow", {}) for _ in range(20)))

    assert {said(test)[:2] for test in asked} == {(False, "timeout")}
    [left_behind] = set(threading.enumerate()) - before
    assert left_behind.daemon
    sys.modules["slow_plug_in"].GO_ON.set()
    await asyncio.to_thread(left_behind.join, 10)


async def test_one_id_may_stand_for_two_kinds() -> None:
    directory = fake_directory()

    assert (await directory.schema("plain")).card.kind == "vector_stores"
    assert (await directory.schema("plain", "embedders")).card.kind == "embedders"


@pytest.mark.spec("000 Provider Capabilities Declaration")
async def test_stores_declare_embeddings_while_a_model_is_in_use() -> None:
    in_use: dict[tuple[ProviderKind, str], ProviderInUse] = {
        ("embedders", "words"): ProviderInUse(Part())
    }
    directory = fake_directory(in_use=in_use)

    listed = {card.key: card.capabilities for card in directory.cards()}

    assert set(listed["vector_stores", "server"]) >= {
        "collections",
        "search",
        "embeddings",
        "metadata_filtering",
    }
    assert (await directory.schema("server")).card.capabilities == listed["vector_stores", "server"]
    assert listed["embedders", "words"] == ("embeddings",)


async def test_without_a_model_no_store_declares_embeddings() -> None:
    in_use: dict[tuple[ProviderKind, str], ProviderInUse] = {
        ("vector_stores", "server"): ProviderInUse(Part())
    }
    directory = fake_directory(in_use=in_use)

    stores = [card for card in directory.cards() if card.kind == "vector_stores"]

    assert not any("embeddings" in card.capabilities for card in stores)
    assert "embeddings" not in (await directory.schema("server")).card.capabilities


# Placeholders


async def test_a_key_of_the_service_is_sent_to_its_own_server(server: FarSide) -> None:
    directory = fake_directory(keys=(a_key(server),))

    test = await directory.test("server", config(server, api_key="${QDRANT_API_KEY}"))

    assert test.success
    assert f"api-key: {CANARY}".encode() in server.requests[0]
    assert CANARY not in repr(test)


async def test_a_key_of_the_service_is_sent_to_nobody_else(server: FarSide) -> None:
    async with far_side() as own:
        directory = fake_directory(keys=(a_key(own),))

        test = await directory.test("server", config(server, api_key="${QDRANT_API_KEY}"))

    assert said(test)[:2] == (False, "invalid_config")
    assert "only sent to the server that it belongs to" in (test.error or "")
    assert server.connections == 0


@pytest.mark.parametrize(
    "more",
    [
        {"api_key": "${HOME}"},
        {"api_key": "${PATH}"},
        {"api_key": "x${QDRANT_API_KEY}"},
        {"model": "${QDRANT_API_KEY}"},
        {"url": "http://127.0.0.1/${QDRANT_API_KEY}"},
        {"api_key": {"nested": "${QDRANT_API_KEY}"}},
        {"unknown": ["${QDRANT_API_KEY}"]},
    ],
)
async def test_no_other_placeholder_is_taken(
    server: FarSide, monkeypatch: pytest.MonkeyPatch, more: dict[str, JsonValue]
) -> None:
    monkeypatch.setenv("HOME", CANARY)
    directory = fake_directory(keys=(a_key(server),))

    test = await directory.test("server", {**config(server), **more})

    assert said(test)[:2] == (False, "invalid_config")
    assert CANARY not in repr(test)
    assert server.connections == 0


async def test_a_client_that_is_not_ours_gets_no_key_of_the_service(server: FarSide) -> None:
    fake_providers.opened.clear()
    directory = fake_directory(keys=(a_key(server),))

    test = await directory.test("own-client", config(server, api_key="${QDRANT_API_KEY}"))

    assert said(test)[:2] == (False, "invalid_config")
    assert fake_providers.opened == []


async def test_the_service_has_its_keys_for_the_servers_that_it_is_configured_for(
    tmp_path: Path,
) -> None:
    settings = load_settings(
        data_dir=tmp_path, qdrant_api_key=CANARY, qdrant_url="https://q.example", gemini_api_key="g"
    )
    directory = service_directory(settings, DataFolder(tmp_path), {})
    elsewhere = {"url": "https://evil.example:6333", "api_key": "${QDRANT_API_KEY}"}

    test = await directory.test("qdrant", elsewhere)
    unset = await directory.test("qdrant", {**elsewhere, "api_key": "${COHERE_API_KEY}"})

    assert said(test)[:2] == (False, "invalid_config")
    assert "belongs to" in (test.error or "")
    assert "Possible: ${QDRANT_API_KEY}, ${GEMINI_API_KEY}" in (unset.error or "")


async def test_the_operator_may_use_every_variable_and_every_private_host(server: FarSide) -> None:
    server.reply = reply(body=b'{"result": {"collections": [{"name": "book"}]}}')
    directory = operator_directory({"MY_KEY": CANARY, "MY_HOST": server.url})

    test = await directory.test("qdrant", {"url": "${MY_HOST}", "api_key": "${MY_KEY}"})

    assert test.collections == ("book",), test
    assert f"api-key: {CANARY}".encode() in server.requests[0]


async def test_the_operator_reaches_no_metadata_service() -> None:
    test = await operator_directory({}).test("qdrant", {"url": "http://169.254.169.254:80"})

    assert said(test)[:2] == (False, "network")
    assert "metadata service" in (test.error or "")


# Code


async def test_no_code_of_a_model_is_run_for_a_caller_over_http() -> None:
    fake_providers.opened.clear()
    strangers, operator = fake_directory(policy=STRANGER), fake_directory()

    refused = await strangers.test("code", {"trust_remote_code": True})

    assert said(refused)[:2] == (False, "invalid_config")
    assert fake_providers.opened == []
    assert (await strangers.test("code", {})).success
    assert (await operator.test("code", {"trust_remote_code": True})).success


# Secrets


@pytest.mark.parametrize("provider", ["server", "own-client", "crashing", "telling", "hanging"])
@pytest.mark.parametrize("echo", ["200 OK", f"401 {CANARY}", f"500 {CANARY}"])
async def test_a_secret_shows_up_nowhere(
    server: FarSide, monkeypatch: pytest.MonkeyPatch, provider: str, echo: str
) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    set_up_logging("debug", "json")
    body = json.dumps({"collections": [CANARY, "book"], "details": {"model": CANARY}}).encode()
    server.reply = reply(echo, body, f"X-Echo: {CANARY}")
    directory = fake_directory(test_timeout_s=0.5 if provider == "hanging" else 10.0)

    try:
        test = await directory.test(provider, config(server, api_key=CANARY))
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)

    assert CANARY not in repr(test)
    assert "provider_tested" in written.getvalue()
    assert CANARY not in written.getvalue()


def test_the_repr_of_a_key_holds_no_secret(server: FarSide) -> None:
    assert CANARY not in repr(a_key(server))


# Health


async def test_a_provider_that_is_not_in_use_is_not_configured() -> None:
    health = await fake_directory().health("server")

    assert (health.provider, health.kind, health.status) == (
        "server",
        "vector_stores",
        "not_configured",
    )


async def test_the_health_of_what_is_in_use_is_asked_for_now_and_then() -> None:
    clock, part, counted = FakeClock(), Part(), []

    async def count() -> int:
        counted.append(1)
        return 4

    in_use = {
        ("vector_stores", "server"): ProviderInUse(part, count, lambda: asyncio.sleep(0, 1_024))
    }
    directory = fake_directory(in_use=in_use, now_s=clock)  # type: ignore[arg-type]

    for _ in range(3):
        health = await directory.health("SERVER")
    part.health = ServiceHealth("down", message="no answer")
    clock.now_s += 6
    later = await directory.health("server")

    assert (health.status, health.latency_ms, health.error) == ("up", 1.5, None)
    assert (health.collection_count, health.storage_bytes) == (4, 1_024)
    assert (later.status, later.error) == ("down", "no answer")
    assert (part.checks, len(counted)) == (2, 2)


async def test_figures_that_cannot_be_had_are_left_out() -> None:
    async def fail() -> int:
        raise Unavailable("the ledger is away")

    in_use = {("vector_stores", "server"): ProviderInUse(Part(), fail, fail)}

    health = await fake_directory(in_use=in_use).health("server")  # type: ignore[arg-type]

    assert (health.status, health.collection_count, health.storage_bytes) == ("up", None, None)


async def test_without_a_kind_the_one_in_use_is_meant() -> None:
    in_use = {("embedders", "plain"): ProviderInUse(Part())}
    directory = fake_directory(in_use=in_use)  # type: ignore[arg-type]

    assert (await directory.health("plain")).kind == "embedders"
    assert (await directory.health("plain", "vector_stores")).status == "not_configured"


async def test_what_is_in_use_is_found_in_large_or_small_letters() -> None:
    entry = EntryPoint("Mixed-Case", "tests.fake_providers:PLAIN", "sourcebook.embedders")
    around, keys = ConnectionScope(Path("models")), ServicePlaceholders()
    in_use: dict[tuple[ProviderKind, str], ProviderInUse] = {
        ("embedders", "mixed-case"): ProviderInUse(Part())
    }
    directory = Directory(Registry([entry]), around, keys, in_use)

    assert (await directory.health("mixed-case")).status == "up"
    assert (await directory.health("Mixed-Case")).status == "up"
