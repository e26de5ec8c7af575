"""Probes run together, briefly, and not more often than needed."""

import asyncio

import pytest

from sourcebook.core import health_monitor as module
from sourcebook.core.health import ServiceHealth, ServiceLabel
from sourcebook.core.health_monitor import CACHE_TTL_S, STARTING_S, HealthMonitor, Probe
from tests.fakes import FakeClock


class Part:
    def __init__(self, *, hangs: bool = False) -> None:
        self.asked = 0
        self.hangs = hangs

    async def check(self) -> ServiceHealth:
        self.asked += 1
        if self.hangs:
            await asyncio.Event().wait()
        return ServiceHealth("up")


async def test_what_was_found_stays_fresh_for_a_while(clock: FakeClock) -> None:
    part = Part()
    monitor = HealthMonitor({"part": part}, now_s=clock)

    await asyncio.gather(*(monitor.report() for _ in range(10)))
    clock.now_s += CACHE_TTL_S - 1
    await monitor.report()
    asked_once = part.asked
    clock.now_s += 1
    await monitor.report()

    assert (asked_once, part.asked) == (1, 2)


async def test_a_part_that_hangs_is_down_and_the_others_are_not(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROBE_TIMEOUT_S", 0.01)
    monitor = HealthMonitor({"stuck": Part(hangs=True), "fine": Part()}, now_s=clock)
    clock.now_s += STARTING_S

    found = await monitor.report()

    assert {name: health.status for name, health in found.items()} == {
        "stuck": "down",
        "fine": "up",
    }


async def test_a_part_that_has_not_answered_yet_is_starting_for_a_while(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROBE_TIMEOUT_S", 0.01)
    part = Part(hangs=True)
    probe = Probe(part, clock)

    at_first = await probe.look()
    part.hangs = False
    answered = await probe.look()
    part.hangs = True
    later = await probe.look()

    assert (at_first.status, at_first.message) == ("degraded", "starting")
    assert answered.status == "up"
    assert (later.status, later.message) == ("down", "no answer within 0.01 s")


async def test_a_part_is_reported_with_what_stands_in_its_role(clock: FakeClock) -> None:
    class Broken(Part):
        async def check(self) -> ServiceHealth:
            return ServiceHealth("down", message="the key was refused")

    parts = {"cohere": Broken(), "qdrant": Part(), "redis": Part()}
    labels = {
        "cohere": ServiceLabel("openai", "OpenAI text-embedding-3-small"),
        "qdrant": ServiceLabel("mirror", "In-memory index on this machine"),
        "gemini": ServiceLabel("gemini", "not watched"),
    }

    found = await HealthMonitor(parts, labels, now_s=clock).report()

    assert {name: (one.provider, one.message) for name, one in found.items()} == {
        "cohere": ("openai", "OpenAI text-embedding-3-small: the key was refused"),
        "qdrant": ("mirror", "In-memory index on this machine"),
        "redis": (None, None),
    }


async def test_a_part_whose_check_raises_is_down_and_the_others_are_not(clock: FakeClock) -> None:
    class Rude(Part):
        async def check(self) -> ServiceHealth:
            raise ZeroDivisionError("a secret")

    found = await HealthMonitor({"rude": Rude(), "fine": Part()}, now_s=clock).report()

    assert (found["rude"].status, found["fine"].status) == ("down", "up")
    assert "secret" not in str(found["rude"].message)
