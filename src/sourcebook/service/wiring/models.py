"""Opens the models that the settings name: for embedding, for reranking, for writing answers."""

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import cast

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.core.ports import Embedder, Judge, LanguageModel, Reader, Reranker
from sourcebook.providers.inference.local_models import fetch_model, has_bundled_model
from sourcebook.providers.judges.thresholds import measured_threshold
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry, no_models, read_models_file
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.provider_choices import (
    chosen_card,
    cohere_entry,
    has_openai_key,
    judge_choice,
    language_model_choice,
    local_model,
    model_choice,
    model_opening,
    open_chosen,
    openai_entry,
    reader_choice,
    reranker_choice,
)
from sourcebook.service.wiring.roles import (
    check_local,
    embedder_role,
    judge_role,
    reranker_role,
    writer_role,
)
from sourcebook.service.wiring.watched_parts import WatchedEmbedder, WatchedJudge, WatchedReranker

log = logging.getLogger(__name__)


def model_entries(settings: Settings) -> tuple[ModelEntry, ...]:
    """Return the models to serve with; there may be none only if there is a reranker.

    Where nothing is configured, that is the bundled one, if it is installed.
    """
    configured = _listed_entries(settings)
    if not configured and settings.cohere_api_key is not None:
        configured = (cohere_entry(),)
    if configured or reranker_choice(settings) is not None:
        return configured
    if has_openai_key(settings):
        return (openai_entry(),)
    if has_bundled_model(DataFolder(settings.data_dir).models):
        return bundled_entries()
    raise no_models()


def entries_or_bundled(settings: Settings) -> tuple[ModelEntry, ...]:
    """Return the models of the embeddings config, else the bundled one.

    A key of Cohere or OpenAI is no choice here: it may be there for other programs, and a command
    that brings its own model must not send anybody's texts elsewhere.
    """
    return _listed_entries(settings) or bundled_entries()


def bundled_entries() -> tuple[ModelEntry, ...]:
    """Return the bundled model."""
    return (ModelEntry(id="minilm", path="bundled:all-MiniLM-L6-v2"),)


def how_to_load() -> dict[str, str]:
    """Say how to list the models that `serve` takes because of a key alone."""
    return {
        entry.id: "list it in an embeddings config (--embeddings-config FILE), as `embeddings:"
        f" [{{id: {entry.id}, provider: {entry.provider}, path: {entry.path}}}]`"
        for entry in (cohere_entry(), openai_entry())
    }


async def fetch_models(
    settings: Settings,
    entries: Sequence[ModelEntry],
    show: Callable[[str], None],
    *,
    newest: bool = False,
    registry: Registry | None = None,
) -> None:
    """Download the models of this machine that are missing, or the `newest` of all of them."""
    registry = registry or Registry()
    writer = language_model_choice(settings)
    if writer is not None:
        # Whoever mistyped its name should not have to wait for a download first.
        chosen_card(registry, writer)
    if settings.offline:
        return
    choices = [model_choice(settings, entry) for entry in entries]
    choices += [one for one in (reranker_choice(settings), judge_choice(settings)) if one]
    for choice in choices:
        wanted, card = local_model(choice), chosen_card(registry, choice)
        # Before the download, not after it.
        if card.lack is not None:
            raise ConfigurationError(card.lack)
        if wanted is not None:
            await fetch_model(wanted, show, newest=newest)


@asynccontextmanager
async def open_model(
    settings: Settings,
    entry: ModelEntry,
    folder: DataFolder,
    *,
    registry: Registry | None = None,
    download: bool = False,
) -> AsyncIterator[Embedder]:
    """Load one embedding model; a failure names it."""
    from sourcebook.providers.embedders.caching import CachingEmbedder  # noqa: PLC0415

    registry = registry or Registry()
    choice = model_choice(settings, entry)
    check_local(settings, embedder_role(settings, entry, registry))
    opening = model_opening(folder, entry.id, download=download)
    async with AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(
                open_chosen(registry, choice, opening, forgiving=True)
            )
        except SourcebookError as error:
            raise ConfigurationError(
                f"Embedding model {entry.id!r} ({entry.path}) failed to load: {error.message}"
            ) from error
        embedder = cast("Embedder", opened)
        log.info(
            "embedding_model_loaded",
            extra={"model": entry.id, "path": entry.path, "dimensions": embedder.dimensions},
        )
        # Inside the cache: what is found there is no call.
        yield CachingEmbedder(WatchedEmbedder(embedder))


