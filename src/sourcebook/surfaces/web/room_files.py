"""The files of the reading room: read once, and addressed by what they hold."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

PAGE = "index.html"
WIDGET = "widget.js"
MEDIA_TYPES: Mapping[str, str] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_ROOT = "{{root}}"


@dataclass(frozen=True, slots=True)
class RoomFiles:
    """The page, and its modules and styles by name.

    `revision` changes with any of them and is part of their addresses: browsers may keep them for
    ever, and never mix those of two releases.
    """

    page: str
    assets: Mapping[str, bytes]
    compressed: Mapping[str, bytes]
    revision: str

    def page_below(self, root_path: str) -> str:
        """Return the page of an app that is published under this prefix."""
        return self.page.replace(_ROOT, escape(f"{root_path}/room/{self.revision}"))

    def widget_loader(self) -> str:
        """Return the module that a docs site includes: it loads the current widget."""
        return f'import "./room/{self.revision}/{WIDGET}";\n'


@cache
def room_files() -> RoomFiles:
    """Read the files of the package."""
    folder = files("sourcebook.surfaces.web") / "room"
    assets = {entry.name: entry.read_bytes() for entry in folder.iterdir() if _is_asset(entry)}
    digest = hashlib.sha256()
    for name, content in sorted(assets.items()):
        digest.update(name.encode() + b"\0" + content + b"\0")
    page = (folder / PAGE).read_text("utf-8")
    compressed = {name: gzip.compress(content) for name, content in assets.items()}
    return RoomFiles(page, assets, compressed, digest.hexdigest()[:12])


def media_type_of(name: str) -> str:
    return next(kind for ending, kind in MEDIA_TYPES.items() if name.endswith(ending))


def _is_asset(entry: Traversable) -> bool:
    return entry.name.endswith(tuple(MEDIA_TYPES))
