"""Keeps what was fetched of a website: pages, their texts, and what to ask for changes with.

One SQLite file for each site, in the data folder. It is a cache: without it, everything is fetched
again.
"""

import logging
import sqlite3
import threading
import zlib
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

log = logging.getLogger(__name__)

Kind: TypeAlias = Literal["html", "markdown", "pdf", "other"]

_BUSY_TIMEOUT_S = 30.0
_COMPRESSION = 3
# A crash of the process loses nothing; one of the machine, at most the last pages.
_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS replies (
    address TEXT PRIMARY KEY, kind TEXT NOT NULL, etag TEXT, modified TEXT,
    indexable INTEGER NOT NULL, size INTEGER NOT NULL, text BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS pages (
    address TEXT PRIMARY KEY, content_address TEXT NOT NULL, in_sitemap INTEGER NOT NULL,
    missed_at_s REAL);
"""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """What an address has, and the validators that the site gave for it; texts are in UTF-8."""

    address: str
    kind: Kind
    etag: str | None
    modified: str | None
    indexable: bool
    content: bytes

    @property
    def text(self) -> str:
        """The text of a page."""
        return self.content.decode()

    @property
    def conditions(self) -> dict[str, str]:
        """The headers that ask for the text only if it has changed."""
        given = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of the site; its text may come from another address than its own.

    `missed_at_s` is when the site first answered that there is no such page.
    """

    address: str
    content_address: str
    in_sitemap: bool = False
    missed_at_s: float | None = None


class PageStore:
    """The pages of one site. Blocking; every write is whole or not there."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def pages(self) -> dict[str, KnownPage]:
        """Return the pages that the last complete run found, by address."""
        with self._lock:
            rows = self._connection.execute("SELECT * FROM pages").fetchall()
        return {row[0]: KnownPage(row[0], row[1], bool(row[2]), row[3]) for row in rows}

    def reply(self, address: str) -> StoredReply | None:
        with self._lock:
            query = "SELECT * FROM replies WHERE address = ?"
            row = self._connection.execute(query, (address,)).fetchone()
        if row is None:
            return None
        address, kind, etag, modified, indexable, _, packed = row
        content = zlib.decompress(packed)
        return StoredReply(address, kind, etag, modified, bool(indexable), content)

    def put_reply(self, reply: StoredReply) -> None:
        packed = zlib.compress(reply.content, _COMPRESSION)
        values = (*astuple(reply)[:-1], len(reply.content), packed)
        with self._lock, self._connection:
            self._connection.execute("REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def sizes_and_kinds(self) -> dict[str, tuple[int, Kind]]:
        """Return how many bytes there are at each address, and of which kind."""
        with self._lock:
            rows = self._connection.execute("SELECT address, size, kind FROM replies").fetchall()
        return {address: (size, kind) for address, size, kind in rows}

    def replace_pages(self, pages: Mapping[str, KnownPage]) -> None:
        """Replace all pages, and forget the texts that belong to none."""
        with self._lock, self._connection:
            self._connection.execute("DELETE FROM pages")
            rows = [astuple(page) for page in pages.values()]
            self._connection.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", rows)
            self._connection.execute(
                "DELETE FROM replies WHERE address NOT IN (SELECT address FROM pages"
                " UNION SELECT content_address FROM pages)"
            )

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def open_page_store(file: Path) -> PageStore:
    """Open the file, or begin a new one if there is none or it is damaged."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        return PageStore(_connect(file))
    except sqlite3.DatabaseError as error:
        log.warning("page_store_damaged", exc_info=error)
        for each in file.parent.glob(f"{file.name}*"):  # the log of SQLite, too
            each.unlink(missing_ok=True)
        return PageStore(_connect(file))


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
    try:
        connection.executescript(_SCHEMA)
        connection.execute("SELECT count(*) FROM pages").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
