"""Says what plays each role and where it runs, for whoever starts the service."""

import os
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import InvalidInput
from sourcebook.core.ports import Reranker
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import known_settings, validate_settings
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.health_parts import HERE
from sourcebook.service.wiring.provider_choices import (
    LOCAL_PROVIDERS,
    Choice,
    chosen_card,
    is_set,
    is_shared,
    language_model_choice,
    model_choice,
    reranker_choice,
    store_choice,
)

NONE = "none"
QUOTES = "quotes from the book (no language model)"
# The names that providers give to the address of their server.
_ADDRESSES = ("base_url", "url")


def describe_roles(
    settings: Settings,
    entries: Sequence[ModelEntry],
    models: EmbeddingModels,
    reranker: Reranker | None,
    registry: Registry | None = None,
) -> dict[str, str]:
    """Return what plays each role, and its host if it is elsewhere. Never a key or a whole URL."""
    registry = registry or Registry()
    embedders = [
        _model(registry, model_choice(settings, entry), model.name)
        for entry in entries
        if (model := models.find(entry.id)) is not None
    ]
    chosen = reranker_choice(settings)
    return {
        "Embeddings": "; ".join(embedders) or NONE,
        "Answers": _answers(registry, settings),
        "Reranker": NONE
        if chosen is None or reranker is None
        else _model(registry, chosen, reranker.name),
        "Index": _index(registry, store_choice(settings)),
        "Ledger": _database(settings.ledger_url),
        "Conversations": _database(settings.database_url),
    }


def unused_variables(
    given: Settings, used: Settings, entries: Sequence[ModelEntry]
) -> Iterator[str]:
    """Name the keys and hosts that are set while nothing uses them, and say what would.

    `given` are the settings as somebody wrote them. Where they choose a model, the rest is
    left out on purpose, and nothing is said.
    """
    choices = [model_choice(used, entry) for entry in entries]
    choices += [one for one in (reranker_choice(used), language_model_choice(used)) if one]
    in_use = {choice.provider.lower() for choice in choices}
    if not given.llm_told:
        for name, provider, is_given in (
            ("GEMINI_API_KEY", "gemini", is_set(given.gemini_api_key)),
            ("OPENAI_API_KEY", "openai", is_set(given.openai_api_key)),
            ("OLLAMA_HOST", "ollama", given.ollama_host is not None),
        ):
            llm = "ollama:MODEL" if provider == "ollama" else provider
            if is_given and provider not in in_use:
                yield f"{name} is set, but not used: --llm {llm} lets it write the answers"
    if is_set(given.cohere_api_key) and "cohere" not in in_use and not given.embeddings_config:
        yield (
            "COHERE_API_KEY is set, but not used: an embeddings config that lists its model"
            " (--embeddings-config) lets it embed"
        )


def _model(registry: Registry, choice: Choice, name: str) -> str:
    card = chosen_card(registry, choice)
    if card.id in LOCAL_PROVIDERS:
        return f"{name}, {HERE}"
    host = _host(_provider_settings(registry, choice))
    return f"{name} through {card.display_name}" if host is None else f"{name} at {host}"


def _answers(registry: Registry, settings: Settings) -> str:
    choice = language_model_choice(settings)
    if choice is None:
        return QUOTES
    name = getattr(_provider_settings(registry, choice), "model", choice.provider)
    fallback = "; quotes if it fails" if settings.llm_fallback == "extractive" else ""
    return _model(registry, choice, str(name)) + fallback


def _index(registry: Registry, choice: Choice) -> str:
    card = chosen_card(registry, choice)
    if not is_shared(card):
        return f"{card.display_name}, {HERE}"
    host = _host(_provider_settings(registry, choice))
    return card.display_name if host is None else f"{card.display_name} at {host}"


def _database(url: SecretStr | None) -> str:
    if url is None:
        return f"SQLite, {HERE}"
    # SQLAlchemy, which reads every form of such a URL, is loaded by now.
    from sourcebook.providers.storage.postgres_url import postgres_target  # noqa: PLC0415

    host = postgres_target(url.get_secret_value()).url.host
    return f"Postgres at {host}" if host else "Postgres"


def _provider_settings(registry: Registry, choice: Choice) -> BaseModel | None:
    """Return the settings that a provider was opened with; None if they cannot be told."""
    declared = registry.load(choice.provider, choice.kind).settings
    known = known_settings(declared)
    config = {name: value for name, value in choice.config.items() if name in known}
    try:
        return validate_settings(declared, config, environment=os.environ)
    except InvalidInput:
        # Other people's settings may check one another; what is shown is not worth an error.
        return None


def _host(settings: BaseModel | None) -> str | None:
    addresses = (getattr(settings, name, None) for name in _ADDRESSES)
    address = next((str(one) for one in addresses if one is not None), "")
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
