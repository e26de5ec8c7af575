"""Visits one page of a website: fetches its text if it has changed, and reads what it says."""

import asyncio
from dataclasses import dataclass
from typing import TypeAlias

from w3lib.encoding import html_to_unicode

from sourcebook.providers.sources.website.addresses import is_markdown_address, is_pdf_address
from sourcebook.providers.sources.website.discovery import Site
from sourcebook.providers.sources.website.fetcher import (
    MAX_PAGE_BYTES,
    Fetcher,
    FetchFailed,
    Reply,
)
from sourcebook.providers.sources.website.html_page import PageHead, read_head, robot_words
from sourcebook.providers.sources.website.page_store import Kind, PageStore, StoredReply

_OK, _NOT_MODIFIED = 200, 304
_GONE = frozenset({404, 410})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_PLAIN = frozenset({"text/plain", "application/octet-stream", ""})
_PDF = frozenset({"application/pdf", "application/x-pdf", "application/octet-stream", ""})
_PDF_MARK = b"%PDF-"
MAX_PDF_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """A page, whose text is in the store under `content_address`."""

    address: str
    content_address: str
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """The page has another address: a redirect or the page itself says so; then it has a text."""

    address: str
    to: str
    has_text: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """The site says that there is no such page."""

    address: str
    status: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The page could not be fetched now."""

    address: str
    reason: str


@dataclass(frozen=True, slots=True)
class NotAPage:
    """The address has something else, or a page that asks to be left out."""

    address: str
    links: tuple[str, ...] = ()
    is_hidden: bool = False


Visit: TypeAlias = Found | Moved | Gone | Failed | NotAPage


class Visitor:
    """Visits the pages of one site."""

    def __init__(
        self, fetcher: Fetcher, store: PageStore, site: Site, *, prefer_markdown: bool, pdfs: bool
    ) -> None:
        self._fetcher = fetcher
        self._store = store
        self._site = site
        self._prefer_markdown = prefer_markdown
        self._pdfs = pdfs

    async def visit(self, address: str, markdown: str | None = None) -> Visit:
        """Visit a page; `markdown` is where the site lists its markdown."""
        if markdown is not None and await self._has_markdown(markdown):
            return Found(address, markdown)
        found = await self._fetch(address)
        if not isinstance(found, StoredReply):
            return found
        if found.kind == "other" or (found.kind == "pdf" and not self._pdfs):
            return NotAPage(address)
        if found.kind in {"markdown", "pdf"}:
            return Found(address, address) if found.indexable else NotAPage(address, (), True)
        # In a thread: a large page takes long enough to keep others waiting.
        head = await asyncio.to_thread(read_head, found.text, address)
        return await self._judge(address, head, indexable=found.indexable and head.indexable)

    async def _judge(self, address: str, head: PageHead, *, indexable: bool) -> Visit:
        if not indexable:
            return NotAPage(address, head.links, is_hidden=True)
        if head.canonical is not None and self._is_elsewhere(address, head.canonical):
            return Moved(address, head.canonical, has_text=True)
        if (
            self._prefer_markdown
            and head.markdown is not None
            and self._may_fetch(head.markdown)
            and await self._has_markdown(head.markdown)
        ):
            return Found(address, head.markdown, head.links)
        return Found(address, address, head.links)

    def _is_elsewhere(self, address: str, canonical: str) -> bool:
        """A canonical link counts within the site; many sites name their first page everywhere."""
        return (
            canonical not in {address, self._site.start}
            and self._site.scope.holds(canonical)
            and self._site.robots.allows(canonical)
        )

    def _may_fetch(self, address: str) -> bool:
        return address.startswith(f"{self._site.scope.origin}/") and self._site.robots.allows(
            address
        )

    async def _has_markdown(self, address: str) -> bool:
        found = await self._fetch(address)
        return isinstance(found, StoredReply) and found.kind == "markdown" and found.indexable

    async def _fetch(self, address: str) -> StoredReply | Moved | Gone | Failed:
        """Return the text of an address, fetched anew only if it has changed."""
        known = await asyncio.to_thread(self._store.reply, address)
        max_bytes = MAX_PDF_BYTES if is_pdf_address(address) else MAX_PAGE_BYTES
        conditions = known.conditions if known else None
        try:
            reply = await self._fetcher.get(address, conditions, max_bytes=max_bytes)
        except FetchFailed as error:
            return Failed(address, str(error))
        if reply.status == _NOT_MODIFIED and known is not None:
            return known
        if reply.location is not None:
            return self._redirected(address, reply.location)
        if reply.status in _GONE:
            return Gone(address, reply.status)
        if reply.status != _OK:
            return Failed(address, f"the site answers with status {reply.status}")
        stored = await asyncio.to_thread(_stored, reply)
        await asyncio.to_thread(self._store.put_reply, stored)
        return stored

    def _redirected(self, address: str, to: str) -> Moved | Failed:
        if self._site.scope.holds(to) and self._site.robots.allows(to):
            return Moved(address, to)
        return Failed(address, f"it leads to {to[:200]!r}, which is not part of the site")


def _stored(reply: Reply) -> StoredReply:
    kind = _kind(reply)
    headers = reply.headers
    content = reply.content if kind == "pdf" else b""
    if kind in {"html", "markdown"}:
        _, text = html_to_unicode(
            headers.get("content-type"), reply.content, default_encoding="utf-8"
        )
        content = text.removeprefix("\ufeff").encode("utf-8", "replace")
    return StoredReply(
        address=reply.address,
        kind=kind,
        etag=headers.get("etag"),
        modified=headers.get("last-modified"),
        indexable=not robot_words(headers.get("x-robots-tag", "")) & {"noindex", "none"},
        content=content,
    )


def _kind(reply: Reply) -> Kind:
    media_type = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in _PDF and _PDF_MARK in reply.content[:1024]:
        return "pdf"
    if is_pdf_address(reply.address):
        return "other"  # such as a page that asks for a password
    if media_type in _HTML:
        return "html"
    if media_type in _MARKDOWN:
        return "markdown"
    if media_type in _PLAIN and is_markdown_address(reply.address):
        return "markdown"
    return "html" if not media_type and reply.content.lstrip()[:1] == b"<" else "other"
