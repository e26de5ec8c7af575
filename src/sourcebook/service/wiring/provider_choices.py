"""Chooses the provider of each role and its settings, and opens it."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from pydantic import BaseModel, JsonValue, SecretStr

from sourcebook.core.errors import (
    ConfigurationError,
    InvalidInput,
    NotFound,
    SourcebookError,
)
from sourcebook.core.providers import ProviderCard, ProviderKind
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.local_models import (
    CROSS_ENCODER,
    EMBEDDER,
    JUDGE,
    WantedModel,
)
from sourcebook.providers.language_models.endpoint import parse_base_url, parse_key
from sourcebook.providers.outbound.server_urls import ollama_url
from sourcebook.providers.readers.local_provider import BUNDLED_READER
from sourcebook.providers.registry.redaction import hide, secrets_of
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import known_settings, validate_settings
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import NO_LLM, Settings

log = logging.getLogger(__name__)

EMBEDDED_STORE = "mirror"
# What was embedded before; people have it in their settings.
FORMER_EMBEDDED_STORE = "qdrant-edge"
LOCAL_MODELS = "openvino"
COHERE_MODEL = "embed-english-v3.0"
OPENAI_MODEL = "text-embedding-3-small"
# Providers that run a model on this machine.
LOCAL_PROVIDERS = (LOCAL_MODELS, "sentence-transformers")
NO_READER = "off"
NO_JUDGE = "none"
LANGUAGE_MODEL_JUDGE = "language-model"
TRUST = "trust_remote_code"
# What several processes can use at once says so on its card.
SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider and its settings."""

    kind: ProviderKind
    provider: str
    config: Mapping[str, JsonValue] = field(repr=False, default_factory=dict)


def store_choice(settings: Settings) -> Choice:
    """The named store, else the Qdrant server of QDRANT_URL, else the one inside this process."""
    at_server = "qdrant" if settings.qdrant_url else EMBEDDED_STORE
    provider = settings.vector_store or at_server
    if provider.lower() == FORMER_EMBEDDED_STORE:
        log.warning("vector_store_replaced", extra={"named": provider, "used": EMBEDDED_STORE})
        return Choice("vector_stores", EMBEDDED_STORE)
    known = _known(settings, provider) if provider.lower() == "qdrant" else {}
    return Choice("vector_stores", provider, {**known, **settings.vector_store_config})


def reranker_choice(settings: Settings) -> Choice | None:
    """The named reranker, else the cross-encoder, if there is one."""
    if settings.reranker is not None:
        known = _known(settings, settings.reranker)
        return Choice("rerankers", settings.reranker, {**known, **settings.reranker_config})
    folder, place = settings.cross_encoder_path, settings.cross_encoder
    if folder is not None:
        # Written out, so that it is never taken for an id of the hub.
        place = str(folder.expanduser().absolute())
    return None if place is None else Choice("rerankers", LOCAL_MODELS, {"path": place})


def reader_choice(settings: Settings) -> Choice | None:
    """The named reader, else the bundled one; None if it is off."""
    path = BUNDLED_READER if settings.reader is None else settings.reader
    return None if path.lower() == NO_READER else Choice("readers", LOCAL_MODELS, {"path": path})


def judge_choice(settings: Settings) -> Choice | None:
    """What SOURCEBOOK_JUDGE says, as PROVIDER[:MODEL]; None if there is no judge.

    Also if the model that writes answers is to judge them, and none does.
    """
    provider, _, model = (part.strip() for part in (settings.judge or NO_JUDGE).partition(":"))
    if provider.lower() == NO_JUDGE:
        return None
    if provider.lower() != LANGUAGE_MODEL_JUDGE:
        return Choice("judges", provider, {**settings.judge_config, **_given(model=model)})
    named = model or settings.judge_model
    asked = _told_choice(settings, named) if named else language_model_choice(settings)
    if asked is None:
        return None
    return Choice("judges", provider, {"provider": asked.provider, "settings": {**asked.config}})


def judging_choice(choice: Choice) -> Choice:
    """The provider that a judge sends texts to: itself, or that of its language model."""
    own = choice.config.get("settings")
    if choice.provider.lower() != LANGUAGE_MODEL_JUDGE or not isinstance(own, dict):
        return choice
    return Choice("language_models", str(choice.config["provider"]), own)


def model_choice(settings: Settings, entry: ModelEntry) -> Choice:
    """The provider that an entry of the embeddings config names, with the entry's own settings."""
    provider = entry.provider or LOCAL_MODELS
    return Choice("embedders", provider, {**_known(settings, provider), **entry.config})


