import base64
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from dulwich.repo import Repo
from dulwich.server import BackendRepo, DictBackend
from dulwich.web import make_wsgi_chain

from sourcebook.core.errors import SourceUnavailable
from sourcebook.providers.sources.git.source import GitSource
from tests.unit.providers.sources.git.repositories import BareRepository

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

KEY = "Basic " + base64.b64encode(b"me:hunter2").decode()


class Gate:
    """Lets those in who show the right key."""

    def __init__(self, inner: "WSGIApplication") -> None:
        self._inner = inner

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith("/page"):
            start_response("200 OK", [("Content-Type", "text/html")])
            return [b"<html>sign in</html>"]
        if environ["PATH_INFO"].startswith("/broken"):
            start_response("503 Service Unavailable", [("Content-Type", "text/plain")])
            return [b"hunter2"]
        if environ.get("HTTP_AUTHORIZATION") != KEY:
            start_response("401 Unauthorized", [("WWW-Authenticate", "Basic")])
            return []
        return self._inner(environ, start_response)


def gate(shared: Repo) -> Gate:
    repositories: dict[str, BackendRepo] = {"/book.git": shared}
    return Gate(make_wsgi_chain(DictBackend(repositories)))


class Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def repository(tmp_path: Path) -> BareRepository:
    return BareRepository(tmp_path / "book.git")


@pytest.fixture
def server(repository: BareRepository) -> Iterator[str]:
    with (
        Repo(str(repository.path)) as shared,
        make_server("127.0.0.1", 0, gate(shared), WSGIServer, Silent) as serving,
    ):
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield f"127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


async def contents(source: GitSource) -> dict[str, bytes]:
    async with source.open() as tree:
        return {file.path: await tree.read(file.path) for file in tree.listing.files}


@pytest.mark.spec("002 US2")
async def test_pushes_arrive_through_shallow_fetches(
    repository: BareRepository, server: str, tmp_path: Path
) -> None:
    source = GitSource(f"http://me:hunter2@{server}/book.git", None, "", tmp_path / "cache")
    for number in range(3):
        repository.push({"docs": {"a.md": f"a{number}", "b.md": "b"}})
        expected = {"docs/a.md": f"a{number}".encode(), "docs/b.md": b"b"}
        assert await contents(source) == await contents(source) == expected


@pytest.mark.parametrize(
    ("address", "path", "reason"),
    [
        ("me:wrong-hunter2@", "book.git", "refuses access"),
        ("", "book.git", "refuses access"),
        ("me:hunter2@", "other.git", "no git repository"),
        ("me:hunter2@", "page", "repository"),
        ("me:hunter2@", "broken", "did not answer as git does"),
    ],
)
async def test_a_refusal_says_why_and_shows_no_credentials(
    repository: BareRepository,
    server: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    address: str,
    path: str,
    reason: str,
) -> None:
    repository.push({"a.md": "x"})
    caplog.set_level("DEBUG")
    source = GitSource(f"http://{address}{server}/{path}", "main", "", tmp_path / "cache")
    with pytest.raises(SourceUnavailable, match=reason) as caught:
        await contents(source)
    assert "hunter2" not in caught.value.message
    assert "hunter2" not in caplog.text
    # A stack is for bugs, and this is a wrong address.
    failed = [one for one in caplog.records if one.message == "git_fetch_failed"]
    assert failed
    assert [one.exc_info for one in failed] == [None] * len(failed)
