"""`sourcebook quickstart`: indexes a book and serves it, in one command."""

import shlex
import shutil
import sys
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
    show_missing_website,
    show_new_key,
    show_roles,
)
from sourcebook.cli.terminal import err
from sourcebook.core.jobs import IngestJob, JobRequest

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.http.server import Ready
    from sourcebook.surfaces.use_cases import UseCases

SAMPLE_BOOK_ID = "sample-book"
SAMPLE_QUESTION = "How far can Wren's knee bend?"
YOUR_QUESTION = "What is this book about?"
# A book that takes longer is served while it is being indexed.
INDEXING_TIMEOUT_S = 20.0
POLL_INTERVAL_S = 0.05
COMMAND = "sourcebook"


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
    return f'{_executable()} ask "{question}"{where}'


def chat_request(question: str, url: str) -> str:
    """Return the curl command that asks the same over HTTP."""
    import orjson

    body = shlex.quote(orjson.dumps({"query": question}).decode())
    return f"curl -s {url}/chat -H 'Content-Type: application/json' -d {body}"


def _serve_book(settings: "Settings") -> None:
    """Serve the configured book, else the sample, with the bundled model."""
    from importlib.resources import as_file, files

    from sourcebook.service.config.settings import local_unless_told
    from sourcebook.service.http.server import run_server
    from sourcebook.service.wiring.models import entries_or_bundled

    own = settings.docs_path is not None or settings.docs_repository is not None
    with (
        as_file(files("sourcebook.samples") / "book") as sample,
        err.status("Loading the model …") as status,
    ):
        served = local_unless_told(settings if own else _with_sample(settings, sample))
        entries = entries_or_bundled(settings)
        fetch_missing_models(served, entries, status)

        async def index_and_announce(ready: "Ready") -> None:
            status.update("Indexing the book …")
            job = await _index(ready.use_cases)
            status.stop()
            await _announce(ready, job, settings, own=own)

        run_service(run_server(served, entries, index_and_announce))


def _with_sample(settings: "Settings", docs: Path) -> "Settings":
    # Under an id of its own: it must not stand in the way of the book that comes next.
    book_id = settings.book_id if "book_id" in settings.model_fields_set else SAMPLE_BOOK_ID
    sample = {"docs_path": docs, "book_id": book_id, "reconcile_minutes": 0.0}
    return settings.model_copy(update=sample)


async def _index(use_cases: "UseCases") -> IngestJob:
    """Start a job and wait for it for a while; a longer one goes on in the background."""
    import asyncio

    job = await use_cases.book_jobs.submit(JobRequest(use_cases.book_rules.book_id, trigger="cli"))
    end_s = asyncio.get_running_loop().time() + INDEXING_TIMEOUT_S
    while not job.finished and asyncio.get_running_loop().time() < end_s:
        await asyncio.sleep(POLL_INTERVAL_S)
        job = await use_cases.book_jobs.job(job.id)
    return job


async def _announce(ready: "Ready", job: IngestJob, settings: "Settings", *, own: bool) -> None:
    url = ready.url
    err.print(Text(f"\nSourcebook is ready at {url}", style="bold"))
    err.print(f"  The book            {_indexed(job)}")
    err.print(f"  API documentation   {url}/docs")
    err.print(f"  Health              {url}/health")
    err.print(f"  Your data           {settings.data_dir}")
    show_roles(ready, settings)
    show_new_key(ready)
    if own:
        await show_missing_website(settings, ready.use_cases.catalog)
    question = YOUR_QUESTION if own else SAMPLE_QUESTION
    # Elsewhere, the command would not find what was only named here.
    named = "data_dir" in settings.model_fields_set
    command = ask_command(question, settings.data_dir if named else None)
    err.print("\nAsk it something, in another terminal:\n")
    err.print(f"  {command}\n", style="cyan")
    err.print("or over HTTP:\n")
    err.print(f"  {chat_request(question, url)}\n", style="cyan")
    err.print("Press Ctrl+C to stop.\n", style="dim")


def _indexed(job: IngestJob) -> str:
    files = job.progress.files_processed + job.progress.files_skipped
    match job.status:
        case "completed":
            return f"{job.request.book_id}: {files} files"
        case "queued" | "running":
            return f"{job.request.book_id}: still being indexed; `sourcebook ask` works already"
        case _:
            return (
                f"{job.request.book_id}: {job.status}. {job.error or 'See GET /ingestion/status'}"
            )


def _executable() -> str:
    """The command's name, if the shell finds it; else its path."""
    beside = Path(sys.executable).with_name(COMMAND)
    if shutil.which(COMMAND) or not beside.exists():
        return COMMAND
    here = Path.cwd()
    return shlex.quote(str(beside.relative_to(here) if beside.is_relative_to(here) else beside))
