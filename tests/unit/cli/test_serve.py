"""What `sourcebook serve` says when it starts."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sourcebook.cli.serve import show_leaving_text, show_not_imported, show_roles
from sourcebook.service.config.settings import load_settings, local_unless_told
from sourcebook.service.http.server import Ready
from sourcebook.service.wiring.models import bundled_entries
from sourcebook.surfaces.use_cases import UseCases


def test_a_start_shows_where_each_role_runs_and_which_key_it_does_not_use(
    use_cases: UseCases, capsys: pytest.CaptureFixture[str]
) -> None:
    given = load_settings(openai_api_key="canary-key")
    ready = Ready(use_cases, "http://localhost", None, local_unless_told(given), bundled_entries())

    show_roles(ready)
    show_leaving_text(ready, given)

    said = capsys.readouterr().err.splitlines()
    assert "  Embeddings          fakes/minilm, on this machine" in said
    assert "  Answers             quotes from the book (no language model)" in said
    assert said[-1].startswith("  OPENAI_API_KEY is set, but not used: --llm openai ")
    assert "  No text leaves this machine" in said
    assert "canary" not in str(said)


async def test_collections_of_a_chroma_folder_that_are_not_here_are_told(
    use_cases: UseCases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(tmp_path / "chroma.sqlite3")) as chroma:
        chroma.execute("CREATE TABLE collections (id TEXT, name TEXT)")
        chroma.execute("INSERT INTO collections VALUES ('1', 'faq'), ('2', 'manuals')")
        chroma.commit()
    await use_cases.catalog.create("faq", {}, "minilm")

    await show_not_imported(tmp_path, use_cases.catalog)

    said = capsys.readouterr().err
    assert "yet: manuals. " in said
    assert f"sourcebook import chroma {tmp_path}" in said


async def test_a_folder_without_chroma_is_told(
    use_cases: UseCases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await show_not_imported(tmp_path / "typo", use_cases.catalog)

    assert "There is no Chroma database in" in capsys.readouterr().err
