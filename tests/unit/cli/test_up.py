"""What `up` serves, and that what it suggests can be typed as it stands."""

import json
import shlex
from pathlib import Path

import pytest

from sourcebook.cli import up
from sourcebook.cli.next_steps import ask_command, chat_request, search_command
from sourcebook.cli.up import index_book
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.search.default_books import SAMPLE_BOOK_ID
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from sourcebook.service.wiring.storage import Storage
from sourcebook.service.wiring.use_cases import build_use_cases
from sourcebook.surfaces.use_cases import UseCases
from tests.memory_store import MemoryStore

QUESTION = "How far can Wren's knee bend?"


def test_the_command_names_a_folder_only_if_it_must() -> None:
    name, *usual = shlex.split(ask_command(QUESTION, None))
    named = shlex.split(ask_command(QUESTION, Path("/my data")))

    assert Path(name).name == "sourcebook"
    assert usual == ["ask", QUESTION]
    assert named == [name, "ask", QUESTION, "--data-dir", "/my data"]


def test_the_request_carries_the_question() -> None:
    command = shlex.split(chat_request(QUESTION, "http://localhost:8000"))

    assert "http://localhost:8000/chat" in command
    assert json.loads(command[-1]) == {"query": QUESTION}


@pytest.mark.parametrize("words", ['say "hi" for $HOME', "`rm -rf`!", "a \\ b", "it's"])
def test_what_a_book_says_is_one_word_of_the_shell(words: str) -> None:
    assert shlex.split(ask_command(words, None))[-1] == words
    assert shlex.split(search_command(words, None))[-1] == words
    for command in (ask_command(words, None), search_command(words, None)):
        assert not any(sign in command for sign in "$`!") or "'" in command


async def test_without_a_book_the_sample_is_indexed_under_its_own_id(
    use_cases: UseCases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(up, "INDEXING_TIMEOUT_S", 0.0)

    served = await index_book(use_cases, load_settings())

    assert served.book_id == SAMPLE_BOOK_ID
    (job,) = await use_cases.book_jobs.recent(2)
    assert (job.request.book_id, job.request.docs_path) == (SAMPLE_BOOK_ID, None)


async def test_an_own_book_that_is_there_is_served_and_the_sample_is_not_indexed(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, tmp_path: Path
) -> None:
    parts = assemble_book(ledger, store, models, BookConfig())
    use_cases = build_use_cases(Storage(ledger, store), models, reranker=None, book=parts)
    (tmp_path / "module-1-a" / "chapter-1-b").mkdir(parents=True)
    (tmp_path / "module-1-a" / "chapter-1-b" / "01-c.md").write_text("# Ducks\n\nThey swim.\n")
    request = JobRequest("book", docs_path=str(tmp_path), trigger="local")
    await use_cases.book_jobs.submit(request)
    job = await ledger.jobs.claim(lease_s=30.0)
    assert job is not None
    await parts.runner.run(job)

    served = await index_book(use_cases, load_settings())

    assert (served.book_id, served.job_id) == ("book", None)
    assert served.about.startswith("book: as last indexed")
    assert len(await use_cases.book_jobs.recent(5)) == 1
