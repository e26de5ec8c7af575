"""The parts that health reports, under spec 004's names, and what stands in each role."""

from collections.abc import Iterator, Mapping, Sequence

from sourcebook.answering.extractive import MODEL as EXTRACTIVE
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.health import BuiltIn, Checkable, ServiceLabel
from sourcebook.core.health_monitor import HealthMonitor
from sourcebook.core.ports import Embedder, Reranker
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.provider_choices import (
    LOCAL_PROVIDERS,
    Choice,
    chosen_card,
    is_shared,
    language_model_choice,
    model_choice,
    reranker_choice,
    store_choice,
)
from sourcebook.service.wiring.rate_limits import CheckedWindows
from sourcebook.service.wiring.roles import HERE
from sourcebook.service.wiring.storage import Storage

SQLITE = ServiceLabel("sqlite", f"SQLite {HERE}")
POSTGRES = ServiceLabel("postgres", "Postgres")
QUOTATIONS = ServiceLabel(
    EXTRACTIVE, "A language model is not configured: answers are quotations from the documents"
)


def build_monitor(
    storage: Storage,
    index: Checkable,
    *,
    models: EmbeddingModels,
    reranker: Reranker | None,
    answering: AnsweringParts,
    windows: CheckedWindows | None,
    labels: Mapping[str, ServiceLabel],
) -> HealthMonitor:
    """Watch every part; `index` stands for the vector store."""
    parts: dict[str, Checkable] = {"qdrant": index, **answering.databases(storage.ledger)}
    parts["gemini"] = answering.language_model or BuiltIn()
    parts |= dict(_named(models))
    if reranker is not None:
        parts["cross_encoder"] = reranker
    if answering.judge is not None:
        parts["judge"] = answering.judge
    if windows is not None:
        parts[windows.service] = windows
    parts |= {f"adopted:{name}": adopted for name, adopted in storage.adopted.items()}
    without_model = {} if answering.language_model else {"gemini": QUOTATIONS}
    return HealthMonitor(parts, {**without_model, **labels})


def label_services(
    settings: Settings,
    registry: Registry,
    *,
    models: EmbeddingModels,
    entries: Sequence[ModelEntry],
    reranker: Reranker | None,
    answering: AnsweringParts,
) -> dict[str, ServiceLabel]:
    """Say what the settings put into each role."""
    choices = {entry.id: model_choice(settings, entry) for entry in entries}
    labels = {"qdrant": _label_store(registry, store_choice(settings))}
    for name, model in _named(models):
        labels[name] = _label_model(registry, choices[model.id], model.name)
    choice, writer = reranker_choice(settings), language_model_choice(settings)
    if choice is not None and reranker is not None:
        labels["cross_encoder"] = _label_model(registry, choice, reranker.name)
    if writer is not None and answering.language_model is not None:
        labels["gemini"] = _label_model(registry, writer, answering.language_model.name)
    ledger = SQLITE if settings.ledger_url is None else POSTGRES
    own = {"database": POSTGRES, "ledger": ledger} if answering.own_database else {}
    return {"database": ledger, "redis": ServiceLabel("redis", "Redis"), **labels, **own}


def _named(models: EmbeddingModels) -> Iterator[tuple[str, Embedder]]:
    """The first model stands where spec 004 has Cohere."""
    for place, model in enumerate(models):
        yield f"embedder:{model.id}" if place else "cohere", model


def _label_store(registry: Registry, choice: Choice) -> ServiceLabel:
    card = chosen_card(registry, choice)
    here = "" if is_shared(card) else f" {HERE}"
    return ServiceLabel(card.id, f"{card.display_name}{here}")


def _label_model(registry: Registry, choice: Choice, model: str) -> ServiceLabel:
    card = chosen_card(registry, choice)
    if card.id in LOCAL_PROVIDERS:
        return ServiceLabel(card.id, f"{model} {HERE}")
    return ServiceLabel(card.id, f"{card.display_name} {model}")
