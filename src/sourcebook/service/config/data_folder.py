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

    def __init__(self, message: str, url: str | None) -> None:
        super().__init__(message)
        self.url = url


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
    def owner(self) -> Path:
        """Names the process that owns the folder, and its URL."""
        return self.root / "server.json"


@contextmanager
def own_data_folder(root: Path, url: str | None = None) -> Iterator[DataFolder]:
    """Lock the folder for this process; FolderInUse names the owner."""
    folder = DataFolder(root)
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(root / "sourcebook.lock")
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


def _in_use(folder: DataFolder) -> FolderInUse:
    owner, url = "another process", None
    with suppress(OSError, ValueError, LookupError, TypeError):
        found = json.loads(folder.owner.read_text("utf-8"))
        url = found["url"]
        owner = f"process {found['pid']}" + (f", serving {url}" if url else "")
    return FolderInUse(
        f"The data folder {str(folder.root)!r} is in use by {owner}. A data folder"
        " belongs to one process: stop that one, or choose another folder with --data-dir",
        url,
    )
