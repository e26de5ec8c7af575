"""Draws pages of files in a process with limits, and keeps the last pictures."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from sourcebook.core.errors import BookUnreadable, Overloaded
from sourcebook.providers.converters.process import MIB

MAX_KEPT_BYTES = 16 * MIB
# Pages are drawn one after another; as many readers may wait.
MAX_WAITING = 8
_DRAW = "sourcebook.providers.converters.pdf_pages:draw"

# Draws a page of a file with the function of that name.
Render: TypeAlias = Callable[[str, bytes, int], Awaitable[bytes]]
# A file as it was, and a page of it.
_Key: TypeAlias = tuple[str, int, int, int]


class PdfPagePictures:
    """Implements `PagePictures` for PDFs."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self._kept: OrderedDict[_Key, bytes] = OrderedDict()
        self._waiting = 0

    async def picture(self, file: Path, page: int) -> bytes:
        """Return a page as PNG; BookUnreadable, Overloaded."""
        try:
            key = await asyncio.to_thread(_key, file, page)
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            if self._waiting >= MAX_WAITING:
                raise Overloaded("Too many pages are being drawn right now; try again in a moment")
            self._waiting += 1
            try:
                content = await asyncio.to_thread(file.read_bytes)
                picture = await self._render(_DRAW, content, page)
            finally:
                self._waiting -= 1
        except OSError:
            raise BookUnreadable("The file is no longer there") from None
        self._keep(key, picture)
        return picture

    def _keep(self, key: _Key, picture: bytes) -> None:
        self._kept[key] = picture
        while sum(map(len, self._kept.values())) > MAX_KEPT_BYTES:
            self._kept.popitem(last=False)


def _key(file: Path, page: int) -> _Key:
    about = file.stat()
    return str(file), about.st_mtime_ns, about.st_size, page
