"""Reads sitemaps: XML, lists of addresses, and both with gzip. Parses; fetches nothing."""

import zlib
from dataclasses import dataclass, field
from xml.parsers import expat

# The most that the protocol allows for one sitemap.
MAX_SITEMAP_BYTES = 50 * 1024 * 1024
MAX_SITEMAP_ADDRESSES = 50_000
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


class SitemapUnreadable(Exception):
    """The bytes are no sitemap, or a hostile one; the message says why."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The addresses that a sitemap lists: of pages, and of further sitemaps."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def read_sitemap(content: bytes, max_bytes: int = MAX_SITEMAP_BYTES) -> Sitemap:
    """Read a sitemap or an index of sitemaps; SitemapUnreadable."""
    if content.startswith(_GZIP):
        content = inflate(content, max_bytes)
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<"):
        return _read_xml(text)
    lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
    if not all(line.startswith(("http://", "https://")) for line in lines if line):
        raise SitemapUnreadable("it is neither XML nor a list of addresses")
    return Sitemap(tuple(line for line in lines if line)[:MAX_SITEMAP_ADDRESSES])


def inflate(content: bytes, max_bytes: int) -> bytes:
    """Decompress gzip; SitemapUnreadable if it is broken, or more than so many bytes."""
    inflater = zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain = inflater.decompress(content, max_bytes + 1)
    except zlib.error:
        raise SitemapUnreadable("its gzip data is broken") from None
    if len(plain) > max_bytes:
        raise SitemapUnreadable(f"it is larger than {max_bytes:,} bytes when it is unpacked")
    if not inflater.eof:
        raise SitemapUnreadable("its gzip data is cut off")
    return plain


@dataclass(slots=True)
class _Collector:
    """Takes the texts of `loc` elements that stand in `url` and `sitemap` elements."""

    pages: list[str] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)

    def start(self, name: str, _: object) -> None:
        self._open.append(_local(name))
        self._text = []

    def end(self, _: str) -> None:
        if self._open[-2:] == ["url", "loc"]:
            self.pages.append("".join(self._text).strip())
        elif self._open[-2:] == ["sitemap", "loc"]:
            self.sitemaps.append("".join(self._text).strip())
        self._open.pop()
        if len(self.pages) + len(self.sitemaps) > MAX_SITEMAP_ADDRESSES:
            raise SitemapUnreadable(f"it lists more than {MAX_SITEMAP_ADDRESSES:,} addresses")

    def text(self, data: str) -> None:
        if self._open[-1:] == ["loc"]:
            self._text.append(data)


def _read_xml(text: bytes) -> Sitemap:
    collector, parser = _Collector(), expat.ParserCreate()
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise SitemapUnreadable(f"it is not valid XML ({error})") from None
    return Sitemap(tuple(collector.pages), tuple(collector.sitemaps))


def _refuse_entity(*_: object) -> None:
    # Entities of entities grow without end, and others are files of this machine.
    raise SitemapUnreadable("it declares entities, which no sitemap needs")


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()
