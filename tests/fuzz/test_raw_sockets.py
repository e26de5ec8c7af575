"""Bytes that are hardly HTTP, to a real server: refused or dropped, and it goes on serving."""

import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from tests.e2e.processes import Server, serving, write_config
from tests.fuzz.corpus import deep
from tests.tiny_models import save_tiny_embedder

ANSWER_TIMEOUT_S = 30
HOST = b"Host: localhost\r\n"
CLOSE = b"Connection: close\r\n"
JSON = b"Content-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CREATE = b'{"name": "smuggled", "embedding_model": "minilm"}'


def post(headers: bytes, body: bytes, path: bytes = b"/collections") -> bytes:
    """A POST with just these headers."""
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + JSON + headers + b"\r\n" + body


def get(path: bytes, headers: bytes = b"") -> bytes:
    """A GET that asks to close the connection."""
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + CLOSE + headers + b"\r\n"


# Whole requests, or bytes that cannot become one: each is answered with 4xx and shown out.
BROKEN: Mapping[str, bytes] = {
    "zeros": b"\x00" * 4_096,
    "all bytes": bytes(range(256)) * 16,
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00",
    "HTTP/9.9": b"GET /livez HTTP/9.9\r\n" + HOST + b"\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n",
    "a body cut by its length": post(b"Content-Length: 10\r\n", CREATE),
    "a negative length": post(b"Content-Length: -1\r\n", CREATE),
    "a length of letters": post(b"Content-Length: many\r\n", CREATE),
    "a length beyond 64 bits": post(b"Content-Length: 99999999999999999999999\r\n", CREATE),
    "a length with a plus sign": post(b"Content-Length: +49\r\n", CREATE),
    "two lengths": post(b"Content-Length: 49\r\nContent-Length: 0\r\n", CREATE),
    "a length and chunks": post(b"Content-Length: 5\r\n" + CHUNKED, b"0\r\n\r\n" + CREATE),
    "chunked, then something": post(b"Transfer-Encoding: chunked, x\r\n", b"0\r\n\r\n"),
    "a chunk size of letters": post(CHUNKED, b"zz\r\n" + CREATE),
    "a negative chunk size": post(CHUNKED, b"-1\r\n" + CREATE),
    "a chunk size beyond 64 bits": post(CHUNKED, b"f" * 40 + b"\r\n" + CREATE),
    "a chunk longer than said": post(CHUNKED, b"3\r\n" + CREATE + b"\r\n0\r\n\r\n"),
    "a bare line feed in a header": b"GET /livez HTTP/1.1\nHost: localhost\n\n\x00",
    "a space before the colon": b"GET /nowhere HTTP/1.1\r\n" + b"Host : localhost\r\n\r\n",
    "a folded header": get(b"/nowhere", b"X-Folded: a\r\n b\r\n"),
    "a header without a colon": get(b"/nowhere", b"no colon here\r\n"),
    "a header without a name": get(b"/nowhere", b": x\r\n"),
    "a NUL in a header": get(b"/nowhere", b"X-Nul: a\x00b\r\n"),
    "a header that is not ASCII": get(b"/nowhere", b"X-Odd: \xff\xfe\r\nX-\xff: a\r\n"),
    "a header without end": get(b"/livez")[:-2] + b"X-Long: " + b"x" * 2_000_000,
    "headers without end": get(b"/livez")[:-2] + b"X-Many: x\r\n" * 100_000,
    "a path without end": b"GET /" + b"a" * 2_000_000,
    "a long path": get(b"/" + b"a" * 60_000),
    "no path": b"GET  HTTP/1.1\r\n" + HOST + b"\r\n",
    "a path without a slash": get(b"nowhere"),
    "a whole address": get(b"http://localhost:99999999/livez"),
    "a path of raw bytes": get(b"/\xff\xfe\x80"),
    "a query of raw bytes": get(b"/nowhere?\xff\xfe\x80"),
    "a NUL in the path": get(b"/nowhere\x00"),
    "an encoded NUL in the path": get(b"/collections/%00"),
    "a climb": get(b"/../../../../etc/passwd"),
    "an encoded climb": get(b"/docs/assets/..%2f..%2froutes.py"),
    "a filter of raw bytes": get(b"/collections/book/documents?where=\xff"),
    "a deep filter": get(b"/collections/book/documents?where=" + deep(300)),
    "no host": b"GET /nowhere HTTP/1.1\r\n" + CLOSE + b"\r\n",
    "CONNECT": b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n",
    "OPTIONS of everything": b"OPTIONS * HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n",
    "an unknown method": b"BREW /livez HTTP/1.1\r\n" + HOST + b"\r\n",
    "a WebSocket": get(
        b"/nowhere",
        b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
    ),
    "a WebSocket without a key": get(
        b"/nowhere", b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 99\r\n"
    ),
}

