"""The routes under fire: those that take a body with a good one each, and those with a query."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tests.fuzz.world import (
    ADMIN,
    CHUNK_ID,
    EMPTY,
    FILLED,
    HOST,
    JSON,
    LESSON_ID,
    PROVIDER,
    SESSION_ID,
    WEBHOOK,
    Asked,
    Headers,
    signed,
)

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_HOLE = "\u2603"
PROVIDER_TEST = "/providers/{provider_id}/test"


@dataclass(frozen=True, slots=True)
class Target:
    """A route that takes a body, and a body that it accepts."""

    route: str
    body: Json
    name: str = EMPTY
    accepted: int = 200
    refused: int = 400

    @property
    def method(self) -> str:
        """The method of the route."""
        return self.route.split(" ")[0]

    @property
    def path(self) -> bytes:
        """The path, with a collection that exists."""
        path = self.route.split(" ")[1].replace("{name}", self.name)
        return path.replace("{provider_id}", PROVIDER).encode()

    @property
    def good_body(self) -> bytes:
        """The body that is accepted."""
        return json.dumps(self.body).encode()

    def asked(self, body: bytes, headers: Headers = HOST + JSON) -> Asked:
        """A request with what opens the route: the admin key, or a signature of the body."""
        credentials = signed(body) if self.path == WEBHOOK else ADMIN
        return Asked(self.method, self.path, body=body, headers=headers + credentials)

    def bodies_around(self, value: bytes) -> Iterator[bytes]:
        """The good body with the value in the place of each of its parts, and of the whole."""
        for holed in _with_hole(self.body):
            yield json.dumps(holed).encode().replace(json.dumps(_HOLE).encode(), value)


_METADATA: dict[str, Json] = {"title": "Nodes", "tier": 1, "tags": ["ros"], "more": {"deep": None}}
_QUERY: dict[str, Json] = {"query": "A node?", "collection": FILLED, "mode": "keyword"}
_WHERE: Json = {"$or": [{"tier": {"$lte": 2}}, {"region": {"$in": ["été"]}}, {"tags": "ros"}]}
_SEARCH: Json = {
    "query": "A node?",
    "book_id": "book",
    "hardware_tier": 2,
    "module": "ros2",
    "chapter_min": 0,
    "chapter_max": 9,
    "lesson": 1,
    "proficiency_levels": ["A2", "b1"],
    "layer": "L1",
    "parent_doc_id": LESSON_ID,
    "limit": 2,
    "mode": "hybrid",
    "min_score": 0.1,
    "explain": True,
}
_POSTING: Json = {
    "source": "nas",
    "path": "/arm.md",
    "title": "The arm",
    "text": "The arm lifts 3 kg.",
    "hash": "abc",
    "tags": ["manual", "été"],
    "metadata": _METADATA,
}
_RAG_SEARCH: Json = {
    "query": "A node?",
    "topK": 2,
    "minScore": 0.1,
    "filters": {"source": "nas", "tags": ["ros"], "metadata": {"tier": 1}},
    "mode": "keyword",
    "explain": True,
}
_CHAT: Json = {
    "query": "A node?",
    "session_id": SESSION_ID,
    "mode": "selected_text",
    "selected_text": "A node is one process.",
    "top_k": 2,
    "score_threshold": 0.1,
    "search_mode": "keyword",
    "filters": {"source_url": "/nodes", "page_title": ["Nodes", "été"]},
    "stream": False,
    "book_id": "book",
    "hardware_tier": 2,
    "collections": [FILLED],
}
_MARK: Json = {
    "id": SESSION_ID,
    "question": "A node?",
    "about": "answer",
    "verdict": "wrong",
    "reason": "été",
    "sources": ["nodes.md"],
}
_RAG_CHAT: Json = {
    "message": "A node?",
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "été"}],
    "model": "llama2",
    "system": "Be brief.",
    "options": {"temperature": 0.5, "num_predict": 9, "max_tokens": 9},
    "conversationId": "c1",
    "useRag": True,
    "ragTopK": 2,
    "ragFilters": {"source": "nas", "tags": ["ros"], "metadata": {"tier": 1}},
    "ragMode": "hybrid",
}
_COLLECT: Json = {
    "userMessage": "A node?",
    "currentTopic": "été",
    "topic": "Nodes",
    "collections": [FILLED, {"name": EMPTY, "service": "main"}],
    "top_k": 2,
    "mode": "keyword",
    "explain": True,
}
_TOPIC: Json = {
    "userMessage": "Is it one process?",
    "messages": [
        {"type": "user", "text": "What is a node?", "topic": "Nodes"},
        {"role": "assistant", "content": "été"},
    ],
    "currentTopic": "Nodes",
}

_BOUNDS: Json = {"book": "book", "tier": "2", "user": "été"}
_COMPLETION: Json = {
    "model": "sourcebook",
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "été"},
        {"role": "user", "content": [{"type": "text", "text": "A node?"}]},
    ],
    "stream": False,
    "stream_options": {"include_usage": True},
    "metadata": _BOUNDS,
}
_RESPONSE: Json = {
    "model": "sourcebook/book",
    "input": [{"role": "user", "content": [{"type": "input_text", "text": "A node?"}]}],
    "stream": True,
    "metadata": _BOUNDS,
}
_RANKING: Json = {
    "model": "any",
    "query": "A node?",
    "documents": ["A node.", {"text": "été"}],
    "top_n": 1,
    "return_documents": True,
}

TARGETS = (
    Target(
        "POST /collections", {"name": "new", "embedding_model": "minilm", "metadata": _METADATA}
    ),
    Target(
        "PUT /collections/{name}/metadata", {"metadata": {**_METADATA, "embedding_model": None}}
    ),
    Target(
        "POST /collections/{name}/documents",
        {"documents": [{"id": "n1", "text": "A node.", "metadata": _METADATA}, {"text": "A"}]},
    ),
    Target("DELETE /collections/{name}/documents", ["d1", "d2"], name=FILLED),
    Target("POST /collections/{name}/reindex", {"embedding_model": "minilm"}, name=FILLED),
    Target("POST /query", {**_QUERY, "top_k": 2, "where": _WHERE, "explain": True}),
    Target(
        "POST /rerank",
        {"query": "A node?", "documents": [{"id": "1", "text": "A node."}], "top_k": 1},
    ),
    Target("POST /collect", _COLLECT),
    Target("POST /topic", _TOPIC),
    Target("POST /search", _SEARCH, refused=422),
    Target(
        "POST /ingestion/trigger",
        {"mode": "full", "book_id": "book", "docs_path": ".", "force": True},
        accepted=202,
        refused=422,
    ),
    Target(
        "POST /ingestion/webhook/github",
        {"ref": "refs/heads/main", "deleted": False, "repository": {"default_branch": "main"}},
        accepted=202,
        refused=422,
    ),
    Target("POST /api/rag/ingest", _POSTING),
    Target("POST /api/rag/documents", _POSTING),
    Target("POST /api/rag/ingest/batch", {"documents": [_POSTING]}),
    Target("POST /api/rag/ingest/jobs", {"documents": [_POSTING]}, accepted=202),
    Target("POST /api/rag/search", _RAG_SEARCH),
    Target("POST /api/chat", _RAG_CHAT),
    Target("POST /chat", _CHAT),
    Target("POST /chat/stream", _CHAT),
    Target("POST /feedback/marks", _MARK),
    Target("POST /v1/chat/completions", _COMPLETION),
    Target("POST /v1/responses", _RESPONSE),
    Target(
        "POST /v1/embeddings",
        {"model": "minilm", "input": ["A node.", "été"], "encoding_format": "base64"},
    ),
    Target("POST /v1/rerank", _RANKING),
    Target("POST /v2/rerank", _RANKING),
    Target(
        f"POST {PROVIDER_TEST}",
        {"config": {"url": "http://127.0.0.1", "api_key": "a", "model": "b"}, "provider": PROVIDER},
    ),
)

_CONTEXT = b"/context/" + CHUNK_ID.encode()
_LESSON = b"/lesson/" + LESSON_ID.encode()
_POSTED = b"/api/rag/documents"

# Every query parameter with what stands before its value.
PARAMETERS = (
    ("GET", b"/collections/robotics/documents", b"where="),
    ("GET", b"/collections/robotics/documents", b"limit="),
    ("GET", b"/collections/robotics/documents", b"offset="),
    ("GET", b"/collections/robotics/metadata-values", b"field="),
    ("PUT", b"/collections/empty/metadata", b"merge="),
    ("GET", _CONTEXT, b"prev="),
    ("GET", _CONTEXT, b"next="),
    ("GET", _CONTEXT, b"hardware_tier="),
    ("GET", _CONTEXT, b"book_id="),
    ("GET", _LESSON, b"hardware_tier="),
    ("GET", _LESSON, b"book_id="),
    ("GET", b"/info", b"book_id="),
    ("GET", b"/llms.txt", b"book_id="),
    ("GET", b"/llms-full.txt", b"hardware_tier="),
    ("GET", b"/books/book/files", b"limit="),
    ("GET", b"/books/book/files", b"offset="),
    ("GET", b"/books/book/files", b"problems="),
    ("GET", b"/ingestion/status", b"limit="),
    ("GET", b"/ingestion/status", b"book_id="),
    ("GET", b"/ingestion/changes", b"mode="),
    ("GET", b"/ingestion/changes", b"book_id="),
    ("GET", b"/ingestion/changes", b"docs_path="),
    ("GET", b"/ingestion/changes", b"patterns="),
    ("GET", b"/ingestion/changes", b"exclude="),
    ("GET", _POSTED, b"source="),
    ("GET", _POSTED, b"tags="),
    ("GET", _POSTED, b"limit="),
    ("GET", _POSTED, b"offset="),
    ("GET", b"/conversations/" + SESSION_ID.encode(), b"limit="),
    ("GET", b"/providers", b"kind="),
    ("GET", b"/providers/silent/schema", b"kind="),
    ("GET", b"/providers/silent/health", b"kind="),
    ("POST", b"/providers/silent/test", b"kind="),
)

PATHS_WITH_A_NAME = (
    ("GET", b"/collections/", b""),
    ("DELETE", b"/collections/", b""),
    ("PUT", b"/collections/", b"/metadata"),
    ("GET", b"/collections/", b"/documents"),
    ("POST", b"/collections/", b"/documents"),
    ("DELETE", b"/collections/", b"/documents"),
    ("DELETE", b"/collections/", b"/documents/all"),
    ("GET", b"/collections/", b"/metadata-values"),
    ("GET", b"/collections/", b"/reindex"),
    ("POST", b"/collections/", b"/reindex"),
    ("POST", b"/collections/", b"/reindex/rollback"),
    ("POST", b"/collections/", b"/reindex/cancel"),
    ("GET", b"/context/", b""),
    ("GET", b"/lesson/", b""),
    ("GET", b"/books/", b""),
    ("GET", b"/books/", b"/files"),
    ("DELETE", b"/books/", b""),
    ("GET", b"/ingestion/status/", b""),
    ("POST", b"/ingestion/cancel/", b""),
    ("GET", b"/api/rag/documents/", b""),
    ("GET", b"/api/rag/documents/", b"/chunks"),
    ("DELETE", b"/api/rag/documents/", b""),
    ("GET", b"/api/rag/ingest/jobs/", b""),
    ("GET", b"/api/rag/collections/", b"/info"),
    ("GET", b"/api/rag/", b""),
    ("GET", b"/api/chat/", b""),
    ("GET", b"/conversations/", b""),
    ("DELETE", b"/conversations/", b""),
    ("GET", b"/providers/", b"/schema"),
    ("GET", b"/providers/", b"/health"),
    ("POST", b"/providers/", b"/test"),
    ("GET", b"/docs/assets/", b""),
    ("GET", b"/v1/models/", b""),
    ("GET", b"/llms/", b".md"),
    ("GET", b"/", b""),
)


def _with_hole(body: Json) -> Iterator[Json]:
    yield _HOLE
    if isinstance(body, dict):
        for key, value in body.items():
            yield from ({**body, key: holed} for holed in _with_hole(value))
    elif isinstance(body, list):
        for index, value in enumerate(body):
            yield from ([*body[:index], holed, *body[index + 1 :]] for holed in _with_hole(value))
