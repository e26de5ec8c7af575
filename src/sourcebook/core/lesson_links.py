"""Where a lesson can be read: on the book's website, by the rules of Docusaurus, or in our room.

Every part of a path is percent-encoded and stands after `/docs/`, so whatever a front matter
says, a link stays on the book's own site and below its docs.
"""

import re
from collections.abc import Iterable
from urllib.parse import parse_qs, quote, unquote, urlsplit

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.metadata import Metadata

_DOCS = "docs"
_EXTENSION = re.compile(r"\.(?:mdx?|markdown)$", re.IGNORECASE)
_WEB = re.compile(r"https?://[^\s]+\Z", re.IGNORECASE)
_ROOM_LESSON = "#/read/"
_UNSAFE_IN_BASE = re.compile(r"[\x00-\x20\x7f\\?#]")


def lesson_path(source_file: str, doc_id: str | None = None, slug: str | None = None) -> str:
    """The lesson's path below the docs root, percent-encoded; empty for the root's own page.

    A front matter's `slug` wins, from the root if it begins with `/`. A page that stands for its
    folder (README, index, _index, or named like the folder) has the folder's path. Any other page
    has its front matter's `id`, else its file name, beside the file.
    """
    *folders, file_name = source_file.split("/")
    name = _EXTENSION.sub("", file_name)
    if slug:
        return _encoded(_from(folders, slug))
    if stands_for_folder(name, folders):
        return _encoded(folders)
    return _encoded([*folders, doc_id if _is_one_part(doc_id) else name])


def lesson_url(base: str | None, path: str, anchor: str | None = None) -> str:
    """The address of a lesson path; without a base it is relative to the site's root."""
    address = "/".join([_checked_base(base), _DOCS, *filter(None, path.split("/"))])
    return f"{address}#{_quoted(anchor)}" if anchor else address


def page_link(about: Metadata, base: str | None, anchor: str | None = None) -> str | None:
    """The address of a lesson by its metadata: its own if it comes from a website, else its path's.

    None if the metadata have neither.
    """
    url, path = about.get("source_url"), about.get("lesson_path")
    if isinstance(url, str) and _WEB.match(url):
        return f"{url}#{_quoted(anchor)}" if anchor else url
    return lesson_url(base, path, anchor) if isinstance(path, str) else None


def room_link(document_id: str, book_id: str, anchor: str | None = None) -> str:
    """The address of a lesson in the reading room, from the root of the service.

    The room ignores the section, by which a question can be narrowed to it again.
    """
    section = f"?section={_quoted(anchor)}" if anchor else ""
    return f"/?book={_quoted(book_id)}{_ROOM_LESSON}{_quoted(document_id)}{section}"


def is_room_link(url: str) -> bool:
    """Return whether `room_link` made an address, or one that an answer or a browser made of it."""
    return _ROOM_LESSON in url


def room_link_at(url: str, start: int, end: int) -> str:
    """Return the address of these characters of the lesson."""
    sign = "&" if "?" in url.partition(_ROOM_LESSON)[2] else "?"
    return f"{url}{sign}from={start}&to={end}"


def read_room_link(url: str) -> tuple[str, str | None]:
    """Return the document and the section that an address in the reading room names."""
    document, _, query = url.partition(_ROOM_LESSON)[2].partition("?")
    return unquote(document), parse_qs(query).get("section", [None])[0]


def _from(folders: Iterable[str], slug: str) -> Iterable[str]:
    # A slug may be written as it looks in the address bar, or as plain text.
    parts = unquote(slug, errors="replace").split("/")
    return parts if slug.startswith("/") else [*folders, *parts]


def stands_for_folder(name: str, folders: list[str]) -> bool:
    """Return whether a page, without its ending, is its folder's own."""
    return name.lower() in {
        "readme",
        "index",
        "_index",
        *(folder.lower() for folder in folders[-1:]),
    }


def _is_one_part(doc_id: str | None) -> bool:
    return bool(doc_id) and doc_id not in {".", ".."}


def _encoded(parts: Iterable[str | None]) -> str:
    resolved: list[str] = []
    for part in parts:
        if part == "..":
            # Above the root there is nothing.
            del resolved[-1:]
        elif part and part != ".":
            resolved.append(_quoted(part))
    return "/".join(resolved)


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _checked_base(base: str | None) -> str:
    if not base:
        return ""
    try:
        parsed = urlsplit(base)
        usable = parsed.scheme in {"http", "https"} and bool(parsed.hostname)
    except ValueError:
        usable = False
    if not usable or _UNSAFE_IN_BASE.search(base):
        raise ConfigurationError(
            f"The website's address {base[:200]!r} cannot be used: it must begin with http:// or"
            " https:// and end in a path, like 'https://example.org/book'"
        )
    return base.rstrip("/")
