"""A service with a few passages, for the tests of the retrievers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

ASKED: list[dict[str, Any]] = []


def passage(number: int) -> dict[str, Any]:
    """Return a search result; only the first is on a website."""
    return {
        "chunk_id": f"c{number}",
        "text": f"A node is process {number}.",
        "score": 1.0 / number,
        "parent_doc_id": "d1",
        "source_file": "nodes.md",
        "section_title": None,
        "lesson_title": "Nodes",
        "lesson_url": "https://book.example/nodes" if number == 1 else "/docs/nodes",
        "start": 10 * number,
        "end": 10 * number + 9,
        "line_start": number,
        "line_end": number,
    }


class Service(BaseHTTPRequestHandler):
    """Answers `POST /search` as Sourcebook does."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        ASKED.append(body)
        results = [passage(number) for number in range(1, body["limit"] + 1)]
        reply = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture
def asked() -> list[dict[str, Any]]:
    ASKED.clear()
    return ASKED
