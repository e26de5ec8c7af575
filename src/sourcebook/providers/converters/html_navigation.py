"""Drops what only leads to other places: tables of contents, menus before the first heading."""

from itertools import takewhile

from selectolax.lexbor import LexborNode

from sourcebook.providers.converters.html_text import is_blank, last_written, written

_HEADINGS = "h1, h2, h3, h4, h5, h6"
# White space, line breaks and empty elements beside a link; more of them are no table of contents.
MAX_BLANKS = 20
# What a link may be alone in without being the name of something.
_BLOCKS = frozenset({"p", "li", "ul", "ol", "div"})
_HOLDERS = _BLOCKS | {"span", "b", "i", "em", "strong", "small"}
_NAMES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "td", "th", "caption", "pre"})


def drop_navigation(element: LexborNode) -> None:
    """Drop the blocks that are a link into the page, and lists of links that come first."""
    outermost: dict[int, LexborNode] = {}
    # From the end: an item may hold a list of such items.
    for link in reversed(element.css("a[href^='#']")):
        block = _held_alone(link)
        if block is not None and not _is_introduced(block, outermost):
            _take_out(block)
    for menu in _menus(element):
        _take_out(menu)


def _take_out(block: LexborNode) -> None:
    # Not decomposed: links that are still to be looked at may stand in it.
    block.replace_with("")


def _held_alone(link: LexborNode) -> LexborNode | None:
    """Return the outermost block that holds nothing but a link; None if a heading does."""
    if is_blank(link):
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
            if not is_blank(beside):
                return False
            beside = getattr(beside, step)
        if beside is not None:
            return False
    return True


def _is_introduced(block: LexborNode, outermost: dict[int, LexborNode]) -> bool:
    """Return whether a sentence leads to the list that a block is in, or to the block."""
    first = _outermost_list(block, outermost)
    before = first.prev
    while before is not None and is_blank(before):
        before = before.prev
    return before is not None and last_written(before).endswith(":")


def _outermost_list(block: LexborNode, known: dict[int, LexborNode]) -> LexborNode:
    """Return the outermost list around a block, or the block; no list is climbed twice."""
    inside, around, climbed = block, block.parent, [block.mem_id]
    while inside.mem_id not in known and around is not None and around.tag in {"li", "ul", "ol"}:
        climbed.append(around.mem_id)
        inside, around = around, around.parent
    outermost = known.get(inside.mem_id, inside)
    known.update(dict.fromkeys(climbed, outermost))
    return outermost


def _menus(element: LexborNode) -> list[LexborNode]:
    """Return the lists of nothing but links before the first heading, the outermost first."""
    blocks = element.css(f"ul, ol, {_HEADINGS}")
    lists = list(takewhile(lambda block: block.tag in {"ul", "ol"}, blocks))
    if not lists or len(lists) == len(blocks):
        return []
    linking: set[int] = set()
    for link in element.css("a[href]"):
        _note_around(link, linking)
    telling: set[int] = set()
    for node in element.traverse(include_text=True):
        if written(node):
            _note_around(node, telling)
    return [one for one in lists if one.mem_id in linking and one.mem_id not in telling]


def _note_around(node: LexborNode, noted: set[int]) -> None:
    """Note what a node is in, as far as a link around it; what is noted is not climbed again."""
    around = node.parent
    while around is not None and around.mem_id not in noted and not _is_link(around):
        noted.add(around.mem_id)
        around = around.parent


def _is_link(node: LexborNode) -> bool:
    return node.tag == "a" and "href" in node.attributes
