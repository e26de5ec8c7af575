"""A command that only reads refuses a data folder without data, and creates none."""

from pathlib import Path

import pytest

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.exit_codes import FAILED, NOT_KNOWN
from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.data_folder import DataFolder, use_data_folder
from sourcebook.service.config.settings import load_settings
from tests.unit.cli.commands import run_command

READING = [
    (("ask", "What is a node?"), NOT_KNOWN),
    (("search", "nodes"), NOT_KNOWN),
    (("verify",), NOT_KNOWN),
    (("verify", "--repair"), NOT_KNOWN),
    (("rebuild",), FAILED),
    (("reindex", "robotics"), FAILED),
    (("books",), FAILED),
    (("books", "show", "book"), FAILED),
    (("books", "files", "book"), FAILED),
    (("books", "delete", "book", "--yes"), FAILED),
]


@pytest.mark.parametrize(("arguments", "code"), READING, ids=str)
def test_a_mistyped_data_folder_is_an_error_and_is_not_created(
    arguments: tuple[str, ...],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = run_command(monkeypatch, *arguments, "--data-dir", "dtaa")

    assert ended == code
    said = capsys.readouterr().err
    assert f"There is no Sourcebook data in {str(tmp_path / 'dtaa')!r}: check --data-dir" in said
    assert "sourcebook ingest DOCS" in said
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_other_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.md").touch()

    with pytest.raises(ConfigurationError, match="There is no Sourcebook data"):
        require_data(load_settings(data_dir=tmp_path))

    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]


async def test_a_process_that_is_still_starting_is_data_enough(tmp_path: Path) -> None:
    async with use_data_folder(DataFolder(tmp_path)):
        require_data(load_settings(data_dir=tmp_path))


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"ledger_url": "postgresql://localhost/ledger"},
        {"qdrant_url": "http://localhost:6333"},
        {"adopted_config": "adopted.yml"},
    ],
    ids=lambda value: next(iter(value)),
)
def test_what_is_kept_on_a_server_needs_no_folder(
    elsewhere: dict[str, str], tmp_path: Path
) -> None:
    require_data(load_settings(None, data_dir=tmp_path / "new", **elsewhere))
