"""One run of the benchmark: its amounts and its folder."""

from dataclasses import dataclass
from pathlib import Path

ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Run:
    """`quick` shows that everything works; its numbers are not to be quoted."""

    folder: Path
    quick: bool = False

    def amount(self, full: int, quick: int) -> int:
        return quick if self.quick else full
