"""What `sourcebook serve` says when it starts."""

from pathlib import Path

import pytest

from sourcebook.cli.serve import show_missing_website
from sourcebook.core.documents import Document
from sourcebook.service.config.settings import load_settings
from sourcebook.surfaces.use_cases import UseCases

SAYS = "set FRONTEND_BASE_URL"


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        ({"docs_path": Path("docs")}, True),
        ({"docs_path": Path("docs"), "frontend_base_url": "https://book.example"}, False),
        ({}, False),
    ],
)
async def test_citations_that_lead_nowhere_are_told(
    use_cases: UseCases,
    settings: dict[str, object],
    warned: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await show_missing_website(load_settings(None, **settings), use_cases.catalog)

    assert (SAYS in capsys.readouterr().err) is warned


async def test_a_book_that_was_indexed_before_counts(
    use_cases: UseCases, capsys: pytest.CaptureFixture[str]
) -> None:
    await use_cases.catalog.create("book", {}, "minilm")
    await show_missing_website(load_settings(), use_cases.catalog)
    empty = capsys.readouterr().err
    await use_cases.ingestor.add("book", [Document("nodes", "A node is a process.", {})])

    await show_missing_website(load_settings(), use_cases.catalog)

    assert (SAYS in empty, SAYS in capsys.readouterr().err) == (False, True)
