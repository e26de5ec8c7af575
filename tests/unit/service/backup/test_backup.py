"""A backup is taken while others write, and brings back what was confirmed before it began."""

import asyncio
import hashlib
import json
import shutil
import time
import uuid
import zipfile
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sourcebook.cli.main import app
from sourcebook.core.conversations import Exchange
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import SourcebookError
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.jobs import IngestJob
from sourcebook.core.ports import Ledger
from sourcebook.core.uploads import IncomingFile
from sourcebook.ingestion.book.layout_choice import LayoutSettings
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.sources.uploads import UploadFolder
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher
from sourcebook.service.backup.archive import MANIFEST
from sourcebook.service.backup.backup import take_backup
from sourcebook.service.backup.restore import RestoredBackup, restore_backup
from sourcebook.service.config.data_folder import DataFolder, use_data_folder
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.wiring.answering import open_conversations
from sourcebook.service.wiring.ingestion import BookConfig, BookParts, assemble_book
from sourcebook.service.wiring.storage import Storage, open_storage
from tests.fakes import FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.qdrant_server import qdrant_server


def exchange() -> Exchange:
    """A question of the session `s`."""
    return Exchange(str(uuid.uuid4()), "s", "How?", "So.", (), "general", None, 0, 1.0, time.time())


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Storage]:
    """Open an installation as a service does."""
    async with open_storage(load_settings(data_dir=folder), DataFolder(folder)) as storage:
        yield storage


