"""What the documents say: headings, paragraphs, list items and code, taken from markdown."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bench.pages import Page, read_pages

BlockKind: TypeAlias = Literal["heading", "paragraph", "item", "code"]
# About 20 pages of paper; a page of the book that is longer than that is left out.
DOCUMENT_CHARACTERS = 40_000
MIN_SENTENCE_WORDS = 6
# Letters of the fonts that every reader of PDFs has.
_ENCODING = "cp1252"
_TEMPLATE = re.compile(r"\{\{[<%].*?[%>]\}\}", re.DOTALL)
_ATTRIBUTES = re.compile(r"\s*\{#[^}]*\}\s*$")
_TITLE = re.compile(r"^title:\s*(.+)$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document; `level` is a heading's."""

    kind: BlockKind
    text: str
    level: int = 0


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """What a document says, in reading order."""

    name: str
    blocks: tuple[Block, ...]

    @property
    def headings(self) -> list[str]:
        """The words of each heading."""
        return [" ".join(words_of(block.text)) for block in self.blocks if block.kind == "heading"]

    @property
    def sentences(self) -> list[str]:
        """The words of each sentence that stands in the document only once."""
        found = [
            " ".join(words_of(sentence))
            for block in self.blocks
            if block.kind in {"paragraph", "item"}
            for sentence in _SENTENCE_END.split(block.text)
        ]
        everything = f" {' '.join(' '.join(words_of(block.text)) for block in self.blocks)} "
        return [one for one in found if _is_told_once(one, everything)]

    def sections(self) -> Iterator[tuple[Block | None, list[Block]]]:
        """Yield each heading with what stands below it; None before the first one."""
        heading, below = None, list[Block]()
        for block in self.blocks:
            if block.kind == "heading":
                if heading or below:
                    yield heading, below
                heading, below = block, []
            else:
                below.append(block)
        yield heading, below


def read_documents(count: int) -> list[SourceDocument]:
    """Return so many documents, each of several pages of the markdown book."""
    return list(islice(_documents(read_pages()), count))


def words_of(text: str) -> list[str]:
    """Return the words in small letters: what is left of a text in every format."""
    return [found[0].lower() for found in _WORD.finditer(text)]


def word_starts(text: str) -> list[int]:
    """Return where each of the words begins."""
    return [found.start() for found in _WORD.finditer(text)]


def _is_told_once(sentence: str, everything: str) -> bool:
    enough = sentence.count(" ") + 1 >= MIN_SENTENCE_WORDS
    written = f" {sentence} "
    return enough and everything.find(written) == everything.rfind(written)


def _documents(pages: Sequence[Page]) -> Iterator[SourceDocument]:
    blocks: list[Block] = []
    made: Counter[str] = Counter()
    for page in (page for page in pages if len(page.text) < DOCUMENT_CHARACTERS):
        blocks += _blocks(page)
        if sum(len(block.text) for block in blocks) >= DOCUMENT_CHARACTERS:
            made["documents"] += 1
            yield SourceDocument(f"document-{made['documents']}", tuple(blocks))
            blocks = []


def _blocks(page: Page) -> Iterator[Block]:
    """Yield the title and the blocks of a page; what no paper can show is left out."""
    head, _, body = page.text.removeprefix("---\n").partition("\n---\n")
    title = _TITLE.search(head)
    if title is not None and _is_plain(title[1]):
        yield Block("heading", title[1].strip().strip("\"'"), 1)
    level = 1
    tokens = MarkdownIt().parse(_TEMPLATE.sub("", body))
    for before, token in pairwise(tokens):
        block = _block(before, token)
        if block is not None and block.text and _is_plain(block.text):
            # A heading is at most one level below the one above it: some formats know no other.
            level = min(block.level, level + 1) if block.kind == "heading" else level
            yield replace(block, level=level if block.kind == "heading" else 0)


def _block(before: Token, token: Token) -> Block | None:
    if token.type == "fence":
        return Block("code", token.content.strip("\n").expandtabs(4))
    if token.type != "inline":
        return None
    text = _ATTRIBUTES.sub("", _text(token))
    if before.type == "heading_open":
        return Block("heading", text, int(before.tag[1]))
    return Block("item" if before.hidden or before.level > 0 else "paragraph", text)


def _text(token: Token) -> str:
    shown = {"text": "", "code_inline": "", "softbreak": " ", "hardbreak": " "}
    pieces = [one.content or shown[one.type] for one in token.children or () if one.type in shown]
    return " ".join("".join(pieces).split())


def _is_plain(text: str) -> bool:
    """Return whether the text can be written with any font, and is no markup of a website."""
    try:
        text.encode(_ENCODING)
    except UnicodeEncodeError:
        return False
    return "{{" not in text and "<" not in text
