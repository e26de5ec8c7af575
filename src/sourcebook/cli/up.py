"""`sourcebook up`: serves your documents with a page to ask them, in one command."""

from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sourcebook.cli.ingest import watched_folder, with_source
from sourcebook.cli.next_steps import show_question
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
    show_asked_book,
    show_leaving_text,
    show_new_key,
    show_roles,
)
from sourcebook.cli.terminal import counted, err
from sourcebook.core.jobs import IngestJob, JobRequest

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.http.server import Ready
    from sourcebook.surfaces.use_cases import UseCases

# A book that takes longer is served while it is being indexed.
INDEXING_TIMEOUT_S = 20.0
POLL_INTERVAL_S = 0.05
SLOW_POLL_INTERVAL_S = 0.5


def up(
    docs: Annotated[
        str | None,
        typer.Argument(
            help="A folder, one file, or the address of a website; without it, what is indexed"
            " already, else a sample.",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")
    ] = True,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    cross_encoder: CrossEncoder = None,
    cross_encoder_path: CrossEncoderPath = None,
    llm: Llm = None,
    config: Config = None,
) -> None:
    """Serve your documents with a page to ask them, and keep a folder up to date."""
    settings = settings_from(
        config,
        # The page shows the rest; whoever asks for more gets it.
        default_log_level="warning",
        host=host,
        port=port,
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        cross_encoder=cross_encoder,
        cross_encoder_path=cross_encoder_path,
        llm=llm,
    )
    serve_books(settings, docs, UpOptions(browser=browser, watches=True, is_brief=True))


@dataclass(frozen=True, slots=True)
class UpOptions:
    """How documents are served; by default as scripts need it.

    It opens the page in a `browser`, `watches` the folder, and `is_brief` about the rest.
    """

    browser: bool = False
    watches: bool = False
    is_brief: bool = False


def serve_books(settings: "Settings", docs: str | None, options: UpOptions) -> None:
    """Serve these documents, else the configured book, else what is indexed, else the sample."""
    from sourcebook.service.config.settings import local_unless_told
    from sourcebook.service.http.server import run_server
    from sourcebook.service.wiring.models import entries_or_bundled

    if docs is not None:
        settings = _keeping(settings, docs)
    local = local_unless_told(settings)
    with err.status("Loading the model …") as status:
        entries = entries_or_bundled(settings)
        fetch_missing_models(local, entries, status)

        async def index_and_announce(ready: "Ready") -> Coroutine[None, None, None]:
            status.update("Indexing …")
            served = await index_book(ready.use_cases, settings)
            status.stop()
            await _announce(ready, served, settings, is_brief=options.is_brief)
            return _accompany(ready, served, settings, options)

        run_service(run_server(local, entries, index_and_announce))


def _keeping(settings: "Settings", docs: str) -> "Settings":
    """The settings of a service that keeps these documents as the book that comes from there."""
    import asyncio

    from sourcebook.service.wiring.given_book import find_given_book, given_source

    named = with_source(settings, docs)
    book = asyncio.run(find_given_book(settings, given_source(named)))
    return named.keeping(book.book_id)


@dataclass(frozen=True, slots=True)
class ServedBook:
    """The book that is served first, in words, and the job that indexes it, if there is one."""

    book_id: str
    about: str
    job_id: int | None = None
    others: tuple[str, ...] = ()


async def index_book(use_cases: "UseCases", settings: "Settings") -> ServedBook:
    """Index the configured book, or the sample if there is no book. What is there stays."""
    from sourcebook.search.default_books import SAMPLE_BOOK_ID

    meant = await use_cases.default_books.ids()
    if settings.has_book:
        book_id = use_cases.book_rules.book_id
        job = await _run_job(use_cases, book_id)
        others = tuple(one for one in meant if one not in {book_id, SAMPLE_BOOK_ID})
        return ServedBook(book_id, _indexed(job), job.id, others)
    there = await use_cases.default_books.ids_for(None)
    found = await use_cases.books.statistics_of(there)
    if found.files and there != (SAMPLE_BOOK_ID,):
        about = f"{there[0]}: as last indexed. `sourcebook up FOLDER` keeps a folder up to date"
        return ServedBook(there[0], about, others=tuple(one for one in meant if one in there[1:]))
    job = await _run_job(use_cases, SAMPLE_BOOK_ID)
    return ServedBook(SAMPLE_BOOK_ID, _indexed(job), job.id)


async def _run_job(use_cases: "UseCases", book_id: str) -> IngestJob:
    """Start a job and wait for it for a while; a longer one goes on in the background."""
    import asyncio

    job = await use_cases.book_jobs.submit(JobRequest(book_id, trigger="cli"))
    end_s = asyncio.get_running_loop().time() + INDEXING_TIMEOUT_S
    while not job.finished and asyncio.get_running_loop().time() < end_s:
        await asyncio.sleep(POLL_INTERVAL_S)
        job = await use_cases.book_jobs.job(job.id)
    return job


async def _announce(
    ready: "Ready", served: ServedBook, settings: "Settings", *, is_brief: bool
) -> None:
    url = ready.url
    err.print(Text(f"\nSourcebook is ready at {url}", style="bold"))
    err.print(f"  The book            {served.about}")
    if served.others:
        err.print(f"  Asked with it       {', '.join(served.others)}")
    err.print(f"  Read and ask        {url}/")
    err.print(f"  Your data           {settings.data_dir}")
    if not is_brief:
        err.print(f"  API documentation   {url}/docs")
        err.print(f"  Health              {url}/health")
        show_roles(ready)
    await show_asked_book(ready)
    show_leaving_text(ready, settings)
    show_new_key(ready)


async def _accompany(
    ready: "Ready", served: ServedBook, settings: "Settings", options: UpOptions
) -> None:
    """Open the page, say what to ask, and keep the folder up to date. Runs while it is served."""
    import asyncio

    from sourcebook.cli.browser import open_page

    async with asyncio.TaskGroup() as tasks:
        if options.browser:
            tasks.create_task(open_page(ready.url))
        tasks.create_task(_suggest(ready, served, settings))
        if options.watches and settings.docs_path is not None:
            folder = watched_folder(settings)
            tasks.create_task(_keep_up_to_date(ready.use_cases, served.book_id, folder))


async def _keep_up_to_date(use: "UseCases", book_id: str, folder: Path) -> None:
    """Index the folder again whenever a file is saved."""
    from sourcebook.cli.book_jobs import CommandJobs
    from sourcebook.cli.file_watcher import watched
    from sourcebook.cli.ingest import run_again
    from sourcebook.cli.jobs import Stop
    from sourcebook.surfaces.book.ingestion_schemas import TriggerIn

    jobs, request, stop = CommandJobs(use), TriggerIn(book_id=book_id), Stop()
    try:
        async with watched(folder, stop) as changed:
            while not stop.requested:
                await changed.wait()
                changed.clear()
                if not stop.requested:
                    await run_again(jobs, request, stop, as_json=False)
    except (OSError, RuntimeError) as error:  # such as too many folders for the system
        err.print(f"The folder is not watched any more: {error}")


async def _suggest(ready: "Ready", served: ServedBook, settings: "Settings") -> None:
    """Show a question that the book answers, once it is indexed."""
    import asyncio

    from sourcebook.answering.suggested_questions import (
        SAMPLE_QUESTIONS,
        QuestionSuggester,
        Suggestion,
    )
    from sourcebook.search.default_books import SAMPLE_BOOK_ID

    use = ready.use_cases
    if served.book_id == SAMPLE_BOOK_ID:
        show_question(Suggestion(SAMPLE_QUESTIONS[0]), ready.url, settings)
        return
    job = None if served.job_id is None else await use.book_jobs.job(served.job_id)
    while job is not None and not job.finished:
        await asyncio.sleep(SLOW_POLL_INTERVAL_S)
        job = await use.book_jobs.job(job.id)
    suggestion = await QuestionSuggester(use.books, use.sessions).suggest(served.book_id)
    show_question(suggestion, ready.url, settings)


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
