"""`sourcebook verify --repair` on a book whose chains somebody has broken in the ledger."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner, Result

from sourcebook.cli.main import app
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.ingestion.identity import lesson_id
from sourcebook.ingestion.upkeep.repairer import Repairer
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.sources.folder import FolderSource
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from sourcebook.service.wiring.storage import open_storage
from sourcebook.surfaces.use_cases import BookRules
from tests.chaos import LONG, dice
from tests.chaos.manuscript import BOOK, Manuscript
from tests.e2e.processes import run
from tests.fakes import FakeEmbedder

HARMS = 100 if LONG else 30
CHAIN = "SELECT key, ordinal, previous_id, next_id, total FROM chunks ORDER BY key"

Harm = Callable[[sqlite3.Connection, int], None]


class Row(NamedTuple):
    """The place that a chunk says it has."""

    key: int
    ordinal: int
    previous_id: str | None
    next_id: str | None
    total: int


def cut_off_before(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute("UPDATE chunks SET previous_id = NULL WHERE key = ?", [key])


def cut_off_behind(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute("UPDATE chunks SET next_id = NULL WHERE key = ?", [key])


def lead_nowhere(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute("UPDATE chunks SET next_id = 'no-such-chunk' WHERE key = ?", [key])


def lead_in_a_circle(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute("UPDATE chunks SET next_id = chunk_id WHERE key = ?", [key])


def lead_into_another_lesson(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute(
        "UPDATE chunks SET next_id = (SELECT other.chunk_id FROM chunks AS other"
        " WHERE other.document_id != chunks.document_id LIMIT 1) WHERE key = ?",
        [key],
    )


def put_last(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute("UPDATE chunks SET ordinal = ordinal + 100 WHERE key = ?", [key])


def put_all_first(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute(
        "UPDATE chunks SET ordinal = 0 WHERE document_id ="
        " (SELECT document_id FROM chunks WHERE key = ?)",
        [key],
    )


def miscount(ledger: sqlite3.Connection, key: int) -> None:
    ledger.execute("UPDATE chunks SET total = total + 1 WHERE key = ?", [key])


# What may be right already: the first chunk has nothing before it, the last nothing behind it.
SURE: tuple[Harm, ...] = (
    lead_nowhere, lead_in_a_circle, lead_into_another_lesson, put_last, miscount,
)  # fmt: skip
WAYS: tuple[Harm, ...] = (*SURE, cut_off_before, cut_off_behind, put_all_first)


def verify(data: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["verify", "--data-dir", str(data), *options])


@contextmanager
def ledger_of(data: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(DataFolder(data).ledger)) as connection, connection:
        yield connection


def chain(data: Path) -> list[Row]:
    with ledger_of(data) as ledger:
        return [Row(*row) for row in ledger.execute(CHAIN)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an indexed book."""
    root = tmp_path_factory.mktemp("filled")
    book = Manuscript(root / "docs", seed=11)
    book.begin()
    (root / "data").mkdir()
    models = EmbeddingModels([FakeEmbedder("minilm", dimensions=8)])
    config = BookConfig(rules=BookRules(BOOK), source=FolderSource(book.root))

    async def fill() -> None:
        async with open_storage(load_settings(), DataFolder(root / "data")) as storage:
            parts = assemble_book(storage.ledger, storage.store, models, config)
            await parts.book_jobs.submit(JobRequest(BOOK))
            job = await storage.ledger.jobs.claim(30.0)
            assert job is not None
            await parts.runner.run(job)

    asyncio.run(fill())
    return root / "data"


@pytest.fixture
def data(filled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(filled, tmp_path / "data")


async def test_every_broken_chain_is_found_and_mended(data: Path) -> None:
    sound = chain(data)
    in_the_middle = next(row.key for row in sound if row.ordinal == 1 and row.total > 2)
    async with open_storage(load_settings(), DataFolder(data)) as storage:
        for harm in WAYS:
            with ledger_of(data) as ledger:
                harm(ledger, in_the_middle)

            [found] = await Verifier(storage.ledger, storage.store).verify()
            [mended] = await Repairer(storage.ledger, storage.store).repair()
            [after] = await Verifier(storage.ledger, storage.store).verify()

            assert found.broken, harm.__name__
            assert (mended.relinked, mended.written, mended.deleted) == (len(found.broken), 0, 0)
            assert after.clean, harm.__name__
            assert chain(data) == sound, harm.__name__


def test_a_hundred_broken_links_are_all_restored_and_a_second_repair_changes_nothing(
    data: Path,
) -> None:
    sound = chain(data)
    chance = dice(2)
    with ledger_of(data) as ledger:
        chance.choice(SURE)(ledger, chance.choice(sound).key)
        for _ in range(HARMS - 1):
            chance.choice(WAYS)(ledger, chance.choice(sound).key)

    found = run("verify", "--data-dir", str(data), cwd=data.parent)
    mended = run("verify", "--repair", "--data-dir", str(data), cwd=data.parent)
    restored = chain(data)
    again = verify(data, "--repair")

    assert (found.code, "broken" in found.out) == (1, True), found.out
    assert (mended.code, "relinked" in mended.out) == (0, True), mended.out
    assert restored == sound
    assert (again.exit_code, "relinked" in again.stdout) == (0, False), again.stdout
    assert chain(data) == sound


def test_a_chunk_that_is_not_what_stands_in_the_file_is_told(data: Path) -> None:
    path = "module-1-ros2/chapter-1-nodes/01-lasting.md"
    with ledger_of(data) as ledger:
        ledger.execute(
            "UPDATE documents SET text = replace(text, 'a', 'b') WHERE id = ?",
            [lesson_id(BOOK, path)],
        )

    found = verify(data)

    assert (found.exit_code, "broken" in found.stdout) == (1, True), found.stdout
