"""Takes a backup of an installation, also while a server uses it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sourcebook.core.errors import AlreadyExists, NotFound
from sourcebook.core.version import installed_version
from sourcebook.providers.storage.sqlite_copy import (
    DatabaseContents,
    copy_database,
    describe_database,
)
from sourcebook.service.backup.archive import Manifest, scratch_beside, write_archive
from sourcebook.service.backup.postgres_dumps import PostgresDump, postgres_dumps
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings

LEDGER = "ledger.db"
CONVERSATIONS = "conversations.db"
UPLOADS = "uploads"


@dataclass(frozen=True, slots=True)
class TakenBackup:
    """A backup. What is in Postgres needs the commands of `dumps`; if all is, nothing is written.

    `manifest` is then None.
    """

    manifest: Manifest | None
    dumps: tuple[PostgresDump, ...] = ()


def take_backup(
    settings: Settings,
    file: Path,
    *,
    replace_file: bool = False,
    show: Callable[[str], None] = lambda doing: None,
) -> TakenBackup:
    """Write the archive. It appears under its name when it is complete.

    AlreadyExists if there is a file of that name; NotFound if there is nothing to back up.
    """
    if file.exists() and not replace_file:
        raise AlreadyExists(
            f"{str(file)!r} exists already: choose another name, or replace it with --force"
        )
    dumps = postgres_dumps(settings)
    databases, folder = _databases(settings), DataFolder(settings.data_dir)
    if not databases and not any(_uploads(folder)):
        return TakenBackup(None, dumps)
    with scratch_beside(file) as scratch:
        copies: dict[str, Path] = {}
        contents = DatabaseContents()
        for name, path in databases.items():
            copies[name] = scratch / name
            copy_database(path, copies[name], lambda share: show(f"Copying {share:.0%} …"))
            contents = describe_database(copies[name])
        show(f"Writing {file.name} …")
        elsewhere = tuple(dump.name for dump in dumps)
        manifest = Manifest(_now(), installed_version(), contents, elsewhere)
        # After the ledger, so that no lesson of it comes without its file.
        parts = {**copies, **dict(_uploads(folder))}
        manifest = write_archive(scratch / "backup.zip", manifest, parts)
        (scratch / "backup.zip").replace(file)
    return TakenBackup(manifest, dumps)


def _databases(settings: Settings) -> Mapping[str, Path]:
    """Return the SQLite files to back up, by their names in the archive."""
    folder = DataFolder(settings.data_dir)
    if settings.ledger_url is None:
        if not folder.ledger.is_file():
            raise NotFound(
                f"There is nothing to back up in {str(folder.root)!r}, which has no ledger.db."
                " Name the data folder with --data-dir"
            )
        return {LEDGER: folder.ledger}
    if settings.database_url is None and folder.conversations.is_file():
        return {CONVERSATIONS: folder.conversations}
    return {}


def _uploads(folder: DataFolder) -> Iterator[tuple[str, Path]]:
    """Yield the uploaded files, by their names in the archive; not one that is still arriving."""
    for path in sorted(folder.uploads.glob("[!.]*/**/*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder.root).as_posix(), path


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