async def fill(root: Path, models: EmbeddingModels) -> None:
    """Put three documents and one exchange into a new data folder."""
    folder = DataFolder(root)
    await asyncio.to_thread(root.mkdir)
    async with open_copied_ledger(folder.ledger):
        pass
    async with opened(root) as storage:
        await Catalog(storage.ledger, storage.store, models).create("parts", {}, "minilm")
        texts = [Document(id_, f"words of {id_}", {"id": id_}) for id_ in "abc"]
        await Ingestor(storage.ledger, storage.store, models).add("parts", texts)
    async with open_conversations(load_settings(), folder) as conversations:
        await conversations.add(exchange())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder to be copied."""
    root = tmp_path_factory.mktemp("filled") / "data"
    # On a thread of its own: a test may have its event loop already.
    with ThreadPoolExecutor(1) as thread:
        models = EmbeddingModels([FakeEmbedder("minilm")])
        thread.submit(asyncio.run, fill(root, models)).result()
    return root


@pytest.fixture
def settings(filled: Path, tmp_path: Path) -> Settings:
    """An installation with three documents and one exchange."""
    return load_settings(data_dir=shutil.copytree(filled, tmp_path / "data"))


async def restore(folder: Path, file: Path, *, force: bool = False) -> RestoredBackup:
    settings = load_settings(data_dir=folder)
    return await restore_backup(settings, file, force=force, show=lambda _: None)


async def ids_in(storage: Storage) -> list[str]:
    collection = await storage.ledger.collections.get("parts")
    page = await storage.ledger.documents.find(collection.id, EVERYTHING, 1_000, 0)
    return [document.id for document in page.documents]


async def test_a_destroyed_installation_comes_back_without_embedding(
    settings: Settings, models: EmbeddingModels, embedder: FakeEmbedder, tmp_path: Path
) -> None:
    await asyncio.to_thread(take_backup, settings, tmp_path / "backup.zip")
    shutil.rmtree(settings.data_dir)
    embedder.batches.clear()

    restored = await restore(settings.data_dir, tmp_path / "backup.zip")

    assert restored.complete
    assert [(done.collection, done.points) for done in restored.rebuilt] == [("parts", 3)]
    async with opened(settings.data_dir) as storage:
        assert await ids_in(storage) == ["a", "b", "c"]
        assert all(found.clean for found in await Verifier(storage.ledger, storage.store).verify())
        found = await Searcher(storage.ledger, storage.store, models).search("parts", "b", 1)
        assert [hit.chunk.document_id for hit in found.hits] == ["b"]
    async with open_conversations(settings, DataFolder(settings.data_dir)) as conversations:
        assert [one.query for one in await conversations.latest("s", 5)] == ["How?"]
    assert embedder.batches == []


async def test_what_was_confirmed_before_the_backup_began_is_in_it(
    settings: Settings, models: EmbeddingModels, tmp_path: Path
) -> None:
    confirmed: list[str] = []
    some, stop = asyncio.Event(), asyncio.Event()

    async def write(storage: Storage) -> None:
        ingestor = Ingestor(storage.ledger, storage.store, models)
        while not stop.is_set():
            id_ = f"new-{len(confirmed)}"
            await ingestor.add("parts", [Document(id_, f"words of {id_}", {})])
            confirmed.append(id_)
            if len(confirmed) == 3:
                some.set()

    async def read(storage: Storage) -> None:
        while not stop.is_set():
            await Searcher(storage.ledger, storage.store, models).search("parts", "words", 5)

    async with opened(settings.data_dir) as storage:
        work = asyncio.gather(write(storage), read(storage))
        await some.wait()
        before = [*confirmed]
        await asyncio.to_thread(take_backup, settings, tmp_path / "backup.zip")
        stop.set()
        await work
    shutil.rmtree(settings.data_dir)
    await restore(settings.data_dir, tmp_path / "backup.zip")

    async with opened(settings.data_dir) as storage:
        assert {"a", "b", "c", *before} <= set(await ids_in(storage))
        assert all(found.clean for found in await Verifier(storage.ledger, storage.store).verify())


@dataclass(frozen=True, slots=True)
class Uploading:
    """The books of an installation, which take uploads."""

    books: BookParts
    ledger: Ledger

    async def upload(self, name: str, text: bytes) -> IngestJob:
        """Upload a file into the book `wren` and index it."""
        await self.books.uploads.add("wren", [IncomingFile(name, BytesIO(text))])
        job = await self.ledger.jobs.claim(lease_s=30.0)
        assert job is not None
        await self.books.runner.run(job)
        return await self.books.book_jobs.job(job.id)


@asynccontextmanager
async def opened_books(folder: Path, models: EmbeddingModels) -> AsyncIterator[Uploading]:
    config = BookConfig(layout=LayoutSettings(), uploads=UploadFolder(DataFolder(folder).uploads))
    async with opened(folder) as storage:
        books = assemble_book(storage.ledger, storage.store, models, config)
        yield Uploading(books, storage.ledger)


async def test_uploaded_files_come_back_into_whatever_data_folder(
    settings: Settings, models: EmbeddingModels, tmp_path: Path
) -> None:
    async with opened_books(settings.data_dir, models) as books:
        await books.upload("arms/parts.md", b"# Parts\n\nWren has two arms.")
        # A backup is taken while others serve and while a file still arrives.
        arriving = DataFolder(settings.data_dir).uploads / ".incoming-1" / "later.md"
        arriving.parent.mkdir()
        arriving.write_bytes(b"# La")
        take_backup(settings, tmp_path / "backup.zip")

    await restore(tmp_path / "other", tmp_path / "backup.zip")

    async with opened_books(tmp_path / "other", models) as books:
        original = await books.books.uploads.original("wren", "arms/parts.md")
        added = await books.upload("legs.md", b"# Legs\n\nWren has two legs.")
        assert original is not None
        assert original.read_bytes() == b"# Parts\n\nWren has two arms."
        assert (added.status, added.progress.files_processed) == ("completed", 1)
    assert not [*(tmp_path / "other" / "uploads").glob(".*")]


async def test_a_damaged_upload_in_an_archive_changes_nothing(
    settings: Settings, models: EmbeddingModels, tmp_path: Path
) -> None:
    async with opened_books(settings.data_dir, models) as books:
        await books.upload("parts.md", b"# Parts\n\nWren has two arms.")
    take_backup(settings, tmp_path / "backup.zip")
    parts = zipfile.ZipFile(tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "damaged.zip", "w") as damaged:
        for name in parts.namelist():
            content = parts.read(name)
            damaged.writestr(name, content[::-1] if name.startswith("uploads") else content)

    with pytest.raises(SourcebookError, match=r"is damaged: its uploads/wren/parts\.md"):
        await restore(tmp_path / "new", tmp_path / "damaged.zip")

    assert not DataFolder(tmp_path / "new").uploads.exists()


@pytest.mark.parametrize("name", ["uploads/../../stray", "uploads//stray", "/stray", "admin.key"])
async def test_an_archive_writes_nowhere_but_where_backups_do(
    name: str, settings: Settings, tmp_path: Path
) -> None:
    take_backup(settings, tmp_path / "backup.zip")
    parts = zipfile.ZipFile(tmp_path / "backup.zip")
    manifest = json.loads(parts.read(MANIFEST))
    manifest["parts"][name] = {"bytes": 0, "sha256": hashlib.sha256().hexdigest()}
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as evil:
        evil.writestr("ledger.db", parts.read("ledger.db"))
        evil.writestr(name, b"")
        evil.writestr(MANIFEST, json.dumps(manifest))

    with pytest.raises(SourcebookError, match="cannot restore"):
        await restore(tmp_path / "new", tmp_path / "evil.zip")


async def test_a_restored_installation_has_an_id_of_its_own(
    settings: Settings, tmp_path: Path
) -> None:
    taken = take_backup(settings, tmp_path / "backup.zip")

    await restore(tmp_path / "copy", tmp_path / "backup.zip")

    assert taken.manifest is not None
    async with opened(tmp_path / "copy") as storage:
        assert await storage.ledger.installation() != taken.manifest.contents.installation


async def test_a_copy_on_the_same_qdrant_server_leaves_the_original_alone(
    models: EmbeddingModels, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with qdrant_server() as server:
        monkeypatch.setenv("QDRANT_URL", server.url)
        await fill(tmp_path / "data", models)
        take_backup(load_settings(data_dir=tmp_path / "data"), tmp_path / "backup.zip")

        restored = await restore(tmp_path / "copy", tmp_path / "backup.zip")

        assert restored.complete
        for folder in (tmp_path / "data", tmp_path / "copy"):
            async with opened(folder) as storage:
                (found,) = await Verifier(storage.ledger, storage.store).verify()
            assert (found.clean, found.chunks) == (True, 3)


async def test_a_folder_with_data_is_not_overwritten(settings: Settings, tmp_path: Path) -> None:
    take_backup(settings, tmp_path / "backup.zip")

    with pytest.raises(SourcebookError, match=r"has data already \(ledger\.db.*--force"):
        await restore(settings.data_dir, tmp_path / "backup.zip")


async def test_force_moves_the_old_data_aside(
    settings: Settings, models: EmbeddingModels, tmp_path: Path
) -> None:
    take_backup(settings, tmp_path / "backup.zip")
    async with opened(settings.data_dir) as storage:
        ingestor = Ingestor(storage.ledger, storage.store, models)
        await ingestor.add("parts", [Document("later", "after the backup", {})])

    restored = await restore(settings.data_dir, tmp_path / "backup.zip", force=True)

    async with opened(settings.data_dir) as storage:
        assert await ids_in(storage) == ["a", "b", "c"]
        assert all(found.clean for found in await Verifier(storage.ledger, storage.store).verify())
    assert restored.moved_to is not None
    async with opened(restored.moved_to) as storage:
        assert await ids_in(storage) == ["a", "b", "c", "later"]


async def test_a_damaged_archive_changes_nothing(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    take_backup(settings, file)
    parts = zipfile.ZipFile(file)
    with zipfile.ZipFile(tmp_path / "damaged.zip", "w") as damaged:
        damaged.writestr("ledger.db", parts.read("ledger.db").replace(b"words", b"swords", 1))
        damaged.writestr(MANIFEST, parts.read(MANIFEST))

    with pytest.raises(SourcebookError, match=r"is damaged: its ledger\.db"):
        await restore(settings.data_dir, tmp_path / "damaged.zip", force=True)

    async with opened(settings.data_dir) as storage:
        assert await ids_in(storage) == ["a", "b", "c"]
    assert not [path for path in settings.data_dir.iterdir() if "restor" in path.name]


async def test_a_ledger_of_a_later_release_is_refused(settings: Settings, tmp_path: Path) -> None:
    take_backup(settings, tmp_path / "backup.zip")
    parts = zipfile.ZipFile(tmp_path / "backup.zip")
    manifest = json.loads(parts.read(MANIFEST))
    manifest["contents"]["schema"] = "9999"
    with zipfile.ZipFile(tmp_path / "later.zip", "w") as later:
        later.writestr("ledger.db", parts.read("ledger.db"))
        later.writestr(MANIFEST, json.dumps(manifest))

    with pytest.raises(SourcebookError, match=r"schema 9999; .*Upgrade first"):
        await restore(tmp_path / "new", tmp_path / "later.zip")


@pytest.mark.parametrize("content", [b"", b"no zip file", b"PK\x05\x06" + bytes(18)])
async def test_what_is_no_backup_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(content)

    with pytest.raises(SourcebookError, match=r"'notes\.txt' is no backup"):
        await restore(tmp_path / "new", tmp_path / "notes.txt")


@pytest.mark.parametrize(("offset", "value"), [(8, 99), (6, 1)], ids=["method", "encrypted"])
async def test_an_archive_that_cannot_be_unpacked_is_refused(
    offset: int, value: int, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr(MANIFEST, "{}")
    content = bytearray((tmp_path / "odd.zip").read_bytes())
    # The directory at the end repeats the fields of the entry, two bytes further on.
    for field in (offset, content.find(b"PK\x01\x02") + offset + 2):
        content[field] = value
    (tmp_path / "odd.zip").write_bytes(content)

    with pytest.raises(SourcebookError, match=r"'odd\.zip' is no backup"):
        await restore(tmp_path / "new", tmp_path / "odd.zip")


async def test_a_served_folder_is_not_restored_into(settings: Settings, tmp_path: Path) -> None:
    take_backup(settings, tmp_path / "backup.zip")

    async with use_data_folder(DataFolder(settings.data_dir)) as use:
        use.share()
        with pytest.raises(
            SourcebookError, match=r"in use by process .*, and `sourcebook restore`"
        ):
            await restore(settings.data_dir, tmp_path / "backup.zip", force=True)


async def test_the_archive_holds_no_key_and_others_cannot_read_it(
    settings: Settings, tmp_path: Path
) -> None:
    (settings.data_dir / "admin.key").write_text("0123456789abcdef")

    take_backup(settings, tmp_path / "backup.zip")

    file = tmp_path / "backup.zip"
    assert sorted(zipfile.ZipFile(file).namelist()) == ["ledger.db", MANIFEST]
    assert file.stat().st_mode & 0o077 == 0


async def test_a_failed_backup_leaves_nothing_behind(settings: Settings, tmp_path: Path) -> None:
    DataFolder(settings.data_dir).ledger.write_bytes(b"no database" * 1_000)
    for log in settings.data_dir.glob("ledger.db-*"):
        log.unlink()
    target = tmp_path / "backups"
    target.mkdir()

    with pytest.raises(SourcebookError, match="cannot be read"):
        take_backup(settings, target / "backup.zip")

    assert [*target.iterdir()] == []


async def test_an_existing_file_is_replaced_only_if_told(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "backup.zip").write_text("mine")

    with pytest.raises(SourcebookError, match="exists already"):
        take_backup(settings, tmp_path / "backup.zip")
    take_backup(settings, tmp_path / "backup.zip", replace_file=True)

    assert zipfile.is_zipfile(tmp_path / "backup.zip")


def test_a_folder_without_a_ledger_is_no_installation(tmp_path: Path) -> None:
    with pytest.raises(SourcebookError, match="nothing to back up"):
        take_backup(load_settings(data_dir=tmp_path / "typo"), tmp_path / "backup.zip")

    assert not (tmp_path / "typo").exists()


POSTGRES = "postgresql+asyncpg://ada:s3cret@db.example:6432/books?sslmode=require"


def test_on_postgres_the_command_names_pg_dump_without_the_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOURCEBOOK_LEDGER_URL", POSTGRES)
    monkeypatch.setenv("DATABASE_URL", POSTGRES)

    done = CliRunner().invoke(app, ["backup", "b.zip", "--data-dir", str(tmp_path)])

    assert done.exit_code == 1
    target = "'postgresql://ada@db.example:6432/books?sslmode=require'"
    assert f"pg_dump --format=custom --no-owner --file=ledger.dump {target}" in done.output
    assert done.output.count("pg_dump") == 1
    assert "s3cret" not in done.output
    assert not (tmp_path / "b.zip").exists()


async def test_conversations_beside_a_postgres_ledger_are_backed_up_and_restored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOURCEBOOK_LEDGER_URL", POSTGRES)
    settings = load_settings(data_dir=tmp_path / "data")
    folder = DataFolder(settings.data_dir)
    folder.root.mkdir()
    async with open_conversations(settings, folder) as conversations:
        await conversations.add(exchange())

    taken = take_backup(settings, tmp_path / "backup.zip")
    shutil.rmtree(folder.root)
    restored = await restore(folder.root, tmp_path / "backup.zip")

    assert [dump.name for dump in taken.dumps] == ["ledger"]
    assert not restored.complete
    (dump,) = restored.dumps
    assert dump.restore_command.startswith("pg_restore --clean --if-exists --no-owner --dbname=")
    async with open_conversations(settings, folder) as conversations:
        assert [one.query for one in await conversations.latest("s", 5)] == ["How?"]


async def test_a_sqlite_backup_is_not_restored_beside_a_postgres_ledger(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    take_backup(settings, tmp_path / "backup.zip")
    monkeypatch.setenv("SOURCEBOOK_LEDGER_URL", POSTGRES)

    with pytest.raises(SourcebookError, match="SOURCEBOOK_LEDGER_URL names a Postgres"):
        await restore(tmp_path / "new", tmp_path / "backup.zip")
