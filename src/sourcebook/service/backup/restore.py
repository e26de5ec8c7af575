"""Restores a backup into a data folder, and rebuilds the index from it without embedding."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sourcebook.core.errors import (
    AlreadyExists,
    ConfigurationError,
    InvalidInput,
    RetrievalUnavailable,
)
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder, Rebuilt
from sourcebook.ingestion.upkeep.sweeper import Sweeper
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.storage.sqlite_copy import forget_installation, newest_schema
from sourcebook.service.backup.archive import Manifest, extract, read_manifest
from sourcebook.service.backup.backup import CONVERSATIONS, LEDGER, UPLOADS
from sourcebook.service.backup.postgres_dumps import PostgresDump, postgres_dumps
from sourcebook.service.config.data_folder import DataFolder, own_exclusively
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.roles import check_local, storage_roles
from sourcebook.service.wiring.storage import open_storage

STAGING = "restoring"
ASIDE = "before-restore"
MAX_SHOWN_PARTS = 5


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """What was restored, and into which folder the data that was there before was moved.

    `dumps` are to be restored with Postgres's own program. `problem` says why the index could not
    be rebuilt, if it could not.
    """

    manifest: Manifest
    moved_to: Path | None = None
    rebuilt: tuple[Rebuilt, ...] = ()
    dumps: tuple[PostgresDump, ...] = ()
    problem: str | None = None

    @property
    def complete(self) -> bool:
        """True if everything is back, and can be searched."""
        lacking = any(done.lacking for done in self.rebuilt)
        return not (lacking or self.dumps or self.problem)


async def restore_backup(
    settings: Settings, file: Path, *, force: bool = False, show: Callable[[str], None]
) -> RestoredBackup:
    """Restore the archive into the data folder of the settings, which nobody may use meanwhile.

    AlreadyExists if the folder has data, unless `force`: then that is moved aside, not deleted.
    Until the archive has been read and checked, nothing changes.
    """
    manifest = read_manifest(file)
    _check_release(file, manifest)
    _check_place(settings, manifest)
    check_local(settings, storage_roles(settings, Registry()))
    with own_exclusively(settings.data_dir, "sourcebook restore") as folder:
        existing = _data_in(folder)
        if existing and not force:
            raise AlreadyExists(
                f"The data folder {str(folder.root)!r} has data already"
                f" ({', '.join(path.name for path in existing)}). Restore into another one with"
                " --data-dir, or move what it has aside with --force"
            )
        with _staging(folder) as staging:
            show(f"Reading {file.name} …")
            extract(file, manifest, staging)
            if LEDGER in manifest.parts:
                forget_installation(staging / LEDGER)
            moved_to = _move_aside(folder, existing)
            for part in [*staging.iterdir()]:
                part.replace(folder.root / part.name)
        dumps = postgres_dumps(settings) if manifest.elsewhere else ()
        if LEDGER not in manifest.parts:
            return RestoredBackup(manifest, moved_to, dumps=dumps)
        try:
            rebuilt = await _rebuild(settings, folder, show)
        except RetrievalUnavailable as error:
            return RestoredBackup(manifest, moved_to, dumps=dumps, problem=error.message)
    return RestoredBackup(manifest, moved_to, rebuilt, dumps)


async def _rebuild(
    settings: Settings, folder: DataFolder, show: Callable[[str], None]
) -> tuple[Rebuilt, ...]:
    """Rebuild every index: one that is still there may be newer than the ledger is now."""
    done: list[Rebuilt] = []
    async with open_storage(settings, folder, alone=True) as storage:
        rebuilder = Rebuilder(storage.ledger, storage.store)
        for collection in await storage.ledger.collections.all(hidden=True):
            if collection.state != "retired":
                show(f"Rebuilding the index of {collection.name} …")
                rebuilt = await rebuilder.rebuild(collection)
                if collection.state == "live":
                    done.append(rebuilt)
        await Sweeper(storage.ledger, storage.store).sweep_all()
    return tuple(done)


def _check_release(file: Path, manifest: Manifest) -> None:
    """Refuse a ledger that a later release has migrated."""
    schema, known = manifest.contents.schema, newest_schema()
    if schema is not None and schema > known:
        raise InvalidInput(
            f"{file.name!r} was made by Sourcebook {manifest.sourcebook}, whose ledger has schema"
            f" {schema}; this release knows schemas up to {known}. Upgrade first"
        )
    unknown = sorted(name for name in manifest.parts if not _is_known(name))
    if unknown:
        raise InvalidInput(
            f"{file.name!r} holds {unknown[:MAX_SHOWN_PARTS]}, which this release cannot restore"
        )


def _is_known(name: str) -> bool:
    """Return whether a part is a database, or a file inside the folder of uploads."""
    first, *rest = name.split("/")
    inside = bool(rest) and not {"", ".", ".."}.intersection(rest) and "\0" not in name
    return name in {LEDGER, CONVERSATIONS} or (first == UPLOADS and inside)


def _check_place(settings: Settings, manifest: Manifest) -> None:
    """Refuse to restore a ledger where the settings put it elsewhere."""
    if LEDGER in manifest.parts and settings.ledger_url is not None:
        raise ConfigurationError(
            "The backup holds the ledger as SQLite, and SOURCEBOOK_LEDGER_URL names a Postgres"
            " database. Unset it to restore, then move on with `sourcebook export` and `import`"
        )
    if LEDGER not in manifest.parts and settings.ledger_url is None:
        raise ConfigurationError(
            "The backup is of an installation whose ledger is in Postgres, and holds no ledger."
            " Set SOURCEBOOK_LEDGER_URL to the database that its dump is restored to"
        )


def _data_in(folder: DataFolder) -> list[Path]:
    """Return the files and folders that a restore would replace."""
    databases = [folder.ledger, folder.conversations]
    logs = [path.with_name(path.name + end) for path in databases for end in ("-wal", "-shm")]
    folders = [folder.index, folder.uploads]
    filled = [path for path in folders if path.is_dir() and any(path.iterdir())]
    return [path for path in (*databases, *logs) if path.exists()] + filled


def _move_aside(folder: DataFolder, existing: list[Path]) -> Path | None:
    if not existing:
        return None
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    aside = folder.root / f"{ASIDE}-{moment}"
    aside.mkdir(mode=0o700)
    for path in existing:
        path.rename(aside / path.name)
    return aside


@contextmanager
def _staging(folder: DataFolder) -> Iterator[Path]:
    """Yield a folder inside the data folder; what an interrupted restore left is removed."""
    staging = folder.root / STAGING
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(mode=0o700)
        yield staging
    except OSError as error:
        raise ConfigurationError(
            f"The data folder {str(folder.root)!r} cannot be written: {error.strerror or error}"
        ) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
