"""A scripted OpenAI-compatible server on loopback: each request gets the next act of its script."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeAlias

Json: TypeAlias = dict[str, object]
# The name of the server's own tasks, so that tests can tell them from what a client left behind.
TASK = "scripted-model"


@dataclass(frozen=True, slots=True)
class Say:
    """Write these pieces, one event each, after `first_after_s`, with `pause_s` in between."""

    pieces: Sequence[str]
    finish: str = "stop"
    first_after_s: float = 0.0
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Call:
    """Call tools: a name and the arguments, as text, of each. `after` is what is written before."""

    calls: Sequence[tuple[str, str]]
    after: str = ""


@dataclass(frozen=True, slots=True)
class Fail:
    """Answer with an error status."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    text: str = '{"error": {"message": "the far side says: canary-far-side"}}'


@dataclass(frozen=True, slots=True)
class Hang:
    """Take the request and say nothing, until the client goes."""


@dataclass(frozen=True, slots=True)
class Drip:
    """Send a stream byte by byte, `every_s`, for ever."""

    every_s: float


@dataclass(frozen=True, slots=True)
class Drop:
    """Write these pieces, then cut the connection."""

    pieces: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Raw:
    """Send this body as it is, whole."""

    body: str
    content_type: str = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Events:
    """Send these as the data of server-sent events, as they are, then `[DONE]`."""

    events: Sequence[Json]


Act: TypeAlias = Say | Call | Fail | Hang | Drip | Drop | Raw | Events


def searching(query: str, **more: object) -> Call:
    """Call the search tool once."""
    return Call([("search_documentation", json.dumps({"query": query, **more}))])


def word_by_word(text: str) -> Say:
    """Write a text in many pieces."""
    words = text.split(" ")
    return Say([*(f"{word} " for word in words[:-1]), words[-1]])


