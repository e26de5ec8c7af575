"""A server on loopback that embeds and reranks in the wire formats of OpenAI, Cohere and Ollama.

It does its work unless its script has another act for a request.
"""

import asyncio
import base64
import hashlib
import json
import math
import re
import struct
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeAlias

Json: TypeAlias = dict[str, Any]
CANARY = "canary-far-side"
POISON = "poison"
DIGEST = "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"
TOO_LONG = {
    "/v1/embeddings": "This model's maximum context length is 8192 tokens",
    "/v2/embed": "too many tokens: the text cannot exceed 512 tokens",
    "/api/embed": "the input length exceeds the context length",
    "/api/embeddings": "the input length exceeds the context length",
}
# The name of the server's own tasks, so that tests can tell them from what a client left behind.
TASK = "embedding-server"


@dataclass(frozen=True, slots=True)
class Fail:
    """Answer with a status, and with words that nobody may repeat."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    text: str = json.dumps({"error": f"the far side says: {CANARY}"})


@dataclass(frozen=True, slots=True)
class Raw:
    """Answer with this body, as it is."""

    body: str


@dataclass(frozen=True, slots=True)
class Hang:
    """Take the request and say nothing, until the client goes."""


@dataclass(frozen=True, slots=True)
class Drip:
    """Send a reply byte by byte, for ever."""

    every_s: float = 0.01


@dataclass(frozen=True, slots=True)
class Truncate:
    """Promise a whole reply, send half of it and go."""


@dataclass(frozen=True, slots=True)
class Work:
    """Do what was asked for, with one vector for all if it is given, and `most` results."""

    vector: Sequence[float] | None = None
    most: int | None = None


Act: TypeAlias = Fail | Raw | Hang | Drip | Truncate | Work


@dataclass(slots=True)
class Request:
    """What a client sent; `gone` is set once it has closed the connection before the end."""

    method: str
    path: str
    headers: dict[str, str]
    body: Json
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def texts(self) -> list[str]:
        """The texts to embed or to rerank, whatever the format calls them."""
        for name in ("input", "texts", "documents"):
            if name in self.body:
                return list(self.body[name])
        return [self.body["prompt"]]


class EmbeddingServer:
    """Keeps every request for the tests. `gate`, if closed, holds all replies back."""

    def __init__(
        self,
        script: Iterable[Act] = (),
        *,
        dimensions: int = 8,
        longest: int | None = None,
        models: Sequence[str] = ("nomic-embed-text:latest",),
        is_old: bool = False,
        show: Json | None = None,
        probe_status: int = 200,
    ) -> None:
        self.script = list(script)
        self.dimensions = dimensions
        self.longest = longest
        self.models = models
        self.is_old = is_old
        self.show = show
        self.probe_status = probe_status
        self.requests: list[Request] = []
        self.probes: list[Request] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.at_once = 0
        self.most_at_once = 0
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
        """Where the routes of all formats begin; OpenAI's under `/v1`."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def embedded(self) -> list[str]:
        """Every text that was sent, in order."""
        return [text for request in self.requests for text in request.texts]

    async def arrived(self, count: int) -> None:
        """Wait until so many requests have come."""
        while len(self.requests) < count:
            self._arrived.clear()
            await self._arrived.wait()

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
        """Reply while watching the client; what it sent meanwhile begins its next request."""
        replying = asyncio.create_task(self._reply(request, writer), name=TASK)
        watching = asyncio.create_task(reader.read(1), name=TASK)
        try:
            await asyncio.wait({replying, watching}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done() and not watching.result() and not replying.done():
                raise ConnectionResetError
            await replying
            return watching.result() if watching.done() else b""
        except ConnectionError:
            request.gone.set()
            raise
        finally:
            replying.cancel()
            watching.cancel()
            await asyncio.gather(replying, watching, return_exceptions=True)

    async def _reply(self, request: Request, writer: asyncio.StreamWriter) -> None:
        path = request.path.partition("?")[0]
        if path in {"/v1/models", "/api/tags", "/api/show"}:
            self.probes.append(request)
            return _send(writer, *self._described(path, request))
        if self.is_old and path == "/api/embed":
            self.probes.append(request)
            return _send(writer, 404, "404 page not found")
        act = self.script.pop(0) if self.script else Work()
        self.requests.append(request)
        self._arrived.set()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.gate.wait()
            return await self._play(act, path, request, writer)
        finally:
            self.at_once -= 1

    async def _play(
        self, act: Act, path: str, request: Request, writer: asyncio.StreamWriter
    ) -> None:
        match act:
            case Fail():
                _send(writer, act.status, act.text, act.headers)
            case Raw():
                _send(writer, 200, act.body)
            case Hang():
                await asyncio.sleep(3600)
            case Drip():
                await _drip(act, writer)
            case Truncate():
                body = self._worked(Work(), path, request)[1].encode()
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                writer.write(head + body[: len(body) // 2])
                await writer.drain()
                writer.close()
            case Work():
                _send(writer, *self._worked(act, path, request))

    def _worked(self, act: Work, path: str, request: Request) -> tuple[int, str]:
        texts = request.texts
        if path.startswith("/api/") and not self._has(request.body["model"]):
            return self._no_model(request.body["model"])
        if any(POISON in text for text in texts):
            return 400, json.dumps({"error": f"the far side says: {CANARY}"})
        if self.longest is not None and any(len(text) > self.longest for text in texts):
            return 400, json.dumps({"error": {"message": TOO_LONG[path]}})
        if path == "/v2/rerank":
            return 200, json.dumps(_reranked(request.body["query"], texts, act))
        made = [act.vector or embed(text, self.dimensions) for text in texts]
        return 200, json.dumps(_written(path, made[: act.most], request.body))

    def _described(self, path: str, request: Request) -> tuple[int, str]:
        if self.probe_status != 200:
            return self.probe_status, json.dumps({"error": f"the far side says: {CANARY}"})
        if path == "/v1/models":
            return 200, '{"object": "list", "data": []}'
        if path == "/api/tags":
            listed = [{"name": name, "model": name, "digest": DIGEST} for name in self.models]
            return 200, json.dumps({"models": listed})
        if not self._has(request.body["model"]):
            return self._no_model(request.body["model"])
        described = {
            "general.architecture": "bert",
            "bert.embedding_length": self.dimensions,
            "bert.context_length": 512,
        }
        return 200, json.dumps(self.show or {"model_info": described})

    def _has(self, model: str) -> bool:
        return {model, f"{model}:latest"} & set(self.models) != set()

    def _no_model(self, model: str) -> tuple[int, str]:
        return 404, json.dumps({"error": f'model "{model}" not found, try pulling it first'})


def embed(text: str, dimensions: int) -> list[float]:
    """Texts that share words are similar. Not of length 1: services promise no such thing."""
    vector = [0.001] * dimensions
    for word in re.findall(r"\w+|[^\w\s]", text.lower()):
        seed = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(seed[:4], "big") % dimensions] += 1.0
    return vector


def _written(path: str, vectors: Sequence[Sequence[float]], body: Json) -> Json:
    if path == "/v2/embed":
        return {"id": "1", "embeddings": {"float": vectors}, "texts": body["texts"], "meta": {}}
    if path == "/api/embed":
        return {"model": body["model"], "embeddings": vectors, "total_duration": 1}
    if path == "/api/embeddings":
        return {"embedding": vectors[0] if vectors else []}
    rows = [
        {"object": "embedding", "index": index, "embedding": _encoded(vector, body)}
        for index, vector in enumerate(vectors)
    ]
    # Backwards, because nothing says that they come in order.
    return {"object": "list", "data": rows[::-1], "usage": {"prompt_tokens": 1}}


def _encoded(vector: Sequence[float], body: Json) -> str | list[float]:
    if body.get("encoding_format") != "base64":
        return list(vector)
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _reranked(query: str, texts: Sequence[str], act: Work) -> Json:
    wanted = set(query.lower().split())
    shared = [len(wanted & set(text.lower().split())) / len(wanted) for text in texts]
    results = [
        {"index": index, "relevance_score": min(1.0, score)} for index, score in enumerate(shared)
    ]
    results.sort(key=lambda one: -one["relevance_score"])
    return {"id": "1", "results": results[: act.most], "meta": {}}


async def _drip(act: Drip, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1\r\n \r\n")
        await writer.drain()
        await asyncio.sleep(act.every_s)


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
    writer: asyncio.StreamWriter, status: int, text: str, headers: dict[str, str] | None = None
) -> None:
    body = text.encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = f"HTTP/1.1 {status} Said\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    writer.write(head.encode() + body)


def unit(vector: Sequence[float]) -> list[float]:
    """The vector of length 1 in the same direction."""
    norm = math.hypot(*vector)
    return [value / norm for value in vector]
