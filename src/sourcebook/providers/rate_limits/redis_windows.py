"""Windows in Redis: an exact sliding window for each caller, by the clock of the server."""

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.health import ServiceHealth

log = logging.getLogger(__name__)

WINDOW_US = 60_000_000
# A request waits this long for its count at most; a knock, which nobody waits for, longer.
CALL_LIMIT_S = 0.1
KNOCK_LIMIT_S = 2.0
KNOCK_EVERY_S = 1.0
CONNECTIONS = 16
COUNTED = -1
SCRIPT = files(__package__).joinpath("sliding_window.lua")


class WindowsAway(Unavailable):
    """The shared windows cannot be reached."""


@asynccontextmanager
async def open_redis_windows(
    url: str, installation: str, call_limit_s: float = CALL_LIMIT_S
) -> AsyncIterator["RedisWindows"]:
    """Windows of this installation. Redis may be away now and come later, and go again."""
    windows = RedisWindows(_connected(url, call_limit_s), installation, call_limit_s)
    knocking = asyncio.create_task(windows.knock_for_ever())
    try:
        await windows.knock()
        yield windows
    finally:
        knocking.cancel()
        with suppress(asyncio.CancelledError):
            await knocking
        await windows.close()


class RedisWindows:
    """Gives out windows by name. Callers are stored as keyed hashes, never readable.

    After a failure nobody waits for Redis until a knock beside the requests finds it again.
    """

    def __init__(self, redis: Redis, installation: str, call_limit_s: float) -> None:
        self._redis = redis
        self._call_limit_s = call_limit_s
        self._script = redis.register_script(SCRIPT.read_text("utf-8"))
        self._key = hashlib.sha256(installation.encode()).digest()
        self._prefix = f"sourcebook:{self._hash('')[:12]}"
        self._away = asyncio.Event()
        self._away.set()
        self._told = False

    def window(self, name: str) -> "RedisWindow":
        """The window of that name."""
        return RedisWindow(self, name)

    async def take(self, name: str, caller: str, at_most: int) -> float | None:
        """Count a call of that caller in that window; WindowsAway."""
        if self._away.is_set():
            raise WindowsAway("Redis is not available")
        key = f"{self._prefix}:{name}:{self._hash(caller)}"
        call = secrets.token_hex(8)
        try:
            async with asyncio.timeout(self._call_limit_s):
                wait_us = int(await self._script([key], [at_most, WINDOW_US, call]))
        except (RedisError, OSError, TimeoutError) as error:
            self._lose(error)
            raise WindowsAway("Redis is not available") from error
        return None if wait_us == COUNTED else wait_us / 1_000_000

    async def check(self) -> ServiceHealth:
        """Ask for a sign of life. Without Redis there is less, not nothing."""
        started_s = time.perf_counter()
        if not await self.knock():
            return ServiceHealth(
                "degraded", message="not available; each process counts calls for itself"
            )
        return ServiceHealth("up", latency_ms=(time.perf_counter() - started_s) * 1000)

    async def knock(self) -> bool:
        """Tell whether Redis answers; from then on it is used again."""
        try:
            async with asyncio.timeout(KNOCK_LIMIT_S):
                # A write to a key of nobody's: a replica that only reads is of no use.
                await self._redis.unlink(f"{self._prefix}:knock")
        except (RedisError, OSError, TimeoutError) as error:
            self._lose(error)
            return False
        if self._told:
            log.info("redis_back")
        self._told = False
        self._away.clear()
        return True

    async def knock_for_ever(self) -> None:
        """Knock while Redis is away."""
        while True:
            await asyncio.sleep(KNOCK_EVERY_S)
            await self._away.wait()
            await self.knock()

    async def close(self) -> None:
        """Close the connections."""
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(KNOCK_LIMIT_S):
                await self._redis.aclose()

    def _lose(self, error: BaseException) -> None:
        self._away.set()
        if not self._told:
            # Only the kind: what drivers say can hold addresses.
            log.warning("redis_away", extra={"reason": type(error).__name__})
        self._told = True

    def _hash(self, caller: str) -> str:
        return hashlib.blake2b(caller.encode(), key=self._key, digest_size=16).hexdigest()


class RedisWindow:
    """One window of them."""

    def __init__(self, windows: RedisWindows, name: str) -> None:
        self._windows = windows
        self._name = name

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, unless `at_most` fell into the last 60 s: then how long to wait."""
        return await self._windows.take(self._name, caller, at_most)


def _connected(url: str, call_limit_s: float) -> Redis:
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=call_limit_s,
            socket_connect_timeout=KNOCK_LIMIT_S,
            socket_timeout=KNOCK_LIMIT_S,
            retry=Retry(NoBackoff(), 0),  # whoever waits for a count has a limit of its own
        )
    except ValueError:
        # The text holds a password, so it is not shown.
        raise ConfigurationError(
            "SOURCEBOOK_REDIS_URL is not a Redis URL; it looks like redis://:password@host:6379/0,"
            " or begins with rediss:// for TLS"
        ) from None
    return Redis.from_pool(pool)
