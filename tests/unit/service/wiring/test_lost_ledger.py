"""`sourcebook rebuild --from-index` finds the lost installation on the server and restores it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.providers.vector_stores.qdrant.ownership import catalog_of
from sourcebook.search.catalog import Catalog
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.wiring.storage import open_storage
from tests.ledgers import open_copied_ledger
from tests.qdrant_server import QdrantServer, qdrant_server
from tests.unit.cli.commands import command


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[QdrantServer]:
    async with qdrant_server() as server:
        monkeypatch.setenv("QDRANT_URL", server.url)
        yield server


async def settings_of(folder: Path) -> Settings:
    await asyncio.to_thread(folder.mkdir)
    async with open_copied_ledger(DataFolder(folder).ledger):
        return load_settings(data_dir=folder)


async def fill(folder: Path, models: EmbeddingModels) -> str:
    """Fill an installation as a short command does, and return its id."""
    settings = await settings_of(folder)
    async with open_storage(settings, DataFolder(folder)) as storage:
        await Catalog(storage.ledger, storage.store, models).create("parts", {}, "minilm")
        ingestor = Ingestor(storage.ledger, storage.store, models)
        await ingestor.add("parts", [Document("a", "a text", {"tier": 1})])
        return (await storage.ledger.installation())[:12]


async def test_an_installation_is_restored(
    server: QdrantServer, models: EmbeddingModels, tmp_path: Path
) -> None:
    lost = await fill(tmp_path / "old", models)
    await settings_of(tmp_path / "new")
    restore = ("rebuild", "--from-index", "--data-dir", str(tmp_path / "new"))

    done = await command(*restore, "--installation", lost)
    again = await command(*restore, "--installation", lost)
    verified = await command("verify", "--data-dir", str(tmp_path / "new"))

    assert "parts: 1 documents with 1 chunks from the index, 0 embedded" in done.out
    assert (done.code, "conversations" in done.out) == (0, True)
    assert (again.code, "not empty" in again.error) == (1, True)
    assert (verified.code, "parts: 1 chunks, clean" in verified.out) == (0, True)


async def test_nobody_takes_over_an_installation_without_naming_it(
    server: QdrantServer, models: EmbeddingModels, tmp_path: Path
) -> None:
    alive = await fill(tmp_path / "alive", models)
    await settings_of(tmp_path / "new")
    done = await command("rebuild", "--from-index", "--data-dir", str(tmp_path / "new"))
    assert (done.code, f"{alive} (parts)" in done.error) == (1, True)
    assert "--installation ID" in done.error


async def test_of_several_installations_one_must_be_named(
    server: QdrantServer, models: EmbeddingModels, tmp_path: Path
) -> None:
    first = await fill(tmp_path / "first", models)
    second = await fill(tmp_path / "second", models)
    await settings_of(tmp_path / "new")
    restore = ("rebuild", "--from-index", "--data-dir", str(tmp_path / "new"))

    unclear = await command(*restore)
    unknown = await command(*restore, "--installation", "0000")
    named = await command(*restore, "--installation", second)

    assert (unclear.code, unknown.code, named.code) == (1, 1, 0)
    for error in (unclear.error, unknown.error):
        assert first in error
        assert second in error


async def test_a_server_without_installations_has_nothing_to_restore(
    server: QdrantServer, tmp_path: Path
) -> None:
    await settings_of(tmp_path / "new")
    done = await command("rebuild", "--from-index", "--data-dir", str(tmp_path / "new"))
    assert (done.code, "no collections of any installation" in done.error) == (1, True)
    assert (await server.client.get_collections()).collections == []


async def test_an_embedded_store_says_that_it_keeps_no_texts(tmp_path: Path) -> None:
    await settings_of(tmp_path / "new")
    done = await command("rebuild", "--from-index", "--data-dir", str(tmp_path / "new"))
    assert (done.code, "keeps no texts" in done.error) == (1, True)


async def test_a_store_that_is_away_keeps_no_command_from_ending(
    server: QdrantServer, models: EmbeddingModels, tmp_path: Path
) -> None:
    settings = await settings_of(tmp_path / "data")
    async with open_storage(settings, DataFolder(tmp_path / "data")) as storage:
        await Catalog(storage.ledger, storage.store, models).create("parts", {}, "minilm")
        installation = await storage.ledger.installation()
        server.fail_with = 500
    server.fail_with = None
    assert not await server.client.collection_exists(catalog_of(f"sourcebook-{installation[:12]}"))
