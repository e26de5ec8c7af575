"""`sourcebook ingest`: brings the index of a book up to date with its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from sourcebook.cli.exit_codes import DONE, FAILED, PART_FAILED
from sourcebook.cli.options import (
    BookId,
    Config,
    DataDir,
    EmbeddingsConfig,
    Json,
    settings_from,
)
from sourcebook.cli.terminal import err
from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.core.jobs import UNFINISHED, IngestMode, JobStatus
from sourcebook.providers.sources.website.options import (
    is_git_address,
    is_web_address,
    write_site,
)

if TYPE_CHECKING:
    from sourcebook.cli.book_jobs import Jobs
    from sourcebook.cli.jobs import Stop
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.book.ingestion_schemas import JobOut, TriggerIn
    from sourcebook.surfaces.use_cases import UseCases

EXIT_CODES: dict[JobStatus, int] = {"completed": DONE, "partial": PART_FAILED}
# A stopped command is gone soon: what the job has begun, a service finishes and the next run does
# again.
CANCEL_TIMEOUT_S = 0.5
WEBSITES = "Websites"
SiteOption: TypeAlias = list[str] | str | float | None
STOPPED = "Stopped. What is indexed stays; run the same command to go on."


def ingest(
    docs: Annotated[
        str | None,
        typer.Argument(
            help="A folder, one file, or the address of a website: each is a book, named after it"
            " unless --book or BOOK_ID names it. [env: DOCS_PATH, SOURCEBOOK_DOCS_SITE]",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        IngestMode,
        typer.Option(
            help="incremental does what changed, full everything again; recreate builds a new"
            " index beside the one in use."
        ),
    ] = "incremental",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Go on even if many lessons would be deleted.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and index again whenever a file is saved.")
    ] = False,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            help="Which files are lessons: a path template, or lessons, folders, auto. Can be"
            " repeated; kept with the book. [env: SOURCEBOOK_BOOK_PATTERNS]",
            show_default=False,
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            help="A file or folder to leave out, like drafts or '**/old'. Can be repeated; kept"
            " with the book, '' clears it. [env: SOURCEBOOK_BOOK_EXCLUDE]",
            show_default=False,
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a website: a page or folder to read, like guide or '**/api'; the others are"
            " not. Can be repeated. [env: SOURCEBOOK_SITE_INCLUDE]",
            show_default=False,
            rich_help_panel=WEBSITES,
        ),
    ] = None,
    selector: Annotated[
        str | None,
        typer.Option(
            help="The CSS selector of the element that holds the text of each page, like"
            " 'main article'. [env: SOURCEBOOK_SITE_SELECTOR]",
            show_default=False,
            rich_help_panel=WEBSITES,
        ),
    ] = None,
    discovery: Annotated[
        str | None,
        typer.Option(
            metavar="auto|llms|sitemap|links",
            help="Where the pages are found; auto takes llms.txt and the sitemaps, else links."
            " [env: SOURCEBOOK_SITE_DISCOVERY]",
            show_default=False,
            rich_help_panel=WEBSITES,
        ),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            help="How many links deep. [env: SOURCEBOOK_SITE_MAX_DEPTH]",
            show_default=False,
            rich_help_panel=WEBSITES,
        ),
    ] = None,
    max_pages: Annotated[
        int | None,
        typer.Option(
            help="How many pages at most. [env: SOURCEBOOK_SITE_MAX_PAGES]",
            show_default=False,
            rich_help_panel=WEBSITES,
        ),
    ] = None,
    requests_per_s: Annotated[
        float | None,
        typer.Option(
            "--requests-per-s",
            help="How many requests a second, from 1 to 8. [env: SOURCEBOOK_SITE_REQUESTS_PER_S]",
            show_default=False,
            rich_help_panel=WEBSITES,
        ),
    ] = None,
    pdfs: Annotated[
        bool | None,
        typer.Option(
            "--pdfs/--no-pdfs",
            help="Whether to read the PDFs of the site, too. [env: SOURCEBOOK_SITE_PDFS]",
            show_default=False,
            rich_help_panel=WEBSITES,
        ),
    ] = None,
    book: BookId = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Index a book. Exit code 0 if all went well, 2 if a part of it, 1 if nothing did."""
    import asyncio

    settings = settings_from(
        config,
        # What a job warns of, or fails with, is shown with its result.
        log_level="error",
        data_dir=data_dir,
        embeddings_config=embeddings_config,
    )
    site: dict[str, SiteOption] = {
        "include": include,
        "selector": selector,
        "discovery": discovery,
        "max_depth": max_depth,
        "max_pages": max_pages,
        "requests_per_s": requests_per_s,
        "pdfs": pdfs,
    }
    options = IngestOptions(
        docs, book, mode, force, dry_run, watch, as_json, pattern, exclude, site
    )
    try:
        code = asyncio.run(_ingest(settings, options))
    except Stopped as stopped:
        code = stopped.exit_code
    raise typer.Exit(code)


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """What the command line asks for."""

    docs: str | None = None
    book: str | None = None
    mode: IngestMode = "incremental"
    force: bool = False
    dry_run: bool = False
    watch: bool = False
    as_json: bool = False
    patterns: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    site: Mapping[str, SiteOption] = field(default_factory=dict)


