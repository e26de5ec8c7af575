"""`sourcebook books`: lists the books that are indexed, shows their files, deletes one."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.exit_codes import FAILED
from sourcebook.cli.options import Config, DataDir, Json, settings_from
from sourcebook.cli.terminal import counted, err, out, strip_controls
from sourcebook.core.book_source import describe_kinds
from sourcebook.core.errors import InvalidInput
from sourcebook.core.text import shorten

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.book.books_schemas import (
        BookDetailsOut,
        BookFileOut,
        BookFilesOut,
        BookOut,
        BooksOut,
        DeletedBookOut,
    )

UNITS = ("bytes", "kB", "MB", "GB", "TB")
KILO = 1_000
MAX_SHOWN_WARNINGS = 10
# More than any book has.
ALL_FILES = 10**9
# Of an error; `books show` has all of it.
MAX_LATEST_JOB_CHARS = 90
# In a pipe, a path that is cut into two lines cannot be found.
PIPE_WIDTH = 10_000

app = typer.Typer(
    invoke_without_command=True,
    help="List the books that are indexed, look into one, or delete one.",
)

Id = Annotated[str, typer.Argument(metavar="ID", help="As the list shows it.", show_default=False)]


@app.callback()
def books(
    context: typer.Context, data_dir: DataDir = None, config: Config = None, as_json: Json = False
) -> None:
    """List the books that are indexed, look into one, or delete one."""
    if context.invoked_subcommand is None:
        list_(data_dir, config, as_json)
    elif data_dir is not None or as_json:
        # They would be those of the list, and the other command would use another folder.
        raise typer.BadParameter(
            f"name them after the command: sourcebook books {context.invoked_subcommand} …"
            " --data-dir … --json",
            param_hint="options",
        )


@app.command("list")
def list_(data_dir: DataDir = None, config: Config = None, as_json: Json = False) -> None:
    """Show every book: how much of it is indexed, its latest job, and its problems."""
    import asyncio

    settings = _settings(config, data_dir)
    found = asyncio.run(_list(settings))
    if as_json:
        print(found.model_dump_json())
    elif found.books:
        _print(books_table(found.books))
    else:
        err.print(
            f"No books yet in {str(settings.data_dir)!r}: run `sourcebook ingest DOCS` with the"
            " folder of one"
        )


@app.command()
def show(book: Id, data_dir: DataDir = None, config: Config = None, as_json: Json = False) -> None:
    """Show one book: where it stands, what its latest job warned about, what cannot be found."""
    import asyncio

    from sourcebook.cli.self_test_display import show_lost

    settings = _settings(config, data_dir)
    found = asyncio.run(_show(settings, book))
    if as_json:
        print(found.model_dump_json())
        return
    for name, value in details(found):
        out.print(Text.assemble((f"{name:<12}", "dim"), strip_controls(value)))
    for warning in found.warnings[:MAX_SHOWN_WARNINGS]:
        place, message = strip_controls(warning.path), strip_controls(warning.message)
        out.print(Text(f"  {place}: {message}", "yellow"))
    if len(found.warnings) > MAX_SHOWN_WARNINGS:
        more = len(found.warnings) - MAX_SHOWN_WARNINGS
        out.print(f"  and {more:,} more: sourcebook books files {book} --problems")
    if found.self_test is not None:
        show_lost(found.self_test, out)


@app.command()
def files(
    book: Id,
    problems: Annotated[
        bool, typer.Option("--problems", help="Only files with a problem.")
    ] = False,
    data_dir: DataDir = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show the files of a book: what is indexed of each, and what is wrong with it."""
    import asyncio

    settings = _settings(config, data_dir)
    found = asyncio.run(_files(settings, book, problems=problems))
    if as_json:
        print(found.model_dump_json())
    elif found.files:
        _print(files_table(found.files))
    else:
        err.print("No file has a problem" if problems else "No file of the book is indexed yet")


