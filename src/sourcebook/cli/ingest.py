"""`sourcebook ingest`: brings the index of a book up to date with its files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.cli.exit_codes import DONE, FAILED, PART_FAILED
from sourcebook.cli.options import (
    BookId,
    Config,
    DataDir,
    EmbeddingsConfig,
    Json,
    Llm,
    settings_from,
)
from sourcebook.cli.terminal import err
from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.core.jobs import UNFINISHED, IngestMode, JobStatus

if TYPE_CHECKING:
    from sourcebook.cli.clients import BookClient
    from sourcebook.cli.jobs import Stop
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.book.ingestion_schemas import JobOut, TriggerIn

EXIT_CODES: dict[JobStatus, int] = {"completed": DONE, "partial": PART_FAILED}
# A stopped command is gone soon: what the job has begun, a service finishes and the next run does
# again.
CANCEL_TIMEOUT_S = 0.5
STOPPED = "Stopped. What is indexed stays; run the same command to go on."


def ingest(
    docs: Annotated[
        Path | None,
        typer.Argument(help="The book's folder, or one file. [env: DOCS_PATH]", show_default=False),
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
    book: BookId = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    llm: Llm = None,
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
        # For the questions that others ask through this process.
        llm=llm,
    )
    options = IngestOptions(docs, book, mode, force, dry_run, watch, as_json, llm, pattern, exclude)
    try:
        code = asyncio.run(_ingest(_overridden(settings, options), options))
    except Stopped as stopped:
        code = stopped.exit_code
    raise typer.Exit(code)


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """What the command line asks for."""

    docs: Path | None = None
    book: str | None = None
    mode: IngestMode = "incremental"
    force: bool = False
    dry_run: bool = False
    watch: bool = False
    as_json: bool = False
    llm: str | None = None
    patterns: Sequence[str] | None = None
    exclude: Sequence[str] | None = None


class Stopped(Exception):
    """Somebody has stopped the command while a job was running."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(STOPPED)
        self.exit_code = exit_code


async def _ingest(settings: "Settings", options: IngestOptions) -> int:
    from sourcebook.cli.clients import BookClient, validated
    from sourcebook.cli.connect import connect
    from sourcebook.cli.job_display import show_changes, show_job
    from sourcebook.cli.jobs import stop_on_signals
    from sourcebook.surfaces.book.ingestion_schemas import TriggerIn

    docs_path = None if settings.docs_path is None else str(settings.docs_path.resolve())
    asked = {
        "mode": options.mode,
        # Not its default: a service that has the folder knows what its own book is called.
        "book_id": settings.book_id if "book_id" in settings.model_fields_set else None,
        "docs_path": docs_path,
        "force": options.force,
        **_layout(settings, options),
    }
    request = validated(TriggerIn, asked)
    command = "sourcebook ingest --watch" if options.watch else "sourcebook ingest"
    async with connect(settings, "write", command, llm=options.llm) as http:
        client = BookClient(http)
        if options.dry_run:
            show_changes(await client.changes(request), as_json=options.as_json)
            return DONE
        with stop_on_signals() as stop:
            if options.watch:
                folder = _watched_folder(settings)
                return await _watch(client, request, folder, stop, as_json=options.as_json)
            job = await run_job(client, request, stop)
        show_job(job, as_json=options.as_json)
        return EXIT_CODES.get(job.status, FAILED)


async def _watch(
    client: "BookClient", request: "TriggerIn", folder: Path, stop: "Stop", *, as_json: bool
) -> int:
    """Index now, and again after every save, until a stop is requested."""
    from sourcebook.cli.file_watcher import watched
    from sourcebook.cli.job_display import show_job

    async with watched(folder, stop) as changed:
        show_job(await run_job(client, request, stop), as_json=as_json)
        # --force holds for the first run only: the folder may vanish while we watch.
        again = request.model_copy(update={"mode": "incremental", "force": False})
        err.print(f"Watching {folder} for changes. Press Ctrl+C to stop.")
        while not stop.requested:
            await changed.wait()
            changed.clear()
            if not stop.requested:
                await _run_again(client, again, stop, as_json=as_json)
    return DONE


async def _run_again(
    client: "BookClient", request: "TriggerIn", stop: "Stop", *, as_json: bool
) -> None:
    from sourcebook.cli.job_display import show_watch_run

    try:
        show_watch_run(await run_job(client, request, stop), as_json=as_json)
    except SourcebookError as error:
        # The cause may be gone at the next save.
        err.print(f"Not indexed: {error.message}")


async def run_job(client: "BookClient", request: "TriggerIn", stop: "Stop") -> "JobOut":
    """Start a job and show it until it ends; a stop cancels it and raises Stopped."""
    from sourcebook.cli.job_display import shown_progress
    from sourcebook.cli.jobs import cancel_job, wait_for_job

    job_id = await client.trigger(request)

    async def get_job() -> "JobOut":
        return await client.job(job_id)

    async def cancel() -> None:
        await client.cancel(job_id)

    with shown_progress(err) as show:
        job = await wait_for_job(get_job, show, stop)
    if job is None:
        with err.status("Stopping …"):
            job = await cancel_job(cancel, get_job, CANCEL_TIMEOUT_S)
    if job.status in {"cancelled", *UNFINISHED} and stop.requested:
        err.print(STOPPED)
        raise Stopped(stop.exit_code)
    return job


def _overridden(settings: "Settings", options: IngestOptions) -> "Settings":
    """The settings, with what the command line names in place of what is configured."""
    changed: dict[str, object] = {} if options.book is None else {"book_id": options.book}
    if options.docs is not None:
        if not options.docs.exists():
            raise ConfigurationError(f"There is no folder or file {str(options.docs)!r}")
        changed |= {"docs_path": options.docs.resolve(), "docs_repository": None}
    return settings.model_copy(update=changed)


def _layout(settings: "Settings", options: IngestOptions) -> dict[str, Sequence[str] | None]:
    """What flags and settings of this command say of the files: a service may have others."""
    # Whoever names one file wants that file, whatever the settings are.
    one_file = settings.docs_path is not None and settings.docs_path.is_file()
    patterns, exclude = ((), ()) if one_file else (settings.book_patterns, settings.book_exclude)
    return {
        "patterns": list(options.patterns or patterns) or None,
        "exclude": list(options.exclude or exclude) or None,
    }


def _watched_folder(settings: "Settings") -> Path:
    if settings.docs_path is None:
        raise ConfigurationError(
            "--watch needs the book's folder: name it, or set DOCS_PATH. A book in git is looked"
            " at by the service itself, every SOURCEBOOK_RECONCILE_MINUTES"
        )
    if settings.docs_path.is_file():
        # Editors replace a file when they save it, so only its folder sees every save.
        return settings.docs_path.parent
    if not settings.docs_path.is_dir():
        raise ConfigurationError(
            f"The folder {str(settings.docs_path)!r} cannot be watched: there is no such folder"
        )
    return settings.docs_path
