"""What `ingest` does. Imports the service, so the command loads it only when it runs."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sourcebook.cli.book_client import BookClient
from sourcebook.cli.interrupts import Stop, heard_stops
from sourcebook.cli.progress import display
from sourcebook.cli.reaching import reach
from sourcebook.cli.reports import show_changes, show_job, show_line
from sourcebook.cli.service_client import Refused
from sourcebook.cli.terminal import err
from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.core.jobs import UNFINISHED, JobStatus, Mode
from sourcebook.service.settings import Settings
from sourcebook.surfaces.book.schemas import JobOut, TriggerIn

POLL_EVERY_S = 0.3
# Lessons that are being embedded are finished first.
CANCEL_LIMIT_S = 60.0
EXIT_CODES: dict[JobStatus, int] = {"completed": 0, "partial": 2}


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for on the command line."""

    docs: Path | None = None
    book: str | None = None
    mode: Mode = "incremental"
    force: bool = False
    dry_run: bool = False
    watch: bool = False
    as_json: bool = False


def ingest(settings: Settings, wish: Wish) -> int:
    """Do it; the exit code."""
    return asyncio.run(_ingest(_as_wished(settings, wish), wish))


async def _ingest(settings: Settings, wish: Wish) -> int:
    order = TriggerIn(
        mode=wish.mode,
        book_id=wish.book,
        docs_path=None if wish.docs is None else str(settings.docs_path),
        force=wish.force,
    )
    async with reach(settings, "write") as client:
        if wish.dry_run:
            show_changes(await client.changes(order), as_json=wish.as_json)
            return 0
        with heard_stops() as stop:
            if wish.watch:
                return await _watch(client, order, _watchable(settings), stop, wish)
            job = await _run(client, order, stop)
        show_job(job, as_json=wish.as_json)
        return EXIT_CODES.get(job.status, 1)


async def _watch(client: BookClient, order: TriggerIn, folder: Path, stop: Stop, wish: Wish) -> int:
    """Index now, and again after every save, until somebody stops us."""
    from sourcebook.cli.watching import watched  # noqa: PLC0415 - only for this

    async with watched(folder, stop) as changed:
        job = await _run(client, order, stop)
        show_job(job, as_json=wish.as_json)
        # What was forced once is not forced for ever: the folder may vanish while we watch.
        again = order.model_copy(update={"mode": "incremental", "force": False})
        err.print(f"Watching {folder} for changes. Press Ctrl+C to stop.")
        while not stop.wanted:
            await changed.wait()
            changed.clear()
            if not stop.wanted:
                await _run_again(client, again, stop, wish)
    return 0


async def _run_again(client: BookClient, order: TriggerIn, stop: Stop, wish: Wish) -> None:
    try:
        show_line(await _run(client, order, stop), as_json=wish.as_json)
    except SourcebookError as error:
        # The next save may find it mended.
        err.print(f"Not indexed: {error.message}")


async def _run(client: BookClient, order: TriggerIn, stop: Stop) -> JobOut:
    """Order a job and show it to its end; a stop ends it, and what is done stays."""
    job_id = await client.order(order)
    with display(err) as shown:
        while True:
            job = await client.job(job_id)
            shown.show(job)
            if job.status not in UNFINISHED:
                return job
            if await stop.within(POLL_EVERY_S):
                break
    with err.status("Stopping; what is indexed already stays …"):
        return await _cancel(client, job_id)


async def _cancel(client: BookClient, job_id: int) -> JobOut:
    with suppress(Refused):  # it has ended in this very moment
        await client.cancel(job_id)
    job = await client.job(job_id)
    with suppress(TimeoutError):
        async with asyncio.timeout(CANCEL_LIMIT_S):
            while job.status in UNFINISHED:
                await asyncio.sleep(POLL_EVERY_S)
                job = await client.job(job_id)
    return job


def _as_wished(settings: Settings, wish: Wish) -> Settings:
    """What the command line names wins over what is configured."""
    changed: dict[str, object] = {} if wish.book is None else {"book_id": wish.book}
    if wish.docs is not None:
        if not wish.docs.is_dir():
            raise ConfigurationError(f"There is no folder {str(wish.docs)!r}")
        changed |= {"docs_path": wish.docs.resolve(), "docs_repository": None}
    return settings.model_copy(update=changed)


def _watchable(settings: Settings) -> Path:
    if settings.docs_path is None:
        raise ConfigurationError(
            "--watch needs the book's folder: name it, or set DOCS_PATH. A book in git is looked"
            " at by the service itself, every SOURCEBOOK_RECONCILE_MINUTES"
        )
    if not settings.docs_path.is_dir():
        raise ConfigurationError(
            f"The folder {str(settings.docs_path)!r} cannot be watched: there is no such folder"
        )
    return settings.docs_path
