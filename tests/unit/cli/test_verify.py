"""`verify` and `rebuild` on a data folder that an earlier release filled, without terms."""

import asyncio
from pathlib import Path

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.providers.vector_stores.qdrant_edge.store import QdrantEdgeStore
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
    """A folder with three chunks without terms."""
    root = tmp_path / "data"
    await asyncio.to_thread(root.mkdir)
    async with (
        open_copied_ledger(DataFolder(root).ledger) as ledger,
        QdrantEdgeStore(root / "index") as bare,
    ):
        await Catalog(ledger, bare, models).create("parts", {}, "minilm")
        texts = [Document(id_, f"words of {id_}", {}) for id_ in ("arm", "leg", "eye")]
        await Ingestor(ledger, bare, models).add("parts", texts)
    embedder.failing = True  # nothing is embedded again
    return root


async def found_by_words(data: Path, words: str) -> list[str]:
    models = EmbeddingModels([FakeEmbedder("minilm")])
    async with open_storage(load_settings(data_dir=data), DataFolder(data)) as storage:
        searcher = Searcher(storage.ledger, storage.store, models, terms=storage.terms)
        found = await searcher.search("parts", words, 9, mode="keyword")
    return [hit.chunk.document_id for hit in found.hits]


async def test_chunks_without_terms_are_no_damage_and_it_says_what_adds_them(data: Path) -> None:
    done = await command("verify", "--data-dir", str(data))
    said = " ".join(done.out.split())
    assert (done.code, "parts: 3 chunks, clean" in said) == (0, True)
    assert "3 chunks cannot be found by words yet, only by meaning." in said
    assert "`sourcebook reindex parts` does it now. Nothing is embedded." in said
    assert "--repair" not in said
    assert await found_by_words(data, "leg") == []


@pytest.mark.parametrize("how", [("verify", "--repair"), ("rebuild",)], ids=" ".join)
async def test_chunks_gain_their_terms(data: Path, how: tuple[str, ...]) -> None:
    done = await command(*how, "--data-dir", str(data))
    verified = await command("verify", "--data-dir", str(data))
    assert (done.code, verified.code) == (0, 0)
    assert "by words" not in verified.out
    assert await found_by_words(data, "leg") == ["leg"]


async def test_a_restored_backup_has_its_terms(data: Path, tmp_path: Path) -> None:
    settings = load_settings(data_dir=data)
    await asyncio.to_thread(take_backup, settings, tmp_path / "backup.zip")
    restored = load_settings(data_dir=tmp_path / "restored")
    await restore_backup(restored, tmp_path / "backup.zip", force=False, show=lambda _: None)
    assert await found_by_words(tmp_path / "restored", "leg") == ["leg"]
