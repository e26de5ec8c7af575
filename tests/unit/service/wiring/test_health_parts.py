"""Every role says what stands in it."""

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.health import ServiceLabel
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.health_parts import label_services
from tests.fakes import FakeEmbedder, FakeLanguageModel, FakeReranker

KEY = "canary-key"


def labels(
    *entries: ModelEntry,
    reranker: FakeReranker | None = None,
    answering: AnsweringParts | None = None,
) -> dict[str, ServiceLabel]:
    return label_services(
        load_settings(),
        Registry(),
        models=EmbeddingModels([FakeEmbedder(entry.id) for entry in entries]),
        entries=entries,
        reranker=reranker,
        answering=answering or AnsweringParts(),
    )


def test_a_local_installation_names_what_does_the_work_on_this_machine() -> None:
    found = labels(ModelEntry(id="minilm", path="bundled:all-MiniLM-L6-v2"))

    assert found["qdrant"] == ServiceLabel("mirror", "In-memory index on this machine")
    assert found["cohere"] == ServiceLabel("openvino", "fakes/minilm on this machine")
    assert found["database"] == ServiceLabel("sqlite", "SQLite on this machine")
    assert not {"gemini", "ledger", "cross_encoder"} & found.keys()


@pytest.mark.spec("004 FR-009")
def test_another_provider_is_named_where_spec_004_has_cohere_and_gemini(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("QDRANT_URL", "http://qdrant.internal:6333")
    monkeypatch.setenv("DATABASE_URL", f"postgresql://user:{KEY}@db.internal/chats")
    monkeypatch.setenv("SOURCEBOOK_RERANKER", "cohere")
    found = labels(
        ModelEntry(id="small", path="text-embedding-3-small", provider="openai"),
        ModelEntry(id="local", path="some/model"),
        reranker=FakeReranker(),
        answering=AnsweringParts(own_database=True, language_model=FakeLanguageModel()),
    )

    assert found == {
        "qdrant": ServiceLabel("qdrant", "Qdrant"),
        "cohere": ServiceLabel("openai", "OpenAI fakes/small"),
        "embedder:local": ServiceLabel("openvino", "fakes/local on this machine"),
        "gemini": ServiceLabel("openai", "OpenAI fake-model"),
        "cross_encoder": ServiceLabel("cohere", "Cohere fakes/reranker"),
        "database": ServiceLabel("postgres", "Postgres"),
        "ledger": ServiceLabel("sqlite", "SQLite on this machine"),
        "redis": ServiceLabel("redis", "Redis"),
    }
    assert "canary" not in str(found)
    assert "internal" not in str(found)
