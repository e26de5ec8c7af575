"""Reads the head and the links of an HTML page, and cuts out the elements that hold its text."""

from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.text import shorten
from sourcebook.providers.sources.website.addresses import canonical_address

MAX_LINKS = 5_000
WHOLE_PAGE = "body"
_NOISE = "script, style, noscript, template, iframe"
_TITLES = "head > title, head > meta[property='og:title']"


@dataclass(frozen=True, slots=True)
class PageHead:
    """What a page says of itself. Addresses are canonical; `links` are those that it leads to."""

    canonical: str | None = None
    markdown: str | None = None
    links: tuple[str, ...] = ()
    indexable: bool = True


def read_head(html: str, address: str) -> PageHead:
    """Read a page that was fetched from that address."""
    tree = LexborHTMLParser(html)
    based = tree.css_first("base[href]")
    base = (canonical_address(_attribute(based, "href"), address) if based else None) or address
    robots = ",".join(_attribute(meta, "content") for meta in tree.css("meta[name=robots i]"))
    words = robot_words(robots)
    return PageHead(
        canonical=_linked(tree, "link[rel~=canonical i][href]", base),
        markdown=_linked(tree, "link[rel~=alternate i][type='text/markdown' i][href]", base),
        links=() if words & {"nofollow", "none"} else _links(tree, base),
        indexable=not words & {"noindex", "none"},
    )


def robot_words(text: str) -> set[str]:
    """Return the words of a robots tag or header, like `noindex`."""
    return {word.strip().lower() for word in text.split(",")}


def cut_out_content(html: str, selector: str | None) -> bytes | None:
    """Return a UTF-8 page of the elements that fit, under the title it had; None if none fits."""
    tree = LexborHTMLParser(html)
    # They differ from one reply to the next, and a page that says the same is unchanged.
    for noise in tree.css(_NOISE):
        noise.decompose()
    found = tree.css(selector or WHOLE_PAGE)
    if not found:
        return None
    chosen = {node.mem_id for node in found}
    # What stands inside of another element that fits is there already.
    parts = [node.html or "" for node in found if not chosen & set(_ancestors(node))]
    titles = "".join(node.html or "" for node in tree.css(_TITLES))
    head = f"<head><meta charset='utf-8'>{titles}</head>"
    body = "".join(parts)
    body = f"<body>{body}</body>" if selector else body
    return f"<!doctype html><html>{head}{body}</html>".encode("utf-8", "replace")


def check_selector(selector: str) -> None:
    """Raise ConfigurationError for a selector that is not CSS."""
    try:
        LexborHTMLParser("<p>").css_first(selector)
    except SelectolaxError:
        raise ConfigurationError(
            f"The selector {shorten(selector, 200)!r} cannot be used: it is not CSS. An example:"
            " 'main article'"
        ) from None


def _linked(tree: LexborHTMLParser, selector: str, base: str) -> str | None:
    node = tree.css_first(selector)
    return canonical_address(_attribute(node, "href"), base) if node is not None else None


def _links(tree: LexborHTMLParser, base: str) -> tuple[str, ...]:
    nodes = (node for node in tree.css("a[href]") if "nofollow" not in _attribute(node, "rel"))
    found = (canonical_address(_attribute(node, "href"), base) for node in nodes)
    return tuple(dict.fromkeys(address for address in found if address))[:MAX_LINKS]


def _ancestors(node: LexborNode) -> Iterator[int]:
    above = node.parent
    while above is not None:
        yield above.mem_id
        above = above.parent


def _attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""
