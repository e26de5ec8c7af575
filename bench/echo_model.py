"""An OpenAI-compatible server whose model repeats at once what it was given.

Arguments: `--port` and a port. It says the first statements of the evidence with their ids.
"""

import asyncio
import json
import re
import sys
from collections.abc import Callable
from typing import TypeAlias

Says: TypeAlias = Callable[[str], list[str]]
SENTENCES = 4
_STATEMENT = re.compile(r"^\[(\d+\.\d+)\] (.*)$", re.MULTILINE)
_STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "
_LIST = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


def statements(prompt: str) -> list[tuple[str, str]]:
    """Return the statements of a prompt, each with its id."""
    return _STATEMENT.findall(prompt)


def repeated(prompt: str) -> list[str]:
    """Return the reply to a prompt, a line each."""
    prose = [(id_, text) for id_, text in statements(prompt) if len(text.split()) > 3]
    return [f"{text} [{id_}]\n" for id_, text in prose[:SENTENCES]]


async def serve_model(port: int, says: Says) -> None:
    """Serve a model that replies to a prompt with these pieces, until it is stopped."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _read_head(reader):
            found = re.search(rb"(?i)content-length: *(\d+)", head)
            body = await reader.readexactly(int(found[1]) if found else 0)
            writer.write(_LIST if head.startswith(b"GET") else _reply(json.loads(body), says))
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", port) as server:
        await server.serve_forever()


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def _reply(body: dict[str, list[dict[str, str]]], says: Says) -> bytes:
    said = says(body["messages"][-1]["content"])
    events = [_event({"role": "assistant", "content": one}, None) for one in said]
    data = "".join([*events, _event({}, "stop"), "data: [DONE]\n\n"]).encode()
    return f"{_STREAM}{len(data)}\r\n\r\n".encode() + data


def _event(delta: dict[str, str], finish: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "echo"}
    return f"data: {json.dumps({**event, 'choices': [choice]})}\n\n"


if __name__ == "__main__":
    asyncio.run(serve_model(int(sys.argv[sys.argv.index("--port") + 1]), repeated))
