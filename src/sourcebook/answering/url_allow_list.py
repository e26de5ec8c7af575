"""Allows only URLs and HTML in an answer that the evidence has word for word.

A URL that the model makes up could carry words of the evidence to its owner as soon as a page
shows the image.
"""

import re
from collections.abc import Iterable

_ADDRESS = re.compile(
    r"""
      \]\(\s*+<?(?P<target>[^\s<>]+)               # of a link or a picture
    | ^\s*+\[[^\]\n]+\]:\s*+<?(?P<defined>[^\s<>]+)  # of a link that is defined elsewhere
    | (?P<reached>(?:[a-z][a-z0-9+.-]{0,30}+:)?[/\\]{2,}[^\s<>"'`]+ | www\.[^\s<>"'`]+)
    | \b(?P<run>(?:javascript|vbscript|data|blob|file|mailto|tel):[^\s<>"'`]+)
    | (?P<tag><[/!]?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?(?:>|\Z))
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# What may follow a URL in a sentence, and what would make it a longer one.
_BEHIND = ".,;:!?)]}*_'\"`|\\"
_ENDS = r"(?![.,:;!@]*[\w/\\?#=&%+~$-])"


def urls_are_quoted(text: str, evidence: Iterable[str]) -> bool:
    """Return whether the evidence has every URL and tag of a text, to the last letter."""
    wanted = [_pattern_of(found) for found in _ADDRESS.finditer(text)]
    if not wanted:
        return True
    passages = list(evidence)
    return all(any(one.search(passage) for passage in passages) for one in wanted)


def _pattern_of(found: re.Match[str]) -> re.Pattern[str]:
    if found.lastgroup == "tag":
        return re.compile(re.escape(found[0]))
    address = found[found.lastgroup or 0]
    either = "|".join(map(re.escape, (address, address.rstrip(_BEHIND))))
    return re.compile(f"(?:{either}){_ENDS}")
