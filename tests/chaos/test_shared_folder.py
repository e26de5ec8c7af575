"""Two writers and four readers, processes on one folder that are killed: whole versions only."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx2

from tests.chaos import LONG, dice
from tests.chaos.checker import check_versions
from tests.chaos.client import Client, fresh, seen
from tests.chaos.crowd import LESSONS
from tests.chaos.history import History
from tests.e2e.processes import Server, run, serving

DURATION_S = 60.0 if LONG else 12.0
WRITERS, READERS = 2, 4
DOCUMENTS = 3
RESTART_WAIT_S = 0.05


class Replaceable:
    """A server on the folder that can be killed and started again."""

    def __init__(self, serve: tuple[str, ...], cwd: Path) -> None:
        self._serve, self._cwd = serve, cwd
        self._running = ExitStack()
        self._server: Server | None = None
        cwd.mkdir()

    @property
    def url(self) -> str:
        assert self._server is not None
        return self._server.url

    def start(self) -> None:
        self._server = self._running.enter_context(serving(*self._serve, cwd=self._cwd))

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self._server is not None
        self._server.kill()
        self._running.close()

    def close(self) -> None:
        self._running.close()


class Shelf:
    """The documents of one writer: which version was begun and which was confirmed."""

    def __init__(self, name: str) -> None:
        self.ids = [f"{name}{n}" for n in range(DOCUMENTS)]
        self.begun = dict.fromkeys(self.ids, 0)
        self.confirmed = dict.fromkeys(self.ids, 0)

    def write(self, client: Client) -> None:
        """Replace each document once."""
        for id_ in self.ids:
            document = fresh(id_)
            self.begun[id_] = document["metadata"]["version"]
            client.put(LESSONS, [document])
            self.confirmed[id_] = self.begun[id_]

    def read(self, client: Client) -> None:
        """List and search each document once: one version, none older than what was confirmed."""
        for id_ in self.ids:
            oldest = self.confirmed[id_]
            listed = [seen(one) for one in client.listed(LESSONS, id_)["documents"]]
            check_versions(id_, listed, oldest, self.begun[id_])
            oldest = self.confirmed[id_]
            check_versions(id_, client.found(LESSONS, id_), oldest, self.begun[id_])


class Crew:
    """Threads that each ask one server until all is over, and wait while that one is gone."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.problems: list[str] = []
        self.done = [0] * (WRITERS + READERS)
        self._threads: list[threading.Thread] = []

    def add(self, number: int, server: Replaceable, work: Callable[[Client], None]) -> None:
        thread = threading.Thread(target=self._repeat, args=(number, server, work))
        self._threads.append(thread)
        thread.start()

    def end(self) -> None:
        self.over.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, number: int, server: Replaceable, work: Callable[[Client], None]) -> None:
        while not self.over.is_set():
            try:
                with Client(server.url, History()) as client:
                    while not self.over.is_set():
                        work(client)
                        self.done[number] += 1
            except httpx2.TransportError:
                time.sleep(RESTART_WAIT_S)
            except AssertionError as problem:
                self.problems.append(str(problem))
                return


def test_readers_see_whole_versions_while_processes_write_and_die(
    tmp_path: Path, serve: tuple[str, ...]
) -> None:
    data = str(tmp_path / "data")
    servers = [
        Replaceable((*serve, "--data-dir", data), tmp_path / f"process-{number}")
        for number in range(WRITERS + READERS)
    ]
    shelves = [Shelf(f"w{number}-") for number in range(WRITERS)]
    crew, chance, kills = Crew(), dice(0), 0
    with ExitStack() as running:
        for server in servers:
            running.callback(server.close)
            server.start()
        with Client(servers[0].url, History()) as client:
            client.create(LESSONS)
            for shelf in shelves:
                shelf.write(client)
        running.callback(crew.end)
        for number, server in enumerate(servers):
            # The reader of a shelf may ask any server.
            shelf = shelves[number % WRITERS]
            crew.add(number, server, shelf.write if number < WRITERS else shelf.read)
        end_s = time.monotonic() + DURATION_S
        while time.monotonic() < end_s and not crew.problems:
            time.sleep(chance.uniform(0.0, 0.5))
            victim = chance.choice(servers)
            victim.kill()
            kills += 1
            victim.start()
        crew.end()

        assert crew.problems == []
        assert all(crew.done)
        for server in servers:
            with Client(server.url, History()) as client:
                for shelf in shelves:
                    shelf.read(client)
    assert kills
    assert run("verify", "--data-dir", data, cwd=tmp_path).code == 0
