"""How the parts of the service are doing."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Condition: TypeAlias = Literal["up", "down", "degraded"]


@dataclass(frozen=True, slots=True)
class ServiceHealth:
    """What a probe of one part found. `message` never holds keys, paths or stacks."""

    status: Condition
    latency_ms: float | None = None
    message: str | None = None
