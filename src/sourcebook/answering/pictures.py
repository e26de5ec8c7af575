"""Keeps pictures out of an answer: a page that shows one calls its server without being asked to.

By choosing among the pictures of a document, a model could spell out what it has read elsewhere.
"""

import re

_TAG = re.compile(r"<[a-z][^<>]*+(?:>|\Z)", re.IGNORECASE)
# Tags that load something by what they are, or by an attribute.
_LOADS = re.compile(
    r"<(?:img|image|picture|source|video|audio|track|i?frame|object|embed|svg|link|style|script"
    r"|input|base|meta)\b|[\s\"'/](?:src|srcset|href|xlink:href|style|background|poster|data)\s*=",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"(?<!!)!++(?=\[)")
_FENCE = "```"


class PictureFilter:
    """Turns the pictures of an answer into links, one part of the answer after another.

    In code a picture is only text, and stays, as long as no reader of the answer could see the
    code end elsewhere.
    """

    def __init__(self) -> None:
        self._all_closed = True

    def without_pictures(self, part: str) -> str:
        """Return the next part of the answer without its pictures."""
        closed = _closes_its_code(part)
        in_code = self._all_closed and closed
        self._all_closed &= closed
        if in_code and part.startswith(_FENCE):
            return part
        if not in_code:
            return _plain(part)
        pieces = part.split("`")
        # What is between two backticks is code.
        pieces[::2] = map(_plain, pieces[::2])
        return "`".join(pieces)


def _plain(text: str) -> str:
    # A space in its place, so that what stands around a tag does not become another one.
    text = _TAG.sub(lambda tag: " " if _LOADS.search(tag[0]) else tag[0], text)
    return _PICTURE.sub("", text)


def _closes_its_code(part: str) -> bool:
    """Return whether any reader of Markdown sees the same code in this part, or none at all."""
    if "`" not in part:
        return "~~~" not in part
    if part.startswith(_FENCE):
        inside = part.rstrip().removeprefix(_FENCE)
        return inside.endswith(f"\n{_FENCE}") and _FENCE not in inside.removesuffix(_FENCE)
    # Another line may be another paragraph, a bar another cell, and in a tag there is no code.
    ambiguous = any(mark in part.strip() for mark in ("``", "~~~", "\n", "|", "\\"))
    tagged = any("<" in prose for prose in part.split("`")[::2])
    return not (ambiguous or tagged) and part.count("`") % 2 == 0
