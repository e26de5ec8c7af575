"""Folders in memory: no test takes the power away, and flushing files to a disk is waiting."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - every folder in it gets a name of its own
MIN_FREE_BYTES = 2**30
# What all tests of a run have in their folders at once, with room to spare.
MIN_FREE_BYTES_OF_A_RUN = 4 * 2**30


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A new folder, on the disk where there is little memory to have it in."""
    place = SHARED_MEMORY if _has_room(MIN_FREE_BYTES) else None
    with tempfile.TemporaryDirectory(prefix="sourcebook-test-", dir=place) as folder:
        yield Path(folder)


def keep_test_folders_in_memory() -> None:
    """Have pytest make its folders in memory, unless there is little or it was told where."""
    if _has_room(MIN_FREE_BYTES_OF_A_RUN):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(SHARED_MEMORY))


def _has_room(free_bytes: int) -> bool:
    return SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free > free_bytes
