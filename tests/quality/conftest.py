"""The labelled texts as one book, served with the bundled models as a user would serve them."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from bench.measurements.labelled import LABELLED

from tests.e2e.processes import WITH_READER, Server, run, serving, write_config
from tests.templates import made_once


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the labelled texts in a data folder."""
    return made_once(tmp_path_factory, "labelled", _ingest)


def _ingest(folder: Path) -> None:
    folder.mkdir()
    done = run("ingest", str(LABELLED / "texts"), "--data-dir", "data", cwd=folder)
    assert done.code == 0, done.err


@contextmanager
def serving_texts(texts: Path, folder: Path, settings: Mapping[str, str]) -> Iterator[Server]:
    """Serve a copy of the labelled texts."""
    shutil.copytree(texts / "data", folder / "data")
    config = write_config(folder, minilm="bundled:all-MiniLM-L6-v2")
    env = {**WITH_READER, "API_RATE_LIMIT": "0", "EMBEDDINGS_CONFIG": config, **settings}
    with serving("serve", "--data-dir", "data", cwd=folder, env=env) as server:
        yield server
