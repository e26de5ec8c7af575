"""Reads what stands at each place of a file, by other means than the converters.

The words of PDFs come from PDFium one by one; sections from the parsers of the standard library.
"""

import csv
import io
import json
import posixpath
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from docutils.core import publish_string
from liteparse import LiteParse
from pptx import Presentation

from bench.documents.source import words_of

MAX_PAGES = 5_000
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(frozen=True, slots=True)
class PageWord:
    """A word, and its middle in shares of the page's size."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a file in its order: text, the name of a place, or the beginning of a heading."""

    text: str = ""
    anchor: str | None = None
    is_heading: bool = False


def words_on_pages(content: bytes, columns: int = 1) -> list[list[PageWord]]:
    """Return the words of each page of a PDF, column by column."""
    parser = LiteParse(
        ocr_enabled=False, quiet=True, max_pages=MAX_PAGES, num_workers=1, emit_word_boxes=True
    )
    pages = [
        [
            PageWord(
                each,
                (word.x + word.width / 2) / page.width,
                (word.y + word.height / 2) / page.height,
            )
            for item in page.text_items
            for word in item.words
            for each in words_of(word.text)
        ]
        for page in parser.parse(content).pages
    ]
    return [sorted(words, key=lambda word: int(word.x * columns)) for words in pages]


def texts_at_places(content: bytes, ending: str) -> Mapping[str | int, str]:
    """Return the words at each slide, row, cell or anchor; empty if a format has no places."""
    read = _READERS.get(ending)
    return {} if read is None else {place: _words(text) for place, text in read(content)}


def _words(text: str) -> str:
    return f" {' '.join(words_of(text))} "


def _slides(content: bytes) -> Iterator[tuple[int, str]]:
    for number, slide in enumerate(Presentation(io.BytesIO(content)).slides, 1):
        frames = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
        yield number, "\n".join(frames)


def _cells(content: bytes) -> Iterator[tuple[int, str]]:
    for number, cell in enumerate(json.loads(content)["cells"], 1):
        yield number, "".join(cell["source"])


def _rows(content: bytes) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(csv.reader(io.StringIO(content.decode(), newline="")), 1):
        yield number, " ".join(row)


def _sections(parts: list[_Part], file: str = "") -> Iterator[tuple[str, str]]:
    """Yield the text from each anchor to the heading after its own."""
    for at, part in enumerate(parts):
        if part.anchor is not None:
            anchor = f"{file}#{part.anchor}" if file else part.anchor
            yield anchor, " ".join(_section(parts, at))


def _section(parts: list[_Part], at: int) -> Iterator[str]:
    before = next((one for one in reversed(parts[:at]) if one.is_heading or one.text.strip()), None)
    own_seen = before is not None and before.is_heading
    for part in parts[at:]:
        if part.is_heading and own_seen:
            return
        own_seen = own_seen or part.is_heading
        yield part.text


class _HtmlParts(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.parts: list[_Part] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        anchor = dict(attrs).get("id")
        if anchor:
            self.parts.append(_Part(anchor=anchor))
        if tag in _HEADINGS:
            self.parts.append(_Part(is_heading=True))

    def handle_data(self, data: str) -> None:
        self.parts.append(_Part(data))


def _html(content: bytes) -> Iterator[tuple[str, str]]:
    return _sections(_HtmlParts(content.decode()).parts)


def _rst(content: bytes) -> Iterator[tuple[str, str]]:
    settings = {"report_level": 5, "syntax_highlight": "none", "embed_stylesheet": False}
    return _html(publish_string(content, writer="html5", settings_overrides=settings))


def _epub(content: bytes) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if posixpath.splitext(name)[1] in {".xhtml", ".html"}:
                parts = _HtmlParts(archive.read(name).decode()).parts
                yield name, " ".join(part.text for part in parts)
                yield from _sections(parts, name)


def _docx(content: bytes) -> Iterator[tuple[str, str]]:
    return _sections([_word_part(one) for one in _elements(content, "word/document.xml")])


def _word_part(element: ET.Element) -> _Part:
    space, _, tag = element.tag.rpartition("}")
    match tag:
        case "bookmarkStart":
            return _Part(anchor=element.get(f"{space}}}name"))
        case "t":
            return _Part(element.text or "")
        case "p":
            return _Part("\n")
        case "pStyle":
            name = element.get(f"{space}}}val") or ""
            return _Part(is_heading=name.lower().startswith("heading"))
    return _Part()


def _odt(content: bytes) -> Iterator[tuple[str, str]]:
    parts: list[_Part] = []
    for element in _elements(content, "content.xml"):
        space, _, tag = element.tag.rpartition("}")
        if tag in {"h", "p"}:
            names = (one.get(f"{space}}}name") for one in element.iter() if "bookmark" in one.tag)
            parts += [_Part(anchor=name) for name in names if name]
            parts.append(_Part(is_heading=tag == "h"))
            parts.append(_Part("\n" + "".join(element.itertext())))
    return _sections(parts)


def _elements(content: bytes, part: str) -> Iterator[ET.Element]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return ET.fromstring(archive.read(part)).iter()  # noqa: S314 - a file of our own


_READERS: Mapping[str, Callable[[bytes], Iterator[tuple[str | int, str]]]] = {
    "pptx": _slides,
    "ipynb": _cells,
    "csv": _rows,
    "html": _html,
    "rst": _rst,
    "epub": _epub,
    "docx": _docx,
    "odt": _odt,
}
