"""Self-tests of a book: questions made from its lessons, and whether a search still finds them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

# Of those that were checked; the other probes are `unchecked`.
ProbeState: TypeAlias = Literal["found", "lost", "never_found", "unchecked"]
ProbeCounts: TypeAlias = Mapping[ProbeState, int]


@dataclass(frozen=True, slots=True)
class Check:
    """When a search was tried (Unix seconds), and at which commit of a book in git."""

    at_s: float
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """A question that a search should answer with a certain lesson.

    `checked` if it was tried on the book as it is now. `found` is the last time that the lesson was
    found, and `missed` the first time since that it was not.
    """

    document_id: str
    path: str
    question: str
    checked: bool = False
    found: Check | None = None
    missed: Check | None = None

    @property
    def state(self) -> ProbeState:
        if not self.checked:
            return "unchecked"
        if self.missed is None:
            return "found"
        return "never_found" if self.found is None else "lost"

    @property
    def lost(self) -> bool:
        """True if it was found once, and not when it was last tried."""
        return self.found is not None and self.missed is not None

    def tried(self, check: Check, *, found: bool) -> "Probe":
        """Return the probe with the result of a search."""
        if found:
            return replace(self, checked=True, found=check, missed=None)
        return replace(self, checked=True, missed=self.missed or check)


@dataclass(frozen=True, slots=True)
class SelfTestReport:
    """What a self-test found: how many probes are in each state, and which are lost.

    `newly_lost` were found by the test before. `note` says why some are unchecked.
    """

    check: Check
    counts: ProbeCounts
    newly_lost: tuple[Probe, ...] = ()
    still_lost: tuple[Probe, ...] = ()
    note: str | None = None

    @property
    def lost(self) -> tuple[Probe, ...]:
        """All that are named, the newly lost first."""
        return (*self.newly_lost, *self.still_lost)


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The latest self-test of a book, in the collection of that name, and its probes.

    `book_state` is a hash of everything that the result depends on.
    """

    collection: str
    book_id: str
    book_state: str
    check: Check
    probes: tuple[Probe, ...]
    note: str | None = None

    @property
    def finished(self) -> bool:
        return all(probe.checked for probe in self.probes)

    def report(self) -> SelfTestReport:
        """Summarize the test."""
        lost = [probe for probe in self.probes if probe.state == "lost"]
        counts: dict[ProbeState, int] = dict.fromkeys(
            ("found", "lost", "never_found", "unchecked"), 0
        )
        for probe in self.probes:
            counts[probe.state] += 1
        return SelfTestReport(
            check=self.check,
            counts=counts,
            newly_lost=tuple(probe for probe in lost if probe.missed == self.check),
            still_lost=tuple(probe for probe in lost if probe.missed != self.check),
            note=self.note,
        )
