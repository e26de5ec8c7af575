"""Names the book of a source that somebody gives without a book: the one it is, else a new one."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from sourcebook.core.errors import InvalidInput
from sourcebook.ingestion.book.catalog import BookCatalog, IndexedBook

MAX_LENGTH = 60
FALLBACK = "book"
_UNFIT = re.compile(r"[^a-z0-9._]+")


@dataclass(frozen=True, slots=True)
class GivenSource:
    """A folder, a file or a website: its address as jobs take it, and what people call it."""

    address: str
    called: str

    @staticmethod
    def at(path: Path) -> "GivenSource":
        """A folder, or a file."""
        resolved = path.resolve()
        return GivenSource(str(resolved), resolved.stem if resolved.is_file() else resolved.name)

    @staticmethod
    def of_site(url: str) -> "GivenSource":
        """A website, whose address may carry options after `#`."""
        return GivenSource(url, (urlsplit(url).hostname or "").removeprefix("www."))


async def name_book(
    source: GivenSource, catalog: BookCatalog, reserved: Collection[str]
) -> tuple[str, bool]:
    """Return the book that comes from a source, else a free name; and whether it is new.

    InvalidInput if several books come from there.
    """
    books = await catalog.all()
    same = [book.id for book in books if _place(source.address) in _places(book)]
    if len(same) > 1:
        raise InvalidInput(
            f"Several books come from {source.address!r}: {same}. Name one with --book (BOOK_ID)"
        )
    if same:
        return same[0], False
    return free_name(source.called, {*reserved, *(book.id for book in books)}), True


def free_name(called: str, taken: Collection[str]) -> str:
    """Return an id for what people call so, with a number if it is taken."""
    plain = unicodedata.normalize("NFKD", called).encode("ascii", "ignore").decode().lower()
    name = _UNFIT.sub("-", plain)[:MAX_LENGTH].strip("-._") or FALLBACK
    numbered = (f"{name}-{number}" for number in count(2))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _places(book: IndexedBook) -> set[str]:
    """Where a book comes from: as it is kept, else as a job says that has not got so far."""
    if book.layout is not None:
        return {_place(book.layout.source)}
    return {_place(job.request.docs_path) for job in book.jobs if job.request.docs_path}


def _place(address: str) -> str:
    """An address without a website's options and without a slash at its end."""
    return address.partition("#")[0].rstrip("/") if "://" in address else address
