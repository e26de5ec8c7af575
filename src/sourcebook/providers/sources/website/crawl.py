"""Visits the pages of a website and decides which of them make up the book."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from sourcebook.core.book_source import OTHER_KIND, OTHER_PATHS, At, FileProblem
from sourcebook.core.errors import SourceUnavailable
from sourcebook.ingestion.book.path_template import ExcludeTemplate
from sourcebook.providers.sources.website.addresses import is_pdf_address, page_path
from sourcebook.providers.sources.website.discovery import PageLists, Site
from sourcebook.providers.sources.website.options import SiteOptions
from sourcebook.providers.sources.website.page_store import KnownPage
from sourcebook.providers.sources.website.visitor import (
    Failed,
    Found,
    Gone,
    Moved,
    NotAPage,
    Visit,
    Visitor,
)

MAX_CONCURRENT = 8
MAX_REDIRECTS = 5
# When as many pages in a row fail, the site is down: it is left alone.
MAX_FAILED_IN_A_ROW = 10
# A site that is being put online again says of every page, for a while, that it does not exist.
MIN_GONE_S = 300.0

# Endings of what is no page, so that it need not be fetched to know that.
_OTHER_ENDINGS = frozenset(
    """
    .7z .avi .avif .bin .bmp .bz2 .css .csv .deb .dmg .doc .docx .eot .epub .exe .gif .gz .ico .iso
    .jar .jpeg .jpg .js .json .map .mjs .mov .mp3 .mp4 .msi .ogg .otf .pdf .png .ppt .pptx .rar
    .rpm .rss .svg .tar .tgz .tif .tiff .ttf .wasm .wav .webm .webmanifest .webp .whl .woff .woff2
    .xls .xlsx .xml .xz .zip
    """.split()  # noqa: SIM905 - a list of them would be 55 lines
)


@dataclass(frozen=True, slots=True)
class CrawledSite:
    """The pages of a site, what could not be fetched, and what was left out.

    `unseen` are the addresses of pages that may well exist: what is indexed of them stays.
    """

    pages: Mapping[str, KnownPage]
    unseen: tuple[str, ...]
    problems: tuple[FileProblem, ...]
    other_files: Mapping[str, int]


class PageFilter:
    """Decides which addresses are pages of the book, before they are fetched."""

    def __init__(self, site: Site, options: SiteOptions) -> None:
        self._site = site
        self._pdfs = options.pdfs
        self._include = [ExcludeTemplate(pattern) for pattern in options.include]
        self._exclude = [ExcludeTemplate(pattern) for pattern in options.exclude]

    def accepts(self, address: str) -> bool:
        path = page_path(address).partition("?")[0]
        return (
            self._site.scope.holds(address)
            and (not self._include or any(each.matches(path) for each in self._include))
            and not any(each.matches(path) for each in self._exclude)
            and self.other_kind(address) is None
            and self._site.robots.allows(address)
        )

    def other_kind(self, address: str) -> str | None:
        """Return the ending of an address that is not read, like `.png`."""
        return None if self._pdfs and is_pdf_address(address) else other_kind(address)


class Crawl:
    """One round through a site. `known` are the pages of the round before."""

    def __init__(
        self,
        site: Site,
        visitor: Visitor,
        options: SiteOptions,
        known: Mapping[str, KnownPage],
        *,
        now_s: float,
        at: At,
    ) -> None:
        self._site = site
        self._visitor = visitor
        self._options = options
        self._known = known
        self._now_s = now_s
        self._at = at
        self._filter = PageFilter(site, options)
        self._visits: dict[str, Visit] = {}
        self._failed_in_a_row = 0
        self._found = 0
        self._left = 0
        self._other: dict[str, str] = {}

    async def run(self, lists: PageLists) -> CrawledSite:
        """Visit what the site lists, else what its links lead to, and what was there before."""
        listed = [address for address in lists.pages if self._accepts(address)]
        # Those that are indexed come first, so that a limit does not push them out.
        listed.sort(key=lambda address: address not in self._known)
        if listed:
            await self._visit_levels(listed, lists, follow=False)
        else:
            await self._visit_levels([self._site.start], lists, follow=True)
        dropped = {page.address for page in self._known.values() if _is_dropped(page, lists)}
        rest = [
            address
            for address in self._known
            if address not in self._visits and address not in dropped and self._accepts(address)
        ]
        await self._visit_levels(rest, lists, follow=False)
        return self._result(lists, dropped)

    def _accepts(self, address: str) -> bool:
        kind = self._filter.other_kind(address)
        if kind is not None and self._site.scope.holds(address):
            self._other[address] = kind
        return self._filter.accepts(address)

    async def _visit_levels(
        self, addresses: Sequence[str], lists: PageLists, *, follow: bool
    ) -> None:
        """Visit these, then where they lead to: always by redirects, by links if `follow`.

        Links to PDFs always count: no list of pages has them.
        """
        level, depth, hops = list(dict.fromkeys(addresses)), 0, 0
        while level:
            visits = await self._visit_all(self._within_limit(level), lists)
            moved = [visit.to for visit in visits if isinstance(visit, Moved)]
            links = _links(visits)
            if not follow or depth >= self._options.max_depth:
                links = [link for link in links if is_pdf_address(link)]
            hops = hops + 1 if moved and not links else 0
            if hops > MAX_REDIRECTS:
                return
            depth += 1
            new = dict.fromkeys([*moved, *links])
            level = [each for each in new if each not in self._visits and self._accepts(each)]

    def _within_limit(self, level: list[str]) -> list[str]:
        room = max(0, self._options.max_pages - self._found)
        self._left += sum(address not in self._known for address in level[room:])
        return level[:room]

    async def _visit_all(self, level: Sequence[str], lists: PageLists) -> list[Visit]:
        slots = asyncio.Semaphore(MAX_CONCURRENT)

        async def visit(address: str) -> Visit:
            async with slots:
                return await self._visit(address, lists.markdown.get(address))

        tasks = [asyncio.create_task(visit(address)) for address in level]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _visit(self, address: str, markdown: str | None) -> Visit:
        self._at(page_path(address))
        visit = await self._visitor.visit(
            address, markdown if self._options.selector is None else None
        )
        self._visits[address] = visit
        self._failed_in_a_row = self._failed_in_a_row + 1 if isinstance(visit, Failed) else 0
        if isinstance(visit, Failed) and self._failed_in_a_row >= MAX_FAILED_IN_A_ROW:
            raise SourceUnavailable(
                f"{MAX_FAILED_IN_A_ROW} pages of {self._site.start!r} in a row could not be"
                f" fetched, so the rest was left alone. The last: {visit.reason}"
            )
        self._found += isinstance(visit, Found)
        return visit

    def _result(self, lists: PageLists, dropped: Collection[str]) -> CrawledSite:
        result = _Result(list(lists.problems), dict(self._known))
        for address in self._known:
            if address in dropped or not self._filter.accepts(address):
                del result.pages[address]
        for address, visit in self._visits.items():
            if self._filter.accepts(address):
                self._settle(visit, lists, result)
        if self._left:
            result.problems.append(
                FileProblem(
                    OTHER_PATHS,
                    f"{self._left:,} pages are left out: the limit is {self._options.max_pages:,}"
                    " (--max-pages)",
                )
            )
        counts = Counter(self._other.values())
        return CrawledSite(result.pages, tuple(result.unseen), tuple(result.problems), dict(counts))

    def _settle(self, visit: Visit, lists: PageLists, result: "_Result") -> None:
        """Decide what becomes of a page after its visit."""
        address = visit.address
        in_sitemap = address in lists.in_sitemap
        match visit:
            case Found():
                result.pages[address] = KnownPage(address, visit.content_address, in_sitemap)
            case Moved():
                self._settle_moved(visit, lists, result)
            case Failed():
                result.leave_unseen(address, f"The page cannot be fetched: {visit.reason}")
            case Gone():
                self._settle_gone(visit, result, is_listed=address in lists.pages)
            case NotAPage():
                result.pages.pop(address, None)
                if visit.is_hidden:
                    result.warn(address, "The page asks not to be indexed, so it is left out")
                else:
                    self._other[address] = OTHER_KIND

    def _settle_moved(self, visit: Moved, lists: PageLists, result: "_Result") -> None:
        address, end = visit.address, self._end_of(visit)
        match end:
            case Found() | NotAPage():
                result.pages.pop(address, None)
            case _ if visit.has_text:
                result.pages[address] = KnownPage(address, address, address in lists.in_sitemap)
            case Gone():
                gone = Gone(address, end.status)
                self._settle_gone(gone, result, is_listed=address in lists.pages)
            case None if not self._filter.accepts(visit.to):
                result.pages.pop(address, None)
            case _:
                result.leave_unseen(address, f"It leads to {visit.to!r}, which cannot be read")

    def _settle_gone(self, visit: Gone, result: "_Result", *, is_listed: bool) -> None:
        known = self._known.get(visit.address)
        if known is None:
            if is_listed:
                result.warn(visit.address, f"The site lists the page, and answers {visit.status}")
            return
        if known.missed_at_s is None:
            known = replace(known, missed_at_s=self._now_s)
        elif self._now_s - known.missed_at_s >= MIN_GONE_S:
            del result.pages[visit.address]
            return
        result.pages[visit.address] = known
        result.warn(
            visit.address,
            f"The site answers {visit.status}. The page stays for now; it is deleted if a later"
            f" run, {MIN_GONE_S / 60:.0f} minutes from now or more, gets the same answer",
        )

    def _end_of(self, moved: Moved) -> Visit | None:
        """Return what is at the end of the moves of a page; None if they never end."""
        visit: Visit | None = moved
        for _ in range(MAX_REDIRECTS + 1):
            if not isinstance(visit, Moved):
                return visit
            visit = self._visits.get(visit.to)
        return None


@dataclass(slots=True)
class _Result:
    """What a crawl has found so far."""

    problems: list[FileProblem]
    pages: dict[str, KnownPage]
    unseen: list[str] = field(default_factory=list)

    def warn(self, address: str, message: str) -> None:
        self.problems.append(FileProblem(page_path(address), message))

    def leave_unseen(self, address: str, message: str) -> None:
        self.warn(address, message)
        self.unseen.append(address)


def other_kind(address: str) -> str | None:
    """Return the ending of an address that is no page's, like `.png`."""
    _, dot, ending = urlsplit(address).path.rpartition("/")[2].rpartition(".")
    kind = (dot + ending).lower()
    return kind if kind in _OTHER_ENDINGS else None


def _links(visits: Iterable[Visit]) -> list[str]:
    return [link for visit in visits if isinstance(visit, Found | NotAPage) for link in visit.links]


def _is_dropped(page: KnownPage, lists: PageLists) -> bool:
    """Return whether the site took the page out of its sitemap."""
    return page.in_sitemap and lists.complete and page.address not in lists.pages
