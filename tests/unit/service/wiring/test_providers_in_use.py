"""Which providers are in use, and how much room their folders take."""

from pathlib import Path

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import Ledger
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.providers_in_use import providers_in_use
from sourcebook.service.wiring.storage import Storage


@pytest.mark.parametrize(
    ("provider", "config", "folder", "size"),
    [
        ("qdrant-edge", {}, "index", 10),
        ("qdrant-edge", {"path": "other"}, "other", 10),
        ("chromadb", {}, "chroma", 10),
        ("chromadb", {"path": "deep/er"}, "deep/er", 10),
        ("memory", {}, "index", None),
    ],
)
async def test_a_store_takes_as_much_room_as_its_folder(
    ledger: Ledger,
    tmp_path: Path,
    provider: str,
    config: dict[str, JsonValue],
    folder: str,
    size: int | None,
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "file").write_bytes(b"x" * 10)
    settings = load_settings(vector_store=provider.upper(), vector_store_config=config)

    parts = providers_in_use(
        settings,
        DataFolder(tmp_path),
        Storage(ledger, MemoryStore(), provider),
        models=EmbeddingModels([]),
        entries=(),
        reranker=None,
        answering=AnsweringParts(),
    )

    measure = parts["vector_stores", provider].storage_bytes
    assert (None if measure is None else await measure()) == size
