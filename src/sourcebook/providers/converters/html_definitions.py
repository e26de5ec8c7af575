"""Keeps the definition lists of web pages, which are written like Markdown Extra's."""

import re

from selectolax.lexbor import LexborNode

from sourcebook.providers.converters.html_text import is_blank, text_up_to

# Stand after a term and before what it means while the text is converted.
_TERM, _MEANING = "\ue002", "\ue003"
MARKS = _TERM + _MEANING
# What is longer is no term.
MAX_TERM = 80
_NEXT_TERM = re.compile(rf"(?<!\s)\s*+{_TERM}\s*\n(?=[ \t]*+[^\n{MARKS}]++\s*+{_TERM})")
_FIRST_MEANING = re.compile(rf"(?<!\s)\s*+{_TERM}\s*\n(?P<margin>[ \t]*+){_MEANING}\s*+")
_MARK = re.compile(f"[{MARKS}]")
_HOLDERS = frozenset({"p", "div", "section"})
_BLOCKS = frozenset(
    {"pre", "ul", "ol", "dl", "table", "blockquote", "hr", "h1", "h2", "h3", "h4", "h5", "h6"}
)


def mark_definitions(element: LexborNode) -> None:
    """Mark the terms and the beginnings of what they mean."""
    for meaning in element.css("dd"):
        terms = _terms_before(meaning)
        first = _first_text(meaning)
        if terms and first is not None and all(map(_is_short, terms)):
            first.insert_before(_MEANING)
            for term in terms:
                term.insert_child(_TERM)


def write_definitions(marked: str) -> str:
    """Write `Term`, and in the next line `: what it means`, where the marks are."""
    joined = _NEXT_TERM.sub("\n", marked)
    return _MARK.sub("", _FIRST_MEANING.sub(r"\n\g<margin>: ", joined))


def _terms_before(meaning: LexborNode) -> list[LexborNode]:
    terms: list[LexborNode] = []
    before = meaning.prev
    while before is not None and before.tag in {"dt", "-text"}:
        if before.tag == "dt":
            terms.append(before)
        before = before.prev
    return terms


def _is_short(term: LexborNode) -> bool:
    text = text_up_to(term, MAX_TERM)
    return bool(text) and not (text or "").endswith((".", ","))


def _first_text(block: LexborNode) -> LexborNode | None:
    """Return what a meaning begins with; None if that is code, a list, or something like it."""
    child = block.child
    while child is not None and child.tag not in _BLOCKS:
        if is_blank(child):
            child = child.next
        elif child.tag in _HOLDERS:
            child = child.child
        else:
            return child
    return None
