"""From a push to a git repository to the first search that finds what was pushed."""

import hashlib
import hmac
import json
import time
from pathlib import Path

from dulwich.objects import Blob, Commit, ShaFile, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from bench.book_servers import BookServer, book_server
from bench.pages import Page, read_pages
from bench.run import ROUNDS, Run
from bench.table import Goal, Row

SECRET = "the-secret-of-the-benchmark"  # noqa: S105 - of a server that ends with the measurement
SEARCH_TIMEOUT_S = 120
POLL_INTERVAL_S = 0.02
MAIN = Ref(b"refs/heads/main")
NEWS = "The lamplighter of round {} repairs the copper weathervane."


def measure(run: Run) -> list[Row]:
    """A page is added in each round."""
    pages = read_pages()[: run.amount(100, 10)]
    repository = run.folder / "book.git"
    Repo.init_bare(str(repository), mkdir=True).close()
    _push(repository, pages)
    with book_server(
        run.folder,
        SOURCEBOOK_DOCS_REPOSITORY=str(repository),
        SOURCEBOOK_DOCS_BRANCH="main",
        GITHUB_WEBHOOK_SECRET=SECRET,
    ) as server:
        server.ingest()
        taken_s = []
        for number in range(ROUNDS):
            pages = [*pages, _news(number)]
            started_s = time.perf_counter()
            _push(repository, pages)
            _tell(server, number)
            _wait_for(server, number)
            taken_s.append(time.perf_counter() - started_s)
    what = f"push to searchable, one new page beside {len(pages) - ROUNDS}"
    return [Row(what, taken_s, Goal("<=", SEARCH_TIMEOUT_S, "s"), "s")]


def _news(number: int) -> Page:
    text = f"---\ntitle: News {number}\n---\n\n## Today\n\n{NEWS.format(number)}\n"
    return Page(f"news-{number}.md", text)


def _push(repository: Path, pages: list[Page]) -> None:
    """Commit the pages as the whole tree; one folder, as only the paths' uniqueness matters."""
    tree, commit = Tree(), Commit()
    blobs: list[ShaFile] = []
    for page in pages:
        blob = Blob.from_string(page.text.encode())
        tree.add(page.path.replace("/", "-").encode(), 0o100644, blob.id)
        blobs.append(blob)
    commit.tree = tree.id
    commit.author = commit.committer = b"Bench <bench@example.org>"
    commit.author_time = commit.commit_time = int(time.time())
    commit.author_timezone = commit.commit_timezone = 0
    commit.message = b"Add a page"
    with Repo(str(repository)) as repo:
        commit.parents = [repo.refs[MAIN]] if MAIN in repo.refs else []
        for thing in [*blobs, tree, commit]:
            repo.object_store.add_object(thing)
        repo.refs[MAIN] = commit.id


def _tell(server: BookServer, number: int) -> None:
    """Send the delivery that GitHub would send, signed."""
    body = {"ref": MAIN.decode(), "deleted": False, "repository": {"default_branch": "main"}}
    signature = hmac.new(SECRET.encode(), json.dumps(body).encode(), hashlib.sha256).hexdigest()
    headers = {
        "X-Hub-Signature-256": f"sha256={signature}",
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": f"round-{number}",
    }
    server.server.post("/ingestion/webhook/github", body, headers)


def _wait_for(server: BookServer, number: int) -> None:
    news = NEWS.format(number)
    end_s = time.monotonic() + 2 * SEARCH_TIMEOUT_S
    while time.monotonic() < end_s:
        found = server.server.post("/search", {"query": news, "limit": 1})["results"]
        if found and news in found[0]["text"]:
            return
        time.sleep(POLL_INTERVAL_S)
    raise RuntimeError(f"What was pushed was not found within {2 * SEARCH_TIMEOUT_S} s")
