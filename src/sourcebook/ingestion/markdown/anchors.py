"""Headings in plain text, and the anchors that Docusaurus gives them."""

import re
import unicodedata
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

MAX_TITLE_LENGTH = 500

_PLAIN = re.compile(r"[^\W_]*+(?:[ .,:?-][^\W_]*+)*+")
_EXPLICIT = re.compile(r"\s*\{#(?P<id>[^\s{}]+)\}\s*$")
_IN_COMMENT = re.compile(r"[ \t]*(?:\{/\*|<!--)[ \t]*#(?P<id>[^\s*{}<>]+)[ \t]*(?:\*/\}|-->)")
# Letters with a circle or a square: symbols that Unicode counts as alphabetic.
_ENCLOSED = re.compile(
    "[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)


def plain_title(markup: str) -> str:
    """The words of a heading, without markup and without an explicit anchor."""
    return " ".join(_without_anchor(_words(markup)).split())


def anchor_in_comment(source: str, heading_end: int) -> str | None:
    """The id in a comment after a heading, as newer versions of Docusaurus have it."""
    comment = _IN_COMMENT.match(source, heading_end)
    return comment["id"] if comment else None


class Slugger:
    """Hands out the anchors of one document; a repeated one gets -1, -2 and so on."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def anchor(self, markup: str) -> str:
        """The explicit `{#id}`, else a slug as github-slugger makes it."""
        words = _words(markup)
        explicit = _EXPLICIT.search(words)
        if explicit:
            return explicit["id"]
        slug = unique = _slug(words)
        while unique in self._used:
            self._used[slug] += 1
            unique = f"{slug}-{self._used[slug]}"
        self._used[unique] = 0
        return unique


def _slug(words: str) -> str:
    kept = (char for char in words.strip().lower() if _belongs_in_slug(char))
    return "".join(kept).replace(" ", "-")


def _belongs_in_slug(char: str) -> bool:
    category = unicodedata.category(char)
    return (
        char in " -"
        or category[0] in "LM"
        or category in {"Nd", "Nl", "Pc"}
        or _ENCLOSED.match(char) is not None
    )


def _without_anchor(words: str) -> str:
    return _EXPLICIT.sub("", words)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _words(markup: str) -> str:
    # A heading of a megabyte is no heading; its beginning says what there is to say.
    if len(markup) > MAX_TITLE_LENGTH or _PLAIN.fullmatch(markup):
        return markup[:MAX_TITLE_LENGTH]
    tokens = _parser().parseInline(markup)
    return "".join(_text(child) for token in tokens for child in token.children or ())


def _text(token: Token) -> str:
    match token.type:
        case "softbreak" | "hardbreak":
            return " "
        case "image":
            return "".join(_text(child) for child in token.children or ())
        case "html_inline":
            return ""
        case _:
            return token.content