@app.command()
def delete(
    book: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    data_dir: DataDir = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Delete a book from the index. Its source files stay, and so does its jobs' history."""
    import asyncio

    settings = _settings(config, data_dir)
    if not yes and not sys.stdin.isatty():
        raise InvalidInput(f"Nobody can be asked here: add --yes to delete the book {book!r}")
    deleted = asyncio.run(_delete(settings, book, ask=not yes))
    if deleted is None:
        raise typer.Exit(FAILED)
    if as_json:
        print(deleted.model_dump_json())
        return
    out.print(
        f"Deleted {strip_controls(deleted.book_id)}: {counted(deleted.files_deleted, 'file')},"
        f" {counted(deleted.chunks_deleted, 'chunk')}. The source files are where they were."
    )


def _settings(config: Path | None, data_dir: Path | None) -> "Settings":
    """Load the settings of an installation that exists."""
    settings = settings_from(config, log_level="warning", data_dir=data_dir)
    require_data(settings)
    return settings


def books_table(found: Sequence["BookOut"]) -> Table:
    """Lay out one line for each book."""
    table = Table(box=None)
    table.add_column("book", overflow="fold")
    for heading in ("files", "chunks", "size"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("latest job", overflow="fold")
    table.add_column("problems", justify="right", no_wrap=True)
    for book in found:
        table.add_row(
            strip_controls(book.book_id),
            f"{book.files:,}",
            f"{book.chunks:,}",
            readable_size(book.size_bytes),
            shorten(latest_job(book), MAX_LATEST_JOB_CHARS),
            f"{book.problems:,}" if book.problems else "none",
        )
    return table


def files_table(found: Sequence["BookFileOut"]) -> Table:
    """Lay out one line for each file, with its problems under its state."""
    table = Table(box=None)
    table.add_column("path", overflow="fold")
    table.add_column("title", overflow="fold")
    for heading in ("chunks", "tier"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state", overflow="fold")
    for file in found:
        state = file.state.replace("_", " ")
        table.add_row(
            strip_controls(file.path),
            strip_controls(file.title or ""),
            f"{file.chunks:,}",
            "" if file.hardware_tier is None else str(file.hardware_tier),
            Text("; ".join([state, *map(strip_controls, file.problems)]), _style(file)),
        )
    return table


def details(book: "BookDetailsOut") -> Iterator[tuple[str, str]]:
    """Yield what is known of a book, by name."""
    yield "book", book.book_id + (" (this service keeps it indexed)" if book.configured else "")
    yield "files", f"{book.files:,}"
    yield "chunks", f"{book.chunks:,}"
    yield "size", f"{readable_size(book.size_bytes)} of source text"
    if book.source:
        yield "source", book.source
    if book.layout is not None:
        chosen = "as found in its files" if book.layout.automatic else "as chosen"
        yield "layout", f"{', '.join(book.layout.patterns)} ({chosen})"
        if book.layout.exclude:
            yield "without", ", ".join(book.layout.exclude)
    if book.updated_at is not None:
        yield "updated", _moment(book.updated_at)
    yield "latest job", latest_job(book)
    if book.files_unmatched:
        yield "not read", f"{counted(book.files_unmatched, 'markdown file')}: no pattern fits"
    if book.other_files:
        yield "not read", describe_kinds(book.other_files)
    if book.self_test is not None:
        from sourcebook.cli.self_test_display import summary

        yield "self-test", f"{summary(book.self_test)}, {_moment(book.self_test.tested_at)}"
    yield "problems", f"{book.problems:,}" if book.problems else "none"


def latest_job(book: "BookOut") -> str:
    """Describe the latest job in a few words."""
    job = book.latest_job
    if job is None:
        return "none"
    said = f"{job.job_id} {job.status}, {_moment(job.completed_at or job.queued_at)}"
    return f"{said}: {strip_controls(job.error_message)}" if job.error_message else said


def readable_size(count: int) -> str:
    """`999 bytes`, `1.0 kB`, `12.3 MB`."""
    size, unit = float(count), UNITS[0]
    for unit in UNITS:
        if size < KILO or unit == UNITS[-1]:
            break
        size /= KILO
    return f"{count:,} {unit}" if unit == UNITS[0] else f"{size:,.1f} {unit}"


def _print(table: Table) -> None:
    console = out if out.is_terminal else Console(width=PIPE_WIDTH, highlight=False, emoji=False)
    console.print(table)


async def _list(settings: "Settings") -> "BooksOut":
    from sourcebook.cli.opening import opened
    from sourcebook.surfaces.book.books_results import book_out
    from sourcebook.surfaces.book.books_schemas import BooksOut

    async with opened(settings, "manage") as use:
        return BooksOut(
            books=[book_out(book, use.book_rules) for book in await use.book_catalog.all()]
        )


async def _show(settings: "Settings", book: str) -> "BookDetailsOut":
    from sourcebook.cli.opening import opened
    from sourcebook.surfaces.book.books_results import book_details_out

    async with opened(settings, "manage") as use:
        return book_details_out(await use.book_catalog.get(book), use.book_rules)


async def _files(settings: "Settings", book: str, *, problems: bool) -> "BookFilesOut":
    from sourcebook.cli.opening import opened
    from sourcebook.surfaces.book.books_results import files_out

    async with opened(settings, "manage") as use:
        page = await use.book_catalog.files(book, ALL_FILES, 0, problems_only=problems)
        return files_out(book, page)


async def _delete(settings: "Settings", book: str, *, ask: bool) -> "DeletedBookOut | None":
    """Delete the book, unless somebody is asked and says no."""
    from sourcebook.cli.opening import opened
    from sourcebook.surfaces.book.books_results import book_details_out, deleted_out

    async with opened(settings, "manage") as use:
        found = book_details_out(await use.book_catalog.get(book), use.book_rules)
        if found.configured:
            err.print("This service keeps the book indexed: its next run brings it back")
        question = (
            f"Delete {strip_controls(book)} ({counted(found.files, 'file')},"
            f" {counted(found.chunks, 'chunk')}) from the index?"
        )
        if ask and not typer.confirm(question, err=True):
            return None
        deleted = deleted_out(await use.book_catalog.delete(book))
        await use.book_uploads.remove_all(book)
        return deleted


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _style(file: "BookFileOut") -> str:
    if file.state == "not_indexed":
        return "red"
    return "yellow" if file.problems else ""
