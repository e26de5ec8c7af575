"""A folder in memory, for indexes that no test takes the power from: flushing them is waiting."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - every folder in it gets a name of its own
MIN_FREE_BYTES = 2**30


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A new folder, on the disk where there is little memory to have it in."""
    spacious = SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free > MIN_FREE_BYTES
    place = SHARED_MEMORY if spacious else None
    with tempfile.TemporaryDirectory(prefix="sourcebook-test-", dir=place) as folder:
        yield Path(folder)
