"""`sourcebook quickstart`: indexes a book and serves it, in one command."""

import re
import shlex
import shutil
import sys
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from sourcebook.cli.options import (
    Config,
    CrossEncoder,
    CrossEncoderPath,
    DataDir,
    EmbeddingsConfig,
    Host,
    Llm,
    Port,
    settings_from,
)
from sourcebook.cli.serve import (
    fetch_missing_models,
    run_service,
    show_new_key,
    show_roles,
)
from sourcebook.cli.terminal import counted, err
from sourcebook.core.jobs import IngestJob, JobRequest

if TYPE_CHECKING:
    from sourcebook.answering.suggested_questions import Suggestion
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.http.server import Ready
    from sourcebook.surfaces.use_cases import UseCases

# A book that takes longer is served while it is being indexed.
INDEXING_TIMEOUT_S = 20.0
POLL_INTERVAL_S = 0.05
SLOW_POLL_INTERVAL_S = 0.5
COMMAND = "sourcebook"
# What means something to a shell between double quotes.
_SPECIAL = re.compile(r"[\"$`\\!]")


def quickstart(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    cross_encoder: CrossEncoder = None,
    cross_encoder_path: CrossEncoderPath = None,
    llm: Llm = None,
    config: Config = None,
) -> None:
    """Start with the bundled model and a sample book about robotics."""
    settings = settings_from(
        config,
        host=host,
        port=port,
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        cross_encoder=cross_encoder,
        cross_encoder_path=cross_encoder_path,
        llm=llm,
    )
    _serve_book(settings)


def ask_command(question: str, data_dir: Path | None) -> str:
    """Return the `ask` command as it works in another terminal; `data_dir` if it must be named."""
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    return f"{_executable()} ask {_quoted(question)}{where}"


def search_command(words: str, data_dir: Path | None) -> str:
    """Return the `search` command as it works in another terminal."""
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    return f"{_executable()} search {_quoted(words)}{where}"


def chat_request(question: str, url: str) -> str:
    """Return the curl command that asks the same over HTTP."""
    import orjson

    body = shlex.quote(orjson.dumps({"query": question}).decode())
    return f"curl -s {url}/chat -H 'Content-Type: application/json' -d {body}"


def _serve_book(settings: "Settings") -> None:
    """Serve the configured book, else the one that is indexed already, else the sample."""
    from sourcebook.answering.suggested_questions import SAMPLE_QUESTIONS, Suggestion
    from sourcebook.service.config.settings import local_unless_told
    from sourcebook.service.http.server import run_server
    from sourcebook.service.wiring.models import entries_or_bundled

    local = local_unless_told(settings)
    with err.status("Loading the model …") as status:
        entries = entries_or_bundled(settings)
        fetch_missing_models(local, entries, status)

        async def index_and_announce(ready: "Ready") -> Coroutine[None, None, None] | None:
            status.update("Indexing the book …")
            served = await index_book(ready.use_cases, settings)
            status.stop()
            await _announce(ready, served, settings)
            if served.is_sample:
                _show_question(Suggestion(SAMPLE_QUESTIONS[0]), ready.url, settings)
                return None
            return _suggest(ready, served, settings)

        run_service(run_server(local, entries, index_and_announce))


@dataclass(frozen=True, slots=True)
class ServedBook:
    """The book that is served, in words, and the job that indexes it, if there is one."""

    book_id: str
    about: str
    is_sample: bool = False
    job_id: int | None = None


async def index_book(use_cases: "UseCases", settings: "Settings") -> ServedBook:
    """Index the configured book or the sample. A book that is there without a source stays."""
    from sourcebook.search.default_book import SAMPLE_BOOK_ID

    book_id = use_cases.book_rules.book_id
    if settings.has_book:
        job = await _run_job(use_cases, book_id)
        return ServedBook(book_id, _indexed(job), job_id=job.id)
    found = await use_cases.books.statistics(book_id)
    if found.files:
        about = (
            f"{book_id}: {counted(found.files, 'file')}, as last indexed. To keep it up to date,"
            " run `sourcebook ingest DOCS --watch` beside this"
        )
        return ServedBook(book_id, about)
    job = await _run_job(use_cases, SAMPLE_BOOK_ID)
    return ServedBook(SAMPLE_BOOK_ID, _indexed(job), is_sample=True, job_id=job.id)


