"""A git server cannot send us to another server, which perhaps only this machine can reach."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class GitServer:
    """Serves a repository as /book.git; what was asked for as /moved.git is at `moved_to`."""

    def __init__(self, repository: Repo) -> None:
        repositories: dict[str, BackendRepo] = {"/book.git": repository}
        self._git = make_wsgi_chain(DictBackend(repositories))
        self.asked: list[str] = []
        self.moved_to = ""

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        path, query = environ["PATH_INFO"], environ["QUERY_STRING"]
        self.asked.append(path)
        prefix, _, rest = path.partition("/moved.git")
        if rest and not prefix:
            location = f"{self.moved_to}{rest}?{query}"
            start_response("301 Moved Permanently", [("Location", location)])
            return []
        return self._git(environ, start_response)


class _Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(app: GitServer) -> Iterator[str]:
    with make_server("127.0.0.1", 0, app, WSGIServer, _Silent) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repo]:
    made = BareRepository(tmp_path / "book.git")
    made.push({"a.md": "x"})
    with Repo(str(made.path)) as opened:
        yield opened


async def files(url: str, cache: Path) -> list[str]:
    async with GitSource(url, None, "", cache).open() as tree:
        return [file.path for file in tree.listing.files]


async def test_a_redirect_to_another_server_is_not_followed(
    repository: Repo, tmp_path: Path
) -> None:
    outside, inside = GitServer(repository), GitServer(repository)
    with serving(outside) as url, serving(inside) as internal:
        outside.moved_to = f"{internal}/book.git"

        with pytest.raises(SourceUnavailable, match="redirects to another server"):
            await files(f"{url}/moved.git", tmp_path / "cache")

    assert inside.asked == []


@pytest.mark.parametrize("moved_to", ["/book.git", "{url}/book.git"])
async def test_a_repository_that_was_renamed_on_its_server_is_found(
    repository: Repo, tmp_path: Path, moved_to: str
) -> None:
    server = GitServer(repository)
    with serving(server) as url:
        server.moved_to = moved_to.format(url=url)

        assert await files(f"{url}/moved.git", tmp_path / "cache") == ["a.md"]


async def test_a_circle_of_redirects_ends(repository: Repo, tmp_path: Path) -> None:
    server = GitServer(repository)
    with serving(server) as url:
        server.moved_to = f"{url}/moved.git"

        with pytest.raises(SourceUnavailable, match="redirects"):
            await files(f"{url}/moved.git", tmp_path / "cache")

    assert len(server.asked) < 10
