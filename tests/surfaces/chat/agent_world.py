"""The whole service on a loopback port: a book in it, and a scripted language model behind it."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import LanguageModel, Ledger, VectorStore
from sourcebook.core.prompts import Prompt, SearchTool
from sourcebook.service.http.app import create_app
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import ConcurrencyLimit, RateLimit, RateLimits
from sourcebook.surfaces.use_cases import BookRules
from tests.books import BOOK, BookWorld
from tests.fakes import MemoryConversations
from tests.llm_server import Act, ScriptedModel
from tests.surfaces.chat.chat_client import Running, check, events_of, running
from tests.unit.providers.language_models.asking import Naps, open_model

NODES = "module-1-ros2/chapter-1-nodes/01-nodes.md"
ARMS = "module-1-ros2/chapter-1-nodes/02-arms.md"
LIDAR = "module-2-simulation/chapter-3-worlds/01-lidar.md"
PATHS = ["/chat", "/chat/stream"]

# A book of short lessons, each of them one chunk.
FILES = {
    NODES: "# Nodes\n\nA node is one process of a robot. Nodes send messages over topics.\n",
    ARMS: "# Arms\n\nThe arm of Wren has six joints. Each joint has a motor of 40 watts.\n",
    LIDAR: "# Lidar\n\nThe lidar of Wren measures 327,680 ranges every second.\n",
}
NODE = {"query": "What is a node of a robot?", "top_k": 1}


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply, streamed or not, in the same words; `sources` are number, file and quote.

    An error is its code, its message and when to come again.
    """

    status: int
    answer: str
    sources: tuple[tuple[int, str, str], ...] = ()
    error: tuple[str, str, int | None] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentWorld:
    """A service that runs, and everything around it that a test looks at."""

    model: ScriptedModel
    server: Running
    client: httpx2.AsyncClient
    conversations: MemoryConversations
    slots: ConcurrencyLimit
    naps: Naps
    files: Mapping[str, str]

    async def ask(self, path: str, script: Sequence[Act], **body: object) -> Reply:
        """The reply to a question about nodes, or to another one, if the model follows a script."""
        self.model.script = list(script)
        reply = await self.client.post(path, json=NODE | body)
        return self._whole(reply) if path == "/chat" else self._streamed(reply)

    def _whole(self, reply: httpx2.Response) -> Reply:
        if reply.status_code != 200:
            return refused(reply)
        said = reply.json()
        return Reply(200, said["answer"], self._shown(said["sources"]), None, said["metadata"])

    def _streamed(self, reply: httpx2.Response) -> Reply:
        if reply.status_code != 200:
            return refused(reply)
        *told, last = events_of(reply.text)
        answer = "".join(event["content"] for event in told if event["type"] == "chunk")
        if last["type"] == "error":
            assert all(event["type"] == "chunk" for event in told)
            return Reply(200, answer, (), _error(last))
        assert [event["type"] for event in told if event["type"] != "chunk"] == ["sources"]
        return Reply(200, answer, self._shown(told[-1]["sources"]), None, last["metadata"])

    def _shown(self, sources: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, str, str], ...]:
        for source in sources:
            if source["source_file"] in self.files:
                text = self.files[source["source_file"]]
                assert text[source["char_start"] : source["char_end"]] == source["chunk_text"]
        return tuple((one["number"], one["source_file"], one["chunk_text"]) for one in sources)


def refused(reply: httpx2.Response) -> Reply:
    """An error in JSON."""
    assert reply.headers["content-type"] == "application/json"
    said = check(reply, reply.status_code, reply.json()["error_code"])
    return Reply(reply.status_code, "", (), _error(said))


def _error(said: Mapping[str, Any]) -> tuple[str, str, int | None]:
    return said["error_code"], said["message"], said["retry_after"]


class Hurried:
    """A language model that gets less time than others."""

    def __init__(self, inner: LanguageModel, timeout_s: float) -> None:
        self.name = inner.name
        self._inner = inner
        self._timeout_s = timeout_s

    async def check(self) -> ServiceHealth:
        return await self._inner.check()

    def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        return self._inner.reply(prompt, search, timeout_s=min(timeout_s, self._timeout_s))


@dataclass(frozen=True, slots=True)
class Shelves:
    """Where books are kept, before a service serves them."""

    ledger: Ledger
    store: VectorStore
    models: EmbeddingModels

    async def put(self, files: Mapping[str, str], book_id: str = BOOK) -> None:
        """Index a book."""
        book = BookWorld(self.ledger, self.store, self.models)
        for path, text in files.items():
            book.source.write(path, text)
        job = await book.ingest(book_id=book_id)
        assert job.status == "completed"
        assert await book.paths(book_id) == set(files)

    @asynccontextmanager
    async def serving(
        self,
        files: Mapping[str, str] = FILES,
        *,
        timeout_s: float = 10.0,
        falls_back: bool = False,
        slots: ConcurrencyLimit | None = None,
    ) -> AsyncIterator[AgentWorld]:
        """Serve the book, with a model that is given so much time."""
        await self.put(files)
        naps, conversations, slots = Naps(), MemoryConversations(), slots or ConcurrencyLimit()
        book = assemble_book(
            self.ledger, self.store, self.models, BookConfig(rules=BookRules(BOOK, alone=True))
        )
        async with (
            ScriptedModel() as model,
            open_model(model, naps.timing()) as agent,
        ):
            answering = AnsweringParts(
                conversations, language_model=Hurried(agent, timeout_s), falls_back=falls_back
            )
            storage = Storage(self.ledger, self.store)
            use = build_use_cases(storage, self.models, None, book, answering=answering)
            app = create_app(
                use,
                AccessRule(None),
                [],
                rate_limits=RateLimits(chats=RateLimit(0), chat_slots=slots),
            )
            async with running(app) as server, client_of(server) as client:
                yield AgentWorld(model, server, client, conversations, slots, naps, files)


def client_of(server: Running) -> httpx2.AsyncClient:
    """A client on a socket of its own."""
    return httpx2.AsyncClient(
        base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=30.0
    )
