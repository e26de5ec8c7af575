"""What a check of the doctor found."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was looked at, how it is, what was found, and what to do unless it is ok."""

    name: str
    status: Status
    found: str
    advice: str | None = None


def ok(name: str, found: str) -> CheckResult:
    return CheckResult(name, "ok", found)


def warning(name: str, found: str, advice: str) -> CheckResult:
    return CheckResult(name, "warning", found, advice)


def problem(name: str, found: str, advice: str | None = None) -> CheckResult:
    return CheckResult(name, "problem", found, advice)


def worst(results: Iterable[CheckResult]) -> Status:
    """Return the worst status; `ok` of nothing."""
    found = {result.status for result in results}
    return "problem" if "problem" in found else "warning" if "warning" in found else "ok"
