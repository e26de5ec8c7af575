"""Pushes that are told twice, out of order or never: in the end the index is the last commit."""

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from pathlib import Path

import httpx2
import pytest

from tests.chaos import LONG, dice
from tests.chaos.administrator import HANG_S, Administrator
from tests.chaos.leftovers import left_behind
from tests.chaos.manuscript import BOOK, CHAPTER, Manuscript
from tests.chaos.readership import differences
from tests.e2e.processes import Server, serving
from tests.unit.providers.sources.git.repositories import BareRepository, Entries

COMMITS = 100 if LONG else 10
KILLS = 10 if LONG else 1
REPLAYS = 5
LOST = 0.3
SECRET = "what GitHub and we know"
MODULE, CHAPTER_NAME = CHAPTER.split("/")
# Looks that find something while a job is still at it, and jobs that were coming when it died.
A_FEW = 4


class Author:
    """Pushes a commit for every edit, and knows what each of them holds."""

    def __init__(self, folder: Path) -> None:
        self._book = Manuscript(folder / "draft", seed=3)
        self._book.begin()
        self._repository = BareRepository(folder / "book.git")
        self.url = str(self._repository.path)
        self.commits: list[str] = []
        self.push()

    @property
    def files(self) -> Mapping[str, str]:
        return self._book.files()

    def push(self) -> str:
        """Commit the book as it is, after another edit; the commit's id."""
        self._book.edit()
        chapter: Entries = {Path(path).name: text for path, text in self.files.items()}
        self.commits.append(self._repository.push({MODULE: {CHAPTER_NAME: chapter}}))
        return self.commits[-1]


def deliver(server: Server, commit: str) -> None:
    """Tell of a push as GitHub does."""
    body = json.dumps(
        {"ref": "refs/heads/main", "after": commit, "repository": {"default_branch": "main"}}
    ).encode()
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    reply = server.client.post(
        "/ingestion/webhook/github",
        content=body,
        headers={
            "Content-Type": "application/json",
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": f"delivery-{commit}",
            "X-Hub-Signature-256": f"sha256={signature}",
        },
    )
    assert reply.status_code in {200, 202}, reply.text


def wait_for_commit(client: httpx2.Client, commit: str) -> None:
    end_s = time.monotonic() + HANG_S
    while (found := client.get("/info").json()["indexed_commit"]) != commit:
        assert time.monotonic() < end_s, f"{commit} was pushed; the index stays at {found}"
        time.sleep(0.05)


def environment(author: Author, reconcile_minutes: float) -> dict[str, str]:
    return {
        "SOURCEBOOK_DOCS_REPOSITORY": author.url,
        "GITHUB_WEBHOOK_SECRET": SECRET,
        "BOOK_ID": BOOK,
        "SOURCEBOOK_RECONCILE_MINUTES": str(reconcile_minutes),
    }


@pytest.mark.spec("002 US4.1")
def test_replayed_shuffled_and_lost_deliveries_end_in_the_last_commit(
    tmp_path: Path, serve: tuple[str, ...]
) -> None:
    serve = (*serve, "--data-dir", "data")
    data = tmp_path / "data"
    author = Author(tmp_path)
    chance = dice(5)
    waiting: list[str] = []
    delivered: set[str] = set()

    # Nobody looks by himself at first, so that a delivery which was answered must be enough.
    for _ in range(KILLS):
        with serving(*serve, cwd=tmp_path, env=environment(author, 0)) as server:
            for _ in range(COMMITS // KILLS):
                commit = author.push()
                if chance.random() >= LOST:
                    waiting += [commit] * REPLAYS
                chance.shuffle(waiting)
                for _ in range(min(len(waiting), chance.randint(0, REPLAYS))):
                    delivered.add(waiting[-1])
                    deliver(server, waiting.pop())
            promised = author.push()
            deliver(server, promised)
            delivered.add(promised)
            server.kill()
        assert left_behind(data).problems == []

    with serving(*serve, cwd=tmp_path, env=environment(author, 0)) as server:
        admin = Administrator(server, data)
        wait_for_commit(server.client, promised)
        assert differences(server.client, author.files) == []
        delivered.update(waiting)
        for commit in waiting:
            deliver(server, commit)
        admin.wait_for_the_end()
        assert len(admin.jobs()) <= len(delivered)
        assert server.stop() == 0

    never_told = author.push()
    with serving(*serve, cwd=tmp_path, env=environment(author, 0.02)) as server:
        admin = Administrator(server, data)
        wait_for_commit(server.client, never_told)
        never_told = author.push()
        wait_for_commit(server.client, never_told)
        admin.wait_for_the_end()
        jobs = admin.jobs()
        assert differences(server.client, author.files) == []
        assert {job["trigger"] for job in jobs} == {"webhook", "reconcile"}
        assert len(jobs) <= len(author.commits) + A_FEW
        assert server.stop() == 0
    assert left_behind(data).problems == []
