"""The doctor reads the ledger and looks for the indexes, and changes neither."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from sourcebook.core.ports import Ledger
from sourcebook.providers.storage.ledger.schema import MIGRATIONS
from sourcebook.service.config.settings import load_settings
from sourcebook.service.doctor.results import CheckResult
from sourcebook.service.doctor.storage import check_ledger, check_store
from tests.contract.ledger_values import new_collection


def about_ledger(root: Path) -> CheckResult:
    (result,) = check_ledger(load_settings(data_dir=root))
    return result


def about_index(root: Path) -> list[tuple[str, str]]:
    return [(one.name, one.status) for one in check_store(load_settings(data_dir=root))]


@pytest.fixture
async def data(tmp_path: Path, ledger: Ledger) -> Path:
    """A data folder whose ledger, which is open, has one collection."""
    await ledger.collections.create(new_collection("robotics"))
    return tmp_path


def test_a_ledger_that_is_not_there_yet_is_not_created(tmp_path: Path) -> None:
    assert about_ledger(tmp_path).found == "not there yet"
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_somebody_has_open_is_read(data: Path) -> None:
    result = about_ledger(data)

    assert result.status == "ok"
    assert result.found == f"0 documents in 1 collection(s) (schema {MIGRATIONS.head})"


def test_a_folder_may_have_any_name(data: Path, tmp_path: Path) -> None:
    odd = tmp_path / "50% of #1?"
    odd.mkdir()
    shutil.copy(data / "ledger.db", odd / "ledger.db")

    assert about_ledger(odd).status == "ok"


def test_a_folder_of_the_former_index_is_named_as_deletable(data: Path) -> None:
    assert about_index(data) == [("Index", "ok")]
    (data / "index").mkdir()
    assert about_index(data) == [("Index", "ok"), ("Former index", "warning")]


def test_a_ledger_of_a_newer_release_is_a_problem(data: Path) -> None:
    with sqlite3.connect(data / "ledger.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")

    result = about_ledger(data)

    assert (result.status, "newer release (schema 9999" in result.found) == ("problem", True)


@pytest.mark.parametrize("content", [b"this is no database", b"SQLite format 3\0" + b"x" * 9_000])
def test_a_damaged_ledger_is_a_problem(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ledger.db").write_bytes(content)

    result = about_ledger(tmp_path)

    assert (result.status, bool(result.advice)) == ("problem", True)
