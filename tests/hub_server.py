"""A Hugging Face hub on loopback: the routes that a download of a model asks for."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class HubServer:
    """Holds repositories as files by name. A file in `broken` fails with status 403.

    A `silent` one takes requests and never answers.
    """

    url: str = ""
    repositories: dict[str, Mapping[str, bytes]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    requested: list[str] = field(default_factory=list)
    silent: bool = False

    def add(self, hub_id: str, folder: Path) -> None:
        """Publish a folder."""
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        self.repositories[hub_id] = {
            path.relative_to(folder).as_posix(): path.read_bytes() for path in files
        }

    def fetched(self, hub_id: str) -> set[str]:
        """Return which files of a repository were downloaded."""
        start = f"GET /{hub_id}/resolve/{COMMIT}/"
        return {line.removeprefix(start) for line in self.requested if line.startswith(start)}


def use_hub(patch: pytest.MonkeyPatch, hub: HubServer, cache: Path) -> None:
    """Let the client, which has read its environment already, use this hub and this cache."""
    template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    patch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
    patch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
    patch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))


@contextmanager
def hub_server() -> Iterator[HubServer]:
    """Serve until the context ends."""
    hub = HubServer()
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def _answer(self, *, with_body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.requested.append(f"{self.command} {path}")
            if hub.silent:
                ended.wait()
                return
            status, body = _reply(hub, path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            if status == 404:
                self.send_header("X-Error-Code", "RepoNotFound")
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            ended.set()
            server.shutdown()
            thread.join()


def _reply(hub: HubServer, path: str) -> tuple[int, bytes]:
    for hub_id, files in hub.repositories.items():
        if path == f"/api/models/{hub_id}/revision/main":
            return 200, _json({"id": hub_id, "sha": COMMIT, "siblings": []})
        if path == f"/api/models/{hub_id}/tree/{COMMIT}":
            return 200, _json([_described(name, content) for name, content in files.items()])
        name = path.removeprefix(f"/{hub_id}/resolve/{COMMIT}/")
        if name in hub.broken:
            return 403, b""
        if name in files:
            return 200, files[name]
    return 404, b""


def _described(name: str, content: bytes) -> dict[str, object]:
    oid = hashlib.sha256(content).hexdigest()[:40]
    return {"type": "file", "path": name, "size": len(content), "oid": oid}


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
