"""The address of a website with the options for reading it, as one text.

Options stand after `#`, as pip writes them: `https://docs.example.org/#include=guide&max_pages=50`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias, get_args
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.core.text import shorten
from sourcebook.ingestion.book.path_template import ExcludeTemplate

Discovery: TypeAlias = Literal["auto", "llms", "sitemap", "links"]

MAX_PAGES = 50_000
MAX_DEPTH = 50
MIN_RATE, MAX_RATE = 1.0, 8.0

_WEB = re.compile(r"https?://", re.IGNORECASE)
_GIT = re.compile(r"(?:ssh|git|git\+\w+|file)://|[\w.+-]+@[\w.-]+:", re.IGNORECASE)
# Hosts whose addresses with two parts, owner and name, are repositories.
_CODE_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """How a website is read.

    `include` and `exclude` name pages or folders by path; without `include` all are meant.
    `selector` is the CSS selector of the element that holds the text of a page. `max_depth` counts
    links from the first page; lists of pages that the site offers have no depth. With `pdfs`, the
    PDFs of the site that its pages lead to are read, too.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    selector: str | None = None
    discovery: Discovery = "auto"
    max_depth: int = 5
    max_pages: int = 1_000
    requests_per_s: float = 4.0
    pdfs: bool = True

    def __post_init__(self) -> None:
        for pattern in (*self.include, *self.exclude):
            ExcludeTemplate(pattern)
        _check_range("max_depth", self.max_depth, 0, MAX_DEPTH)
        _check_range("max_pages", self.max_pages, 1, MAX_PAGES)
        _check_range("requests_per_s", self.requests_per_s, MIN_RATE, MAX_RATE)
        if self.discovery not in get_args(Discovery):
            raise ConfigurationError(
                f"discovery {shorten(self.discovery, 40)!r} is not known; use one of"
                f" {list(get_args(Discovery))}"
            )


def is_web_address(text: str) -> bool:
    """Return whether a text is the address of a website, and not a path or a git repository."""
    return _WEB.match(text) is not None and not is_git_address(text)


def is_git_address(text: str) -> bool:
    """Return whether a text is the address of a git repository.

    Over http, one that ends in `.git`, or that a code host has under an owner's name.
    """
    if _GIT.match(text):
        return True
    if not _WEB.match(text):
        return False
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return False
    names = [name for name in parts.path.split("/") if name]
    return parts.path.rstrip("/").endswith(".git") or (host in _CODE_HOSTS and len(names) == 2)


def write_site(url: str, options: Mapping[str, object]) -> str:
    """Return the address with these options; those that are None were not given."""
    pairs = [
        (name, str(value).lower() if isinstance(value, bool) else str(value))
        for name, values in options.items()
        if values is not None
        for value in (values if isinstance(values, list | tuple) else [values])
    ]
    base = url.partition("#")[0]
    return f"{base}#{urlencode(pairs, quote_via=quote, safe='/*')}" if pairs else base


def read_site(text: str, defaults: SiteOptions) -> tuple[str, SiteOptions]:
    """Return the plain address, and the options that it carries; InvalidInput.

    A fragment without `=` is the anchor of a page, which somebody copied with its address.
    """
    url, _, fragment = text.partition("#")
    if "=" not in fragment:
        return url, defaults
    try:
        return url, _merged(defaults, parse_qsl(fragment, keep_blank_values=True))
    except (ValueError, ConfigurationError) as error:
        raise InvalidInput(f"The options after '#' of {shorten(url, 200)!r}: {error}") from None


def _merged(defaults: SiteOptions, pairs: Sequence[tuple[str, str]]) -> SiteOptions:
    known = [field.name for field in fields(SiteOptions)]
    lists: dict[str, tuple[str, ...]] = {}
    changed: dict[str, object] = {}
    for name, value in pairs:
        if name not in known:
            raise ValueError(f"{shorten(name, 40)!r} is not known; there are {known}")
        if name in {"include", "exclude"}:
            lists[name] = (*lists.get(name, ()), value)
        else:
            changed[name] = _value(name, value)
    return replace(defaults, **changed, **lists)  # type: ignore[arg-type]


def _value(name: str, text: str) -> object:
    if name in {"max_depth", "max_pages"}:
        return int(text)
    if name == "pdfs":
        return _is_true(text)
    return float(text) if name == "requests_per_s" else text


def _is_true(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise ValueError(f"pdfs is {shorten(text, 40)!r}; use true or false")
    return text.lower() == "true"


def _check_range(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise ConfigurationError(f"{name} is {value}; use a number from {least:g} to {most:g}")
