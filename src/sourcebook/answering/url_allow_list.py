"""Allows only URLs and HTML in an answer that the evidence has word for word.

A URL that the model makes up could carry words of the evidence to its owner as soon as a page
shows the image.
"""

import re
from collections.abc import Iterable

_ADDRESS = re.compile(
    r"""
      \]\(\s*+<?(?P<target>[^\s<>]+)               # of a link or a picture
    | ^[^\S\n]*+\[[^\]\n]+\]:\s*+<?(?P<defined>[^\s<>]+)  # of a link that is defined elsewhere
    | (?P<reached>(?:[a-z][a-z0-9+.-]{0,30}+:)?[/\\]{2,}[^\s<>"'`]+ | www\.[^\s<>"'`]+)
    | \b(?P<run>(?:javascript|vbscript|data|blob|file|mailto|tel):[^\s<>"'`]+)
    | (?P<tag><[/!]?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?(?:>|\Z))
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# What may follow a URL in a sentence, and what would make it a longer one.
_BEHIND = ".,;:!?)]}*_'\"`|\\"
_GOES_ON = re.compile(r"[.,:;!@]*+[\w/\\?#=&%+~$-]")


def urls_are_quoted(text: str, evidence: Iterable[str]) -> bool:
    """Return whether the evidence has every URL and tag of a text, to the last letter."""
    wanted = list(_ADDRESS.finditer(text))
    if not wanted:
        return True
    passages = list(evidence)
    return all(any(_holds(passage, one) for passage in passages) for one in wanted)


def _holds(passage: str, found: re.Match[str]) -> bool:
    if found.lastgroup == "tag":
        return found[0] in passage
    address = found[found.lastgroup or 0]
    return any(_has_whole(passage, one) for one in {address, address.rstrip(_BEHIND)})


def _has_whole(passage: str, address: str) -> bool:
    """Return whether a URL stands in a passage, and not only as the beginning of a longer one."""
    at = passage.find(address)
    while at >= 0 and _GOES_ON.match(passage, at + len(address)):
        at = passage.find(address, at + 1)
    return at >= 0
