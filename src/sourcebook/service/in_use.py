"""Which providers are in use, for those who ask how they are doing."""

from collections.abc import Mapping, Sequence

from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Reranker
from sourcebook.core.providers import Kind
from sourcebook.providers.vector_stores import chroma_provider, qdrant_edge_provider
from sourcebook.service.answering import AnsweringParts
from sourcebook.service.choosing import (
    EMBEDDED_STORE,
    model_choice,
    reranker_choice,
    store_choice,
)
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.engine import Engine
from sourcebook.service.folder_size import folder_size
from sourcebook.service.language_model import chosen_provider
from sourcebook.service.models_file import ModelEntry
from sourcebook.service.provider_health import InUse
from sourcebook.service.settings import Settings

# The stores that keep a folder inside the data folder, and where unless it is configured.
_FOLDERS = {
    EMBEDDED_STORE: qdrant_edge_provider.DEFAULT_FOLDER,
    "chromadb": chroma_provider.DEFAULT_FOLDER,
}


def parts_in_use(
    settings: Settings,
    folder: DataFolder,
    engine: Engine,
    *,
    models: EmbeddingModels,
    entries: Sequence[ModelEntry],
    reranker: Reranker | None,
    answering: AnsweringParts,
) -> Mapping[tuple[Kind, str], InUse]:
    """The parts that are open by the provider that opened them; of several models, the first."""
    parts: dict[tuple[Kind, str], InUse] = {
        ("vector_stores", engine.provider): _store(settings, engine, folder)
    }
    for entry in entries:
        model = models.find(entry.id)
        if model is not None:
            provider = model_choice(settings, entry).provider.lower()
            parts.setdefault(("embedders", provider), InUse(model))
    choice = reranker_choice(settings)
    if choice is not None and reranker is not None:
        parts["rerankers", choice.provider.lower()] = InUse(reranker)
    written_by = chosen_provider(settings)
    if written_by is not None and answering.language_model is not None:
        parts["language_models", written_by] = InUse(answering.language_model)
    return parts


def _store(settings: Settings, engine: Engine, folder: DataFolder) -> InUse:
    async def collections() -> int:
        return len(await engine.ledger.collections.all())

    async def size() -> int | None:
        return await folder_size(folder.root / str(kept_in))

    kept_in = store_choice(settings).config.get("path", _FOLDERS.get(engine.provider))
    return InUse(engine.store, collections, size if engine.provider in _FOLDERS else None)
