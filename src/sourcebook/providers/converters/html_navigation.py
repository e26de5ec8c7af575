"""Drops what only leads to other places: tables of contents, menus before the first heading."""

from selectolax.lexbor import LexborNode

_HEADINGS = "h1, h2, h3, h4, h5, h6"
# What a link may be alone in without being the name of something.
_HOLDERS = frozenset({"p", "li", "ul", "ol", "div", "span", "b", "i", "em", "strong", "small"})


def drop_navigation(element: LexborNode) -> None:
    """Drop the blocks that are a link into the page, and lists of links that come first."""
    # From the end: an item may hold a list of such items.
    for link in reversed(element.css("a[href^='#']")):
        block = _held_alone(link)
        if block is not None and block.mem_id != element.mem_id and not _is_introduced(block):
            block.decompose()
    if element.css_first(_HEADINGS) is None:
        return
    for block in element.css(f"ul, ol, {_HEADINGS}"):
        if block.tag not in {"ul", "ol"}:
            return
        if _is_of_links(block):
            block.decompose()


def _held_alone(link: LexborNode) -> LexborNode | None:
    """Return the outermost block that holds nothing but a link; None if a heading does."""
    held, said = None, _letters(link)
    around = link.parent
    while around is not None and _letters(around) == said:
        if around.tag not in _HOLDERS:
            return held if around.tag in {"body", "section", "article", "main"} else None
        held = around if around.tag in {"p", "li", "ul", "ol", "div"} else held
        around = around.parent
    return held


def _is_introduced(block: LexborNode) -> bool:
    """Return whether a sentence leads to the list that a block is in, or to the block."""
    outermost, around = block, block.parent
    while around is not None and around.tag in {"li", "ul", "ol"}:
        outermost, around = around, around.parent
    before = outermost.prev
    while before is not None and not before.text().strip():
        before = before.prev
    return before is not None and before.text().rstrip().endswith(":")


def _is_of_links(block: LexborNode) -> bool:
    links = block.css("a[href]")
    return bool(links) and _letters(block) == "".join(map(_letters, links))


def _letters(node: LexborNode) -> str:
    return "".join(node.text().split())
