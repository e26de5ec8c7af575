"""Counting in Redis: several processes, nothing readable, and a server that goes away."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.rate_limits.redis import (
    WindowsUnavailable,
    open_redis_windows,
)
from tests.redis_server import make_older, redis_server, stored_in

# A machine that has much to do must not make Redis look away.
PATIENT_S = 30.0


@pytest.fixture
def folder() -> Iterator[Path]:
    # Not in the test's own folder: the path of a socket must be short.
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@asynccontextmanager
async def silent_server() -> AsyncIterator[tuple[str, list[bytes]]]:
    """Takes connections and never answers; its URL, and what it was sent."""
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            heard.append(data)
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"redis://127.0.0.1:{port}", heard


async def test_processes_share_a_window(folder: Path) -> None:
    with redis_server(folder) as url:
        async with (
            open_redis_windows(url, "i", PATIENT_S) as one,
            open_redis_windows(url, "i", PATIENT_S) as other,
        ):
            takes = [w.window("chats").take("a", 60) for w in (one, other) for _ in range(50)]

            assert (await asyncio.gather(*takes)).count(None) == 60


async def test_windows_and_installations_are_kept_apart(folder: Path) -> None:
    with redis_server(folder) as url:
        async with (
            open_redis_windows(url, "i", PATIENT_S) as one,
            open_redis_windows(url, "j", PATIENT_S) as other,
        ):
            for windows, name in ((one, "chats"), (one, "searches"), (other, "chats")):
                assert await windows.window(name).take("a", 1) is None
                assert await windows.window(name).take("a", 1) is not None


async def test_no_caller_can_be_read_in_redis_and_none_stays(folder: Path) -> None:
    with redis_server(folder) as url:
        async with open_redis_windows(url, "i", PATIENT_S) as windows:
            await windows.window("chats").take("203.0.113.7", 60)

        stored = await stored_in(url)
        async with Redis.from_url(url) as client:
            left_ms = await client.pttl(stored[0])
    assert len(stored) == 2
    assert not any(b"203.0.113.7" in name for name in stored)
    assert 0 < left_ms <= 60_000


async def test_a_clock_that_was_set_back_locks_nobody_out(folder: Path) -> None:
    with redis_server(folder) as url:
        async with open_redis_windows(url, "i", PATIENT_S) as windows:
            window = windows.window("chats")
            await window.take("a", 1)
            await make_older(url, -3_600_000_000)

            assert await window.take("a", 1) is None


async def test_a_lower_limit_counts_what_was_let_in_before(folder: Path) -> None:
    with redis_server(folder) as url:
        async with open_redis_windows(url, "i", PATIENT_S) as windows:
            window = windows.window("chats")
            for _ in range(10):
                await window.take("a", 10)

            assert await window.take("a", 3) is not None


async def test_a_redis_that_comes_back_is_used_again(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with redis_server(folder) as url:
        opening = open_redis_windows(url, "i", PATIENT_S)
        windows = await opening.__aenter__()
        assert await windows.window("chats").take("a", 1) is None
        assert (await windows.check()).status == "up"

    for _ in range(3):
        with pytest.raises(WindowsUnavailable):
            await windows.window("chats").take("a", 1)
    assert (await windows.check()).status == "degraded"

    with redis_server(folder):
        assert await windows.probe()
        assert await windows.window("chats").take("a", 1) is None
        assert (await windows.check()).status == "up"
        await opening.__aexit__(None, None, None)
    told = [record.message for record in caplog.records if record.message.startswith("redis_")]
    assert told == ["redis_away", "redis_back"]


async def test_a_redis_that_never_answers_is_asked_once_and_then_left_alone() -> None:
    async with silent_server() as (url, heard), open_redis_windows(url, "i") as windows:
        asked = len(heard)
        for _ in range(100):
            with pytest.raises(WindowsUnavailable):
                await windows.window("chats").take("a", 1)

        assert len(heard) == asked
        assert (await windows.check()).status == "degraded"


async def test_no_redis_at_all_is_no_reason_not_to_start(folder: Path) -> None:
    async with open_redis_windows(f"unix://{folder}/nobody", "i") as windows:
        health = await windows.check()

    assert health.status == "degraded"
    assert str(folder) not in (health.message or "")


async def test_what_is_no_redis_url_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigurationError, match="SOURCEBOOK_REDIS_URL") as caught:
        async with open_redis_windows("http://:canary-password@host", "i"):
            pass

    assert "canary-password" not in caught.value.message
