"""Which providers are in use, and how much room their folders take."""

import os
from pathlib import Path

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import Ledger
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.providers_in_use import (
    bytes_on_disk,
    folder_size,
    providers_in_use,
)
from sourcebook.service.wiring.storage import Storage
from tests.memory_store import MemoryStore


@pytest.mark.parametrize(
    ("provider", "config", "folder", "is_measured"),
    [
        ("chromadb", {}, "chroma", True),
        ("chromadb", {"path": "deep/er"}, "deep/er", True),
        ("mirror", {}, "index", False),
    ],
)
async def test_a_store_takes_as_much_room_as_its_folder(
    ledger: Ledger,
    tmp_path: Path,
    provider: str,
    config: dict[str, JsonValue],
    folder: str,
    is_measured: bool,
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "file").write_bytes(b"x" * 10_000)
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
    size = None if measure is None else await measure()
    assert size == (on_disk(tmp_path / folder / "file") if is_measured else None)


@pytest.mark.spec("000 Health Check with Details")
async def test_a_sparse_file_counts_with_what_it_takes_on_the_disk(tmp_path: Path) -> None:
    with (tmp_path / "segment").open("wb") as segment:
        segment.write(b"x" * 10_000)
        segment.truncate(100_000_000)

    size = await folder_size(tmp_path)

    assert size == on_disk(tmp_path / "segment")
    assert size < 1_000_000


async def test_the_size_of_a_folder_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "a").write_bytes(b"x" * 10_000)
    (tmp_path / "deep" / "er" / "b").write_bytes(b"x" * 5_000)
    (tmp_path / "round").symlink_to(tmp_path, target_is_directory=True)

    files = (tmp_path / "a", tmp_path / "deep" / "er" / "b", tmp_path / "round")
    assert await folder_size(tmp_path) == sum(map(on_disk, files))
    assert await folder_size(tmp_path / "nothing") is None


async def test_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10_000)
    (tmp_path / "b").hardlink_to(tmp_path / "a")

    assert await folder_size(tmp_path) == on_disk(tmp_path / "a")


def test_where_blocks_are_not_counted_the_length_is_taken() -> None:
    known = os.stat_result((0, 0, 0, 1, 0, 0, 1_234, 0, 0, 0))

    assert bytes_on_disk(known) == 1_234


def on_disk(path: Path) -> int:
    return path.lstat().st_blocks * 512
