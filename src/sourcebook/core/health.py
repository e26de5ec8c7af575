"""Health checks: what a part of the service reports, and how long its check took."""

import time
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Condition: TypeAlias = Literal["up", "down", "degraded"]


@dataclass(frozen=True, slots=True)
class ServiceHealth:
    """What a probe of one part found. `message` never holds keys, paths or stacks."""

    status: Condition
    latency_ms: float | None = None
    message: str | None = None


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
