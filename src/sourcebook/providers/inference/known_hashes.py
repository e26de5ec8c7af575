"""The hashes of large files, kept in the data folder, so that not every command reads them."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import orjson

FILE_NAME = "model-hashes.json"
# Models that are no longer there need not be remembered for ever.
MAX_HASHES = 32

# Device, inode, size, and when content and inode were last changed, in nanoseconds: whatever
# writes to a file or puts another in its place changes one of them.
FileState: TypeAlias = tuple[int, int, int, int, int]


class KnownHashes:
    """Hashes by the state of their files. What cannot be read or written is not known."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME

    def get(self, state: FileState) -> str | None:
        """Return the hash of the file that was in that state."""
        found = self._read().get(_key(state))
        return found if isinstance(found, str) else None

    def add(self, state: FileState, sha256: str) -> None:
        """Remember a hash."""
        newest = [*self._read().items(), (_key(state), sha256)][-MAX_HASHES:]
        written = self._path.with_name(f"{FILE_NAME}.{os.getpid()}")
        # A folder that cannot be written only costs the next command a moment.
        with suppress(OSError):
            written.write_bytes(orjson.dumps(dict(newest)))
            written.replace(self._path)

    def forget(self) -> None:
        """Let every file be read again."""
        with suppress(OSError):
            self._path.unlink()

    def _read(self) -> dict[str, object]:
        try:
            found = orjson.loads(self._path.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return {}
        return found if isinstance(found, dict) else {}


def _key(state: FileState) -> str:
    return "-".join(map(str, state))