async def _run_job(use_cases: "UseCases", book_id: str) -> IngestJob:
    """Start a job and wait for it for a while; a longer one goes on in the background."""
    import asyncio

    job = await use_cases.book_jobs.submit(JobRequest(book_id, trigger="cli"))
    end_s = asyncio.get_running_loop().time() + INDEXING_TIMEOUT_S
    while not job.finished and asyncio.get_running_loop().time() < end_s:
        await asyncio.sleep(POLL_INTERVAL_S)
        job = await use_cases.book_jobs.job(job.id)
    return job


async def _announce(ready: "Ready", served: ServedBook, settings: "Settings") -> None:
    url = ready.url
    err.print(Text(f"\nSourcebook is ready at {url}", style="bold"))
    err.print(f"  The book            {served.about}")
    err.print(f"  Read and ask        {url}/")
    err.print(f"  API documentation   {url}/docs")
    err.print(f"  Health              {url}/health")
    err.print(f"  Your data           {settings.data_dir}")
    show_roles(ready, settings)
    show_new_key(ready)


async def _suggest(ready: "Ready", served: ServedBook, settings: "Settings") -> None:
    """Show a question that the book answers, once it is indexed. Runs while it is served."""
    import asyncio

    from sourcebook.answering.suggested_questions import QuestionSuggester

    use = ready.use_cases
    job = None if served.job_id is None else await use.book_jobs.job(served.job_id)
    while job is not None and not job.finished:
        await asyncio.sleep(SLOW_POLL_INTERVAL_S)
        job = await use.book_jobs.job(job.id)
    suggestion = await QuestionSuggester(use.books, use.sessions).suggest(served.book_id)
    _show_question(suggestion, ready.url, settings)


def _show_question(suggestion: "Suggestion", url: str, settings: "Settings") -> None:
    # Elsewhere, the command would not find what was only named here.
    data_dir = settings.data_dir if "data_dir" in settings.model_fields_set else None
    if suggestion.question is not None:
        err.print("\nAsk it something, in another terminal:\n")
        err.print(f"  {ask_command(suggestion.question, data_dir)}\n", style="cyan")
        err.print("or over HTTP:\n")
        err.print(f"  {chat_request(suggestion.question, url)}\n", style="cyan")
    elif suggestion.search is not None:
        err.print("\nSearch it, in another terminal:\n")
        err.print(f"  {search_command(suggestion.search, data_dir)}\n", style="cyan")
    err.print("Press Ctrl+C to stop.\n", style="dim")


def _indexed(job: IngestJob) -> str:
    files = job.progress.files_processed + job.progress.files_skipped
    match job.status:
        case "completed":
            return f"{job.request.book_id}: {counted(files, 'file')}"
        case "queued" | "running":
            return f"{job.request.book_id}: still being indexed; `sourcebook ask` works already"
        case _:
            return (
                f"{job.request.book_id}: {job.status}. {job.error or 'See GET /ingestion/status'}"
            )


def _quoted(text: str) -> str:
    """The text as one word of a shell, in double quotes if that is enough."""
    return shlex.quote(text) if _SPECIAL.search(text) else f'"{text}"'


def _executable() -> str:
    """The command's name, if the shell finds it; else its path."""
    beside = Path(sys.executable).with_name(COMMAND)
    if shutil.which(COMMAND) or not beside.exists():
        return COMMAND
    here = Path.cwd()
    return shlex.quote(str(beside.relative_to(here) if beside.is_relative_to(here) else beside))
