"""`verify` and `rebuild` on the index that mirrors the ledger."""

import asyncio
from pathlib import Path

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from sourcebook.service.backup.backup import take_backup
from sourcebook.service.backup.restore import restore_backup
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.storage import open_storage
from tests.fakes import FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.unit.cli.commands import command


@pytest.fixture
async def data(models: EmbeddingModels, embedder: FakeEmbedder, tmp_path: Path) -> Path:
    """A folder with three chunks that nobody has searched yet."""
    root = tmp_path / "data"
    await asyncio.to_thread(root.mkdir)
    async with open_copied_ledger(DataFolder(root).ledger) as ledger:
        store = MirrorStore(ledger.mirrors, Bm25Encoder())
        await Catalog(ledger, store, models).create("parts", {}, "minilm")
        texts = [Document(id_, f"words of {id_}", {}) for id_ in ("arm", "leg", "eye")]
        await Ingestor(ledger, store, models).add("parts", texts)
    embedder.failing = True  # nothing is embedded again
    return root


async def found_by_words(data: Path, words: str) -> list[str]:
    models = EmbeddingModels([FakeEmbedder("minilm")])
    async with open_storage(load_settings(data_dir=data), DataFolder(data)) as storage:
        searcher = Searcher(storage.ledger, storage.store, models, terms=storage.terms)
        found = await searcher.search("parts", words, 9, mode="keyword")
    return [hit.chunk.document_id for hit in found.hits]


@pytest.mark.parametrize("how", [("verify",), ("verify", "--repair"), ("rebuild",)], ids=" ".join)
async def test_nothing_has_to_be_repaired_or_rebuilt(data: Path, how: tuple[str, ...]) -> None:
    done = await command(*how, "--data-dir", str(data))
    assert done.code == 0, done.out
    assert await found_by_words(data, "leg") == ["leg"]


async def test_a_restored_backup_is_found_by_words(data: Path, tmp_path: Path) -> None:
    settings = load_settings(data_dir=data)
    await asyncio.to_thread(take_backup, settings, tmp_path / "backup.zip")
    restored = load_settings(data_dir=tmp_path / "restored")
    await restore_backup(restored, tmp_path / "backup.zip", force=False, show=lambda _: None)
    assert await found_by_words(tmp_path / "restored", "leg") == ["leg"]
