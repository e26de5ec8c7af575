"""Calls are counted for each client, and chats hold slots that always come back."""

import asyncio

import pytest
from fastapi import Request

from sourcebook.core.errors import TooManyRequests, Unavailable
from sourcebook.surfaces.rate_limits import (
    ClientAddresses,
    ConcurrencyLimit,
    FallbackWindow,
    MemoryWindow,
    RateLimit,
    client_network,
)
from tests.chaos import dice
from tests.fakes import FakeClock


async def hold(slots: ConcurrencyLimit, release: asyncio.Event) -> None:
    async with slots.slot():
        await release.wait()


async def settle() -> None:
    """Let everything that can go on go on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_as_many_are_in_at_once_as_there_are_slots() -> None:
    slots, release = ConcurrencyLimit(at_once=2), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(hold(slots, release))
        await settle()
        assert slots.taken == 2
        release.set()

    assert slots.taken == 0


async def test_whoever_waits_too_long_is_told_when_a_slot_must_be_free() -> None:
    slots, release = ConcurrencyLimit(at_once=1, timeout_s=0.01), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(hold(slots, release))
        await settle()
        with pytest.raises(TooManyRequests) as caught:
            await hold(slots, release)
        release.set()

    assert 29.0 < caught.value.retry_after_s <= 30.0


async def test_only_so_many_may_wait() -> None:
    slots, release = ConcurrencyLimit(at_once=1, max_waiting=2, timeout_s=60.0), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(hold(slots, release))
        await settle()
        with pytest.raises(TooManyRequests):
            await hold(slots, release)
        release.set()

    assert slots.taken == 0
    await hold(slots, release)


async def test_whoever_goes_away_leaves_the_queue() -> None:
    slots, release = ConcurrencyLimit(at_once=1, max_waiting=1, timeout_s=60.0), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(hold(slots, release))
        await settle()
        for _ in range(5):
            waiting = group.create_task(hold(slots, release))
            await settle()
            waiting.cancel()
            await settle()
        group.create_task(hold(slots, release))
        release.set()

    assert slots.taken == 0


async def test_cancelling_at_any_moment_loses_no_slot() -> None:
    slots, chance = ConcurrencyLimit(at_once=3, max_waiting=100, timeout_s=60.0), dice(8)
    for _ in range(200):
        release = asyncio.Event()
        tasks = [asyncio.create_task(hold(slots, release)) for _ in range(8)]
        for task in chance.sample(tasks, 5):
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            task.cancel()
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    release = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(hold(slots, release))
        await settle()
        assert slots.taken == 3
        release.set()


class SharedWindow:
    """What another process counts in too; it can be away, or far."""

    def __init__(self, clock: FakeClock) -> None:
        self.inner = MemoryWindow(clock)
        self.away = False
        self.way_s = 0.0
        self.asked = 0
        self._clock = clock

    async def take(self, caller: str, at_most: int) -> float | None:
        self.asked += 1
        if self.away:
            raise Unavailable("away")
        self._clock.now_s += self.way_s
        taken = await self.inner.take(caller, at_most)
        self._clock.now_s += self.way_s
        return taken


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def passing(window: FallbackWindow | MemoryWindow, calls: int, at_most: int = 10) -> int:
    return [await window.take("a", at_most) for _ in range(calls)].count(None)


async def test_no_limit_refuses_nobody_and_remembers_nobody() -> None:
    window = MemoryWindow()
    limit = RateLimit(0, window)
    for _ in range(1_000):
        await limit.count("a")

    assert len(window) == 0


async def test_who_is_refused_is_told_for_how_long(clock: FakeClock) -> None:
    limit = RateLimit(1, MemoryWindow(clock))
    await limit.count("a")
    clock.now_s += 20

    with pytest.raises(TooManyRequests, match="Only 1 requests a minute") as caught:
        await limit.count("a")

    assert caught.value.retry_after_s == 40


async def test_callers_are_forgotten_after_a_minute(clock: FakeClock) -> None:
    window = MemoryWindow(clock)
    for number in range(10_000):
        await window.take(str(number), 60)
    assert len(window) == 10_000
    clock.now_s += 60.0
    await window.take("another", 60)

    assert len(window) == 1


async def test_two_processes_together_let_in_no_more_than_one_may(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    one, other = (FallbackWindow(shared, MemoryWindow(clock)) for _ in range(2))

    assert await passing(one, 6) + await passing(other, 10) == 10


async def test_without_the_shared_window_each_process_counts_for_itself(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    one, other = (FallbackWindow(shared, MemoryWindow(clock)) for _ in range(2))
    shared.away = True

    assert await passing(one, 15) == 10
    assert await passing(other, 15) == 10


async def test_what_was_let_in_before_the_outage_counts_during_it(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    window = FallbackWindow(shared, MemoryWindow(clock))
    assert await passing(window, 7) == 7
    shared.away = True

    assert await passing(window, 10) == 3


async def test_what_was_let_in_during_the_outage_counts_after_it(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    window = FallbackWindow(shared, MemoryWindow(clock))
    shared.away = True
    assert await passing(window, 7) == 7
    shared.away = False

    assert await passing(window, 10) == 3
    clock.now_s += 60
    assert await passing(window, 15) == 10


async def test_whoever_is_over_the_limit_here_costs_no_call_elsewhere(clock: FakeClock) -> None:
    shared = SharedWindow(clock)
    window = FallbackWindow(shared, MemoryWindow(clock))
    await passing(window, 10)
    asked = shared.asked

    assert await passing(window, 100) == 0
    assert shared.asked == asked


async def test_a_slow_shared_window_does_not_make_the_time_said_too_short(
    clock: FakeClock,
) -> None:
    shared = SharedWindow(clock)
    window = FallbackWindow(shared, MemoryWindow(clock))
    shared.way_s = 5.0
    await passing(window, 2, at_most=2)
    shared.way_s = 0.0

    wait_s = await window.take("a", 2)
    assert wait_s is not None
    clock.now_s += wait_s

    assert await window.take("a", 2) is None


async def test_what_the_shared_window_refuses_is_not_counted_here(clock: FakeClock) -> None:
    shared, own = SharedWindow(clock), MemoryWindow(clock)
    await passing(shared.inner, 10)
    window = FallbackWindow(shared, own)

    assert await passing(window, 5) == 0
    assert len(own) == 0


PROXY = "10.0.0.1"
TRUSTED = ("10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.9")


def caller(peer: str | None, *forwarded: str, trusted: tuple[str, ...] = TRUSTED) -> str:
    scope = {
        "type": "http",
        "client": None if peer is None else (peer, 50_000),
        "headers": [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded],
    }
    return ClientAddresses(trusted).client_of(Request(scope))


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_caller_is_an_address_or_a_network(host: str, network: str) -> None:
    assert client_network(host) == network


def test_headers_of_strangers_are_not_believed() -> None:
    assert caller("198.51.100.7", "203.0.113.5") == "198.51.100.7"
    assert caller(PROXY, "203.0.113.5", trusted=()) == PROXY


@pytest.mark.parametrize(
    ("forwarded", "expected"),
    [
        ([], PROXY),
        ([""], PROXY),
        (["203.0.113.5"], "203.0.113.5"),
        (["1.1.1.1, 203.0.113.5"], "203.0.113.5"),
        (["1.1.1.1", "203.0.113.5"], "203.0.113.5"),
        (["203.0.113.5, 10.9.9.9 ,192.0.2.9"], "203.0.113.5"),
        (["203.0.113.5:4711"], "203.0.113.5"),
        (["[2001:db8:1:2::5]:4711"], "2001:db8:1:2::/64"),
        (["2001:db8:1:2::5"], "2001:db8:1:2::/64"),
        (["::ffff:203.0.113.5"], "203.0.113.5"),
        (["10.1.1.1, 10.2.2.2"], PROXY),
        (["203.0.113.5, unknown"], PROXY),
        (["203.0.113.5, "], PROXY),
        (["\xff\x00, ;;"], PROXY),
    ],
)
def test_behind_known_proxies_the_nearest_stranger_counts(
    forwarded: list[str], expected: str
) -> None:
    assert caller(PROXY, *forwarded) == expected


def test_a_proxy_is_known_in_either_notation() -> None:
    assert caller("::ffff:10.0.0.1", "203.0.113.5") == "203.0.113.5"
    assert caller("2001:db8:ffff::1", "203.0.113.5") == "203.0.113.5"


def test_a_connection_without_an_address_is_nobody() -> None:
    assert caller(None, "203.0.113.5") == ""


def is_local(
    peer: str | None, host: str = "localhost:8000", version: str = "1.1", **headers: str
) -> bool:
    given = {"host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "http_version": version,
        "client": None if peer is None else (peer, 50_000),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    return ClientAddresses(["127.0.0.9"]).is_local(Request(scope))


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:9", "[::1]", "[::1]:80"]
)
def test_a_program_on_this_machine_is_local(peer: str, host: str) -> None:
    assert is_local(peer, host)


@pytest.mark.parametrize("peer", ["192.0.2.1", "2001:db8::1", "testclient", None])
def test_nobody_else_is_local_whatever_they_say(peer: str | None) -> None:
    assert not is_local(peer)
    assert not is_local(peer, x_forwarded_for="127.0.0.1")


def test_whoever_comes_by_a_proxy_is_not_local() -> None:
    assert not is_local("127.0.0.1", x_forwarded_for="203.0.113.5")
    assert not is_local("127.0.0.1", x_forwarded_for="127.0.0.1")
    assert not is_local("127.0.0.1", forwarded="for=203.0.113.5")
    assert not is_local("127.0.0.1", x_real_ip="203.0.113.5")
    assert not is_local("127.0.0.1", via="1.1 proxy")
    # A proxy that adds no header, but passes the host on.
    assert not is_local("127.0.0.1", "book.example.org")
    # A proxy that adds nothing, but is known.
    assert not is_local("127.0.0.9")


def test_nginx_without_settings_is_not_local() -> None:
    assert not is_local("127.0.0.1", "127.0.0.1:8000", version="1.0", connection="close")


def test_a_page_of_another_site_is_not_local() -> None:
    assert is_local("127.0.0.1", origin="http://localhost:3000")
    assert not is_local("127.0.0.1", origin="https://book.example.org")
    assert not is_local("127.0.0.1", origin="null")
