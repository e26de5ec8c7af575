"""Gives the headings of a page's markdown the ids that they have in its HTML."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

from sourcebook.ingestion.chunking.headings import Slugger, plain_title

_LINE = re.compile(r"^(?: {0,3}(?P<fence>`{3,}|~{3,})| {0,3}#{1,6}[ \t]+(?P<title>.*)$)", re.M)
_HAS_ID = re.compile(r"\{#[^\s{}]+\}\s*$|(?:\{/\*|<!--)\s*#")
# What sites put into their headings to copy a link.
_LINKS = "a.headerlink, a.hash-link, a.anchor, button, svg, .sr-only"
_HEADINGS = "h1, h2, h3, h4, h5, h6"
_WORD = re.compile(r"\w+")
_USABLE_ID = re.compile(r"[^\s{}]{1,200}")


def with_heading_ids(markdown: str, html: str) -> str:
    """Return the markdown with `{#id}` after each heading whose id would be guessed wrong.

    Headings that the HTML does not have in the same order and words stay as they are.
    """
    ids = list(_ids(html))
    slugger = Slugger()
    pieces: list[str] = []
    reached = 0
    for title, end in _titles(markdown):
        guessed = slugger.anchor(title)
        words = _words(plain_title(title))
        at = next((at for at, (theirs, _) in enumerate(ids) if theirs == words), None)
        if at is None:
            continue
        own = ids[at][1]
        del ids[: at + 1]
        if own and own != guessed and not _HAS_ID.search(title):
            pieces += [markdown[reached:end], f" {{#{own}}}"]
            reached = end
    return "".join([*pieces, markdown[reached:]])


def _titles(markdown: str) -> Iterator[tuple[str, int]]:
    """Yield the headings outside of code, and where each ends."""
    fence = ""
    for line in _LINE.finditer(markdown):
        mark = line["fence"]
        if mark is not None:
            fence = "" if fence and mark.startswith(fence) else fence or mark
        elif not fence and (title := line["title"].rstrip(" \t")):
            yield title, line.start("title") + len(title)


def _ids(html: str) -> Iterator[tuple[str, str]]:
    tree = LexborHTMLParser(html)
    for link in tree.css(_LINKS):
        link.decompose()
    for heading in tree.css(_HEADINGS):
        own = heading.attributes.get("id")
        inside = heading.css_first("[id]")
        found = own or (inside.attributes.get("id") if inside is not None else None) or ""
        usable = found if _USABLE_ID.fullmatch(found) else ""
        yield _words(heading.text()), usable


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
