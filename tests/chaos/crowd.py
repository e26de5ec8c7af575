"""A crowd of clients: they write over HTTP until the server is gone, and note what they did.

Every thread but the contenders owns its documents, so that it knows what it left behind.
"""

import itertools
import threading
import time
from collections.abc import Callable, Sequence

import httpx2

from tests.chaos import dice
from tests.chaos.checker import check_versions
from tests.chaos.client import HANG_S, Client, fresh, seen
from tests.chaos.history import History

LESSONS = "lessons"
SCRATCH = "scratch"
REPLACED = ("r0", "r1", "r2")  # always there, never deleted
CONTENDED = ("s0", "s1", "s2", "s3")
MAX_ROUNDS = 20_000


class Crowd:
    """Writers and readers, each a thread of its own."""

    def __init__(self, url: str, history: History, seed: int) -> None:
        self.problems: list[str] = []
        self.truncated = 0
        self._url = url
        self._history = history
        self._over = threading.Event()
        self._replacements = Replacements()
        works: Sequence[Callable[[Client], None]] = (
            *(Owner(f"w{n}", seed + n) for n in range(3)),
            *(Contender(seed + n) for n in range(10, 12)),
            Emptier(seed + 20),
            self._replacements.replace,
            self._replacements.read,
            self._replacements.search,
        )
        self._threads = [threading.Thread(target=self._repeat, args=(work,)) for work in works]

    def start(self) -> None:
        """Begin, once the documents that are only ever replaced are there."""
        with Client(self._url, self._history) as client:
            self._replacements.prepare(client)
        for thread in self._threads:
            thread.start()

    def wait_for(self, changes: int) -> None:
        """Wait until so many changes were confirmed."""
        end_s = time.monotonic() + HANG_S
        while self._history.confirmed < changes and not self.problems:
            assert time.monotonic() < end_s, "The server hangs"
            time.sleep(0.001)

    def end(self) -> None:
        """Ask for no more and wait for the last reply."""
        self._over.set()
        for thread in self._threads:
            thread.join(HANG_S)
            assert not thread.is_alive(), "A client hangs"

    def _repeat(self, work: Callable[[Client], None]) -> None:
        try:
            with Client(self._url, self._history) as client:
                for _ in range(MAX_ROUNDS):
                    if self._over.is_set():
                        return
                    work(client)
        except httpx2.TransportError as gone:
            # The server is gone. What it had begun to send may be cut only if it was killed.
            self.truncated += "complete message body" in str(gone)
        except AssertionError as problem:
            self.problems.append(str(problem))


class Owner:
    """Adds, replaces and deletes its own documents, several at a time."""

    def __init__(self, name: str, seed: int) -> None:
        self._ids = [f"{name}-{n}" for n in range(8)]
        self._random = dice(seed)

    def __call__(self, client: Client) -> None:
        """One change."""
        ids = self._random.sample(self._ids, self._random.randint(1, 4))
        if self._random.random() < 0.3:
            client.delete(LESSONS, ids)
        else:
            client.put(LESSONS, [fresh(id_) for id_ in ids])


class Contender:
    """Changes documents that another contender changes too."""

    def __init__(self, seed: int) -> None:
        self._random = dice(seed)

    def __call__(self, client: Client) -> None:
        """One change."""
        ids = self._random.sample(CONTENDED, 2)
        if self._random.random() < 0.3:
            client.delete(LESSONS, ids)
        else:
            client.put(LESSONS, [fresh(id_) for id_ in ids])


class Emptier:
    """Fills a collection of its own and empties it."""

    def __init__(self, seed: int) -> None:
        self._random = dice(seed)

    def __call__(self, client: Client) -> None:
        """One change."""
        if self._random.random() < 0.3:
            client.empty(SCRATCH)
        else:
            ids = self._random.sample([f"e{n}" for n in range(10)], 3)
            client.put(SCRATCH, [fresh(id_) for id_ in ids])


class Replacements:
    """Documents that are replaced all the time: a reader sees one version, old or new."""

    def __init__(self) -> None:
        self._turn = itertools.cycle(REPLACED)
        self._begun: dict[str, int] = {}
        self._confirmed: dict[str, int] = {}

    def prepare(self, client: Client) -> None:
        """Put the first versions."""
        for id_ in REPLACED:
            self._replace(client, id_)

    def replace(self, client: Client) -> None:
        """Put the next version of the next document."""
        self._replace(client, next(self._turn))

    def read(self, client: Client) -> None:
        """Read each document once."""
        for id_ in REPLACED:
            oldest = self._confirmed[id_]
            page = client.listed(LESSONS, id_)
            assert page["total"] == page["count"], f"{id_}: {page}"
            documents = [seen(document) for document in page["documents"]]
            check_versions(id_, documents, oldest, self._begun[id_])

    def search(self, client: Client) -> None:
        """Search for each document once."""
        for id_ in REPLACED:
            oldest = self._confirmed[id_]
            hits = client.found(LESSONS, id_)
            check_versions(id_, hits, oldest, self._begun[id_])

    def _replace(self, client: Client, id_: str) -> None:
        document = fresh(id_)
        version = document["metadata"]["version"]
        self._begun[id_] = version
        client.put(LESSONS, [document])
        self._confirmed[id_] = version
