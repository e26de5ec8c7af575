"""How much room a folder takes, counted off the event loop and not for long."""

import asyncio
import os
import time
from pathlib import Path

LONGEST_S = 1.5
MAX_FILES = 100_000


async def folder_size(folder: Path) -> int | None:
    """The bytes of all files in it; None if it cannot be read, or has too many to count."""
    return await asyncio.to_thread(_size, folder)


def _size(folder: Path) -> int | None:
    end_s = time.monotonic() + LONGEST_S
    size = files = 0
    waiting = [str(folder)]
    try:
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    files += 1
                    if files > MAX_FILES or time.monotonic() > end_s:
                        return None
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
    except OSError:
        # It is not there, or changes while we count.
        return None
    return size
