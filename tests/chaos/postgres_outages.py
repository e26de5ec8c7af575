"""A Postgres that goes away when told to: stopped, or frozen so that it hangs."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.postgres import postgres_server


class GoingPostgres:
    """A server of its own; its URL stays the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running = ExitStack()
        self._frozen: list[int] = []
        self.url = ""

    def start(self) -> None:
        """Run, with all that was written before."""
        self.url = self._running.enter_context(postgres_server(self._folder))

    def stop(self) -> None:
        """End all connections and the server."""
        self.thaw()
        self._running.close()

    def freeze(self) -> None:
        """Answer nobody any more: connections stay open, and new ones are not taken."""
        postmaster = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        # The first must stop first, or it would go on making others.
        os.kill(postmaster, signal.SIGSTOP)
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text()
        self._frozen = [postmaster, *map(int, children.split())]
        for process in self._frozen:
            os.kill(process, signal.SIGSTOP)

    def thaw(self) -> None:
        """Go on from where it was."""
        for process in reversed(self._frozen):
            os.kill(process, signal.SIGCONT)
        self._frozen = []


@contextmanager
def going_postgres(folder: Path) -> Iterator[GoingPostgres]:
    """A server that runs, until told otherwise."""
    server = GoingPostgres(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
