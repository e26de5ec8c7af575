"""A service whose language model the test writes, and what its chat says."""

from typing import Any

import httpx2
from fastapi import FastAPI

from sourcebook.answering.chat_models import ChatModels
from sourcebook.answering.rag_v3_chat import CHAT_TIMEOUT_S
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import LanguageModel, Ledger, VectorStore
from sourcebook.service.http.app import create_app
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import RateLimits
from tests.fakes import MemoryConversations

CHAT = "/api/chat"
CONFIGURED_ONLY = ChatModels()
HI = {"role": "user", "content": "Hi"}


class Service:
    """An app and the conversations that it keeps."""

    def __init__(self, ledger: Ledger, store: VectorStore, models: EmbeddingModels) -> None:
        self.conversations = MemoryConversations()
        self._storage = Storage(ledger, store)
        self._models = models

    def app(
        self,
        model: LanguageModel | None,
        rate_limits: RateLimits | None = None,
        timeout_s: float = CHAT_TIMEOUT_S,
        models: ChatModels = CONFIGURED_ONLY,
    ) -> FastAPI:
        """The app, with this model or without one."""
        answering = AnsweringParts(
            self.conversations,
            language_model=model,
            api_chat_timeout_s=timeout_s,
            chat_models=models,
        )
        use_cases = build_use_cases(self._storage, self._models, None, answering=answering)
        return create_app(use_cases, AccessRule(None), [], rate_limits=rate_limits)

    def client(
        self,
        model: LanguageModel | None = None,
        rate_limits: RateLimits | None = None,
        timeout_s: float = CHAT_TIMEOUT_S,
        models: ChatModels = CONFIGURED_ONLY,
    ) -> httpx2.AsyncClient:
        """A client of it."""
        app = self.app(model, rate_limits, timeout_s, models)
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        return httpx2.AsyncClient(transport=transport, base_url="http://localhost")


def check(reply: httpx2.Response, status: int, error: str) -> str:
    """The message of an error in the dialect."""
    assert reply.status_code == status, reply.text
    said: dict[str, Any] = reply.json()
    details = ["details"] if status == 400 else []
    assert list(said) == ["status", "error", "message", *details]
    assert (said["status"], said["error"]) == ("error", error)
    if details:
        assert said["details"]["message"] == said["message"]
        assert said["details"]["field"]
    message = said["message"]
    assert isinstance(message, str)
    return message
