"""The headings of a document, their anchors, and the heading trail of each chunk."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.measure import Measure
from sourcebook.text.blocks import Block, BlockKind, walk
from sourcebook.text.markup import show_shortcodes

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Sections begin at headings of levels 1 and 2; deeper ones only divide a long section.
SECTION_LEVEL = 2
MAX_TITLE_LENGTH = 500
_PLAIN = re.compile(r"[^\W_]*+(?:[ .,:?-][^\W_]*+)*+")
_EXPLICIT = re.compile(r"(?<!\s)\s*+\{#(?P<id>[^\s{}]+)\}\s*+$")
_IN_COMMENT = re.compile(r"[ \t]*(?:\{/\*|<!--)[ \t]*#(?P<id>[^\s*{}<>]+)[ \t]*(?:\*/\}|-->)")
# Letters with a circle or a square: symbols that Unicode counts as alphabetic.
_ENCLOSED = re.compile(
    "[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in plain text; the title of the document has no anchor."""

    start: int
    end: int
    level: int
    title: str
    anchor: str | None


Trail: TypeAlias = tuple[Heading, ...]


class Outline:
    """The headings in order, each with its parent headings."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self.headings = headings
        self._starts = [heading.start for heading in headings]
        self._trails = _trails(headings)

    @property
    def title(self) -> str | None:
        """The text of the first heading of level 1."""
        return next((each.title for each in self.headings if each.level == 1), None) or None

    @property
    def first_heading(self) -> str | None:
        """The text of the first heading that has any."""
        return next((each.title for each in self.headings if each.title), None)

    @property
    def has_parts(self) -> bool:
        """Whether there are several headings of level 1: the first names only the first part."""
        return sum(each.level == 1 for each in self.headings) > 1

    def trail(self, span: Span, measure: Measure) -> Trail:
        """Return the headings that apply to all of the span, outermost first.

        If the span covers several sections, the one with the most tokens decides; of equals, the
        first.
        """
        sections = self.sections(span)
        largest = max(sections, key=lambda section: measure.tokens(section.start, section.end))
        return self._shared(largest)

    def sections(self, span: Span) -> list[Span]:
        """Divide the span where sections begin."""
        between = self.headings[self._after(span.start) : bisect_left(self._starts, span.end)]
        starts = [each.start for each in between if each.level <= SECTION_LEVEL]
        return [Span(start, end) for start, end in pairwise([span.start, *starts, span.end])]

    def headings_in(self, span: Span) -> list[Heading]:
        """Return the headings with a title in the span, after the one that its start is under."""
        first = self._after(span.start)
        before = [self._trails[first - 1][-1]] if first and self._trails[first - 1] else []
        inside = self.headings[first : bisect_left(self._starts, span.end)]
        return [*before, *(each for each in inside if each.title)]

    def heading_at(self, offset: int) -> Heading | None:
        """Return the heading that contains the offset."""
        index = self._after(offset) - 1
        if index < 0 or offset >= self.headings[index].end:
            return None
        return self.headings[index]

    def _after(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def _shared(self, span: Span) -> Trail:
        first = self._after(span.start) - 1
        if first < 0:
            return ()
        shared = self._trails[first]
        for trail in self._trails[first + 1 : bisect_left(self._starts, span.end)]:
            same = [one is other for one, other in zip(shared, trail, strict=False)]
            shared = shared[: len(same) if all(same) else same.index(False)]
        return shared


def read_outline(
    source: str, blocks: tuple[Block, ...], anchors: Mapping[int, str] | None = None
) -> Outline:
    """Read the outline from the top-level blocks of a source.

    `anchors` are those that a converted page has, by the start of their headings: then it has no
    others.
    """
    parting = {block.start for block in blocks if block.kind is BlockKind.HEADING}
    slugger = Slugger()
    headings: list[Heading] = []
    has_title = False
    for block in walk(blocks):
        if block.kind is not BlockKind.HEADING:
            continue
        # Docusaurus numbers repeated anchors over all headings, also those in quotations.
        anchor: str | None
        if anchors is None:
            anchor = anchor_in_comment(source, block.end) or slugger.anchor(block.title)
        else:
            anchor = anchors.get(block.start)
        if block.start not in parting:
            continue
        is_title = block.level == 1 and not has_title
        has_title = has_title or is_title
        headings.append(
            Heading(
                start=block.start,
                end=block.end,
                level=block.level,
                title=plain_title(block.title),
                anchor=None if is_title else anchor,
            )
        )
    return Outline(headings)


def _trails(headings: Sequence[Heading]) -> list[Trail]:
    trails: list[Trail] = []
    open_: Trail = ()
    for heading in headings:
        open_ = tuple(each for each in open_ if each.level < heading.level)
        if heading.title:
            open_ = (*open_, heading)
        trails.append(open_)
    return trails


def plain_title(markup: str) -> str:
    """Return the words of a heading, without markup and without an explicit anchor."""
    return " ".join(_without_anchor(_words(markup)).split())


def anchor_in_comment(source: str, heading_end: int) -> str | None:
    """Return the id in a comment after a heading, as newer versions of Docusaurus write it."""
    comment = _IN_COMMENT.match(source, heading_end)
    return comment["id"] if comment else None


class Slugger:
    """Makes the anchors of one document like Docusaurus; a repeated one gets -1, -2 and so on."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def anchor(self, markup: str) -> str:
        """Return the explicit `{#id}`, else a slug as github-slugger makes it."""
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
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only who reads files needs it

    return MarkdownIt("commonmark")


def _words(markup: str) -> str:
    markup = show_shortcodes(markup)
    # A heading of a megabyte is no heading; its beginning says what there is to say.
    if len(markup) > MAX_TITLE_LENGTH or _PLAIN.fullmatch(markup):
        return markup[:MAX_TITLE_LENGTH]
    tokens = _parser().parseInline(markup)
    return "".join(_text(child) for token in tokens for child in token.children or ())


def _text(token: "Token") -> str:
    match token.type:
        case "softbreak" | "hardbreak":
            return " "
        case "image":
            return "".join(_text(child) for child in token.children or ())
        case "html_inline":
            return ""
        case _:
            return token.content
