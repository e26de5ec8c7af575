"""The data folder: what lies where, and that one process owns it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from sourcebook.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The places inside a data folder."""

    root: Path

    @property
    def ledger(self) -> Path:
        """The SQLite file."""
        return self.root / "ledger.db"

    @property
    def index(self) -> Path:
        """The embedded vector store."""
        return self.root / "index"

    @property
    def models(self) -> Path:
        """Models that `sourcebook models install` fetched."""
        return self.root / "models"

    @property
    def owner(self) -> Path:
        """Says which process has the folder, and where it listens."""
        return self.root / "server.json"


@contextmanager
def own_data_folder(root: Path, url: str | None = None) -> Iterator[DataFolder]:
    """Take the folder for this process alone; ConfigurationError names who has it."""
    folder = DataFolder(root)
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(root / "sourcebook.lock")
        lock.acquire(timeout=0)
        folder.owner.write_text(json.dumps({"pid": os.getpid(), "url": url}), "utf-8")
    except Timeout:
        raise ConfigurationError(
            f"The data folder {str(root)!r} is in use by {_owner_of(folder)}. An embedded store"
            " belongs to one process: stop that one, or choose another folder with --data-dir"
        ) from None
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


def _owner_of(folder: DataFolder) -> str:
    try:
        owner = json.loads(folder.owner.read_text("utf-8"))
    except (OSError, ValueError):
        return "another process"
    where = f", serving {owner['url']}" if owner.get("url") else ""
    return f"process {owner.get('pid')}{where}"
