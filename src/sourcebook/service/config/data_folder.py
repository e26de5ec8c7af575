"""The data folder: its layout, and the lock that gives it to one process."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from sourcebook.core.errors import ConfigurationError


class FolderInUse(ConfigurationError):
    """Another process owns the data folder; `url` is where it listens, if it serves."""

    def __init__(self, message: str, url: str | None, owner: str = "another process") -> None:
        super().__init__(message)
        self.url = url
        self.owner = owner


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The places inside a data folder."""

    root: Path

    @property
    def ledger(self) -> Path:
        """The SQLite file."""
        return self.root / "ledger.db"

    @property
    def conversations(self) -> Path:
        """The SQLite file of conversations, if the ledger is elsewhere."""
        return self.root / "conversations.db"

    @property
    def index(self) -> Path:
        """The embedded vector store."""
        return self.root / "index"

    @property
    def models(self) -> Path:
        """Models that `sourcebook models install` fetched."""
        return self.root / "models"

    @property
    def repositories(self) -> Path:
        """Mirrors of the git repositories that books come from."""
        return self.root / "repositories"

    @property
    def admin_key(self) -> Path:
        """The generated admin key, if none is configured."""
        return self.root / "admin.key"

    @property
    def lock(self) -> Path:
        """Locked by the process that owns the folder."""
        return self.root / "sourcebook.lock"

    @property
    def owner(self) -> Path:
        """Names the process that owns the folder, and its URL."""
        return self.root / "server.json"


@contextmanager
def own_data_folder(root: Path, url: str | None = None) -> Iterator[DataFolder]:
    """Lock the folder for this process; FolderInUse names the owner."""
    folder = DataFolder(root)
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(folder.lock)
        lock.acquire(timeout=0)
        folder.owner.write_text(json.dumps({"pid": os.getpid(), "url": url}), "utf-8")
    except Timeout:
        raise _in_use(folder) from None
    except OSError as error:
        raise ConfigurationError(
            f"The data folder {str(root)!r} cannot be used: {error.strerror}."
            " Choose another one with --data-dir"
        ) from None
    try:
        yield folder
    finally:
        folder.owner.unlink(missing_ok=True)
        lock.release()


def find_owner(root: Path) -> FolderInUse | None:
    """Return who has the folder; None if nobody has. Changes nothing."""
    folder = DataFolder(root)
    if not folder.lock.exists():
        return None
    lock = FileLock(folder.lock)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return _in_use(folder)
    lock.release()
    return None


def _in_use(folder: DataFolder) -> FolderInUse:
    owner, url = "another process", None
    advice = "stop that one, or choose another folder with --data-dir"
    with suppress(OSError, ValueError, LookupError, TypeError):
        found = json.loads(folder.owner.read_text("utf-8"))
        url = found["url"]
        owner = f"process {found['pid']}" + (f", serving {url}" if url else "")
        if found["pid"] == os.getpid():
            owner += " (this one)"
            advice = "close the book that is open there first, or name another data_dir"
    return FolderInUse(
        f"The data folder {str(folder.root)!r} is in use by {owner}. A data folder"
        f" belongs to one process: {advice}",
        url,
        owner,
    )
