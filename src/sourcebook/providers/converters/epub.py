"""Converts electronic books (EPUB): their chapters in reading order, with the file of each."""

import posixpath
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import replace
from urllib.parse import unquote

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.archives import open_archive, read_part
from sourcebook.providers.converters.html import convert_source
from sourcebook.providers.converters.text import decode_text
from sourcebook.providers.converters.text_builder import TextBuilder, anchored

_CONTAINER = "META-INF/container.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html"})


def convert(content: bytes) -> ConvertedDocument:
    """Convert a book."""
    with open_archive(content) as archive:
        package_path = _package_path(archive)
        package = _parsed(read_part(archive, package_path))
        builder = TextBuilder()
        for path in _chapters(package, posixpath.dirname(package_path)):
            source, _ = decode_text(read_part(archive, path))
            chapter = convert_source(source)
            if chapter.text.strip():
                builder.add_document(_located(chapter, path))
        return builder.build(_found(package, "title"))


def _located(chapter: ConvertedDocument, path: str) -> ConvertedDocument:
    """Return a chapter whose anchors name its file, and the heading's id where it has one."""
    named = [(place.start, f"{path}#{place.anchor}") for place in chapter.locations]
    begins = [] if named and named[0][0] == 0 else [(0, path)]
    return replace(chapter, locations=anchored([*begins, *named], len(chapter.text)))


def _package_path(archive: zipfile.ZipFile) -> str:
    for element in _parsed(read_part(archive, _CONTAINER)).iter():
        if element.tag.rpartition("}")[2] == "rootfile":
            return element.get("full-path", "")
    raise BookUnreadable("The book does not say where its chapters are; it is damaged")


def _chapters(package: ET.Element, folder: str) -> list[str]:
    """Return the paths of the chapters, as the spine orders them."""
    pages: dict[str, str] = {}
    order: list[str] = []
    for element in package.iter():
        match element.tag.rpartition("}")[2]:
            case "item" if element.get("media-type") in _PAGES:
                pages[element.get("id", "")] = unquote(element.get("href", ""))
            case "itemref":
                order.append(element.get("idref", ""))
    return [posixpath.normpath(posixpath.join(folder, pages[id_])) for id_ in order if id_ in pages]


def _found(package: ET.Element, name: str) -> str | None:
    elements = (one for one in package.iter() if one.tag.rpartition("}")[2] == name)
    return next((one.text for one in elements if one.text), None)


def _parsed(xml: bytes) -> ET.Element:
    try:
        return ET.fromstring(xml)  # noqa: S314 - open_archive refuses entities
    except ET.ParseError:
        raise BookUnreadable("The book's table of contents is damaged") from None
