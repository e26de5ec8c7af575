"""`sourcebook export` and `import`, in process, with files and with a Qdrant server."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from qdrant_client import models as qdrant

from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.filters import EVERYTHING
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.search.catalog import Catalog
from sourcebook.service.config.data_folder import DataFolder, use_data_folder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.models import open_model
from sourcebook.service.wiring.storage import open_storage
from tests.e2e.processes import write_config
from tests.ledgers import open_copied_ledger
from tests.qdrant_server import QdrantServer, qdrant_server
from tests.tiny_models import save_tiny_embedder
from tests.unit.cli.commands import command

TEXTS = ["a b c", "d e f", "g h i"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    save_tiny_embedder(folder)
    return folder


@pytest.fixture
def config(model: Path, tmp_path: Path) -> str:
    return write_config(tmp_path, tiny=str(model))


async def empty_folder(folder: Path) -> None:
    await asyncio.to_thread(folder.mkdir)
    async with open_copied_ledger(DataFolder(folder).ledger):
        pass


@pytest.fixture
async def data(model: Path, tmp_path: Path) -> Path:
    """A data folder with three documents."""
    folder = tmp_path / "data"
    await empty_folder(folder)
    settings = load_settings(data_dir=folder)
    entry = ModelEntry(id="tiny", path=str(model))
    async with (
        open_model(settings, entry, DataFolder(folder)) as embedder,
        open_storage(settings, DataFolder(folder)) as storage,
    ):
        models = EmbeddingModels([embedder])
        await Catalog(storage.ledger, storage.store, models).create("letters", {}, "tiny")
        documents = [Document(text[0], text, {"first": text[0]}) for text in TEXTS]
        await Ingestor(storage.ledger, storage.store, models).add("letters", documents)
    return folder


async def texts_in(folder: Path, name: str = "letters") -> list[str]:
    async with open_storage(load_settings(data_dir=folder), DataFolder(folder)) as storage:
        collection = await storage.ledger.collections.get(name)
        page = await storage.ledger.documents.find(collection.id, EVERYTHING, 100, 0)
    return [document.text for document in page.documents]


async def test_an_export_is_taken_while_serving_and_imported_elsewhere(
    data: Path, tmp_path: Path, config: str
) -> None:
    await empty_folder(tmp_path / "new")
    async with use_data_folder(DataFolder(data)) as use:
        use.share()
        exported = await command("export", "out.jsonl.gz", "--vectors", "--data-dir", str(data))

    imported = await command(
        *("import", "out.jsonl.gz", "--data-dir", "new", "--embeddings-config", config)
    )
    verified = await command("verify", "--data-dir", "new")

    assert (exported.code, "3 documents with vectors" in exported.out) == (0, True)
    assert imported.code == 0, imported
    assert "3 documents created, 0 updated, 0 unchanged; 0 chunks embedded" in imported.out
    assert (verified.code, "clean" in verified.out) == (0, True)
    assert "by words" not in verified.out
    assert await texts_in(tmp_path / "new") == TEXTS


async def test_a_dry_run_of_a_file_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "a", "collection": "x"}\n{"id": 1}\n')

    done = await command("import", "in.jsonl", "--dry-run", "--data-dir", "new")

    assert (done.code, "x: 1 document, 0 with vectors" in done.out) == (2, True)
    assert "line 2: 'text': Field required" in done.out
    assert not (tmp_path / "new").exists()


async def test_a_typo_is_no_installation_to_export(tmp_path: Path) -> None:
    done = await command("export", "out.jsonl", "--data-dir", "typo")

    assert "nothing to export" in done.error
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qdrant"], "sourcebook import qdrant URL"),
        (["chroma"], "sourcebook import chroma PATH_OR_URL"),
        (["none.jsonl"], "There is no file 'none.jsonl'"),
        (["in.jsonl", "more"], "one argument too many"),
        (["in.jsonl", "--text-field", "body"], "--text-field is for"),
    ],
)
async def test_wrong_arguments_are_explained(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "in.jsonl").write_text("")

    done = await command("import", *arguments)

    assert message in done.error


@pytest.fixture
async def server(model: Path, tmp_path: Path) -> AsyncIterator[QdrantServer]:
    """A Qdrant server that another tool filled with the same model."""
    entry = ModelEntry(id="tiny", path=str(model))
    folder = DataFolder(tmp_path / "elsewhere")
    async with qdrant_server() as server, open_model(load_settings(), entry, folder) as embedder:
        params = qdrant.VectorParams(size=embedder.dimensions, distance=qdrant.Distance.COSINE)
        await server.client.create_collection("pages", vectors_config=params)
        embedded = await embedder.embed_documents(TEXTS)
        points = [
            qdrant.PointStruct(
                id=number,
                vector=[*vectors[0]],
                payload={"page_content": text, "metadata": {"source": f"https://x/{number}"}},
            )
            for number, (text, vectors) in enumerate(zip(TEXTS, embedded, strict=True))
        ]
        await server.client.upsert("pages", points)
        yield server


async def test_a_qdrant_collection_is_copied_without_embedding(
    server: QdrantServer, tmp_path: Path, config: str
) -> None:
    await empty_folder(tmp_path / "new")
    common = ("import", "qdrant", server.url, "--data-dir", "new", "--embeddings-config", config)

    tried = await command(*common, "--as", "copied", "--dry-run")
    copied = await command(*common, "--as", "copied")

    assert (tried.code, "pages: 3 points with vectors of tiny" in tried.out) == (0, True), tried
    assert "created" not in tried.out
    assert "copied: 3 documents created, 0 updated, 0 unchanged; 0 chunks" in copied.out
    assert await texts_in(tmp_path / "new", "copied") == TEXTS
