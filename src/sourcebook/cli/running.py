"""What the serving commands do. Imports the service, so the commands load it only when they run."""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from importlib.resources import as_file, files
from pathlib import Path

import uvloop
from rich.console import Console

from sourcebook.cli.first_question import ask_command, chat_request
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.models import (
    entries_or_bundled,
    model_entries,
    open_model,
    open_reranker_of,
)
from sourcebook.service.server import Ready, run_server
from sourcebook.service.settings import Settings
from sourcebook.surfaces.use_cases import UseCases

SAMPLE_BOOK_ID = "sample-book"
SAMPLE_QUESTION = "How far can Wren's knee bend?"
YOUR_QUESTION = "What is this book about?"
# A book that takes longer is served while it is being indexed.
INDEXING_LIMIT_S = 20.0
POLL_EVERY_S = 0.05

# Logs go to standard error as well, so standard output stays free for what was asked for.
console = Console(stderr=True, highlight=False, soft_wrap=True)


def serve(settings: Settings) -> None:
    """Serve until a signal comes."""
    entries = model_entries(settings)
    with console.status("Loading models …") as status:

        async def announce(ready: Ready) -> None:
            status.stop()
            url = ready.url
            console.print(f"[bold]Sourcebook is ready at {url}[/] (API documentation: {url}/docs)")
            _tell_of_key(ready)

        _run(run_server(settings, entries, announce))


def download_models(settings: Settings) -> None:
    """Fetch and load every configured model once."""
    entries = model_entries(settings)
    folder = DataFolder(settings.data_dir)

    async def load_all() -> None:
        for entry in entries:
            with console.status(f"Fetching {entry.id} ({entry.path}) …"):
                async with open_model(settings, entry, folder, download=True) as embedder:
                    dimensions = embedder.dimensions
            console.print(f"Embedding model {entry.id!r} is ready: {dimensions} dimensions")
        async with AsyncExitStack() as stack:
            reranker = await open_reranker_of(settings, folder, stack, download=True)
            if reranker is not None:
                console.print(f"Cross-encoder {reranker.name!r} is ready")

    asyncio.run(load_all())


def quickstart(settings: Settings) -> None:
    """Serve a book with the bundled model: the configured one, else the sample."""
    own = settings.docs_path is not None or settings.docs_repository is not None
    with (
        as_file(files("sourcebook.samples") / "book") as sample,
        console.status("Loading the model …") as status,
    ):
        served = settings if own else _with_sample(settings, sample)

        async def index_and_announce(ready: Ready) -> None:
            status.update("Indexing the book …")
            job = await _index(ready.use_cases)
            status.stop()
            _explain(ready, job, settings, YOUR_QUESTION if own else SAMPLE_QUESTION)

        _run(run_server(served, entries_or_bundled(settings), index_and_announce))


def _run(serving: Coroutine[None, None, None]) -> None:
    """Run on the fast event loop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving)


def _with_sample(settings: Settings, docs: Path) -> Settings:
    # Under an id of its own: it must not stand in the way of the book that comes next.
    book_id = settings.book_id if "book_id" in settings.model_fields_set else SAMPLE_BOOK_ID
    sample = {"docs_path": docs, "book_id": book_id, "reconcile_minutes": 0.0}
    return settings.model_copy(update=sample)


async def _index(use_cases: UseCases) -> IngestJob:
    """Index what changed; after a while it goes on beside."""
    job = await use_cases.desk.order(JobRequest(use_cases.book_rules.book_id, trigger="cli"))
    end_s = asyncio.get_running_loop().time() + INDEXING_LIMIT_S
    while not job.finished and asyncio.get_running_loop().time() < end_s:
        await asyncio.sleep(POLL_EVERY_S)
        job = await use_cases.desk.job(job.id)
    return job


def _explain(ready: Ready, job: IngestJob, settings: Settings, question: str) -> None:
    url = ready.url
    console.print(f"\n[bold]Sourcebook is ready at {url}[/]")
    console.print(f"  The book            {_told(job)}", markup=False)
    console.print(f"  API documentation   {url}/docs")
    console.print(f"  Health              {url}/health")
    console.print(f"  Your data           {settings.data_dir}", markup=False)
    _tell_of_key(ready)
    # Elsewhere, the command would not find what was only named here.
    named = "data_dir" in settings.model_fields_set
    command = ask_command(question, settings.data_dir if named else None)
    console.print("\nAsk it something, in another terminal:\n")
    console.print(f"  {command}\n", style="cyan", markup=False)
    console.print("or over HTTP:\n")
    console.print(f"  {chat_request(question, url)}\n", style="cyan", markup=False)
    console.print("Press Ctrl+C to stop.\n", style="dim")


def _tell_of_key(ready: Ready) -> None:
    if ready.new_key is not None:
        console.print(f"  Admin key, made now {ready.new_key}", markup=False)


def _told(job: IngestJob) -> str:
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
