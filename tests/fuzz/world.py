"""A whole service inside the test, and a client that sends what no client library would."""

import asyncio
import copy
import hashlib
import hmac
import itertools
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

import orjson
from fastapi import FastAPI
from starlette.types import Message, Scope

from sourcebook.answering.feedback import FeedbackRules
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.ingestion.identity import chunk_id, hash_text, lesson_id
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.service.http.app import create_app
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.ingestion import BookConfig, BookParts, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.book.routes import PREFIXES as BOOK_PREFIXES
from sourcebook.surfaces.collections.routes import PREFIXES as COLLECTION_PREFIXES
from sourcebook.surfaces.openai.routes import PREFIXES as OPENAI_PREFIXES
from sourcebook.surfaces.providers.routes import PREFIXES as PROVIDER_PREFIXES
from sourcebook.surfaces.rag_v3.chat_routes import PREFIX as RAG_CHAT
from sourcebook.surfaces.rag_v3.routes import PREFIXES as RAG_PREFIXES
from sourcebook.surfaces.use_cases import BookRules, WebhookRules
from tests.books import MemorySource
from tests.fake_providers import fake_directory
from tests.fakes import EchoingModel, FakeClock, FakeEmbedder, FakeReranker, MemoryConversations
from tests.ledgers import open_copied_ledger
from tests.memory_store import MemoryStore

ANSWER_TIMEOUT_S = 30
FILLED, EMPTY, MOVED = NAMES = ("robotics", "empty", "moved")
ORIGIN = "http://localhost:3000"
BOOK = "book"
KEY = b"the-admin-key-of-this-world"
PROVIDER = "silent"
SECRET = b"what GitHub and this world know"
WEBHOOK = b"/ingestion/webhook/github"
OPENAI = tuple(f"{prefix}/" for prefix in OPENAI_PREFIXES)
# Where others than the chat speak.
SPEAKING = tuple(
    f"{prefix}/"
    for prefix in (
        *BOOK_PREFIXES,
        *COLLECTION_PREFIXES,
        *RAG_PREFIXES,
        *PROVIDER_PREFIXES,
        RAG_CHAT,
    )
)

_LESSON = "module-1-ros2/chapter-1-nodes/01-nodes.md"
_TEXT = "# Nodes\n\nA node is one process."
LESSON_ID = lesson_id(BOOK, _LESSON)
CHUNK_ID = chunk_id(BOOK, LESSON_ID, hash_text(_TEXT), 0)

_POSTING = PostedDocument("nas", "/nodes", "Nodes", "A node is one process.", tags=("ros",))
DOCUMENT_ID = _POSTING.document_id
SESSION_ID = "0b8a3c1e-6f2d-4c5b-9a7e-1234567890ab"

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

JSON: Headers = ((b"content-type", b"application/json"),)
HOST: Headers = ((b"host", b"localhost"),)
ADMIN: Headers = ((b"x-admin-api-key", KEY),)

_DOCUMENTS = [
    {"id": "d1", "text": "A node is one process.", "metadata": {"tier": 1, "tags": ["ros", 2]}},
    {"id": "d2", "text": "A topic has a name.", "metadata": {"tier": 2.5, "region": "été"}},
    {"id": "d3", "text": "Nothing is known about this.", "metadata": {}},
]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as bytes; the path is as on the wire, so it may hold %00 or %ff."""

    method: str
    path: bytes
    query: bytes = b""
    body: bytes = b""
    headers: Headers = HOST + JSON


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; a crash that sent nothing is a 500, as a server would make of it."""

    status: int
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class State:
    """All that is stored, without the texts: equal states mean that nothing was written."""

    collections: Mapping[str, tuple[object, ...]]
    points: Mapping[str, int]
    jobs: tuple[IngestJob, ...]


