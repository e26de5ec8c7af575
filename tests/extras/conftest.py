"""Servers that are started once for all tests that need one."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.processes import run, serving
from tests.extras.chroma_process import running_chroma

SENTENCE = "A node is one process of a robot."
# The paragraph that an answer quotes.
BLOCK = f"{SENTENCE} Nodes talk over topics."
LESSON = f"---\ntitle: Nodes\n---\n\n# Nodes\n\n{BLOCK}\n"


@dataclass(frozen=True, slots=True)
class BookService:
    """A service with a book of one lesson, `nodes.md`."""

    url: str
    data: Path


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_chroma(tmp_path_factory.mktemp("chroma-server")) as url:
        yield url


@pytest.fixture(scope="session")
def book_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BookService]:
    folder = tmp_path_factory.mktemp("book-service")
    (folder / "docs").mkdir()
    (folder / "docs" / "nodes.md").write_text(LESSON)
    assert run("ingest", "docs", "--data-dir", "data", cwd=folder).code == 0
    with serving("quickstart", "--data-dir", "data", cwd=folder) as server:
        yield BookService(server.url, folder / "data")
