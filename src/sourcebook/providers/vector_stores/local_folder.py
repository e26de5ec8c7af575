"""The folder of an embedded store: inside the data folder, and on a disk with space left."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import MIN_FREE_MIB, ConfigurationError, DiskFull, RetrievalUnavailable

MIB = 1024 * 1024
MIN_FREE_BYTES = MIN_FREE_MIB * MIB


def folder_inside(data_dir: Path, path: str) -> Path:
    """Resolve a folder of the data folder; ConfigurationError if it lies outside."""
    # By its text alone: where a link inside the folder leads is for its owner to say.
    root = Path(os.path.abspath(data_dir))  # noqa: PTH100 - resolve() would follow links
    folder = Path(os.path.abspath(root / path))  # noqa: PTH100
    if ".." in Path(path).parts or root not in folder.parents or "\x00" in path:
        raise ConfigurationError(
            f"The store cannot keep its files at {path[:80]!r}, outside the data folder: name a"
            " folder inside it, such as 'index'"
        )
    return folder


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """Refuses writes when less than `min_bytes` are free.

    The engines map files into memory, where a full disk would end the process.
    """

    folder: Path
    min_bytes: int = MIN_FREE_BYTES

    @property
    def enough(self) -> bool:
        return shutil.disk_usage(self.folder).free >= self.min_bytes

    def check(self) -> None:
        """Raise RetrievalUnavailable if there is not enough, or no folder any more."""
        try:
            enough = self.enough
        except OSError as error:
            raise RetrievalUnavailable(
                f"The data folder cannot be used ({error.strerror}): check that it is mounted, and"
                " start the service again"
            ) from error
        if not enough:
            raise DiskFull(self.min_bytes // MIB)
