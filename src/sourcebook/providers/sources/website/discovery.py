"""Finds the pages that a website lists itself: in llms.txt, and in its sitemaps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from sourcebook.core.book_source import FileProblem
from sourcebook.core.errors import SourceUnavailable
from sourcebook.providers.sources.website.addresses import (
    Scope,
    canonical_address,
    is_markdown_address,
    is_same_site,
    twin_key,
)
from sourcebook.providers.sources.website.fetcher import Fetcher, FetchFailed, Reply
from sourcebook.providers.sources.website.llms_txt import is_llms_txt, read_llms_txt
from sourcebook.providers.sources.website.options import Discovery
from sourcebook.providers.sources.website.robots import MAX_ROBOTS_BYTES, Robots
from sourcebook.providers.sources.website.sitemaps import (
    MAX_SITEMAP_BYTES,
    SitemapUnreadable,
    read_sitemap,
)

MAX_LLMS_BYTES = 4 * 1024 * 1024
MAX_SITEMAPS = 200
MAX_LISTED = 200_000
_OK, _FIRST_CLIENT_ERROR, _FIRST_SERVER_ERROR = 200, 400, 500


@dataclass(frozen=True, slots=True)
class Site:
    """A website that answers: the address of its first page, the scope, and its rules."""

    start: str
    scope: Scope
    robots: Robots


@dataclass(frozen=True, slots=True)
class PageLists:
    """What the site lists. `markdown` has the address of a page's markdown, by the page's own.

    `in_sitemap` counts only if the sitemaps are `complete`: all of them could be read.
    """

    pages: tuple[str, ...] = ()
    markdown: dict[str, str] = field(default_factory=dict)
    in_sitemap: frozenset[str] = frozenset()
    complete: bool = False
    problems: tuple[FileProblem, ...] = ()


async def find_site(fetcher: Fetcher, address: str) -> Site:
    """Look at robots.txt and the first page; SourceUnavailable if the site cannot be read."""
    start = canonical_address(address)
    if start is None:
        raise SourceUnavailable(
            f"{address[:200]!r} is no address of a website: use the form https://docs.example.org"
        )  # its credentials, if it had any, were refused before
    robots = await _robots(fetcher, start)
    landed = await _landing(fetcher, start, robots)
    if Scope.around(landed).origin != Scope.around(start).origin:
        robots = await _robots(fetcher, landed)
    _check_allowed(robots, landed)
    fetcher.pace.interval_s = max(fetcher.pace.interval_s, robots.delay_s)
    return Site(landed, Scope.around(landed), robots)


async def list_pages(fetcher: Fetcher, site: Site, discovery: Discovery) -> PageLists:
    """Return the pages in the scope that the site lists; none if it lists none."""
    linked = await _llms_links(fetcher, site) if discovery in {"auto", "llms"} else ()
    sitemaps = _Sitemaps(fetcher, site)
    if discovery in {"auto", "sitemap"}:
        await sitemaps.read()
    return _joined(site.scope, linked, sitemaps)


def _joined(scope: Scope, linked: Sequence[str], sitemaps: "_Sitemaps") -> PageLists:
    """Join both lists. A page that one names by its markdown has its own address in the other."""
    in_sitemap = [address for address in sitemaps.pages if scope.holds(address)]
    by_key = {twin_key(address): address for address in reversed(in_sitemap)}
    pages: dict[str, None] = {}
    markdown: dict[str, str] = {}
    for address in (address for address in linked if scope.holds(address)):
        page = by_key.get(twin_key(address), address)
        pages[page] = None
        if is_markdown_address(address):
            markdown[page] = address
    pages |= dict.fromkeys(in_sitemap)
    return PageLists(
        tuple(pages),
        markdown,
        frozenset(in_sitemap),
        bool(in_sitemap) and not sitemaps.problems,
        tuple(sitemaps.problems),
    )


async def _landing(fetcher: Fetcher, start: str, robots: Robots) -> str:
    """Return where the first page is, after redirects within the site."""
    _check_allowed(robots, start)
    try:
        reply = await fetcher.follow(start)
    except FetchFailed as error:
        raise SourceUnavailable(f"The website {start!r} cannot be read: {error}") from error
    if not is_same_site(start, reply.address):
        raise SourceUnavailable(
            f"{start!r} leads to another site, {reply.address!r}. Name that one if you mean it"
        )
    if reply.status != _OK:
        raise SourceUnavailable(
            f"The website {start!r} answers with status {reply.status}. Check the address"
        )
    return reply.address


def _check_allowed(robots: Robots, address: str) -> None:
    if not robots.allows(address):
        raise SourceUnavailable(
            f"The site's robots.txt does not allow {address!r} to be read by programs. Ask its"
            " owner, or index the files that it is made from"
        )


async def _robots(fetcher: Fetcher, address: str) -> Robots:
    """Read robots.txt. Without one all is allowed; while it cannot be read, nothing is."""
    try:
        reply = await fetcher.follow(urljoin(address, "/robots.txt"), max_bytes=MAX_ROBOTS_BYTES)
    except FetchFailed as error:
        raise SourceUnavailable(
            f"The robots.txt of {_host(address)!r} cannot be read: {error}"
        ) from error
    if reply.status >= _FIRST_SERVER_ERROR:
        raise SourceUnavailable(
            f"The robots.txt of {_host(address)!r} cannot be read: status {reply.status}. Try"
            " again later"
        )
    return Robots.read(reply.content if reply.status == _OK else b"")


async def _llms_links(fetcher: Fetcher, site: Site) -> tuple[str, ...]:
    """Return the addresses of the first llms.txt: beside the first page, or at the root."""
    places = dict.fromkeys(urljoin(site.start, at) for at in ("llms.txt", "/llms.txt"))
    for place in places:
        reply = await _optional(fetcher, site, place, MAX_LLMS_BYTES)
        text = "" if reply is None else reply.content.decode("utf-8", "replace")
        if reply is not None and is_llms_txt(text):
            found = (canonical_address(link, reply.address) for link in read_llms_txt(text))
            return tuple(dict.fromkeys(address for address in found if address))
    return ()


async def _optional(fetcher: Fetcher, site: Site, address: str, max_bytes: int) -> Reply | None:
    if not site.robots.allows(address):
        return None
    try:
        reply = await fetcher.follow(address, max_bytes=max_bytes)
    except FetchFailed:
        return None
    return reply if reply.status == _OK else None


class _Sitemaps:
    """Reads sitemaps and those that they name, each once."""

    def __init__(self, fetcher: Fetcher, site: Site) -> None:
        self._fetcher = fetcher
        self._site = site
        self.pages: dict[str, None] = {}
        self.problems: list[FileProblem] = []

    async def read(self) -> None:
        """Read what robots.txt names, else the usual place."""
        named = [canonical_address(each, self._site.start) for each in self._site.robots.sitemaps]
        guessed = urljoin(self._site.start, "/sitemap.xml")
        waiting = [address for address in named if address] or [guessed]
        seen = set(waiting)
        while waiting:
            address = waiting.pop(0)
            more = await self._read_one(address, named=bool(named) or address != guessed)
            new = [each for each in more if each not in seen]
            if len(seen) + len(new) > MAX_SITEMAPS or len(self.pages) > MAX_LISTED:
                self._warn(address, f"the site has more than {MAX_SITEMAPS} sitemaps")
                return
            seen |= set(new)
            waiting += new

    async def _read_one(self, address: str, *, named: bool) -> list[str]:
        """Read one sitemap, and return the others that it names."""
        try:
            reply = await self._fetcher.follow(address, max_bytes=MAX_SITEMAP_BYTES)
            if not named and _FIRST_CLIENT_ERROR <= reply.status < _FIRST_SERVER_ERROR:
                return []  # nobody said that there is one
            if reply.status != _OK:
                raise FetchFailed(f"it answers with status {reply.status}")
            found = read_sitemap(reply.content)
        except (FetchFailed, SitemapUnreadable) as error:
            self._warn(address, str(error))
            return []
        pages = (canonical_address(page, reply.address) for page in found.pages)
        self.pages |= dict.fromkeys(page for page in pages if page)
        further = (canonical_address(each, reply.address) for each in found.sitemaps)
        return [each for each in further if each]

    def _warn(self, address: str, reason: str) -> None:
        self.problems.append(
            FileProblem(urlsplit(address).path.lstrip("/"), f"The sitemap cannot be used: {reason}")
        )


def _host(address: str) -> str:
    return urlsplit(address).netloc