class World:
    """A service with an indexed book, a posted document, and three collections.

    One of these is filled, one is empty, and one is to be re-indexed.
    """

    def __init__(
        self, runner: asyncio.Runner, app: FastAPI, ledger: Ledger, book: BookParts, disk: "Disk"
    ) -> None:
        self._runner = runner
        self._app = app
        self._ledger = ledger
        self._disk = disk
        self._callers = itertools.count()
        for name in NAMES:
            self._create(name)
        runner.run(_index(ledger, book))
        runner.run(_cancel_a_job(ledger, book))
        self._must("POST", "/api/rag/ingest", {**_POSTING.about, "text": _POSTING.text})
        self._kept = self._state()
        disk.keep()
        self._written = self._writes()

    def send(self, asked: Asked) -> Answer:
        """The answer to a request, as a server would pass it on."""
        return self._runner.run(_ask(self._app, asked, next(self._callers)))

    def changed(self) -> bool:
        """Return whether anything was stored since the last call; if so, undo it."""
        if self._writes() == self._written:
            return False
        changed = self._state() != self._kept
        if changed:
            self._disk.restore()
        self._written = self._writes()
        return changed

    def _create(self, name: str) -> None:
        self._must("POST", "/collections", {"name": name, "embedding_model": "minilm"})
        if name == EMPTY:
            return
        self._must("POST", f"/collections/{name}/documents", {"documents": _DOCUMENTS})
        if name == MOVED:
            other = {"metadata": {"embedding_model": "mxbai-large"}}
            self._must("PUT", f"/collections/{name}/metadata", other)

    def _must(self, method: str, path: str, body: object) -> None:
        answer = self.send(Asked(method, path.encode(), body=orjson.dumps(body)))
        assert answer.status == 200, answer

    def _writes(self) -> tuple[object, object]:
        """What any write changes; comparing this is much faster than comparing states."""
        return self._disk.commits(), self._runner.run(_points(self._disk.store))

    def _state(self) -> State:
        return self._runner.run(_state(self._ledger, self._disk.store))


class Disk:
    """All that a service keeps: the file of the ledger, and the index."""

    def __init__(self, file: sqlite3.Connection, store: MemoryStore) -> None:
        self.store = store
        self._file = file
        self._file_then = sqlite3.connect(":memory:")
        self._indexes_then = copy.deepcopy(store._indexes)

    def keep(self) -> None:
        """Remember it as it is."""
        self._file.backup(self._file_then)
        self._indexes_then = copy.deepcopy(self.store._indexes)

    def restore(self) -> None:
        """Make it as it was: much faster than to ask the service for it."""
        self._file_then.backup(self._file)
        self.store._indexes = copy.deepcopy(self._indexes_then)

    def commits(self) -> object:
        """Return what any commit of the service changes."""
        return self._file.execute("PRAGMA data_version").fetchone()

    def close(self) -> None:
        self._file.close()
        self._file_then.close()


@contextmanager
def open_world(folder: Path) -> Iterator[World]:
    """Everything real but the models and the index; one event loop for all requests."""
    models = EmbeddingModels(
        [FakeEmbedder("minilm"), FakeEmbedder("mxbai-large", dimensions=96, revision="big")]
    )
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        opening = open_copied_ledger(folder / "ledger.db", now_s=FakeClock())
        store, encoder = MemoryStore(), Bm25Encoder()
        ledger = runner.run(stack.enter_async_context(opening))
        storage = Storage(ledger, TermIndexingStore(store, encoder), terms=encoder)
        config = BookConfig(
            rules=BookRules(BOOK, webhook=WebhookRules(SECRET)),
            source=MemorySource({_LESSON: _TEXT.encode()}),
            roots=(folder,),
        )
        book = assemble_book(storage.ledger, storage.store, models, config)
        answering = AnsweringParts(conversations=MemoryConversations())
        use_cases = build_use_cases(
            storage,
            models,
            FakeReranker(),
            book,
            answering=answering,
            rules=FeedbackRules(takes_marks=True),
        )
        # Without a model, every chat of contract 003 that retrieves nothing would be a 503.
        talking = replace(answering, language_model=EchoingModel())
        chats = build_use_cases(storage, models, None, book, answering=talking).chats
        use_cases = replace(use_cases, chats=chats, providers=fake_directory(folder))
        app = create_app(use_cases, AccessRule(None), [ORIGIN], admin=AccessRule(KEY))
        disk = stack.enter_context(closing(Disk(sqlite3.connect(folder / "ledger.db"), store)))
        try:
            yield World(runner, app, storage.ledger, book, disk)
        finally:
            runner.run(stack.aclose())


def signed(body: bytes) -> Headers:
    """The headers of a delivery that GitHub would sign."""
    signature = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return ((b"x-hub-signature-256", f"sha256={signature}".encode()), (b"x-github-event", b"push"))


