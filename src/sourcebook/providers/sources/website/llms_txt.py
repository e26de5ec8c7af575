"""Reads llms.txt: the links of a markdown file in which a site lists its pages."""

import re

# `[name](address)` and `[name](<address>)`, with or without a title; images are no pages.
_LINK = re.compile(
    r"(?<!!)\[[^\]\n]{0,500}\]\(\s*<?([^\s<>()]{1,2000}(?:\([^\s<>()]*\)[^\s<>()]*)?)>?"
)
MAX_LINKS = 50_000


def read_llms_txt(text: str) -> tuple[str, ...]:
    """Return the addresses, as they are written, each once and in their order."""
    found = (match[1] for match in _LINK.finditer(text))
    return tuple(dict.fromkeys(found))[:MAX_LINKS]


def is_llms_txt(text: str) -> bool:
    """Return whether it is one: sites without it often answer with a page."""
    return text.lstrip("\ufeff \t\r\n").startswith("#")
