"""Room on the disk: the engine maps files into memory, and a full disk would end the process."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import RetrievalUnavailable

MIB = 1024 * 1024
MIN_FREE_BYTES = 256 * MIB


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """Refuses to write where less than `min_bytes` are free."""

    folder: Path
    min_bytes: int = MIN_FREE_BYTES

    @property
    def enough(self) -> bool:
        """Tell whether there is room."""
        return shutil.disk_usage(self.folder).free >= self.min_bytes

    def check(self) -> None:
        """Raise RetrievalUnavailable unless there is room."""
        if not self.enough:
            raise RetrievalUnavailable(
                f"The disk of the data folder has less than {self.min_bytes // MIB} MiB free:"
                " nothing can be written until there is more"
            )