def assert_good_answer(world: World, asked: Asked) -> Answer:
    """2xx or 4xx, errors in the dialect, and what was refused has stored nothing."""
    answer = world.send(asked)
    stored = world.changed()

    assert 200 <= answer.status < 300 or 400 <= answer.status < 500, (asked, answer)
    if answer.status >= 400:
        assert_in_dialect(asked, answer)
        assert not stored, f"A refused request has stored something: {asked}"
    return answer


def assert_in_dialect(asked: Asked, answer: Answer) -> None:
    """Errors have the keys of the path's dialect, and nothing else."""
    assert (b"content-type", b"application/json") in answer.headers, (asked, answer)
    said = orjson.loads(answer.body)
    assert isinstance(said, dict), (asked, answer)
    path = f"{unquote(asked.path.decode('ascii'))}/"
    keys, sentence = ["detail"], said.get("detail")
    if not path.startswith(SPEAKING):
        keys = ["error_code", "message", "details", "retry_after", "trace_id"]
        sentence = said.get("message")
    if path.startswith("/api/rag/"):
        keys, sentence = ["error", "message"], said.get("message")
        if answer.status == 400:
            keys += ["details"]
            assert list(said["details"]) == ["field", "message"], (asked, answer)
            assert said["details"]["field"], (asked, answer)
    if path.startswith("/providers/") and said.get("success") is False:
        # A test that failed is a reply of its own, as the clients of contract 000 know it.
        keys, sentence = ["success", "provider", "error", "errorType", "duration"], said["error"]
    if path.startswith(f"{RAG_CHAT}/"):
        keys, sentence = ["status", "error", "message"], said.get("message")
        keys += ["details"] if answer.status == 400 else []
    if path.startswith(OPENAI):
        assert list(said) == ["error"], (asked, answer)
        said = said["error"]
        keys, sentence = ["message", "type", "param", "code"], said["message"]
    assert list(said) == keys, (asked, answer)
    assert isinstance(sentence, str), (asked, answer)
    assert sentence, (asked, answer)


async def _ask(app: FastAPI, asked: Asked, caller: int) -> Answer:
    status = 500
    headers: Headers = ()
    body = b""
    given = [{"type": "http.request", "body": asked.body, "more_body": False}]

    answered = asyncio.Event()

    async def receive() -> Message:
        if given:
            return given.pop()
        # A client stays until it has its answer.
        await answered.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        nonlocal status, headers, body
        if message["type"] == "http.response.start":
            status = message["status"]
            headers = tuple((name.lower(), value) for name, value in message["headers"])
        else:
            body += message.get("body", b"")
            if not message.get("more_body", False):
                answered.set()

    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            await app(_scope(asked, caller), receive, send)
    except Exception as crash:  # noqa: BLE001 - as a server does: whatever it is, it is a 500
        return Answer(500, headers, body or repr(crash).encode())
    return Answer(status, headers, body)


def _scope(asked: Asked, caller: int) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        # Each request from somewhere else: guessing keys must not slow the others down.
        "client": (str(IPv4Address(2**24 + caller)), 50_000),
        "scheme": "http",
        "root_path": "",
        "method": asked.method,
        "path": unquote(asked.path.decode("ascii")),
        "raw_path": asked.path,
        "query_string": asked.query,
        "headers": list(asked.headers),
        "state": {},
    }


async def _index(ledger: Ledger, book: BookParts) -> None:
    await book.book_jobs.submit(JobRequest(BOOK))
    job = await ledger.jobs.claim(lease_s=30.0)
    assert job is not None
    await book.runner.run(job)
    assert (await ledger.jobs.get(job.id)).status == "completed"


async def _cancel_a_job(ledger: Ledger, book: BookParts) -> None:
    await book.book_jobs.submit(JobRequest(BOOK))
    (job,) = await ledger.jobs.recent(1)
    await ledger.jobs.cancel(job.id)


async def _state(ledger: Ledger, store: VectorStore) -> State:
    return State(
        collections={
            found.name: (found.revision, found.count, repr(found.metadata))
            for found in await ledger.collections.all()
        },
        points=await _points(store),
        # The newest tell: a job that is new has the highest number.
        jobs=(*await ledger.jobs.recent(3), *await ledger.jobs.recent(3, kind="documents")),
    )


async def _points(store: VectorStore) -> dict[str, int]:
    return {index_id: await store.count(index_id) for index_id in await store.indexes()}
