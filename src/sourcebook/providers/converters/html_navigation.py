"""Drops what only leads to other places: tables of contents, menus before the first heading."""

from selectolax.lexbor import LexborNode

_HEADINGS = "h1, h2, h3, h4, h5, h6"
# What a link may be alone in without being the name of something.
# White space, line breaks and empty elements beside a link; more of them are no table of contents.
MAX_BLANKS = 20
_BLOCKS = frozenset({"p", "li", "ul", "ol", "div"})
_HOLDERS = _BLOCKS | {"span", "b", "i", "em", "strong", "small"}
_NAMES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "td", "th", "caption", "pre"})


def drop_navigation(element: LexborNode) -> None:
    """Drop the blocks that are a link into the page, and lists of links that come first."""
    introduced: dict[int, bool] = {}
    # From the end: an item may hold a list of such items.
    for link in reversed(element.css("a[href^='#']")):
        block = _held_alone(link)
        if block is not None and not _is_introduced(block, introduced):
            _take_out(block)
    if element.css_first(_HEADINGS) is None:
        return
    for block in element.css(f"ul, ol, {_HEADINGS}"):
        if block.tag not in {"ul", "ol"}:
            return
        if _is_of_links(block):
            _take_out(block)


def _take_out(block: LexborNode) -> None:
    # Not decomposed: links that are still to be looked at may stand in it.
    block.replace_with("")


def _held_alone(link: LexborNode) -> LexborNode | None:
    """Return the outermost block that holds nothing but a link; None if a heading does."""
    if not link.text().strip():
        return None
    held: LexborNode | None = None
    inside, around = link, link.parent
    while around is not None and around.tag in _HOLDERS and _is_alone(inside):
        held = around if around.tag in _BLOCKS else held
        inside, around = around, around.parent
    is_name = around is None or around.tag in _NAMES
    return None if is_name else held


def _is_alone(node: LexborNode) -> bool:
    """Return whether all beside a node is blank, of as much as is worth looking at."""
    for step in ("prev", "next"):
        beside = getattr(node, step)
        for _ in range(MAX_BLANKS):
            if beside is None:
                break
            if beside.text().strip():
                return False
            beside = getattr(beside, step)
        if beside is not None:
            return False
    return True


def _is_introduced(block: LexborNode, known: dict[int, bool]) -> bool:
    """Return whether a sentence leads to the list that a block is in, or to the block."""
    outermost, around = block, block.parent
    while around is not None and around.tag in {"li", "ul", "ol"}:
        outermost, around = around, around.parent
    if outermost.mem_id not in known:
        before = outermost.prev
        while before is not None and not before.text().strip():
            before = before.prev
        leads = before is not None and before.text().rstrip().endswith(":")
        known[outermost.mem_id] = leads
    return known[outermost.mem_id]


def _is_of_links(block: LexborNode) -> bool:
    links = block.css("a[href]")
    return bool(links) and _letters(block) == "".join(map(_letters, links))


def _letters(node: LexborNode) -> str:
    return "".join(node.text().split())
