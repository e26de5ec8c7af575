"""`sourcebook backup` and `sourcebook restore`: an installation in one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.cli.exit_codes import DONE, FAILED, PART_FAILED
from sourcebook.cli.options import Config, DataDir, settings_from
from sourcebook.cli.terminal import counted, err, out

if TYPE_CHECKING:
    from sourcebook.service.backup.archive import Manifest
    from sourcebook.service.backup.backup import TakenBackup
    from sourcebook.service.backup.postgres_dumps import PostgresDump
    from sourcebook.service.backup.restore import RestoredBackup

NOT_IN_A_BACKUP = (
    "Not in it: the index (a restore rebuilds it, without embedding), models, settings, and the"
    " admin key (the next start makes a new one)."
)


def backup(
    file: Annotated[Path, typer.Argument(help="The archive to write, such as backup.zip.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file of that name.")] = False,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Back up ledger, conversations and uploads, also while serving. Exit code 2 if some are in
    Postgres."""
    from sourcebook.service.backup.backup import take_backup

    settings = settings_from(config, log_level="warning", data_dir=data_dir)
    with err.status(f"Backing up to {file.name} …") as status:
        taken = take_backup(settings, file, replace_file=force, show=status.update)
    raise typer.Exit(_show_backup(taken, file))


def restore(
    file: Annotated[Path, typer.Argument(help="An archive that `sourcebook backup` wrote.")],
    force: Annotated[
        bool, typer.Option("--force", help="Move data that is there aside, and restore.")
    ] = False,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Restore a backup into an empty data folder. Exit code 2 if a part of it is still missing."""
    import asyncio

    from sourcebook.service.backup.restore import restore_backup

    settings = settings_from(config, log_level="warning", data_dir=data_dir)
    with err.status(f"Reading {file.name} …") as status:
        restoring = restore_backup(settings, file, force=force, show=status.update)
        restored = asyncio.run(restoring)
    _show_restored(restored, settings.data_dir)
    raise typer.Exit(DONE if restored.complete else PART_FAILED)


def _show_backup(taken: "TakenBackup", file: Path) -> int:
    if taken.manifest is None:
        out.print("Nothing is written: the ledger and conversations are in Postgres. Back up with")
        for dump in taken.dumps:
            out.print(f"  {dump.backup_command}")
        return FAILED
    size = f"{file.stat().st_size / 1e6:,.1f} MB"
    out.print(f"{file}: {size}, {_counts(taken.manifest)}")
    out.print(NOT_IN_A_BACKUP)
    for dump in taken.dumps:
        out.print(f"The {_called(dump)} in Postgres: back up with")
        out.print(f"  {dump.backup_command}")
    return PART_FAILED if taken.dumps else DONE


def _show_restored(restored: "RestoredBackup", folder: Path) -> None:
    manifest = restored.manifest
    out.print(f"Restored into {folder}: {_counts(manifest)} of {manifest.created_at}")
    if restored.moved_to is not None:
        out.print(f"What was there before is in {restored.moved_to}")
    for done in restored.rebuilt:
        out.print(f"{done.collection}: {done.points} points from the ledger, 0 embedded")
        if done.lacking:
            out.print(f"  {done.lacking} chunks have no remembered vectors: post them again")
    if restored.problem is not None:
        out.print(f"The index is not rebuilt: {restored.problem}. Run `sourcebook rebuild` later")
    for dump in restored.dumps:
        out.print(f"The {_called(dump)} in Postgres: restore with")
        out.print(f"  {dump.restore_command}")
        if dump.name == "ledger":
            out.print("and then rebuild the index with `sourcebook rebuild`")


def _called(dump: "PostgresDump") -> str:
    return f"{dump.name} {'is' if dump.name == 'ledger' else 'are'}"


def _counts(manifest: "Manifest") -> str:
    contents = manifest.contents
    uploads = sum("/" in name for name in manifest.parts)
    found = [
        counted(contents.collections, "collection"),
        counted(contents.documents, "document"),
        counted(contents.chunks, "chunk"),
        counted(contents.exchanges, "exchange"),
    ]
    shown = found if contents.schema is not None else found[-1:]
    return ", ".join([*shown, *([counted(uploads, "uploaded file")] if uploads else [])])
