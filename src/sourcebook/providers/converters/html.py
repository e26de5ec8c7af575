"""Converts web pages: chooses the content, and keeps headings, lists, tables, code and anchors."""

import re
from dataclasses import replace

from html_to_markdown import ConversionOptions
from html_to_markdown import convert as to_markdown
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from sourcebook.core.documents import ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.html_definitions import (
    MARKS,
    mark_definitions,
    write_definitions,
)
from sourcebook.providers.converters.html_navigation import drop_navigation
from sourcebook.providers.converters.html_text import last_written, text_up_to
from sourcebook.providers.converters.text import decode_text
from sourcebook.providers.converters.text_builder import anchored, clean, clean_title
from sourcebook.text.markup import script_signs

# What is never content, wherever it stands.
_NOISE = (
    "script, style, noscript, template, iframe, object, embed, svg, canvas, form, button, dialog,"
    " nav, [role=navigation], [role=search], [aria-hidden=true], [hidden],"
    " a.headerlink, a.hash-link, a.anchor, a.anchorjs-link, .sr-only, .visually-hidden"
)
# What frames a page, but may be content inside an article.
_FRAME = "header, footer, aside, [role=banner], [role=contentinfo], [role=complementary]"
_CONTENT = ("main", "[role=main]", "article", "#content", ".content")
# A candidate with less of the page's text is a teaser, not the content.
MIN_CONTENT_SHARE = 0.25
MAX_DEPTH = 500
# Longer text is not raised as an exponent is.
MAX_SCRIPT = 60
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.I)
# Stand around the number of an anchor while the text is converted; no page has a use for them.
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_RESERVED = re.compile(f"[{_OPEN}{_CLOSE}{MARKS}]")
_BLANK_LINES = re.compile(r"\n{3,}")


def convert(content: bytes) -> ConvertedDocument:
    """Convert a page."""
    return convert_page(content)


def convert_page(content: bytes, selector: str = "") -> ConvertedDocument:
    """Convert a page; with a CSS selector, only the elements that it finds.

    BookUnreadable if the selector cannot be read or finds nothing.
    """
    charset = _CHARSET.search(content[:4096])
    source, warnings = decode_text(content, charset[1].decode().lower() if charset else None)
    document = convert_source(source, selector)
    return replace(document, warnings=warnings)


def convert_source(source: str, selector: str = "") -> ConvertedDocument:
    """Convert the source text of a page."""
    page = LexborHTMLParser(_RESERVED.sub("", clean(source)))
    title = _title(page)
    for noise in page.css(_NOISE):
        noise.decompose()
    content = _selected(page, selector) if selector else _content(page)
    anchors: list[str] = []
    for element in content:
        _simplify(element)
        drop_navigation(element)
        mark_definitions(element)
        _mark_anchors(element, anchors)
    markup = "\n".join(element.html or "" for element in content)
    options = ConversionOptions(extract_metadata=False, max_depth=MAX_DEPTH)
    converted = write_definitions(clean(to_markdown(markup, options).content or ""))
    text, locations = _located(converted, anchors)
    return ConvertedDocument(text, locations, title)


def _title(page: LexborHTMLParser) -> str | None:
    named = page.css_first("meta[property='og:title']")
    given = named.attributes.get("content") if named is not None else None
    element = page.css_first("head > title") or page.css_first("title")
    return clean_title(given) or (clean_title(element.text()) if element is not None else None)


def _selected(page: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        found = page.css(selector)
    except SelectolaxError:
        raise BookUnreadable(f"The selector {selector[:100]!r} is no CSS selector") from None
    if not found:
        raise BookUnreadable(f"The selector {selector[:100]!r} finds nothing in the page")
    return found


def _content(page: LexborHTMLParser) -> list[LexborNode]:
    """Choose the element that holds the content: the first kind with enough of the text."""
    body = page.body
    if body is None:
        return []
    enough = MIN_CONTENT_SHARE * len(body.text())
    for selector in _CONTENT:
        found = page.css(selector)
        if len(found) == 1 and len(found[0].text()) >= enough:
            return found
    for frame in body.css(_FRAME):
        if not _is_inside_article(frame):
            frame.decompose()
    return [body]


def _is_inside_article(element: LexborNode) -> bool:
    parent = element.parent
    while parent is not None:
        if parent.tag in {"article", "main"}:
            return True
        parent = parent.parent
    return False


def _simplify(element: LexborNode) -> None:
    """Replace pictures by what they are called, links in code and raised text by their text."""
    for image in element.css("img, picture, video, audio"):
        image.replace_with(image.attributes.get("alt") or "")
    _write_signs(element)
    inside: set[int] = set()
    for code in element.css("pre"):
        if code.mem_id not in inside:
            inside.update(one.mem_id for one in code.css("pre"))
            for link in code.css("a"):
                link.unwrap()


def _write_signs(element: LexborNode) -> None:
    """Show raised and lowered text by signs, as in `2^n`; links to notes stay links."""
    for script in element.css("sup, sub"):
        before = script.prev
        inside = text_up_to(script, MAX_SCRIPT)
        if before is None or not inside or len(script.css("a, sup, sub")) > 1:
            continue
        above = before.text_content or "" if before.tag == "-text" else last_written(before)
        opening, closing = script_signs(script.tag or "", above[-1:], inside)
        if opening:
            script.replace_with(f"{opening}{inside}{closing}")


def _mark_anchors(element: LexborNode, anchors: list[str]) -> None:
    """Write the number of each heading's anchor into the heading."""
    for heading in element.css("h1, h2, h3, h4, h5, h6"):
        anchor = _anchor(heading)
        if anchor:
            heading.insert_child(f"{_OPEN}{len(anchors)}{_CLOSE}")
            anchors.append(anchor)


def _anchor(heading: LexborNode) -> str | None:
    """Return the id of a heading, of something in it or before it, or of the section it begins."""
    own = heading.attributes.get("id")
    if own:
        return own
    for inside in heading.css("[id], a[name]"):
        return inside.attributes.get("id") or inside.attributes.get("name")
    before = _before(heading)
    if before is not None and before.tag == "a" and not before.text().strip():
        return before.attributes.get("id") or before.attributes.get("name")
    parent = heading.parent
    if parent is not None and parent.tag in {"section", "div", "article"}:
        first = parent.css_first("h1, h2, h3, h4, h5, h6")
        if first is not None and first.mem_id == heading.mem_id:
            return parent.attributes.get("id")
    return None


def _before(heading: LexborNode) -> LexborNode | None:
    """Return what stands before a heading, blank text aside."""
    before = heading.prev
    while before is not None and before.tag == "-text" and not before.text().strip():
        before = before.prev
    return before


def _located(marked: str, anchors: list[str]) -> tuple[str, tuple[Location, ...]]:
    """Take the marks out of the text; each anchor counts from its heading to the next one."""
    marked = _BLANK_LINES.sub("\n\n", marked).strip() + "\n"
    pieces: list[str] = []
    found: list[tuple[int, str]] = []
    length = end = 0
    for mark in _MARK.finditer(marked):
        pieces.append(marked[end : mark.start()])
        length += len(pieces[-1])
        end = mark.end()
        line_start = marked.rfind("\n", 0, mark.start()) + 1
        found.append((length - (mark.start() - line_start), anchors[int(mark[1])]))
    text = "".join(pieces) + marked[end:]
    return text, anchored(found, len(text))
