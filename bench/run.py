"""One run of the benchmark: how much of everything, and where its files go."""

from dataclasses import dataclass
from pathlib import Path

ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Run:
    """`quick` shows that everything works; its numbers are not to be quoted."""

    folder: Path
    quick: bool = False

    def amount(self, full: int, quick: int) -> int:
        """How many of something."""
        return quick if self.quick else full