@dataclass(slots=True)
class Request:
    """What a client sent; `gone` is set once it has closed the connection before the end."""

    method: str
    path: str
    headers: dict[str, str]
    body: Json
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def messages(self) -> list[Json]:
        """The messages of a chat request."""
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return messages

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The tools that the model may call."""
        tools = self.body.get("tools", [])
        assert isinstance(tools, list)
        return [tool["function"] for tool in tools]

    @property
    def tools(self) -> list[str]:
        """Their names."""
        return [function["name"] for function in self.functions]


class ScriptedModel:
    """Plays its acts one per chat request; the last one for ever, if `repeat_last`.

    `models` is the status of `GET /v1/models`, which is in no script.
    """

    def __init__(
        self, script: Sequence[Act] = (), *, repeat_last: bool = False, models: int = 200
    ) -> None:
        self.script = list(script)
        self.repeat_last = repeat_last
        self.models = models
        self.requests: list[Request] = []
        self.probes: list[Request] = []
        self._arrived = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    @property
    def url(self) -> str:
        """The base URL, as a client is given it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def open_connections(self) -> int:
        """How many clients are connected."""
        return len(self._serving)

    async def request(self, number: int = 0) -> Request:
        """The chat request of this number, once it has come."""
        while len(self.requests) <= number:
            self._arrived.clear()
            await self._arrived.wait()
        return self.requests[number]

    async def left_alone(self) -> None:
        """Wait until no client is connected."""
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer), name=TASK)
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        early = b""
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while (request := await _read(reader, early)) is not None:
                    early = await self._answer(request, reader, writer)
        finally:
            writer.close()

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bytes:
        """Play an act while watching the client; what it sent meanwhile begins its next request."""
        if request.method == "GET":
            self.probes.append(request)
            _send(writer, self.models, '{"object": "list", "data": []}', "application/json")
            return b""
        act = self._next_act()
        self.requests.append(request)
        self._arrived.set()
        playing = asyncio.create_task(_play(act, request, writer), name=TASK)
        watching = asyncio.create_task(reader.read(1), name=TASK)
        try:
            await asyncio.wait({playing, watching}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done() and not watching.result() and not playing.done():
                raise ConnectionResetError
            await playing
            return watching.result() if watching.done() else b""
        except ConnectionError:
            request.gone.set()
            raise
        finally:
            playing.cancel()
            watching.cancel()
            await asyncio.gather(playing, watching, return_exceptions=True)

    def _next_act(self) -> Act:
        if not self.script:
            return Fail(500, text="the script is at its end")
        if self.repeat_last and len(self.script) == 1:
            return self.script[0]
        return self.script.pop(0)


async def _play(act: Act, request: Request, writer: asyncio.StreamWriter) -> None:  # noqa: PLR0911
    if isinstance(act, Fail):
        return _send(writer, act.status, act.text, "application/json", act.headers)
    if isinstance(act, Raw):
        return _send(writer, 200, act.body, act.content_type)
    if isinstance(act, Hang):
        return await asyncio.sleep(3600)
    if isinstance(act, Say | Call) and request.body.get("stream") is not True:
        return _send(writer, 200, json.dumps(_whole(act)), "application/json")
    if isinstance(act, Say):
        await asyncio.sleep(act.first_after_s)
    _begin(writer)
    if isinstance(act, Drip):
        return await _drip(act, writer)
    async with aclosing(_paced(act)) as events:
        async for event in events:
            _chunk(writer, f"data: {json.dumps(event)}\n\n".encode())
            await writer.drain()
    if isinstance(act, Drop):
        return writer.transport.abort() if not act.pieces else writer.close()
    _chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    return await writer.drain()


async def _paced(act: Act) -> AsyncGenerator[Json]:
    for event in _events(act):
        yield event
        if isinstance(act, Say) and act.pause_s:
            await asyncio.sleep(act.pause_s)


def _events(act: Act) -> Iterator[Json]:
    if isinstance(act, Say):
        yield delta({"role": "assistant", "content": ""})
        yield from (delta({"content": piece}) for piece in act.pieces)
        yield delta({}, act.finish)
    elif isinstance(act, Call):
        if act.after:
            yield delta({"role": "assistant", "content": act.after})
        yield delta({"role": "assistant", "tool_calls": _tool_calls(act)})
        yield delta({}, "tool_calls")
    elif isinstance(act, Drop):
        yield from (delta({"content": piece}) for piece in act.pieces)
    elif isinstance(act, Events):
        yield from act.events


async def _drip(act: Drip, writer: asyncio.StreamWriter) -> None:
    while True:
        for byte in f"data: {json.dumps(delta({'content': 'a'}))}\n\n".encode():
            _chunk(writer, bytes([byte]))
            await writer.drain()
            await asyncio.sleep(act.every_s)


def delta(change: Json, finish: str | None = None) -> Json:
    """One event of a stream."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "delta": change, "finish_reason": finish}],
    }


def _whole(act: Say | Call) -> Json:
    message: Json = (
        {"role": "assistant", "content": "".join(act.pieces)}
        if isinstance(act, Say)
        else {"role": "assistant", "content": act.after or None, "tool_calls": _tool_calls(act)}
    )
    finish = act.finish if isinstance(act, Say) else "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }


_call_ids = iter(range(1, 1_000_000_000))


def _tool_calls(act: Call) -> list[Json]:
    return [
        {
            "index": index,
            "id": f"call_{next(_call_ids)}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for index, (name, arguments) in enumerate(act.calls)
    ]


async def _read(reader: asyncio.StreamReader, early: bytes) -> Request | None:
    try:
        head = early + await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, json.loads(body) if body else {})


def _send(
    writer: asyncio.StreamWriter,
    status: int,
    text: str,
    content_type: str,
    headers: dict[str, str] | None = None,
) -> None:
    body = text.encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    writer.write(
        f"HTTP/1.1 {status} Scripted\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(body)}\r\n{more}\r\n".encode()
        + body
    )


def _begin(writer: asyncio.StreamWriter) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