async def open_models(
    settings: Settings,
    folder: DataFolder,
    entries: Sequence[ModelEntry],
    stack: AsyncExitStack,
    registry: Registry | None = None,
) -> EmbeddingModels:
    """Load the embedding models, for as long as the stack lasts."""
    opened = [
        await stack.enter_async_context(open_model(settings, entry, folder, registry=registry))
        for entry in entries
    ]
    return EmbeddingModels(opened, how_to_load())


async def open_reranker(
    settings: Settings,
    folder: DataFolder,
    stack: AsyncExitStack,
    *,
    registry: Registry | None = None,
    download: bool = False,
) -> Reranker | None:
    """Load the reranker, if one is configured."""
    choice = reranker_choice(settings)
    if choice is None:
        return None
    registry = registry or Registry()
    check_local(settings, reranker_role(settings, registry))
    opening = model_opening(folder, choice.provider, download=download)
    try:
        opened = await stack.enter_async_context(open_chosen(registry, choice, opening))
    except SourcebookError as error:
        what = "Cross-encoder" if settings.reranker is None else "Reranker"
        name = str(choice.config.get("path", choice.provider))
        raise ConfigurationError(f"{what} {name!r} failed to load: {error.message}") from error
    reranker = WatchedReranker(cast("Reranker", opened))
    log.info("cross_encoder_loaded", extra={"model": reranker.name})
    return reranker


@asynccontextmanager
async def open_reader(
    settings: Settings, folder: DataFolder, registry: Registry | None = None
) -> AsyncIterator[Reader | None]:
    """Open the reader without loading it yet; None if it is off.

    Also if nobody asked for one and the model that it stands on is not installed.
    """
    choice = reader_choice(settings)
    if choice is None:
        yield None
        return
    async with AsyncExitStack() as stack:
        opening = model_opening(folder, choice.provider)
        try:
            opened = await stack.enter_async_context(
                open_chosen(registry or Registry(), choice, opening)
            )
        except SourcebookError as error:
            if settings.reader is not None:
                raise ConfigurationError(
                    f"Reader {settings.reader!r} failed to load: {error.message}"
                ) from error
            log.info("reader_not_available", extra={"reason": error.message})
            yield None
            return
        yield cast("Reader", opened)


@asynccontextmanager
async def open_judge(
    settings: Settings, folder: DataFolder, registry: Registry | None = None
) -> AsyncIterator[Judge | None]:
    """Open the judge, with the threshold of the settings, else the measured one, else its own."""
    choice = judge_choice(settings)
    if choice is None:
        yield None
        return
    registry = registry or Registry()
    check_local(settings, judge_role(settings, registry))
    async with AsyncExitStack() as stack:
        opening = model_opening(folder, choice.provider)
        try:
            opened = await stack.enter_async_context(open_chosen(registry, choice, opening))
            judge = cast("Judge", opened)
            threshold = measured_threshold(folder.root, judge.name) or judge.threshold
        except SourcebookError as error:
            raise ConfigurationError(
                f"Judge {settings.judge!r} failed to load: {error.message}"
            ) from error
        yield WatchedJudge(judge, settings.judge_threshold or threshold)


@asynccontextmanager
async def open_language_model(
    settings: Settings, folder: DataFolder, registry: Registry | None = None
) -> AsyncIterator[LanguageModel | None]:
    """Open the model that writes answers; None if none is configured. Sends nothing yet."""
    choice = language_model_choice(settings)
    if choice is None:
        if settings.llm is None and settings.ollama_host is not None:
            log.warning("ollama_has_no_model: set SOURCEBOOK_LLM_MODEL to let Ollama write answers")
        yield None
        return
    registry = registry or Registry()
    check_local(settings, writer_role(settings, registry))
    opening = model_opening(folder, choice.provider)
    async with open_chosen(registry, choice, opening) as model:
        yield cast("LanguageModel", model)


def _listed_entries(settings: Settings) -> tuple[ModelEntry, ...]:
    file = settings.embeddings_config
    return () if file is None else read_models_file(file)
