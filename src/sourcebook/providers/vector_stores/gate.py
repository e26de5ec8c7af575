"""A gate: many callers may be inside at once, and closing waits until the last has left."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sourcebook.core.errors import RetrievalUnavailable

CLOSE_TIMEOUT_S = 60.0


class Gate:
    """Held by threads, not tasks: a cancelled task leaves its thread running."""

    def __init__(self, refusal: str) -> None:
        self._refusal = refusal
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    @contextmanager
    def pass_through(self) -> Iterator[None]:
        """Be inside for a while; refused once the gate is closing."""
        with self._changed:
            if self._closed:
                raise RetrievalUnavailable(self._refusal)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Let nobody in any more and wait for those inside."""
        with self._changed:
            self._closed = True
            if not self._changed.wait_for(lambda: self._inside == 0, timeout_s):
                raise RetrievalUnavailable(f"{self._refusal}, but calls are still running")
