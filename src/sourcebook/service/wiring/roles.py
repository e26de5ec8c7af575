"""Says what plays each role and where it runs; with `--local`, refuses what runs elsewhere."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.core.ports import Judge, Reranker
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import (
    PLACEHOLDER,
    known_settings,
    validate_settings,
)
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings, is_loopback
from sourcebook.service.wiring.adopted_collections import Adoption, adoptions
from sourcebook.service.wiring.provider_choices import (
    LOCAL_PROVIDERS,
    Choice,
    chosen_card,
    is_set,
    is_shared,
    judge_choice,
    judging_choice,
    language_model_choice,
    model_choice,
    reranker_choice,
    store_choice,
)

NONE = "none"
HERE = "on this machine"
# What a card says of a provider that runs in this process, without a server.
LOCAL = "local"
QUOTES = "quotes from the book (no language model)"
# The names that providers give to the address of their server.
_ADDRESSES = ("base_url", "url")


@dataclass(frozen=True, slots=True)
class Role:
    """A role that may be played elsewhere: where, the setting that says so, and what to do instead.

    `place` is a host, or the provider if its host is unknown; None on this machine.
    """

    name: str
    place: str | None
    setting: str
    instead: str


def roles(
    settings: Settings, entries: Sequence[ModelEntry], registry: Registry | None = None
) -> Iterator[Role]:
    """Yield every role that gets texts: what to embed, to answer, to rank or to keep."""
    registry = registry or Registry()
    for entry in entries:
        yield from embedder_role(settings, entry, registry)
    yield from writer_role(settings, registry)
    yield from judge_role(settings, registry)
    yield from reranker_role(settings, registry)
    yield from storage_roles(settings, registry)
    yield from database_role("Ledger", settings.ledger_url, "SOURCEBOOK_LEDGER_URL")
    yield from database_role("Conversations", settings.database_url, "DATABASE_URL")


def describe_leaving_text(found: Iterable[Role]) -> str:
    """Say in one line which roles send text to other machines, where to, and by which setting."""
    away: dict[str, list[str]] = {}
    for one in found:
        if one.place is not None:
            away.setdefault(f"to {one.place} ({one.setting})", []).append(one.name)
    ways = [f"{', '.join(dict.fromkeys(names))} {where}" for where, names in away.items()]
    return f"Text leaves this machine: {'; '.join(ways)}" if ways else "No text leaves this machine"


def check_local(settings: Settings, found: Iterable[Role]) -> None:
    """With `--local`, refuse every role that is played on another machine."""
    if not settings.local:
        return
    away = [
        f"{one.name} at {one.place} ({one.setting}): {one.instead}" for one in found if one.place
    ]
    if away:
        raise ConfigurationError(
            "--local (SOURCEBOOK_LOCAL) keeps all text on this machine, but these roles would send"
            f" it away. {'. '.join(dict.fromkeys(away))}. Or leave out --local"
        )


def embedder_role(settings: Settings, entry: ModelEntry, registry: Registry) -> Iterator[Role]:
    """Yield the role of one embedding model."""
    chosen_by = f"{entry.provider or ''}_API_KEY".upper()
    if settings.embeddings_config is not None:
        chosen_by = f"the model {entry.id!r} of the embeddings config"
    place = _place(registry, model_choice(settings, entry))
    instead = (
        "list only models of this machine in an embeddings config, such as path:"
        " bundled:all-MiniLM-L6-v2"
    )
    yield Role("Embeddings", place, chosen_by, instead)


def writer_role(settings: Settings, registry: Registry) -> Iterator[Role]:
    """Yield the role of the model that writes answers, if there is one."""
    choice = language_model_choice(settings)
    if choice is not None:
        instead = "set SOURCEBOOK_LLM (--llm) to none for quotes, or to ollama:MODEL"
        yield Role("Answers", _place(registry, choice), llm_setting(settings, choice), instead)


def judge_role(settings: Settings, registry: Registry) -> Iterator[Role]:
    """Yield the role of the judge, if there is one: it gets what answers say, and the sources."""
    choice = judge_choice(settings)
    if choice is not None:
        by = "SOURCEBOOK_JUDGE_MODEL" if settings.judge_model else "SOURCEBOOK_JUDGE"
        instead = "set SOURCEBOOK_JUDGE to none, or to openvino:FOLDER_OR_ID"
        yield Role("Judge", _place(registry, judging_choice(choice)), by, instead)


def reranker_role(settings: Settings, registry: Registry) -> Iterator[Role]:
    """Yield the role of the reranker, if there is one."""
    choice = reranker_choice(settings)
    if choice is not None:
        instead = "unset it, or name a cross-encoder of this machine (--cross-encoder)"
        yield Role("Reranker", _place(registry, choice), "SOURCEBOOK_RERANKER", instead)


def storage_roles(settings: Settings, registry: Registry) -> Iterator[Role]:
    """Yield the index, and the adopted collections that questions are sent to."""
    by = "SOURCEBOOK_VECTOR_STORE" if settings.vector_store else "QDRANT_URL"
    instead = "unset it for the index in the data folder, or name a server on this machine"
    yield Role("Index", _place(registry, store_choice(settings)), by, instead)
    for one in adoptions(settings):
        by = "SOURCEBOOK_ADOPTED_CONFIG" if one.asked_for else "QDRANT_URL"
        name = f"Collection {one.name}"
        yield Role(name, _adopted_place(one), by, "leave it out, or name a server on this machine")


def database_role(name: str, url: SecretStr | None, setting: str) -> Iterator[Role]:
    """Yield the role of a database; without a URL it is SQLite in the data folder."""
    host = None if url is None else _database_host(url)
    place = None if host is None or is_loopback(host) else host
    instead = "unset it for SQLite in the data folder, or name a database on this machine"
    yield Role(name, place, setting, instead)


def describe_roles(
    settings: Settings,
    entries: Sequence[ModelEntry],
    models: EmbeddingModels,
    reranker: Reranker | None,
    registry: Registry | None = None,
    *,
    judge: Judge | None = None,
) -> dict[str, str]:
    """Return what plays each role, and its host if it is elsewhere. Never a key or a whole URL."""
    registry = registry or Registry()
    embedders = [
        _model(registry, model_choice(settings, entry), model.name)
        for entry in entries
        if (model := models.find(entry.id)) is not None
    ]
    chosen, judging = reranker_choice(settings), judge_choice(settings)
    judged = {}
    if judging is not None and judge is not None:
        judged["Judge"] = _model(registry, judging_choice(judging), judge.name)
    return {
        "Embeddings": "; ".join(embedders) or NONE,
        "Answers": _answers(registry, settings),
        **judged,
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
    choices += [judging_choice(judge)] if (judge := judge_choice(used)) else []
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


def llm_setting(settings: Settings, choice: Choice) -> str:
    """Return the variable that chose the language model."""
    if settings.llm is not None:
        return "SOURCEBOOK_LLM"
    if settings.language_model is not None:
        return "SOURCEBOOK_LANGUAGE_MODEL"
    by_key = {"gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY", "ollama": "OLLAMA_HOST"}
    return by_key.get(choice.provider, "SOURCEBOOK_LLM_BASE_URL")


def _place(registry: Registry, choice: Choice) -> str | None:
    """Return where a provider sends texts: a host, or its own name; None for this machine."""
    card = chosen_card(registry, choice)
    in_process = choice.kind == "vector_stores" and not is_shared(card)
    if in_process or card.id in LOCAL_PROVIDERS or LOCAL in card.capabilities:
        return None
    host = _host(_provider_settings(registry, choice))
    if host is None:
        return card.display_name
    return None if is_loopback(host) else host


def _adopted_place(adoption: Adoption) -> str | None:
    url = str(adoption.config.get("url", ""))
    host = _host_in(PLACEHOLDER.sub(lambda name: os.environ.get(name[1], ""), url))
    return None if host is None or is_loopback(host) else host


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
    host = _database_host(url)
    return f"Postgres at {host}" if host else "Postgres"


def _database_host(url: SecretStr) -> str | None:
    """Return the host of a Postgres server; None for a socket in the file system."""
    # SQLAlchemy, which reads every form of such a URL, is loaded when there is one.
    from sourcebook.providers.storage.postgres_url import postgres_target  # noqa: PLC0415

    parsed = postgres_target(url.get_secret_value()).url
    host = str(parsed.query.get("host", "")) or parsed.host
    return None if host is None or host.startswith("/") else host


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
    return _host_in(next((str(one) for one in addresses if one is not None), ""))


def _host_in(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
