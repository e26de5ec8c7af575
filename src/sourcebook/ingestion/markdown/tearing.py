"""Where to cut a block that is larger than a chunk: at a line, a sentence, a word, a character."""

import re
import unicodedata
from dataclasses import replace

from sourcebook.ingestion.markdown.blocks import Block
from sourcebook.ingestion.markdown.lines import skip_blank_lines, trim_end
from sourcebook.ingestion.markdown.measure import Measure

_LINE = r"(?:\r\n|\r|\n)+"
_SENTENCE = r"[.!?…][\"'”’)\]*_]*\s+|[。！？]"  # noqa: RUF001, RUF100
BOUNDARY = re.compile(f"{_LINE}|{_SENTENCE}")
_BOUNDARIES = (re.compile(_LINE), re.compile(_SENTENCE), re.compile(r"\s+"))
_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_LONGEST_CLUSTER = 32


def tear(text: str, block: Block, tokens: int, measure: Measure) -> tuple[Block, Block | None]:
    """A first part of at most so many tokens, and the rest."""
    reach = measure.reach(block.start, block.end, tokens)
    cut = block.end if reach >= block.end else _best_cut(text, block.start, reach)
    head = replace(block, end=trim_end(text, block.start, cut), children=())
    rest = skip_blank_lines(text, cut, block.end)
    return head, replace(block, start=rest, children=()) if rest < block.end else None


def _best_cut(text: str, start: int, reach: int) -> int:
    # Near the end if possible: a short line before a long one would make a chunk of its own.
    for low in ((start + reach) // 2, start):
        for boundary in _BOUNDARIES:
            cuts = [found.end() for found in boundary.finditer(text, low, reach)]
            if cuts and cuts[-1] > start:
                return cuts[-1]
    return _between_clusters(text, start, reach)


def _between_clusters(text: str, start: int, reach: int) -> int:
    """Not between a letter and its accent, nor inside an emoji of several characters."""
    for cut in range(reach, max(start, reach - _LONGEST_CLUSTER), -1):
        if not _continues(text[cut]) and text[cut - 1] != _ZERO_WIDTH_JOINER:
            return cut
    return reach


def _continues(char: str) -> bool:
    return (
        char == _ZERO_WIDTH_JOINER
        or unicodedata.category(char)[0] == "M"
        or ord(char) in _SKIN_TONES
    )