class Stopped(Exception):
    """Somebody has stopped the command while a job was running."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(STOPPED)
        self.exit_code = exit_code


async def _ingest(configured: "Settings", options: IngestOptions) -> int:
    from sourcebook.cli.book_jobs import CommandJobs
    from sourcebook.cli.job_display import show_changes, show_job
    from sourcebook.cli.jobs import stop_on_signals
    from sourcebook.cli.opening import opened

    settings = _overridden(configured, options)
    if not settings.has_book:
        raise ConfigurationError(
            "No book is configured: name its folder or website (`sourcebook ingest DOCS`), or set"
            " DOCS_PATH, SOURCEBOOK_DOCS_SITE, or SOURCEBOOK_DOCS_REPOSITORY for one in git"
        )
    is_named = options.docs is None or settings.book_id_told
    async with opened(settings if is_named else _allowing(configured, settings), "write") as use:
        book_id = settings.book_id if is_named else await _name_book(use, configured, settings)
        request = _request(settings, book_id, options)
        jobs = CommandJobs(use)
        if options.dry_run:
            show_changes(await jobs.changes(request), as_json=options.as_json)
            return DONE
        with stop_on_signals() as stop:
            if options.watch:
                folder = watched_folder(settings)
                return await _watch(jobs, request, folder, stop, as_json=options.as_json)
            job = await run_job(jobs, request, stop)
        show_job(job, as_json=options.as_json)
        return EXIT_CODES.get(job.status, FAILED)


def _allowing(configured: "Settings", named: "Settings") -> "Settings":
    """The settings under which a job may name the folder; the kept book keeps its own source."""
    folder = [] if named.docs_path is None else [str(named.docs_path)]
    return configured.model_copy(update={"docs_roots": (*configured.docs_roots, *folder)})


async def _name_book(use: "UseCases", configured: "Settings", named: "Settings") -> str:
    """Find the book of the source, or name a new one and say so."""
    from sourcebook.service.wiring.given_book import given_book, given_source

    book = await given_book(configured, given_source(named), use.book_catalog)
    if book.is_new:
        err.print(f"A new book: {book.book_id}")
    return book.book_id


def _request(settings: "Settings", book_id: str, options: IngestOptions) -> "TriggerIn":
    from sourcebook.cli.book_jobs import validated
    from sourcebook.surfaces.book.ingestion_schemas import TriggerIn

    docs_path = settings.docs_site
    if settings.docs_path is not None:
        docs_path = str(settings.docs_path.resolve())
    asked = {
        "mode": options.mode,
        "book_id": book_id,
        "docs_path": docs_path,
        "force": options.force,
        **_layout(settings, options),
    }
    return validated(TriggerIn, asked)


async def _watch(
    jobs: "Jobs", request: "TriggerIn", folder: Path, stop: "Stop", *, as_json: bool
) -> int:
    """Index now, and again after every save, until a stop is requested."""
    from sourcebook.cli.file_watcher import watched
    from sourcebook.cli.job_display import show_job

    async with watched(folder, stop) as changed:
        show_job(await run_job(jobs, request, stop), as_json=as_json)
        # --force holds for the first run only: the folder may vanish while we watch.
        again = request.model_copy(update={"mode": "incremental", "force": False})
        err.print(f"Watching {folder} for changes. Press Ctrl+C to stop.")
        while not stop.requested:
            await changed.wait()
            changed.clear()
            if not stop.requested:
                await run_again(jobs, again, stop, as_json=as_json)
    return DONE


async def run_again(jobs: "Jobs", request: "TriggerIn", stop: "Stop", *, as_json: bool) -> None:
    """Run a job after a save and show in a line how it went."""
    from sourcebook.cli.job_display import show_watch_run

    try:
        show_watch_run(await run_job(jobs, request, stop), as_json=as_json)
    except SourcebookError as error:
        # The cause may be gone at the next save.
        err.print(f"Not indexed: {error.message}")


async def run_job(jobs: "Jobs", request: "TriggerIn", stop: "Stop") -> "JobOut":
    """Start a job and show it until it ends; a stop cancels it and raises Stopped.

    A job that runs already, such as one whose process was killed, comes first. If that leaves
    nothing to do, it is the one whose result is returned.
    """
    from sourcebook.cli.job_display import going_on, outcome
    from sourcebook.cli.jobs import cancel_job

    job_id = await jobs.trigger(request)
    earlier = await jobs.running_before(job_id)
    if earlier is not None:
        err.print(going_on(earlier))
        earlier = await _followed(jobs, earlier.job_id, stop)
    job = await _followed(jobs, job_id, stop)
    if job is None:
        with err.status("Stopping …"):
            cancel, get_job = partial(jobs.cancel, job_id), partial(jobs.job, job_id)
            job = await cancel_job(cancel, get_job, CANCEL_TIMEOUT_S)
    if job.status in {"cancelled", *UNFINISHED} and stop.requested:
        err.print(STOPPED)
        raise Stopped(stop.exit_code)
    if earlier is None:
        return job
    ended_well = earlier.status == job.status == "completed"
    if ended_well and earlier.book_id == job.book_id and _is_idle(job):
        return earlier
    err.print(outcome(earlier))
    return job


def _is_idle(job: "JobOut") -> bool:
    return not (job.files_processed or job.documents_deleted)


async def _followed(jobs: "Jobs", job_id: int, stop: "Stop") -> "JobOut | None":
    """Show a job until it ends; None if a stop is requested first."""
    from sourcebook.cli.job_display import shown_progress
    from sourcebook.cli.jobs import wait_for_job

    with shown_progress(err) as show:
        return await wait_for_job(partial(jobs.job, job_id), show, stop)


def _overridden(settings: "Settings", options: IngestOptions) -> "Settings":
    """The settings, with what the command line names in place of what is configured."""
    if options.book is not None:
        settings = settings.model_copy(update={"book_id": options.book})
    if options.docs is not None:
        settings = with_source(settings, options.docs)
    chosen = {name: value for name, value in options.site.items() if value not in (None, [])}
    if not chosen:
        return settings
    if settings.docs_site is None:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise ConfigurationError(f"{flags}: these are for websites, and this book is none")
    return settings.model_copy(update={"docs_site": write_site(settings.docs_site, chosen)})


def with_source(settings: "Settings", docs: str) -> "Settings":
    """The settings with this source in place of what is configured."""
    nothing = {"docs_path": None, "docs_repository": None, "docs_site": None}
    return settings.model_copy(update=nothing | _named(docs))


def _named(docs: str) -> dict[str, object]:
    """Return the settings for what the command line names: a website, a folder or a file."""
    if is_git_address(docs):
        raise ConfigurationError(
            "This is the address of a git repository. Set SOURCEBOOK_DOCS_REPOSITORY to it, and"
            " run `sourcebook ingest` without an address"
        )
    if is_web_address(docs):
        return {"docs_site": docs}
    path = Path(docs).expanduser()
    if not path.exists():
        raise ConfigurationError(f"There is no folder or file {docs!r}")
    return {"docs_path": path.resolve()}


def _layout(settings: "Settings", options: IngestOptions) -> dict[str, Sequence[str] | None]:
    """What flags and settings say of the files."""
    # Whoever names one file wants that file, whatever the settings are.
    one_file = settings.docs_path is not None and settings.docs_path.is_file()
    patterns, exclude = ((), ()) if one_file else (settings.book_patterns, settings.book_exclude)
    return {
        "patterns": list(options.patterns or patterns) or None,
        "exclude": list(options.exclude or exclude) or None,
    }


def watched_folder(settings: "Settings") -> Path:
    if settings.docs_path is None:
        raise ConfigurationError(
            "--watch needs the book's folder: name it, or set DOCS_PATH. A book in git or on a"
            " website is looked at by the service itself, every SOURCEBOOK_RECONCILE_MINUTES or"
            " SOURCEBOOK_SITE_REFRESH_HOURS"
        )
    if settings.docs_path.is_file():
        # Editors replace a file when they save it, so only its folder sees every save.
        return settings.docs_path.parent
    if not settings.docs_path.is_dir():
        raise ConfigurationError(
            f"The folder {str(settings.docs_path)!r} cannot be watched: there is no such folder"
        )
    return settings.docs_path
