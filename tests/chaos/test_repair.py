"""`sourcebook verify --repair` on an embedded index that was damaged in every way."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sourcebook.cli.exit_codes import NOT_KNOWN
from sourcebook.cli.main import app
from sourcebook.core.documents import Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.vectors import Point, PointRef
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.background import repair
from sourcebook.service.wiring.storage import Storage, open_storage
from sourcebook.service.wiring.use_cases import build_use_cases
from tests.e2e.processes import run
from tests.fakes import FakeEmbedder

DIMENSIONS = 8
WRONG_VECTOR = [1.0] * DIMENSIONS
UNKNOWN = PointRef("0b8c9b0a-0000-4000-8000-000000000001", "chunk-x", "unknown", "v", "x")
OLD = PointRef("0b8c9b0a-0000-4000-8000-000000000002", "chunk-y", "known", "v", "x")

Damage = Callable[[Storage, str, PointRef], Awaitable[None]]


async def lose_a_point(storage: Storage, index_id: str, ref: PointRef) -> None:
    await storage.store.delete(index_id, [ref.id])


async def add_a_point_of_no_document(storage: Storage, index_id: str, ref: PointRef) -> None:
    await storage.store.upsert(index_id, [Point(UNKNOWN, {}, WRONG_VECTOR)])


async def add_a_point_of_an_old_version(storage: Storage, index_id: str, ref: PointRef) -> None:
    old = replace(OLD, document_id=ref.document_id)
    await storage.store.upsert(index_id, [Point(old, {}, WRONG_VECTOR)])


async def change_a_version(storage: Storage, index_id: str, ref: PointRef) -> None:
    await storage.store.upsert(index_id, [Point(replace(ref, version="x"), {}, WRONG_VECTOR)])


async def change_a_digest(storage: Storage, index_id: str, ref: PointRef) -> None:
    await storage.store.upsert(index_id, [Point(replace(ref, digest="x"), {}, WRONG_VECTOR)])


async def drop_the_index(storage: Storage, index_id: str, ref: PointRef) -> None:
    await storage.store.drop(index_id)


DAMAGES: tuple[Damage, ...] = (
    lose_a_point,
    add_a_point_of_no_document,
    add_a_point_of_an_old_version,
    change_a_version,
    change_a_digest,
    drop_the_index,
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two collections."""
    root = tmp_path_factory.mktemp("filled")

    async def fill() -> None:
        async with open_storage(load_settings(), DataFolder(root)) as storage:
            models = EmbeddingModels([FakeEmbedder("minilm", dimensions=DIMENSIONS)])
            use = build_use_cases(storage, models, reranker=None)
            for name in ("biology", "robotics"):
                await use.catalog.create(name, {}, "minilm")
                documents = [Document(f"d{n}", f"words of {n}", {"n": n}) for n in range(10)]
                await use.ingestor.add(name, documents)

    asyncio.run(fill())
    return root


@pytest.fixture
def data(filled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(filled, tmp_path / "data")


def damage(data: Path, *damages: Damage) -> None:
    """Harm the index of one collection behind the ledger's back, each time at another point."""

    async def harm() -> None:
        async with open_storage(load_settings(), DataFolder(data)) as storage:
            index_id = (await storage.ledger.collections.get("robotics")).generation.index_id
            refs = [ref async for batch in storage.store.scan(index_id) for ref in batch]
            for ref, do in zip(refs, damages, strict=False):
                await do(storage, index_id, ref)

    asyncio.run(harm())


def verify(data: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["verify", "--data-dir", str(data), *options])


@pytest.mark.parametrize("how", DAMAGES, ids=lambda how: how.__name__)
def test_every_damage_is_found_and_mended(data: Path, how: Damage) -> None:
    damage(data, how)

    found = verify(data)
    mended = verify(data, "--repair")
    after = verify(data)

    assert (found.exit_code, "--repair" in found.stdout) == (1, True), found.stdout
    assert (mended.exit_code, "0 embedded" in mended.stdout) == (0, True), mended.stdout
    assert (after.exit_code, after.stdout.count("10 chunks, clean")) == (0, 2), after.stdout


def test_an_index_whose_files_are_ruined_is_built_anew(data: Path) -> None:
    for settings in (data / "index").glob("*/edge_config.json"):
        settings.write_text("ruined")

    found = verify(data)
    mended = verify(data, "--repair")

    # What cannot be read cannot be compared.
    assert found.exit_code == NOT_KNOWN
    assert (mended.exit_code, mended.stdout.count("10 chunks, clean")) == (0, 2), mended.stdout
    assert len(list((data / "index").glob("[!.]*"))) == 2


async def test_a_start_survives_an_index_whose_files_are_ruined(data: Path) -> None:
    models = EmbeddingModels([FakeEmbedder("minilm", dimensions=DIMENSIONS)])
    async with open_storage(load_settings(), DataFolder(data)) as storage:
        ingestor = build_use_cases(storage, models, reranker=None).ingestor
        await ingestor.add("robotics", [Document("d0", "newer words", {})])
        await ingestor.delete("robotics", ["d1"])
    for settings in (data / "index").glob("*/edge_config.json"):
        settings.write_text("ruined")

    async with open_storage(load_settings(), DataFolder(data)) as storage:
        await repair(storage.ledger, storage.store)
        found = await Verifier(storage.ledger, storage.store).verify()

    assert [(f.clean, f.chunks, f.awaiting) for f in found] == [(True, 10, 0), (True, 9, 0)]


def test_all_damages_at_once_are_mended_by_a_process(data: Path) -> None:
    damage(data, *(how for how in DAMAGES if how is not drop_the_index))

    found = run("verify", "--data-dir", str(data), cwd=data.parent)
    mended = run("verify", "--repair", "--data-dir", str(data), cwd=data.parent)

    assert (found.code, "1 missing" in found.out, "1 orphaned" in found.out) == (1, True, True)
    assert (mended.code, mended.out.count("10 chunks, clean")) == (0, 2), mended.out


def test_a_folder_without_any_index_gets_it_back(data: Path) -> None:
    shutil.rmtree(data / "index")

    mended = verify(data, "--repair")

    assert (mended.exit_code, mended.stdout.count("10 chunks, clean")) == (0, 2), mended.stdout
