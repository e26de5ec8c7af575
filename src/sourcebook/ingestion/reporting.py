"""What a run says of itself while it works, and hears whether it should stop."""

from collections.abc import Iterable
from dataclasses import replace

from sourcebook.core.books import FileProblem
from sourcebook.core.jobs import Progress

MAX_WARNINGS = 1_000


class Cancelled(Exception):
    """Somebody asked the run to stop."""


class Report:
    """Progress and warnings of one run. Whoever keeps the lease reads it and sets `cancelled`."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress or Progress()
        self.cancelled = False
        self._warnings: dict[tuple[str, str], FileProblem] = {}

    @property
    def warnings(self) -> tuple[FileProblem, ...]:
        """What somebody should look at, in the order in which it was found."""
        return tuple(self._warnings.values())

    def add(self, **counts: int) -> None:
        """Count further."""
        changed = {name: getattr(self.progress, name) + more for name, more in counts.items()}
        self.progress = replace(self.progress, **changed)

    def found(self, chunks: int, done: int) -> None:
        """Say how many chunks there are, and how many of them need no work any more."""
        self.progress = replace(self.progress, chunks_found=chunks, chunks_created=done)

    def at(self, file: str | None) -> None:
        """Say which file it is at, and stop here if that was asked for."""
        if self.cancelled:
            raise Cancelled
        self.progress = replace(self.progress, current_file=file)

    def warn(self, problems: Iterable[FileProblem]) -> None:
        """Note problems, each once."""
        for problem in problems:
            if len(self._warnings) < MAX_WARNINGS:
                self._warnings.setdefault((problem.path, problem.message), problem)
