"""Which provider plays each role: what the settings say, and what they leave to us."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.declaration import Opening, Provider
from sourcebook.providers.inference.local_models import CROSS_ENCODER, EMBEDDER, WantedModel
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.models import (
    bundled_entries,
    entries_or_bundled,
    fetch_models,
    how_to_load,
    model_entries,
    open_model,
)
from sourcebook.service.wiring.provider_choices import (
    Choice,
    cohere_entry,
    local_model,
    model_choice,
    model_opening,
    open_chosen,
    openai_entry,
    reranker_choice,
    store_choice,
)

KEY = "a-key-that-nobody-may-see"


class EchoSettings(BaseModel):
    path: str
    api_key: SecretStr | None = None


@asynccontextmanager
async def _echo(settings: EchoSettings, opening: Opening) -> AsyncIterator[object]:
    yield settings, opening


ECHO = Provider(settings=EchoSettings, open=_echo)


@asynccontextmanager
async def _fail(settings: EchoSettings, opening: Opening) -> AsyncIterator[object]:
    key = settings.api_key
    raise RuntimeError(f"no luck with {key.get_secret_value() if key else None}")
    yield


@asynccontextmanager
async def _leave(settings: EchoSettings, opening: Opening) -> AsyncIterator[object]:
    raise SystemExit(7)
    yield


FAILING = Provider(settings=EchoSettings, open=_fail)
LEAVING = Provider(settings=EchoSettings, open=_leave)


@pytest.fixture
def registry() -> Registry:
    found = {"echo": "ECHO", "failing": "FAILING", "leaving": "LEAVING"}
    return Registry(
        EntryPoint(name, f"{__name__}:{what}", "sourcebook.embedders")
        for name, what in found.items()
    )


@pytest.fixture
def opening(tmp_path: Path) -> Opening:
    return model_opening(DataFolder(tmp_path), "alias")


def test_the_store_inside_the_process_is_the_default() -> None:
    assert store_choice(load_settings()) == Choice("vector_stores", "mirror", {})


def test_a_qdrant_url_chooses_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_URL", "https://cluster.example")
    monkeypatch.setenv("QDRANT_API_KEY", KEY)

    chosen = store_choice(load_settings())

    assert chosen == Choice(
        "vector_stores", "qdrant", {"url": "https://cluster.example", "api_key": KEY}
    )
    assert KEY not in repr(chosen)


def test_a_named_store_wins_and_gets_its_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_URL", "https://cluster.example")
    monkeypatch.setenv("SOURCEBOOK_VECTOR_STORE", "chromadb")
    monkeypatch.setenv("SOURCEBOOK_VECTOR_STORE_CONFIG", '{"path": "chroma"}')

    assert store_choice(load_settings()) == Choice("vector_stores", "chromadb", {"path": "chroma"})


def test_a_key_of_cohere_alone_gives_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHERE_API_KEY", KEY)
    settings = load_settings()

    (entry,) = model_entries(settings)

    assert model_choice(settings, entry) == Choice(
        "embedders", "cohere", {"api_key": KEY, "path": "embed-english-v3.0"}
    )


@pytest.mark.spec("002 FR-008")
async def test_a_key_of_openai_alone_gives_its_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings = load_settings()

    (entry,) = model_entries(settings)

    assert model_choice(settings, entry) == Choice(
        "embedders", "openai", {"api_key": KEY, "path": "text-embedding-3-small"}
    )
    async with open_model(settings, entry, DataFolder(tmp_path)) as embedder:
        assert (embedder.id, embedder.dimensions) == ("openai", 1536)


@pytest.mark.parametrize("key", ["COHERE_API_KEY", "OPENAI_API_KEY"])
def test_a_command_that_brings_its_model_embeds_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    monkeypatch.setenv(key, KEY)
    config = tmp_path / "embeddings.yml"
    config.write_text("embeddings: [{id: a, path: x, provider: cohere}]", "utf-8")

    assert entries_or_bundled(load_settings()) == bundled_entries()
    assert [one.id for one in entries_or_bundled(load_settings(embeddings_config=config))] == ["a"]


def test_a_model_that_only_a_key_gave_can_be_listed_as_the_error_says(tmp_path: Path) -> None:
    for entry in (cohere_entry(), openai_entry()):
        _, yaml, _ = how_to_load()[entry.id].split("`")
        config = tmp_path / "embeddings.yml"
        config.write_text(yaml, "utf-8")

        assert entries_or_bundled(load_settings(embeddings_config=config)) == (entry,)


def test_of_two_keys_that_of_cohere_gives_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("COHERE_API_KEY", KEY)

    assert [entry.id for entry in model_entries(load_settings())] == ["cohere"]


def test_a_cross_encoder_with_a_key_of_openai_reranks_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    assert model_entries(load_settings(cross_encoder="some/model")) == ()


@pytest.mark.parametrize("key", ["COHERE_API_KEY", "OPENAI_API_KEY"])
def test_an_embeddings_config_wins_over_a_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    monkeypatch.setenv(key, KEY)
    config = tmp_path / "embeddings.yml"
    config.write_text("embeddings: [{id: a, path: x}]", "utf-8")

    assert [entry.id for entry in model_entries(load_settings(embeddings_config=config))] == ["a"]


def test_an_entry_s_own_settings_win_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    entry = ModelEntry.model_validate(
        {"id": "small", "path": "text-embedding-3-small", "provider": "openai", "api_key": "own"}
    )

    assert model_choice(load_settings(), entry).config["api_key"] == "own"


@pytest.mark.parametrize("provider", [None, "openvino"])
def test_a_model_runs_on_openvino_unless_told_otherwise(provider: str | None) -> None:
    entry = ModelEntry(id="mine", path="some/folder", provider=provider)

    assert model_choice(load_settings(), entry).provider == "openvino"


def test_there_is_no_reranker_unless_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHERE_API_KEY", KEY)

    assert reranker_choice(load_settings()) is None


def test_a_cross_encoder_is_a_reranker_of_this_machine() -> None:
    chosen = reranker_choice(load_settings(cross_encoder="some/model"))

    assert chosen == Choice("rerankers", "openvino", {"path": "some/model"})


def test_a_named_reranker_gets_the_key_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHERE_API_KEY", KEY)
    monkeypatch.setenv("SOURCEBOOK_RERANKER", "cohere")
    monkeypatch.setenv("SOURCEBOOK_RERANKER_CONFIG", '{"path": "rerank-v3.5"}')

    chosen = reranker_choice(load_settings())

    assert chosen == Choice("rerankers", "cohere", {"api_key": KEY, "path": "rerank-v3.5"})


def test_the_environment_knows_a_provider_in_large_or_small_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:6333")
    monkeypatch.setenv("COHERE_API_KEY", KEY)
    settings = load_settings(vector_store="Qdrant", reranker="Cohere")
    entry = ModelEntry(id="english", path="embed-english-v3.0", provider="COHERE")

    assert store_choice(settings).config["url"] == "http://127.0.0.1:6333"
    assert reranker_choice(settings) == Choice("rerankers", "Cohere", {"api_key": KEY})
    assert model_choice(settings, entry).config["api_key"] == KEY


async def test_what_goes_wrong_later_is_not_taken_for_a_failed_opening(
    registry: Registry, opening: Opening
) -> None:
    with pytest.raises(RuntimeError, match="later"):
        async with open_chosen(registry, Choice("embedders", "echo", {"path": "x"}), opening):
            raise RuntimeError("later")


async def test_only_a_provider_that_can_run_code_is_asked_to(
    registry: Registry, opening: Opening
) -> None:
    trusting = Choice("embedders", "echo", {"path": "x", "trust_remote_code": True})
    with pytest.raises(ConfigurationError, match="Set `provider: sentence-transformers` for it"):
        async with open_chosen(registry, trusting, opening, forgiving=True):
            pass


async def test_that_no_code_may_run_can_be_said_of_any_provider(
    registry: Registry, opening: Opening, caplog: pytest.LogCaptureFixture
) -> None:
    wary = Choice("embedders", "echo", {"path": "x", "trust_remote_code": False})

    async with open_chosen(registry, wary, opening, forgiving=True):
        assert caplog.records == []


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ({"path": "a/b"}, WantedModel("a/b", EMBEDDER)),
        ({"path": "a/b", "provider": "Sentence-Transformers"}, WantedModel("a/b", EMBEDDER)),
        (
            {"path": "a/b", "provider": "sentence-transformers", "trust_remote_code": True},
            WantedModel("a/b", EMBEDDER, with_code=True),
        ),
        # Refused when it is opened.
        ({"path": "a/b", "trust_remote_code": True}, None),
        ({"path": "text-embedding-3-small", "provider": "openai"}, None),
    ],
)
def test_models_of_this_machine_can_be_downloaded(
    entry: dict[str, object], wanted: WantedModel | None
) -> None:
    choice = model_choice(load_settings(), ModelEntry.model_validate({"id": "a", **entry}))

    assert local_model(choice) == wanted


def test_the_folder_of_a_cross_encoder_is_never_taken_for_an_id_of_the_hub(tmp_path: Path) -> None:
    by_id = reranker_choice(load_settings(cross_encoder="a/b"))
    by_folder = reranker_choice(load_settings(cross_encoder_path=Path("a/b")))

    assert by_id is not None
    assert local_model(by_id) == WantedModel("a/b", CROSS_ENCODER)
    assert by_folder == Choice("rerankers", "openvino", {"path": str(tmp_path / "a" / "b")})


async def test_missing_software_is_named_before_anything_is_downloaded() -> None:
    missing = next(
        card for card in Registry().cards() if card.kind == "embedders" and not card.installed
    )
    entry = ModelEntry(id="a", path="a/b", provider=missing.id)

    with pytest.raises(ConfigurationError, match="needs software that is not installed"):
        await fetch_models(load_settings(), [entry], print)


async def test_a_mistyped_language_model_is_found_before_any_download() -> None:
    settings = load_settings(llm="gemnii", offline=True)

    with pytest.raises(ConfigurationError, match=r"'gemnii' not found\. Available providers"):
        await fetch_models(settings, (), print)


async def test_offline_no_model_is_downloaded() -> None:
    entries = [ModelEntry(id="a", path="a/b", provider="no-such-provider")]

    await fetch_models(load_settings(offline=True), entries, print)


async def test_what_is_chosen_is_opened_with_its_settings(
    registry: Registry, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    choice = Choice("embedders", "ECHO", {"path": "x", "api_key": "${SOME_KEY}"})

    async with open_chosen(registry, choice, opening) as opened:
        assert opened == (EchoSettings(path="x", api_key=SecretStr(KEY)), opening)


async def test_unknown_settings_of_a_model_are_named_and_left_out(
    registry: Registry, opening: Opening, caplog: pytest.LogCaptureFixture
) -> None:
    choice = Choice("embedders", "echo", {"path": "x", "promt": "y"})

    async with open_chosen(registry, choice, opening, forgiving=True):
        pass

    assert [vars(record)["keys"] for record in caplog.records] == [["promt"]]
    assert caplog.records[0].levelno == logging.WARNING


@pytest.mark.parametrize(
    ("provider", "config", "says"),
    [
        ("nobody", {}, "Embedding provider 'nobody' not found. Available providers: echo"),
        ("failing", {"path": "x", "api_key": KEY}, "'failing' cannot be opened: RuntimeError: no"),
        ("leaving", {"path": "x"}, "Provider 'leaving' cannot be opened: SystemExit: 7"),
        ("echo", {}, "'path' is required"),
        ("echo", {"path": "x", "promt": "y"}, "Unknown settings: 'promt'"),
        ("echo", {"path": "${NOT_THERE}"}, "NOT_THERE, which is not set"),
    ],
)
async def test_what_cannot_be_opened_says_why(
    registry: Registry,
    opening: Opening,
    caplog: pytest.LogCaptureFixture,
    provider: str,
    config: dict[str, str],
    says: str,
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        async with open_chosen(registry, Choice("embedders", provider, {**config}), opening):
            pass

    assert says in caught.value.message
    assert KEY not in caught.value.message + caplog.text


@pytest.mark.spec("000 RAG Provider Selection")
async def test_missing_software_is_named_with_its_cure(opening: Opening) -> None:
    card = next(card for card in Registry().cards() if not card.installed)
    registry = Registry()

    with pytest.raises(ConfigurationError) as caught:
        async with open_chosen(registry, Choice(card.kind, card.id), opening):
            pass

    assert str(card.install) in caught.value.message
