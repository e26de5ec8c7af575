"""The addresses of a website's pages: one form for each, what lies in the site, and its path."""

import re
from dataclasses import dataclass
from urllib.parse import (
    SplitResult,
    parse_qsl,
    unquote,
    urlencode,
    urljoin,
    urlsplit,
    urlunsplit,
)

from w3lib.url import canonicalize_url

MAX_ADDRESS_CHARS = 2_000
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Parameters that say where a reader came from, not which page is meant.
_TRACKING = re.compile(
    r"utm_\w+|(?:g|fb|ms|dc|wbra|gbra|tt|yc)clid|mc_[ce]id|_ga|_gl|_hs\w+|igshid|ref_src"
    r"|jsessionid|phpsessid|sessionid",
    re.IGNORECASE,
)
_DECEPTIVE = re.compile("[\x00-\x20\x7f-\xa0\u2028-\u202e\u2066-\u2069\ud800-\udfff\\\\]")
# `x.md` and `x.html.md` are how the proposal for llms.txt names the markdown of a page.
_MARKDOWN = re.compile(r"\.(?:md|mdx|markdown)$", re.IGNORECASE)
_HTML = re.compile(r"\.html?$", re.IGNORECASE)
_FOLDER_PAGE = re.compile(r"(?:^|/)(?:index|readme)(?:\.html?)?$", re.IGNORECASE)


def canonical_address(address: str, base: str = "") -> str | None:
    """Return the one form of an address, without its fragment; None if it is no web page's.

    Upper case, default ports, the order of parameters and tracking make no difference.
    """
    try:
        joined = urljoin(base, address.strip())
        parts = urlsplit(canonicalize_url(joined))
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not host or "@" in parts.netloc:
        return None
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port in {None, _DEFAULT_PORTS[parts.scheme]} else f"{shown}:{port}"
    # Without the empty values that w3lib adds: `?x` and `?x=` are the same page.
    kept = [
        pair
        for pair in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(pair[0])
    ]
    found = urlunsplit((parts.scheme, netloc, parts.path or "/", urlencode(kept), ""))
    return found if len(found) <= MAX_ADDRESS_CHARS else None


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a website that is read: one scheme, host and port, and the paths below one."""

    origin: str
    folder: str

    @staticmethod
    def around(address: str) -> "Scope":
        """Return the scope that the address of the first page means."""
        parts = urlsplit(address)
        folder, _, name = parts.path.rpartition("/")
        # `/guide` is a page with others below it; `/guide/intro.html` has them beside it.
        return Scope(
            f"{parts.scheme}://{parts.netloc}", f"{folder}/" if "." in name else parts.path
        )

    def holds(self, address: str) -> bool:
        """Return whether a canonical address lies in the scope."""
        if not address.startswith(f"{self.origin}/"):
            return False
        path = urlsplit(address).path
        below = self.folder if self.folder.endswith("/") else f"{self.folder}/"
        return path.startswith(below) or path.rstrip("/") == self.folder.rstrip("/")


def is_same_site(asked: str, found: str) -> bool:
    """Return whether a redirect of the first page stays on the site: `www.` and https aside."""
    first, second = urlsplit(asked), urlsplit(found)
    hosts = [(parts.hostname or "").removeprefix("www.") for parts in (first, second)]
    downgraded = (first.scheme, second.scheme) == ("https", "http")
    return hosts[0] == hosts[1] and not downgraded and _port(first) == _port(second)


def page_path(address: str) -> str:
    """Return the path of a page in its book, like `guide/install`; a folder's is its index."""
    parts = urlsplit(address)
    path = parts.path.lstrip("/")
    path = f"{path}index.html" if not path or path.endswith("/") else path
    names = [_readable(name) for name in path.split("/") if name not in {"", ".", ".."}]
    return "/".join(names) + (f"?{parts.query}" if parts.query else "")


def twin_key(address: str) -> str:
    """Return what a page and its markdown have in common: `/a/`, `/a/index.html.md`, `/a.md`."""
    parts = urlsplit(address)
    path = _MARKDOWN.sub("", parts.path)
    path = _HTML.sub("", _FOLDER_PAGE.sub("", path))
    return f"{parts.netloc}{path.rstrip('/')}?{parts.query}"


def is_markdown_address(address: str) -> bool:
    """Return whether the address names a markdown file."""
    return _MARKDOWN.search(urlsplit(address).path) is not None


def is_pdf_address(address: str) -> bool:
    """Return whether the address names a PDF."""
    return urlsplit(address).path.lower().endswith(".pdf")


def _readable(name: str) -> str:
    """Decode a name, unless it could mislead a reader, a log or a link."""
    try:
        plain = unquote(name, errors="strict")
    except UnicodeDecodeError:
        return name
    return name if "/" in plain or "?" in plain or _DECEPTIVE.search(plain) else plain


def _port(parts: SplitResult) -> int | None:
    return None if parts.port == _DEFAULT_PORTS.get(parts.scheme) else parts.port
