"""Parses Markdown into a tree of blocks that covers every line, also those markdown-it skips."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from sourcebook.core.documents import Span
from sourcebook.text.spans import Lines, skip_blank_lines, trim_end

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# markdown-it takes some seconds for as many; a longer file is read as plain lines.
MAX_LINES = 50_000
# It makes three objects of each cell of a table; with more cells, tables are read as plain lines.
MAX_CELLS = 100_000
# Deeper blocks are read as plain lines; markdown-it recurses once per level.
MAX_NESTING = 20


class BlockKind(Enum):
    """How a block may be split."""

    HEADING = auto()
    TEXT = auto()
    SOLID = auto()  # code or a table: split only if it is larger than a chunk
    LIST = auto()  # also a quotation: its children are packed one by one
    SECTION = auto()  # stays together where that is possible


Role: TypeAlias = Literal[
    "heading", "paragraph", "rule", "code", "table", "list", "item", "quotation"
]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the source; only a heading has a `level` and a `title`.

    Its kind says how it is split into chunks, its role what it is to a reader.
    """

    kind: BlockKind
    start: int
    end: int
    children: "tuple[Block, ...]" = ()
    level: int = 0
    title: str = ""
    role: Role = "paragraph"

    @property
    def span(self) -> Span:

        return Span(self.start, self.end)


_ROLES: dict[str, Role] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quotation",
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "html_block": "paragraph",
    "hr": "rule",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
}
_CONTAINERS: frozenset[Role] = frozenset({"list", "item", "quotation"})
_KINDS: dict[Role, BlockKind] = {
    "heading": BlockKind.HEADING,
    "code": BlockKind.SOLID,
    "table": BlockKind.SOLID,
}


def read_blocks(text: str, start: int, *, mdx: bool) -> tuple[Block, ...]:
    """Parse the text from `start` on; everything but white space is in one of the blocks."""
    lines = Lines(text[start:])
    tokens = _parse(text[start:], mdx) if len(lines) <= MAX_LINES else []
    return _Reader(text, start, lines).read(tokens)


def walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield all blocks in the order of the text, parents before their children."""
    waiting = list(reversed(blocks))
    while waiting:
        block = waiting.pop()
        yield block
        waiting += reversed(block.children)


def _parse(text: str, mdx: bool) -> "list[Token]":
    try:
        return _parser(mdx, tables=text.count("|") <= MAX_CELLS).parse(text)
    except (LookupError, RuntimeError, ValueError):
        # A parser that gives up must not cost us the file: it is split at its lines.
        return []


@cache
def _parser(mdx: bool, *, tables: bool) -> "MarkdownIt":
    # Only who reads files needs it.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
    if tables:
        parser.enable("table")
    parser.core.ruler.disable(["inline", "text_join"])
    if mdx:
        # MDX knows no indented code and reads markdown between tags.
        parser.disable(["code", "html_block"])
    return parser


class _Reader:
    def __init__(self, text: str, start: int, lines: Lines) -> None:
        self._text = text
        self._start = start
        self._lines = lines

    def read(self, tokens: "list[Token]") -> tuple[Block, ...]:
        return self._filled(Span(self._start, len(self._text)), self._children(iter(tokens)))

    def _children(self, tokens: "Iterator[Token]") -> list[Block]:
        """The blocks up to the end of the container that the tokens are in."""
        blocks: list[Block] = []
        for token in tokens:
            if (
                token.nesting < 0
                and _ROLES.get(token.type.replace("_close", "_open")) in _CONTAINERS
            ):
                break
            # Not of the others: the cells of a table all have the lines of their row.
            role = _ROLES.get(token.type)
            span = self._span(token) if role else None
            if role in _CONTAINERS:
                children = self._children(tokens)
                if span:
                    inside = self._filled(span, children)
                    blocks.append(Block(BlockKind.LIST, span.start, span.end, inside, role=role))
            elif role and span:
                kind = _KINDS.get(role, BlockKind.TEXT)
                level = int(token.tag[1]) if role == "heading" else 0
                title = next(tokens).content if role == "heading" else ""
                block = Block(kind, span.start, span.end, level=level, title=title, role=role)
                blocks.append(block)
        return blocks

    def _span(self, token: "Token") -> Span | None:
        if token.map is None:
            return None
        start, end = (self._start + self._lines.start(line) for line in token.map)
        start = skip_blank_lines(self._text, start, end)
        end = trim_end(self._text, start, end)
        return Span(start, end) if start < end else None

    def _filled(self, span: Span, blocks: list[Block]) -> tuple[Block, ...]:
        """Add a block for every text between the blocks that the parser made nothing of."""
        filled: list[Block] = []
        position = span.start
        for block in blocks:
            if block.start < position or block.end > span.end:
                continue
            filled += self._loose(position, block.start)
            filled.append(block)
            position = block.end
        filled += self._loose(position, span.end)
        return tuple(filled)

    def _loose(self, start: int, end: int) -> list[Block]:
        start = skip_blank_lines(self._text, start, end)
        end = trim_end(self._text, start, end)
        return [Block(BlockKind.TEXT, start, end)] if start < end else []
