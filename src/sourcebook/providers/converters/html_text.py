"""Looks at as little of a node as tells how its text begins or ends.

To read all of it at each level takes quadratic time where a page nests thousands of them.
"""

from itertools import islice

from selectolax.lexbor import LexborNode

# So many nodes are looked at; what is blank so far says something further on.
MAX_NODES = 100


def is_blank(node: LexborNode) -> bool:
    """Return whether nothing is written in a node."""
    nodes = node.traverse(include_text=True)
    looked_at = islice(nodes, MAX_NODES)
    return not any(map(written, looked_at)) and next(nodes, None) is None


def written(node: LexborNode) -> str:
    """Return what a node itself says, if it is text, without white space around it."""
    return (node.text_content or "").strip() if node.tag == "-text" else ""


def text_up_to(node: LexborNode, length: int) -> str | None:
    """Return the text of a node in one line; None if it is longer."""
    parts: list[str] = []
    for number, one in enumerate(node.traverse(include_text=True)):
        if number == MAX_NODES or len(written(one)) > length:
            return None
        if one.tag == "-text":
            parts.append(one.text_content or "")
    line = " ".join("".join(parts).split())
    return line if len(line) <= length else None


def last_written(node: LexborNode) -> str:
    """Return the last text in a node; nothing if what comes after it is too much to look at."""
    one: LexborNode | None = node
    for _ in range(MAX_NODES):
        if one is None:
            return ""
        text = written(one)
        if text:
            return text
        one = one.last_child or _before(one, node)
    return ""


def _before(one: LexborNode, within: LexborNode) -> LexborNode | None:
    """Return what stands before a node in another one, or before what it stands in."""
    inside: LexborNode | None = one
    while inside is not None and inside.mem_id != within.mem_id:
        if inside.prev is not None:
            return inside.prev
        inside = inside.parent
    return None