def local_model(choice: Choice) -> WantedModel | None:
    """The model that a provider runs on this machine; None if it runs elsewhere."""
    provider, with_code = choice.provider.lower(), choice.config.get(TRUST) is True
    path = choice.config.get("path", choice.config.get("model"))
    if provider not in LOCAL_PROVIDERS or not isinstance(path, str):
        return None
    if with_code and provider == LOCAL_MODELS:
        # Nothing to download: opening it says that it cannot run code.
        return None
    role = {"embedders": EMBEDDER, "judges": JUDGE}.get(choice.kind, CROSS_ENCODER)
    return WantedModel(path, role, with_code)


def language_model_choice(settings: Settings) -> Choice | None:
    """What SOURCEBOOK_LLM says, else the named model, else the first the environment chooses."""
    if settings.llm is not None:
        return _told_choice(settings, settings.llm)
    named = settings.language_model
    if named is not None:
        variables = _LANGUAGE_MODELS.get(named.lower())
        known = {} if variables is None else variables.read(settings)
        return Choice("language_models", named, {**known, **settings.language_model_config})
    _check_model_is_named(settings)
    for provider, variables in _LANGUAGE_MODELS.items():
        if variables.choose(settings):
            return Choice("language_models", provider, variables.read(settings))
    return None


def _told_choice(settings: Settings, llm: str) -> Choice | None:
    """Read PROVIDER[:MODEL]; ConfigurationError if a key or a host for it is missing."""
    provider, _, model = (part.strip() for part in llm.partition(":"))
    if provider.lower() == NO_LLM:
        return None
    variables = _LANGUAGE_MODELS.get(provider.lower())
    config: dict[str, JsonValue] = {} if variables is None else variables.read(settings)
    if settings.language_model is None or settings.language_model.lower() == provider.lower():
        config |= settings.language_model_config
    config |= _given(model=model)
    for name, cure in ({} if variables is None else variables.needs).items():
        if name not in config:
            raise ConfigurationError(f"The language model {llm!r} cannot be used yet: {cure}")
    return Choice("language_models", provider, config)


def cohere_entry() -> ModelEntry:
    """Return the model that COHERE_API_KEY alone gives, as spec 004 has it."""
    return ModelEntry(id="cohere", path=COHERE_MODEL, provider="cohere")


def has_openai_key(settings: Settings) -> bool:
    """Return whether OPENAI_API_KEY is set."""
    return is_set(settings.openai_api_key)


def openai_entry() -> ModelEntry:
    """Return the model that OPENAI_API_KEY alone gives, as spec 002 has it."""
    return ModelEntry(id="openai", path=OPENAI_MODEL, provider="openai")


def is_shared(card: ProviderCard) -> bool:
    """Return whether several processes may use one store of this provider."""
    return SHARED in card.capabilities


def model_opening(folder: DataFolder, name: str, *, download: bool = False) -> Opening:
    """Return what a provider of models is opened with."""
    return Opening(name, data_dir=folder.root, models_dir=folder.models, download=download)


@asynccontextmanager
async def open_chosen(
    registry: Registry, choice: Choice, opening: Opening, *, forgiving: bool = False
) -> AsyncIterator[object]:
    """Open what was chosen; ConfigurationError says what is missing or wrong.

    If `forgiving`, settings that the provider does not know are left out with a warning.
    """
    card = chosen_card(registry, choice)
    if card.lack is not None:
        raise ConfigurationError(card.lack)
    provider = await asyncio.to_thread(registry.load, card.id, card.kind)
    config = (
        _without_unknown(provider.settings, choice.config, opening) if forgiving else choice.config
    )
    try:
        settings = validate_settings(provider.settings, config, environment=os.environ)
    except InvalidInput as error:
        raise ConfigurationError(f"Settings of provider {card.id!r}: {error.message}") from None
    async with AsyncExitStack() as stack:
        try:
            part = await stack.enter_async_context(provider.open(settings, opening))
        except SourcebookError:
            raise
        # Other people's code: it may raise anything. Ours says what is wrong in our own errors.
        except (Exception, SystemExit) as error:
            reason = hide(f"{type(error).__name__}: {error}", secrets_of(settings.model_dump()))
            log.error("provider_not_opened", extra={"provider": card.id, "reason": reason})
            raise ConfigurationError(f"Provider {card.id!r} cannot be opened: {reason}") from error
        yield part


def chosen_card(registry: Registry, choice: Choice) -> ProviderCard:
    """Return the card of the chosen provider; ConfigurationError names the available ones."""
    try:
        return registry.card(choice.provider, choice.kind)
    except NotFound as error:
        raise ConfigurationError(error.message) from None


