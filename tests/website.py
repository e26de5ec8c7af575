"""A small website on loopback, in this process: pages by path, and a record of what was asked."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

LOOPBACK = "127.0.0.1"
HOST = "docs.example"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the site says for one path."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, with its headers by their names in small letters."""

    path: str
    headers: dict[str, str]


@dataclass
class Website:
    """Pages that a test can change while the site is up."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    host: str = HOST
    port: int = 0
    _busy: set["asyncio.Task[None]"] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [each.path for each in self.asked]

    def page(self, path: str, body: str, head: str = "", *, lasts: bool = True) -> None:
        """Put an HTML page there; one that does not last has no validators."""
        text = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"
        self.put(path, text, "text/html; charset=utf-8", etag=lasts)

    def put(self, path: str, text: str | bytes, kind: str, *more: str, etag: bool = False) -> None:
        """Put any file there; `more` are further headers, as `Name: value`."""
        body = text.encode() if isinstance(text, str) else text
        headers = [("Content-Type", kind), *(_split(line) for line in more)]
        headers += [("ETag", f'"{hashlib.md5(body).hexdigest()}"')] if etag else []  # noqa: S324
        self.answers[path] = Answer(body, headers=tuple(headers))

    def say(self, path: str, status: int, *headers: str) -> None:
        """Answer with a status alone."""
        self.answers[path] = Answer(status=status, headers=tuple(map(_split, headers)))

    def sitemap(self, *paths: str, at: str = "/sitemap.xml") -> None:
        entries = "".join(f"<url><loc>{self.url}{path}</loc></url>" for path in paths)
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        self.put(at, f'<?xml version="1.0"?><urlset xmlns="{space}">{entries}</urlset>', "text/xml")

    async def resolve(self, host: str, port: int, timeout_s: float) -> Sequence[str]:
        """As a Resolve: every name is on this machine, and nobody else is asked."""
        return [LOOPBACK]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection."""
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            request, *lines = head.strip().split("\r\n")
            asked = Asked(request.split()[1], dict(_split(line.lower()) for line in lines))
            self.asked.append(asked)
            answer = self.answers.get(asked.path, Answer(b"not found", 404))
            if answer.hangs:
                await reader.read()  # until the client goes
            else:
                writer.write(_written(answer, asked))
                await writer.drain()
        writer.close()

    async def settle(self) -> None:
        """Wait for the connections that are open."""
        await asyncio.gather(*self._busy)


def _written(answer: Answer, asked: Asked) -> bytes:
    headers = dict(answer.headers)
    same = asked.headers.get("if-none-match") == headers.get("ETag", "").lower() != ""
    dated = asked.headers.get("if-modified-since") == headers.get("Last-Modified", "").lower() != ""
    status, body = (304, b"") if same or dated else (answer.status, answer.body)
    lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in answer.headers)]
    lines += [f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def _split(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


@asynccontextmanager
async def website() -> AsyncIterator[Website]:
    """A site on a free port of this machine, without pages yet."""
    site = Website()
    server = await asyncio.start_server(site.serve, LOOPBACK, 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        await site.settle()
