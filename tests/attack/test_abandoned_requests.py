"""Work for a client that has left ends, however much of it was ordered."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from starlette.types import Message

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Embedding
from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeEmbedder

PATIENCE_S = 20


class Endless(FakeEmbedder):
    """Embeds and reranks for ever; `began` and `ended` say when."""

    def __init__(self) -> None:
        super().__init__("minilm")
        self.began = asyncio.Event()
        self.ended = asyncio.Event()

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        await self.work()
        return []

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        await self.work()
        return []

    async def check(self) -> ServiceHealth:
        return ServiceHealth("up")

    async def work(self) -> None:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/embeddings", {"model": "minilm", "input": ["arm"]}),
        ("/v1/rerank", {"query": "arm", "documents": ["arm"]}),
        ("/rerank", {"query": "arm", "documents": [{"id": "a", "text": "arm"}]}),
    ],
)
async def test_work_ends_when_its_client_leaves(
    use_cases: UseCases, path: str, body: dict[str, object]
) -> None:
    model = Endless()
    use = replace(use_cases, models=EmbeddingModels([model]), reranker=model)
    messages = [{"type": "http.request", "body": json.dumps(body).encode()}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await model.began.wait()
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None: ...

    headers = {b"host": b"localhost", b"content-type": b"application/json", b"content-length": b"9"}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": list(headers.items()),
        "client": ("127.0.0.1", 1),
    }
    app = create_app(use, AccessRule(None), [], None)

    async with asyncio.timeout(PATIENCE_S):
        await app(scope, receive, send)

    assert model.ended.is_set()
