"""Watches a book's folder for saved files."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from watchfiles import Change, DefaultFilter, awatch

from sourcebook.cli.jobs import Stop
from sourcebook.providers.converters.conversion import readable_extensions

# Long enough for an editor to finish a save, short enough to feel immediate.
DEBOUNCE_MS = 500


class ReadableFiles(DefaultFilter):
    """Keeps changes of files that can be read, except in hidden and build folders."""

    def __init__(self, extensions: tuple[str, ...]) -> None:
        super().__init__()
        self._extensions = extensions

    def __call__(self, change: Change, path: str) -> bool:
        """Return whether to keep a change. A folder that is added or deleted may hold files."""
        kept = path.lower().endswith(self._extensions) or _may_be_folder(change, path)
        return kept and super().__call__(change, path)


def _may_be_folder(change: Change, path: str) -> bool:
    # A folder that is moved in or out is one change, whatever is in it, and may be called `v1.2`.
    return change == Change.deleted or (change == Change.added and Path(path).is_dir())


@asynccontextmanager
async def watched(folder: Path, stop: Stop) -> AsyncIterator[asyncio.Event]:
    """Yield an event that is set at every save, and when a stop is requested."""
    changed = asyncio.Event()
    wanted = ReadableFiles(readable_extensions())

    async def watch() -> None:
        try:
            async for _ in awatch(
                folder, watch_filter=wanted, debounce=DEBOUNCE_MS, stop_event=stop.event
            ):
                changed.set()
        finally:
            # However watching ends, nobody must go on waiting for the next save.
            stop.event.set()
            changed.set()

    watching = asyncio.create_task(watch())
    try:
        yield changed
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
