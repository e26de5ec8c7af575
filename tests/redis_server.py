"""A real Redis for the tests, where one is installed."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.asyncio import Redis

START_TIMEOUT_S = 20.0
# One call for all of it: the contract lets time pass thousands of times.
OLDER = """
for _, key in ipairs(redis.call("KEYS", "sourcebook:*")) do
    for _, call in ipairs(redis.call("ZRANGE", key, 0, -1)) do
        redis.call("ZINCRBY", key, -ARGV[1], call)
    end
end
"""


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """A running server on a socket in that folder; its URL. Skips where Redis is not installed."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "redis.sock"
    command = [program, "--port", "0", "--unixsocket", str(place), "--dir", str(folder)]
    command += ["--save", "", "--appendonly", "no", "--daemonize", "no"]
    log = (folder / "redis.log").open("w", encoding="utf-8")
    with log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            _wait_until_ready(process, f"unix://{place}")
            yield f"unix://{place}"
        finally:
            process.kill()


async def make_older(url: str, by_us: int) -> None:
    """Let every call in every window be that much longer ago; in the future if negative."""
    async with Redis.from_url(url) as opened:
        client: Any = opened
        await client.execute_command("EVAL", OLDER, 0, by_us)


async def stored_in(url: str) -> list[bytes]:
    """Every key and every name of a call."""
    async with Redis.from_url(url) as opened:
        client: Any = opened
        keys = await client.execute_command("KEYS", "*")
        calls = [await client.execute_command("ZRANGE", key, 0, -1) for key in keys]
    return [*keys, *(call for some in calls for call in some)]


def _wait_until_ready(process: "subprocess.Popen[bytes]", url: str) -> None:
    end_s = time.monotonic() + START_TIMEOUT_S
    with redis.Redis.from_url(url) as client:
        while time.monotonic() < end_s and process.poll() is None:
            try:
                client.ping()
            except redis.ConnectionError:
                time.sleep(0.02)
            else:
                return
    raise AssertionError("Redis did not start")