# Requests that the client gives up half way: whatever was sent of them, nothing is stored.
HALF: Mapping[str, bytes] = {
    "nothing": b"",
    "a line break": b"\r\n",
    "HTTP/0.9": b"GET /livez\r\n",
    "half a request line": b"GET /coll",
    "half a header": b"GET /livez HTTP/1.1\r\nHost: loc",
    "half a body": post(b"Content-Length: 100\r\n", CREATE),
    "no body at all": post(b"Content-Length: 49\r\n", b""),
    "chunks without an end": post(CHUNKED, b"31\r\n" + CREATE + b"\r\n"),
    "a chunk extension without end": post(CHUNKED, b"1;" + b"x" * 200_000),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("server")
    save_tiny_embedder(root / "tiny")
    config = write_config(root, minilm="tiny")
    arguments = ("serve", "--data-dir", "data", "--embeddings-config", config)
    with serving(*arguments, cwd=root) as server:
        server.post("/collections", {"name": "book", "embedding_model": "minilm"})
        server.post("/collections/book/documents", {"documents": [{"text": "a b c"}]})
        yield server


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_good_request_is_refused(server: Server, case: str) -> None:
    statuses = statuses_of(exchange(server, BROKEN[case]))

    assert statuses
    assert all(400 <= status < 500 for status in statuses), statuses
    assert_unharmed(server)


@pytest.mark.parametrize("case", HALF)
def test_half_a_request_is_dropped_without_a_trace(server: Server, case: str) -> None:
    statuses = statuses_of(exchange(server, HALF[case], gives_up=True))

    assert all(400 <= status < 500 for status in statuses), statuses
    assert_unharmed(server)


def test_requests_in_one_breath_are_answered_in_their_order(server: Server) -> None:
    first = b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n"
    second = post(b"Content-Length: 1\r\n", b"{")

    answered = exchange(server, first + second + first + get(b"/nowhere"))

    assert statuses_of(answered) == [200, 400, 200, 404]


def test_a_request_inside_a_body_is_only_a_body(server: Server) -> None:
    inner = post(b"Content-Length: %d\r\n" % len(CREATE), CREATE)
    outer = post(CLOSE + b"Content-Length: %d\r\n" % len(inner), inner, path=b"/query")

    assert statuses_of(exchange(server, outer)) == [400]
    assert_unharmed(server)


def test_a_body_in_good_chunks_is_one_body(server: Server) -> None:
    body = b'{"collection": "book", "query": "knee", "top_k": 1}'
    chunks = b"".join(b"1;a=b\r\n" + body[n : n + 1] + b"\r\n" for n in range(len(body)))

    answered = exchange(server, post(CLOSE + CHUNKED, chunks + b"0\r\n\r\n", path=b"/query"))

    assert statuses_of(answered) == [200]


def exchange(server: Server, sent: bytes, *, gives_up: bool = False) -> bytes:
    """All that the server says until it closes the connection."""
    address = urlsplit(server.url)
    assert address.hostname
    received = b""
    with socket.create_connection((address.hostname, address.port or 80), ANSWER_TIMEOUT_S) as line:
        # A server that has seen enough may close, and even reset, before we are done.
        with suppress(ConnectionError):
            line.sendall(sent)
            if gives_up:
                line.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            while heard := line.recv(65_536):
                received += heard
    return received


def statuses_of(received: bytes) -> list[int]:
    """The statuses of all answers, in their order."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def assert_unharmed(server: Server) -> None:
    """It answers, and holds what it held."""
    assert server.get("/livez") == {"status": "alive"}
    assert [found["name"] for found in server.get("/collections")["collections"]] == ["book"]
