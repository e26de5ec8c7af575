"""A far side on this machine: it says what it is told to, and counts who connects."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

LOOPBACK = "127.0.0.1"


class FarSide:
    """Answers every request with the same bytes."""

    def __init__(self, reply: bytes) -> None:
        self.reply = reply
        self.port = 0
        self.connections = 0
        self.requests: list[bytes] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection."""
        self.connections += 1
        try:
            self.requests.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(self.reply)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def reply(status: str = "200 OK", body: bytes = b"{}", *headers: str) -> bytes:
    """A whole HTTP reply."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


@asynccontextmanager
async def far_side(said: bytes = b"", host: str = LOOPBACK) -> AsyncIterator[FarSide]:
    """A server on a free port of this machine."""
    side = FarSide(said or reply())
    server = await asyncio.start_server(side.serve, host, 0)
    side.port = server.sockets[0].getsockname()[1]
    try:
        yield side
    finally:
        server.close()


class Names:
    """A resolver that knows some names, and reads numbers as the system does. Asks no server."""

    def __init__(self, **known: Sequence[Sequence[str]]) -> None:
        # The answers to each lookup of a name in turn; the last goes on for ever.
        self._known = {name.replace("_", "."): list(found) for name, found in known.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int, timeout_s: float) -> Sequence[str]:
        """As a Resolve."""
        self.asked.append(host)
        answers = self._known.get(host.lower().removesuffix("."))
        if answers:
            return answers.pop(0) if len(answers) > 1 else answers[0]
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        return [str(address[0]) for *_, address in found]
