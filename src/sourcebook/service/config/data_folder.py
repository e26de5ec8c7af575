"""The data folder: its layout, and the lock that gives it to one process."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from sourcebook.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that has a data folder: its command, if known, and where it listens, if it does.

    The process id is 0 if it cannot be read. `local` if it sends no text to other machines.
    """

    pid: int = 0
    url: str | None = None
    command: str | None = None
    local: bool = False

    def __str__(self) -> str:
        if not self.pid:
            return "another process"
        named = f" (`{self.command}`)" if self.command else ""
        serving = f", serving {self.url}" if self.url else ""
        this = " (this one)" if self.pid == os.getpid() else ""
        return f"process {self.pid}{named}{serving}{this}"


class FolderInUse(ConfigurationError):
    """Another process owns the data folder."""

    def __init__(self, message: str, owner: Owner) -> None:
        super().__init__(message)
        self.owner = owner

    @property
    def url(self) -> str | None:
        """Where the owner listens, if it serves."""
        return self.owner.url


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
        """Where the index lay before it was kept in memory."""
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
    def uploads(self) -> Path:
        """The files that were uploaded, in a folder for each book."""
        return self.root / "uploads"

    @property
    def sites(self) -> Path:
        """What was fetched of the websites that books come from."""
        return self.root / "sites"

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
def own_data_folder(
    root: Path, url: str | None = None, command: str | None = None
) -> Iterator[DataFolder]:
    """Lock the folder for this process; FolderInUse names the owner."""
    folder = DataFolder(root)
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(folder.lock)
        lock.acquire(timeout=0)
        _write_owner(folder, Owner(os.getpid(), url, command))
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


@contextmanager
def own_exclusively(root: Path, command: str) -> Iterator[DataFolder]:
    """Lock the folder for a command that no service can do for it; FolderInUse says so."""
    with ExitStack() as held:
        try:
            folder = held.enter_context(own_data_folder(root, command=command))
        except FolderInUse as taken:
            raise FolderInUse(
                f"The data folder {str(root)!r} is in use by {taken.owner}, and `{command}` needs"
                " it for itself: stop that process, and run the command again",
                taken.owner,
            ) from None
        yield folder


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


def announce(folder: DataFolder, url: str | None, *, local: bool = False) -> None:
    """Tell other processes where the owner of the folder listens. For the owner."""
    _write_owner(folder, replace(read_owner(folder), url=url, local=local))


def read_owner(folder: DataFolder) -> Owner:
    """Return what the owner says about itself, as far as it can be read."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        found = json.loads(folder.owner.read_text("utf-8"))
        return Owner(found["pid"], found["url"], found.get("command"), found.get("local") is True)
    return Owner()


def _write_owner(folder: DataFolder, owner: Owner) -> None:
    # Renamed into place: nobody reads half of it.
    draft = folder.owner.with_suffix(".new")
    draft.write_text(json.dumps(asdict(owner)), "utf-8")
    draft.replace(folder.owner)


def _in_use(folder: DataFolder) -> FolderInUse:
    owner = read_owner(folder)
    if owner.pid == os.getpid():
        advice = (
            "Close the book that is open there first, or choose another folder (data_dir,"
            " --data-dir)"
        )
    elif owner.url:
        advice = (
            "Commands such as `sourcebook ask` and `sourcebook ingest` go through that one. To"
            " start another service, stop it, or choose another folder with --data-dir"
        )
    else:
        advice = (
            "A data folder belongs to one process: stop that one, or choose another folder with"
            " --data-dir"
        )
    return FolderInUse(
        f"The data folder {str(folder.root)!r} is in use by {owner}. {advice}", owner
    )
