"""Opens the page in a browser, where somebody sits in front of one."""

import asyncio
import sys
import webbrowser
from contextlib import suppress
from urllib.parse import urlsplit

MAX_TRIES = 100
TRY_INTERVAL_S = 0.1


async def open_page(url: str) -> None:
    """Open the address once it answers; not without a terminal, nor with a browser inside one."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()) or not _has_window():
        return
    if await _answers(url):
        await asyncio.to_thread(webbrowser.open, url)


def _has_window() -> bool:
    try:
        # Lynx and its like would take the terminal over.
        return type(webbrowser.get()) is not webbrowser.GenericBrowser
    except webbrowser.Error:
        return False


async def _answers(url: str) -> bool:
    parts = urlsplit(url)
    for _ in range(MAX_TRIES):
        with suppress(OSError):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
            writer.close()
            return True
        await asyncio.sleep(TRY_INTERVAL_S)
    return False
