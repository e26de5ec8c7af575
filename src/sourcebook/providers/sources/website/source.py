"""Reads a book from a website: its pages as HTML or markdown, and the PDFs they lead to."""

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from sourcebook.core.book_source import At, BookTree, Listing, SourceFile, report_nothing
from sourcebook.core.errors import BookUnreadable, ConfigurationError
from sourcebook.providers.outbound.client import Resolve, resolve_by_system
from sourcebook.providers.outbound.destinations import Policy, UrlRefused, parse_url
from sourcebook.providers.sources.website.addresses import page_path, twin_key
from sourcebook.providers.sources.website.crawl import Crawl, CrawledSite
from sourcebook.providers.sources.website.discovery import PageLists, find_site, list_pages
from sourcebook.providers.sources.website.fetcher import REPLY_TIMEOUT_S, Sleep, open_fetcher
from sourcebook.providers.sources.website.heading_ids import with_heading_ids
from sourcebook.providers.sources.website.html_page import check_selector, cut_out_content
from sourcebook.providers.sources.website.options import SiteOptions
from sourcebook.providers.sources.website.page_store import (
    Kind,
    KnownPage,
    PageStore,
    StoredReply,
    open_page_store,
)
from sourcebook.providers.sources.website.visitor import Visitor

_UNSAFE = re.compile(r"[^A-Za-z0-9.-]")


class WebsiteSource:
    """Implements `BookSource`: the pages of a website, below the address of its first one.

    What was fetched is kept in `cache_dir`, so that the next time only changes are.
    """

    def __init__(
        self,
        address: str,
        options: SiteOptions,
        policy: Policy,
        cache_dir: Path,
        *,
        resolve: Resolve = resolve_by_system,
        sleep: Sleep = asyncio.sleep,
        reply_timeout_s: float = REPLY_TIMEOUT_S,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        _check_address(address)
        if options.selector is not None:
            check_selector(options.selector)
        self._address = address
        self._options = options
        self._policy = policy
        self._file = cache_dir / _file_name(address)
        self._resolve = resolve
        self._sleep = sleep
        self._reply_timeout_s = reply_timeout_s
        self._now_s = now_s

    @asynccontextmanager
    async def open(self, at: At = report_nothing) -> AsyncIterator[BookTree]:
        """Fetch what has changed since the last time, and list the pages."""
        store = await asyncio.to_thread(open_page_store, self._file)
        try:
            crawled = await self._crawl(store, at)
            pages = await asyncio.to_thread(_listed_pages, crawled, store)
            await asyncio.to_thread(store.replace_pages, crawled.pages)
            about = await asyncio.to_thread(store.sizes_and_kinds)
            listing = _listing(pages, about, crawled, self._address)
            yield _SiteTree(store, listing, pages, self._options.selector)
        finally:
            await asyncio.to_thread(store.close)

    async def _crawl(self, store: PageStore, at: At) -> CrawledSite:
        options = self._options
        known = await asyncio.to_thread(store.pages)
        fetching = open_fetcher(
            self._policy,
            options.requests_per_s,
            self._resolve,
            self._sleep,
            self._reply_timeout_s,
        )
        async with fetching as fetcher:
            site = await find_site(fetcher, self._address)
            lists = PageLists()
            if options.discovery != "links":
                lists = await list_pages(fetcher, site, options.discovery)
            visitor = Visitor(
                fetcher,
                store,
                site,
                prefer_markdown=options.selector is None,
                pdfs=options.pdfs,
            )
            return await Crawl(site, visitor, options, known, now_s=self._now_s(), at=at).run(lists)


class _SiteTree:
    """The pages that were listed, with the texts that the store has of them."""

    def __init__(
        self,
        store: PageStore,
        listing: Listing,
        pages: Mapping[str, KnownPage],
        selector: str | None,
    ) -> None:
        self._store = store
        self._listing = listing
        self._pages = pages
        self._selector = selector

    @property
    def listing(self) -> Listing:
        return self._listing

    async def read(self, path: str) -> bytes:
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: str) -> bytes:
        page = self._pages.get(path)
        reply = None if page is None else self._store.reply(page.content_address)
        if reply is None:
            raise BookUnreadable(f"There is no page {path[:200]!r} in the book's listing")
        if reply.kind == "pdf":
            return reply.content
        if reply.kind == "markdown":
            return self._markdown(page, reply)
        content = cut_out_content(reply.text, self._selector)
        if content is None:
            raise BookUnreadable(
                f"The page has no element that fits the selector {self._selector!r}"
            )
        return content

    def _markdown(self, page: KnownPage | None, reply: StoredReply) -> bytes:
        """Return the markdown of a page, with the ids of its headings if its HTML is known."""
        html = None if page is None else self._store.reply(page.address)
        if html is None or html.kind != "html":
            return reply.content
        return with_heading_ids(reply.text, html.text).encode()


def _listed_pages(crawled: CrawledSite, store: PageStore) -> dict[str, KnownPage]:
    """Return the pages by path, each once: `/guide` and `/guide/` may be the same page."""
    unseen = frozenset(crawled.unseen)
    by_path: dict[str, KnownPage] = {}
    by_key: dict[str, KnownPage] = {}
    for address, page in crawled.pages.items():
        if address in unseen:
            continue
        other = by_key.setdefault(twin_key(address), page)
        if other is not page and _content(store, other) == _content(store, page):
            continue
        by_path.setdefault(page_path(address), page)
    return by_path


def _content(store: PageStore, page: KnownPage) -> bytes | None:
    reply = store.reply(page.content_address)
    return None if reply is None else reply.content


def _listing(
    pages: Mapping[str, KnownPage],
    about: Mapping[str, tuple[int, Kind]],
    crawled: CrawledSite,
    source: str,
) -> Listing:
    return Listing(
        files=tuple(
            _file(path, page, *about.get(page.content_address, (0, "html")))
            for path, page in pages.items()
        ),
        problems=crawled.problems,
        unseen=tuple(page_path(address) for address in crawled.unseen),
        other_files=crawled.other_files,
        source=source,
    )


def _file(path: str, page: KnownPage, size: int, kind: Kind) -> SourceFile:
    return SourceFile(path, size, page.address, is_markdown=kind == "markdown")


def _check_address(address: str) -> None:
    try:
        parse_url(address)
    except UrlRefused as error:
        # Never the address itself: it may hold credentials.
        raise ConfigurationError(f"The website's address cannot be used: {error}") from None


def _file_name(address: str) -> str:
    host = _UNSAFE.sub("_", urlsplit(address).netloc)[:80]
    return f"{host}-{hashlib.sha256(address.encode()).hexdigest()[:16]}.db"
