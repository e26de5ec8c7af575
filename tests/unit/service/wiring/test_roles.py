"""Whoever starts the service reads what plays each role and where it runs, and never a secret."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pydantic import BaseModel

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.declaration import Opening, Provider
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings, load_settings, local_unless_told
from sourcebook.service.wiring.models import bundled_entries, entries_or_bundled
from sourcebook.service.wiring.roles import (
    check_local,
    describe_leaving_text,
    describe_roles,
    unused_variables,
)
from sourcebook.service.wiring.roles import roles as every_role
from sourcebook.service.wiring.use_cases import open_use_cases
from tests.fakes import FakeEmbedder, FakeLanguageModel, FakeReranker

KEY = "canary-key"
COHERE = ModelEntry(id="cohere", path="embed-english-v3.0", provider="cohere")


def roles(
    settings: Settings,
    *entries: ModelEntry,
    reranker: FakeReranker | None = None,
    registry: Registry | None = None,
) -> dict[str, str]:
    models = EmbeddingModels([FakeEmbedder(entry.id) for entry in entries])
    found = describe_roles(settings, entries, models, reranker, registry)
    assert "canary" not in str(found)
    return found


def test_a_start_without_settings_stays_on_this_machine() -> None:
    assert roles(local_unless_told(load_settings()), *bundled_entries()) == {
        "Embeddings": "fakes/minilm, on this machine",
        "Answers": "quotes from the book (no language model)",
        "Reranker": "none",
        "Index": "In-memory index, on this machine",
        "Ledger": "SQLite, on this machine",
        "Conversations": "SQLite, on this machine",
    }


def test_what_runs_elsewhere_is_named_with_its_host_and_nothing_else_of_its_url() -> None:
    settings = load_settings(
        gemini_api_key=KEY,
        cohere_api_key=KEY,
        qdrant_url="https://xyz.cloud.qdrant.io:6333",
        qdrant_api_key=KEY,
        ledger_url=f"postgresql://user:{KEY}@db.example:5433/ledger?sslmode=require",
        database_url=f"postgresql://user:{KEY}%40@chats.example/chats",
        reranker="cohere",
        reranker_config={"path": "rerank-v3.5"},
    )

    assert roles(settings, COHERE, *bundled_entries(), reranker=FakeReranker()) == {
        "Embeddings": "fakes/cohere at api.cohere.com; fakes/minilm, on this machine",
        "Answers": "gemini-2.5-flash at generativelanguage.googleapis.com",
        "Reranker": "fakes/reranker at api.cohere.com",
        "Index": "Qdrant at xyz.cloud.qdrant.io",
        "Ledger": "Postgres at db.example",
        "Conversations": "Postgres at chats.example",
    }


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"llm": "ollama:llama3.2"}, "llama3.2 at 127.0.0.1"),
        ({"llm": "openai", "openai_api_key": KEY}, "gpt-5.4-mini at api.openai.com"),
        (
            {"llm": "gemini:gemini-9", "gemini_api_key": KEY, "llm_fallback": "extractive"},
            "gemini-9 at generativelanguage.googleapis.com; quotes if it fails",
        ),
    ],
)
def test_the_model_that_writes_is_named_with_its_host(settings: dict[str, str], says: str) -> None:
    assert roles(load_settings(None, **settings))["Answers"] == says


class AcmeSettings(BaseModel):
    key: str


@asynccontextmanager
async def _acme(settings: AcmeSettings, opening: Opening) -> AsyncIterator[FakeLanguageModel]:
    yield FakeLanguageModel()


ACME = Provider(AcmeSettings, _acme)


def test_a_third_partys_model_without_an_address_is_named_by_its_provider() -> None:
    point = EntryPoint("acme-chat", f"{__name__}:ACME", "sourcebook.language_models")
    own = [EntryPoint("mirror", "x:y", "sourcebook.vector_stores")]
    settings = load_settings(llm="acme-chat", language_model_config={"key": KEY})

    said = roles(settings, registry=Registry([point, *own]))["Answers"]

    assert said.startswith("acme-chat through ")


STRAY = {
    "gemini_api_key": KEY,
    "openai_api_key": KEY,
    "cohere_api_key": KEY,
    "ollama_host": "127.0.0.1",
}


def hints(settings: Settings, used: Settings, *entries: ModelEntry) -> list[str]:
    found = list(unused_variables(settings, used, entries))
    assert "canary" not in str(found)
    return [hint.partition(" ")[0] for hint in found]


def test_keys_that_are_not_used_are_named_with_what_would_use_them() -> None:
    settings = load_settings(None, **STRAY)

    said = list(unused_variables(settings, local_unless_told(settings), bundled_entries()))

    assert [hint.partition(" is set, but not used: ")[0] for hint in said] == [
        "GEMINI_API_KEY",
        "OPENAI_API_KEY",
        "OLLAMA_HOST",
        "COHERE_API_KEY",
    ]
    assert "--llm openai " in said[1]
    assert "--llm ollama:MODEL " in said[2]
    assert "--embeddings-config" in said[3]


def test_a_key_that_is_used_is_not_called_unused() -> None:
    settings = load_settings(None, gemini_api_key=KEY, openai_api_key=KEY, cohere_api_key=KEY)

    assert hints(settings, settings, COHERE) == ["OPENAI_API_KEY"]


def test_who_chose_a_model_is_not_told_of_others(tmp_path: Path) -> None:
    config = tmp_path / "embeddings.yml"
    config.write_text("embeddings: [{id: minilm, path: 'bundled:all-MiniLM-L6-v2'}]", "utf-8")
    settings = load_settings(None, **STRAY, llm="none", embeddings_config=config)

    assert hints(settings, local_unless_told(settings), *bundled_entries()) == []


AWAY: dict[str, tuple[dict[str, object], str]] = {
    "Embeddings": ({"embeddings_config": "cohere.yml", "cohere_api_key": KEY}, "api.cohere.com"),
    "Answers": ({"openai_api_key": KEY}, "api.openai.com"),
    "Reranker": (
        {"reranker": "cohere", "reranker_config": {"path": "r"}, "cohere_api_key": KEY},
        "api.cohere.com",
    ),
    "Judge": (
        {"judge": "language-model", "judge_model": "openai:gpt-5", "openai_api_key": KEY},
        "api.openai.com",
    ),
    "Index": ({"qdrant_url": "https://xyz.cloud.qdrant.io:6333"}, "xyz.cloud.qdrant.io"),
    "Ledger": ({"ledger_url": f"postgresql://u:{KEY}@db.example/l"}, "db.example"),
    "Conversations": ({"database_url": "postgresql:///c?host=db.example&port=5432"}, "db.example"),
    "Collection faq": ({"adopted_config": "adopted.yml"}, "chroma.example"),
}
NEARBY: dict[str, object] = {
    "qdrant_url": "http://localhost:6333",
    "ledger_url": "postgresql://127.0.0.1/l",
    "database_url": "postgresql:///chats?host=/run/postgresql",
    "llm": "ollama:llama3.2",
    "ollama_host": "0.0.0.0",
    "reranker": "reader",
}


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = "embeddings: [{id: cohere, provider: cohere, path: embed-english-v3.0}]"
    Path("cohere.yml").write_text(model, "utf-8")
    monkeypatch.setenv("CHROMA", "https://chroma.example")
    adopted = "adopted: [{collection: faq, provider: chromadb, url: '${CHROMA}'}]"
    Path("adopted.yml").write_text(adopted, "utf-8")


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("role", AWAY)
def test_a_start_says_which_text_leaves_this_machine_and_local_refuses_it(role: str) -> None:
    given, host = AWAY[role]
    settings = load_settings(None, **given)
    entries = entries_or_bundled(settings)

    said = describe_leaving_text(every_role(settings, entries))
    with pytest.raises(ConfigurationError) as refused:
        check_local(settings.model_copy(update={"local": True}), every_role(settings, entries))

    assert said.startswith("Text leaves this machine: ")
    assert role in said
    assert f" to {host} (" in said
    assert f"{role} at {host} (" in refused.value.message
    assert "canary" not in said + refused.value.message


def test_what_runs_on_this_machine_is_local_whether_it_is_a_server_or_not() -> None:
    settings = load_settings(None, local=True, **NEARBY)

    check_local(settings, every_role(settings, bundled_entries()))

    said = describe_leaving_text(every_role(settings, bundled_entries()))
    assert said == "No text leaves this machine"


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("role", AWAY)
async def test_no_command_opens_a_role_of_another_machine_if_all_is_to_be_local(
    role: str, tmp_path: Path
) -> None:
    settings = load_settings(None, local=True, reader="off", **AWAY[role][0])
    folder = DataFolder(tmp_path)

    with pytest.raises(ConfigurationError, match="--local"):
        async with open_use_cases(settings, folder, entries_or_bundled(settings)):
            pass
