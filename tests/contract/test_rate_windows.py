"""Every window that calls are counted in does the same."""

import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sourcebook.providers.rate_limits.redis import open_redis_windows
from sourcebook.providers.rate_limits.sqlite import open_sqlite_windows
from sourcebook.surfaces.rate_limits import FallbackWindow, MemoryWindow
from tests.contract.rate_window_contract import RateWindowContract, WatchedWindow
from tests.fakes import FakeClock
from tests.redis_server import make_older, redis_server

# A machine that has much to do must not make a window look away.
PATIENT_S = 30.0


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    # Not in the test's own folder: the path of a socket must be short.
    with tempfile.TemporaryDirectory() as folder, redis_server(Path(folder)) as url:
        yield url


class RedisTime:
    """Time that passes in Redis because every call in it is made older."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._passed_s = 0.0

    def now_s(self) -> float:
        return time.time() + self._passed_s

    async def let_pass(self, seconds: float) -> None:
        # Whole microseconds, as Redis counts them; never less than was asked for.
        older_us = int(seconds * 1_000_000) + 1
        await make_older(self._url, older_us)
        self._passed_s += older_us / 1_000_000


class TestMemoryWindow(RateWindowContract):
    steps = 20_000

    @pytest.fixture
    def watched(self) -> WatchedWindow:
        clock = FakeClock()

        async def let_pass(seconds: float) -> None:
            clock.now_s += seconds

        return WatchedWindow(MemoryWindow(clock), clock, let_pass)


class TestRedisWindow(RateWindowContract):
    @pytest.fixture
    async def watched(self, redis_url: str) -> AsyncIterator[WatchedWindow]:
        now = RedisTime(redis_url)
        async with open_redis_windows(redis_url, uuid.uuid4().hex, PATIENT_S) as windows:
            yield WatchedWindow(windows.window("chats"), now.now_s, now.let_pass)


class TestSqliteWindow(RateWindowContract):
    @pytest.fixture
    async def watched(self, tmp_path: Path) -> AsyncIterator[WatchedWindow]:
        clock = FakeClock()

        async def let_pass(seconds: float) -> None:
            clock.now_s += seconds

        # As another worker has it open.
        async with (
            open_sqlite_windows(tmp_path / "windows.db", "i", clock),
            open_sqlite_windows(tmp_path / "windows.db", "i", clock) as windows,
        ):
            yield WatchedWindow(windows.window("chats"), clock, let_pass)


class TestFallbackWindowOnRedis(RateWindowContract):
    @pytest.fixture
    async def watched(self, redis_url: str) -> AsyncIterator[WatchedWindow]:
        now = RedisTime(redis_url)
        async with open_redis_windows(redis_url, uuid.uuid4().hex, PATIENT_S) as windows:
            window = FallbackWindow(windows.window("chats"), MemoryWindow(now.now_s))
            yield WatchedWindow(window, now.now_s, now.let_pass)