def _without_unknown(
    settings: type[BaseModel], config: Mapping[str, JsonValue], opening: Opening
) -> Mapping[str, JsonValue]:
    known = known_settings(settings)
    if config.get(TRUST) is True and TRUST not in known:
        raise ConfigurationError(
            f"The provider of model {opening.id!r} cannot run code from a model's repository"
            f" ({TRUST}: true). Set `provider: sentence-transformers` for it, or leave {TRUST} out"
        )
    unknown = sorted(name for name in config if name not in known and name != TRUST)
    if unknown:
        log.warning("unknown_model_settings", extra={"model": opening.id, "keys": unknown})
    return {name: value for name, value in config.items() if name in known}


def _check_model_is_named(settings: Settings) -> None:
    if settings.llm_base_url is not None and not settings.llm_model:
        raise ConfigurationError(
            "SOURCEBOOK_LLM_BASE_URL is set, but not which model to use there: set"
            " SOURCEBOOK_LLM_MODEL, or unset SOURCEBOOK_LLM_BASE_URL to answer without a language"
            " model"
        )


def _compatible_server(settings: Settings) -> dict[str, JsonValue]:
    return _given(
        base_url=_base_url(settings.llm_base_url, "SOURCEBOOK_LLM_BASE_URL"),
        model=settings.llm_model,
        api_key=_key(settings.llm_api_key, "SOURCEBOOK_LLM_API_KEY"),
    )


def _gemini(settings: Settings) -> dict[str, JsonValue]:
    return _given(
        base_url=_base_url(settings.gemini_base_url, "GEMINI_BASE_URL"),
        model=settings.gemini_model,
        api_key=_key(settings.gemini_api_key, "GEMINI_API_KEY"),
    )


def _openai(settings: Settings) -> dict[str, JsonValue]:
    return _given(model=settings.llm_model, api_key=_key(settings.openai_api_key, "OPENAI_API_KEY"))


def _ollama(settings: Settings) -> dict[str, JsonValue]:
    host = settings.ollama_host
    url = None if host is None else _base_url(f"{ollama_url(host)}/v1", "OLLAMA_HOST")
    return _given(base_url=url, model=settings.llm_model)


@dataclass(frozen=True, slots=True)
class _Variables:
    """Whether environment variables choose a language model, and the settings they hold."""

    choose: Callable[[Settings], bool]
    read: Callable[[Settings], dict[str, JsonValue]]
    # What must be set when SOURCEBOOK_LLM names it, and how.
    needs: Mapping[str, str]


# The first that is chosen is used.
_LANGUAGE_MODELS: Mapping[str, _Variables] = {
    "openai-compatible": _Variables(
        lambda of: of.llm_base_url is not None,
        _compatible_server,
        {
            "base_url": "set SOURCEBOOK_LLM_BASE_URL to its server's address",
            "model": "name the model that the server has, as openai-compatible:MODEL",
        },
    ),
    "gemini": _Variables(
        lambda of: is_set(of.gemini_api_key), _gemini, {"api_key": "set GEMINI_API_KEY"}
    ),
    "openai": _Variables(has_openai_key, _openai, {"api_key": "set OPENAI_API_KEY"}),
    # Ollama's own variable may be there for other reasons: without a model it is left alone.
    "ollama": _Variables(
        lambda of: of.ollama_host is not None and bool(of.llm_model),
        _ollama,
        {"model": "name one of the models that `ollama list` shows, as ollama:MODEL"},
    ),
}


def is_set(key: SecretStr | None) -> bool:
    """Return whether a key is given and not blank."""
    return key is not None and bool(key.get_secret_value().strip())


def _given(**values: str | None) -> dict[str, JsonValue]:
    return {name: value for name, value in values.items() if value}


def _base_url(url: str | None, variable: str) -> str | None:
    return None if url is None else parse_base_url(url, variable)


def _key(secret: SecretStr | None, variable: str) -> str | None:
    return parse_key(None if secret is None else secret.get_secret_value(), variable)


def _known(settings: Settings, provider: str) -> dict[str, JsonValue]:
    """Return the settings of a provider that the specs' environment variables hold."""
    given: Mapping[str, Mapping[str, str | SecretStr | None]] = {
        "qdrant": {"url": settings.qdrant_url, "api_key": settings.qdrant_api_key},
        "cohere": {"api_key": settings.cohere_api_key},
        "openai": {"api_key": settings.openai_api_key},
        "ollama": {"base_url": settings.ollama_host},
    }
    values = given.get(provider.lower(), {})
    return {name: _plain(value) for name, value in values.items() if value is not None}


def _plain(value: str | SecretStr) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else value
