"""Health checks: what a part of the service reports, and how long its check took."""

import time
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

Condition: TypeAlias = Literal["up", "down", "degraded"]


@dataclass(frozen=True, slots=True)
class ServiceHealth:
    """What a probe of one part found. `message` never holds keys, paths or stacks.

    `provider` is the id of what stands in the part's role.
    """

    status: Condition
    latency_ms: float | None = None
    message: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceLabel:
    """What stands in a role: the provider's id, and words for people."""

    provider: str | None
    description: str

    def put_on(self, health: ServiceHealth) -> ServiceHealth:
        """The same health, named; what is wrong comes after the name."""
        named = [self.description, *([] if health.message is None else [health.message])]
        return replace(health, provider=self.provider, message=": ".join(named))


class HealthTimer:
    """Times a health check, from when it is made until it reports."""

    def __init__(self) -> None:
        self._started_s = time.perf_counter()

    def report(self, status: Condition = "up", message: str | None = None) -> ServiceHealth:
        """Return this condition with the time that the check took."""
        return ServiceHealth(status, (time.perf_counter() - self._started_s) * 1000, message)


class Checkable(Protocol):
    """Anything that can say how it is doing, quickly and without cost."""

    async def check(self) -> ServiceHealth:
        """Probe once; never raise."""
        ...


class BuiltIn:
    """A part of this process that cannot be away."""

    async def check(self) -> ServiceHealth:
        """Report it up."""
        return ServiceHealth("up")
