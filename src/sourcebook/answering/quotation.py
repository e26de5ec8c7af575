"""Shows blocks of the evidence as they are read, with what they cite."""

from collections.abc import Iterator, Sequence

from sourcebook.answering.blocks import Block
from sourcebook.answering.citation_markers import marked
from sourcebook.answering.citations import CitationList
from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.pictures import PictureFilter
from sourcebook.answering.statements import Quotable, in_one_line

# Of an item of an item: as wide as "1. ", for what renders Markdown.
MARGIN = "   "


class Quotation:
    """An answer of blocks. What it says stands in the sources word for word."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = by_number(passages)
        self._pictures = PictureFilter()
        self.sources = CitationList()
        # How many statements are out.
        self.count = 0

    def text_of(self, quotable: Sequence[Quotable], blocks: Sequence[Block]) -> Iterator[str]:
        """Yield the text of each block, and keep what it cites."""
        for number, block in enumerate(blocks):
            shown = "".join(self._runs(quotable, block))
            self.count += len(block.places)
            yield ("\n\n" if number else "") + shown

    def _runs(self, quotable: Sequence[Quotable], block: Block) -> Iterator[str]:
        """Yield what cites the same source, with the marker at its end."""
        cited: tuple[int, ...] = ()
        run = ""
        for separator, text, one in lines_of(quotable, block.places):
            passage = self._passages[one.statement.passage]
            numbers = self.sources.numbers(passage, one.cited)
            if run and numbers != cited:
                yield marked(run, cited)
                run = ""
            cited = numbers
            run += separator + self._pictures.without_pictures(text)
        best = quotable[block.best]
        passage = self._passages[best.statement.passage]
        self.sources.mark(passage, best.cited, in_one_line(best.shown))
        yield marked(run, cited)


def plain_text(quotable: Sequence[Quotable], block: Block) -> str:
    """A block without markers."""
    pictures = PictureFilter()
    lines = lines_of(quotable, block.places)
    return "".join(gap + pictures.without_pictures(text) for gap, text, _ in lines)


def lines_of(
    quotable: Sequence[Quotable], places: Sequence[int]
) -> Iterator[tuple[str, str, Quotable]]:
    """Yield what stands before a statement, how it is shown, and the statement."""
    before: Quotable | None = None
    margins: list[int] = []
    in_table = sum(quotable[place].kind == "row" for place in places) > 1
    for place in places:
        one = quotable[place]
        bullet = "- " if in_table and one.kind == "row" else one.bullet
        if one.kind == "item" and bullet:
            margins = [*(margin for margin in margins if margin < one.indent), one.indent]
        text = one.statement.text if one.kind == "code" else bullet + in_one_line(one.shown)
        margin = MARGIN * (len(margins) - 1) if one.kind == "item" and bullet else ""
        yield _gap(before, one, starts_line=bool(bullet)) + margin, text, one
        before = one


def _gap(before: Quotable | None, one: Quotable, *, starts_line: bool) -> str:
    if before is None:
        return ""
    if before.statement.passage != one.statement.passage or before.kind != one.kind:
        return "\n\n"
    if starts_line:
        return "\n"
    is_text = one.kind in {"prose", "item"} and one.block == before.block
    return " " if is_text else "\n\n"
