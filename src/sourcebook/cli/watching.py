"""Tells when files of a book were saved."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from watchfiles import Change, DefaultFilter, awatch

from sourcebook.cli.interrupts import Stop

# Long enough for an editor to finish a save, short enough to feel immediate.
DEBOUNCE_MS = 500
MARKDOWN = (".md", ".mdx")


class MarkdownFiles(DefaultFilter):
    """Lets saves of markdown by, and none in hidden or build folders."""

    def __call__(self, change: Change, path: str) -> bool:
        """Tell whether the change counts. A folder that comes or goes may hold markdown."""
        name = Path(path)
        counts = name.suffix.lower() in MARKDOWN or (not name.suffix and change != Change.modified)
        return counts and super().__call__(change, path)


@asynccontextmanager
async def watched(folder: Path, stop: Stop) -> AsyncIterator[asyncio.Event]:
    """An event that is set at every save, and at a stop, from now on."""
    changed = asyncio.Event()

    async def watch() -> None:
        try:
            async for _ in awatch(
                folder, watch_filter=MarkdownFiles(), debounce=DEBOUNCE_MS, stop_event=stop.event
            ):
                changed.set()
        finally:
            # However it ends, nobody must go on waiting for the next save.
            stop.event.set()
            changed.set()

    watching = asyncio.create_task(watch())
    try:
        yield changed
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
