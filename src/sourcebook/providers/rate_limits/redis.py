"""Rate limits in Redis: an exact sliding window per caller, by the server's clock."""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.health import HealthTimer, ServiceHealth

log = logging.getLogger(__name__)

WINDOW_US = 60_000_000
# Requests wait for their count; nobody waits for a probe.
CALL_TIMEOUT_S = 0.1
PROBE_TIMEOUT_S = 2.0
PROBE_INTERVAL_S = 1.0
MAX_CONNECTIONS = 16
COUNTED = -1
SCRIPT = files(__package__).joinpath("sliding_window.lua")


class WindowsUnavailable(Unavailable):
    """Redis cannot be reached."""


@asynccontextmanager
async def open_redis_windows(
    url: str, installation: str, call_timeout_s: float = CALL_TIMEOUT_S
) -> AsyncIterator["RedisWindows"]:
    """Open this installation's windows. Redis may be unavailable now and come back later."""
    windows = RedisWindows(_connected(url, call_timeout_s), installation, call_timeout_s)
    probing = asyncio.create_task(windows.probe_forever())
    try:
        await windows.probe()
        yield windows
    finally:
        probing.cancel()
        with suppress(asyncio.CancelledError):
            await probing
        await windows.close()


class RedisWindows:
    """Sliding windows by name. Callers are stored as keyed hashes, never readable.

    A circuit breaker: after a failure no request waits for Redis until a background probe
    succeeds.
    """

    service = "redis"

    def __init__(self, redis: Redis, installation: str, call_timeout_s: float) -> None:
        self._redis = redis
        self._call_timeout_s = call_timeout_s
        self._script = redis.register_script(SCRIPT.read_text("utf-8"))
        self._key = hashlib.sha256(installation.encode()).digest()
        self._prefix = f"sourcebook:{self._hash('')[:12]}"
        self._unavailable = asyncio.Event()
        self._unavailable.set()
        self._logged = False

    def window(self, name: str) -> "RedisWindow":
        return RedisWindow(self, name)

    async def take(self, name: str, caller: str, at_most: int) -> float | None:
        """Count a call of the caller in a window; WindowsUnavailable."""
        if self._unavailable.is_set():
            raise WindowsUnavailable("Redis is not available")
        key = f"{self._prefix}:{name}:{self._hash(caller)}"
        call = secrets.token_hex(8)
        try:
            async with asyncio.timeout(self._call_timeout_s):
                wait_us = int(await self._script([key], [at_most, WINDOW_US, call]))
        except (RedisError, OSError, TimeoutError) as error:
            self._trip(error)
            raise WindowsUnavailable("Redis is not available") from error
        return None if wait_us == COUNTED else wait_us / 1_000_000

    async def check(self) -> ServiceHealth:
        """Probe Redis. Without it the service is degraded, not down."""
        timer = HealthTimer()
        if not await self.probe():
            return ServiceHealth(
                "degraded", message="not available; each process counts calls for itself"
            )
        return timer.report()

    async def probe(self) -> bool:
        """Return whether Redis answers; if so, it is used again."""
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                # A write, to an unused key: a read-only replica is of no use.
                await self._redis.unlink(f"{self._prefix}:knock")
        except (RedisError, OSError, TimeoutError) as error:
            self._trip(error)
            return False
        if self._logged:
            log.info("redis_back")
        self._logged = False
        self._unavailable.clear()
        return True

    async def probe_forever(self) -> None:
        """Probe Redis while it is unavailable."""
        while True:
            await asyncio.sleep(PROBE_INTERVAL_S)
            await self._unavailable.wait()
            await self.probe()

    async def close(self) -> None:
        """Close the connections."""
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self._redis.aclose()

    def _trip(self, error: BaseException) -> None:
        self._unavailable.set()
        if not self._logged:
            # Only the type: messages of drivers can hold addresses.
            log.warning("redis_away", extra={"reason": type(error).__name__})
        self._logged = True

    def _hash(self, caller: str) -> str:
        return hashlib.blake2b(caller.encode(), key=self._key, digest_size=16).hexdigest()


class RedisWindow:
    """A sliding window of 60 seconds."""

    def __init__(self, windows: RedisWindows, name: str) -> None:
        self._windows = windows
        self._name = name

    async def take(self, caller: str, at_most: int) -> float | None:
        """Count a call, or return the seconds to wait if `at_most` fell into the last 60 s."""
        return await self._windows.take(self._name, caller, at_most)


def _connected(url: str, call_timeout_s: float) -> Redis:
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=MAX_CONNECTIONS,
            timeout=call_timeout_s,
            socket_connect_timeout=PROBE_TIMEOUT_S,
            socket_timeout=PROBE_TIMEOUT_S,
            retry=Retry(
                NoBackoff(), 0
            ),  # a request that waits for a count has a timeout of its own
        )
    except ValueError:
        # The text holds a password, so it is not shown.
        raise ConfigurationError(
            "SOURCEBOOK_REDIS_URL is not a Redis URL; it looks like redis://:password@host:6379/0,"
            " or begins with rediss:// for TLS"
        ) from None
    return Redis.from_pool(pool)
