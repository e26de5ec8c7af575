"""Data folders with the sample book in them, made once for all workers; tests copy them."""

from importlib.resources import files
from pathlib import Path

import pytest

import sourcebook
from tests.e2e.processes import serving
from tests.templates import made_once

SAMPLE = Path(str(files("sourcebook.samples") / "book"))


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as `sourcebook ingest` leaves it."""
    return made_once(tmp_path_factory, "ingested", _ingest)


@pytest.fixture(scope="session")
def quickstarted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as `sourcebook quickstart` leaves it."""
    return made_once(tmp_path_factory, "quickstarted", _quickstart) / "data"


def _ingest(folder: Path) -> None:
    with sourcebook.open_sync(data_dir=folder, docs=SAMPLE) as book:
        done = book.ingest()
    assert (done.status, done.warnings) == ("completed", ())


def _quickstart(folder: Path) -> None:
    folder.mkdir()
    with serving("quickstart", "--data-dir", "data", cwd=folder) as server:
        assert server.stop() == 0
