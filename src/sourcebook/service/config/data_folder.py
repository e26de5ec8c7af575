"""The data folder: its layout, and who uses it. Any number of processes may, at the same time."""

import asyncio
import fcntl
import os
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sourcebook.core.errors import ConfigurationError

# Others have the folder for themselves while they open its ledger for the first time.
OPENING_TIMEOUT_S = 20.0
RETRY_INTERVAL_S = 0.02


class FolderInUse(ConfigurationError):
    """Other processes use a data folder that one needs for itself."""


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
        """Locked by those who use the folder: shared, or by one that needs it for itself."""
        return self.root / "sourcebook.lock"

    @property
    def chores(self) -> Path:
        """Locked by the process that does the chores for all."""
        return self.root / "chores.lock"

    @property
    def rate_limits(self) -> Path:
        """The SQLite file in which several workers count calls."""
        return self.root / "rate-limits.db"

    @property
    def processes(self) -> Path:
        """A file for each process that uses the folder, with its id and command."""
        return self.root / "processes"


class FolderUse:
    """The use of a folder by this process. `alone`: nobody else used it when this began."""

    def __init__(self, lock: TextIO, *, alone: bool) -> None:
        self._lock = lock
        self.alone = alone

    def share(self) -> None:
        """Let others use the folder, too."""
        fcntl.flock(self._lock, fcntl.LOCK_SH)


def make_data_folder(root: Path) -> DataFolder:
    """Create the folder if it is not there, for this user alone."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(root, error) from None
    return DataFolder(root)


@asynccontextmanager
async def use_data_folder(folder: DataFolder) -> AsyncIterator[FolderUse]:
    """Use the folder together with others; a process that is alone must let them in by `share`."""
    make_data_folder(folder.root)
    with _opened(folder) as lock:
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + OPENING_TIMEOUT_S
        while not ((alone := _locked(lock, fcntl.LOCK_EX)) or _locked(lock, fcntl.LOCK_SH)):
            if loop.time() > deadline_s:
                raise FolderInUse(
                    f"The data folder {str(folder.root)!r} is in use by {_named_users(folder)},"
                    " which needs it for itself: try again when that is done"
                )
            await asyncio.sleep(RETRY_INTERVAL_S)
        with _announced(folder, alone=alone):
            yield FolderUse(lock, alone=alone)


@contextmanager
def own_exclusively(root: Path, command: str) -> Iterator[DataFolder]:
    """Keep all others away from the folder, for a command that needs that; FolderInUse."""
    folder = make_data_folder(root)
    with _opened(folder) as lock:
        if not _locked(lock, fcntl.LOCK_EX):
            raise FolderInUse(
                f"The data folder {str(root)!r} is in use by {_named_users(folder)}, and"
                f" `{command}` needs it for itself: stop that process, and run the command again"
            )
        with _announced(folder, alone=True):
            yield folder


def users_of(folder: DataFolder) -> list[str]:
    """Describe the living processes that use the folder. Changes nothing."""
    found = [file.read_text("utf-8") for file in _process_files(folder)]
    known = (text.partition(" ") for text in found)
    return [f"process {pid} (`{command}`)" for pid, _, command in known if _is_alive(pid)]


def is_used(folder: DataFolder) -> bool:
    """Return whether some process uses the folder. Changes nothing."""
    if not folder.lock.exists():
        return False
    with _opened(folder) as lock:
        return not _locked(lock, fcntl.LOCK_EX)


class FolderLeadership:
    """Leads while this process holds the lock for the chores; the system frees that of the dead.

    A process that does not `stay` leads only where nobody else does, and for one chore: a service
    that comes knows more of them.
    """

    def __init__(self, lock: TextIO, *, stays: bool) -> None:
        self._lock = lock
        self._stays = stays

    async def lead(self) -> bool:
        """Take the lock if nobody has it; return whether this process leads for now."""
        leads = _locked(self._lock, fcntl.LOCK_EX)
        if leads and not self._stays:
            fcntl.flock(self._lock, fcntl.LOCK_UN)
        return leads


@contextmanager
def open_leadership(folder: DataFolder, *, stays: bool = True) -> Iterator[FolderLeadership]:
    """Stand for the leadership among the processes that use the folder."""
    with folder.chores.open("a") as lock:
        yield FolderLeadership(lock, stays=stays)


@contextmanager
def _opened(folder: DataFolder) -> Iterator[TextIO]:
    try:
        lock = folder.lock.open("a")
    except OSError as error:
        raise _unusable(folder.root, error) from None
    with lock:
        yield lock


def _locked(lock: TextIO, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _announced(folder: DataFolder, *, alone: bool) -> Iterator[None]:
    """Name this process to others. What was left by the killed is cleared by who is alone."""
    if alone:
        for file in _process_files(folder):
            file.unlink(missing_ok=True)
    folder.processes.mkdir(exist_ok=True)
    # In containers that share the folder, several processes have the same id.
    own = folder.processes / uuid.uuid4().hex
    own.write_text(f"{os.getpid()} {_command()}", "utf-8")
    try:
        yield
    finally:
        own.unlink(missing_ok=True)


def _command() -> str:
    """Name the program that runs, and the command if it is ours, without what it is given."""
    program = Path(sys.argv[0]).name
    if program in {"sourcebook", "__main__.py"}:
        return " ".join(("sourcebook", *sys.argv[1:2]))
    return program


def _process_files(folder: DataFolder) -> list[Path]:
    return sorted(folder.processes.iterdir()) if folder.processes.is_dir() else []


def _named_users(folder: DataFolder) -> str:
    return " and ".join(users_of(folder)) or "another process"


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _unusable(root: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"The data folder {str(root)!r} cannot be used: {error.strerror}."
        " Choose another one with --data-dir"
    )
