"""Groups blocks into sections by heading and joins the smallest to their neighbours."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from sourcebook.ingestion.chunking.headings import SECTION_LEVEL
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.chunking.measure import Measure
from sourcebook.text.blocks import Block, BlockKind

Group: TypeAlias = list[Block]


def read_sections(blocks: Sequence[Block]) -> list[Block]:
    """Split at the headings of levels 1 and 2."""
    return [_section(part) for part in _parted(blocks, SECTION_LEVEL)]


def group_sections(sections: Sequence[Block], measure: Measure, limits: ChunkLimits) -> list[Group]:
    """Join each section below the minimum to the next one, or the last to the previous one.

    A group is one chunk if it fits in one; it is more only if it has a section that is too large
    anyway.
    """
    groups: list[Group] = []
    for section in sections:
        if groups and _joins(groups[-1], section, measure, limits):
            groups[-1].append(section)
            continue
        if len(groups) > 1:
            _join_to_previous(groups, measure, limits)
        groups.append([section])
    if len(groups) > 1:
        _join_to_previous(groups, measure, limits)
    return groups


def _joins(group: Group, section: Block, measure: Measure, limits: ChunkLimits) -> bool:
    start, end = group[0].start, group[-1].end
    if measure.tokens(start, end) >= limits.minimum:
        return False
    too_large = not measure.fits(section.start, section.end, limits.maximum)
    return too_large or measure.fits(start, section.end, limits.maximum)


def _join_to_previous(groups: list[Group], measure: Measure, limits: ChunkLimits) -> None:
    previous, last = groups[-2:]
    if measure.tokens(last[0].start, last[-1].end) >= limits.minimum:
        return
    too_large = not measure.fits(previous[0].start, previous[-1].end, limits.maximum)
    if too_large or measure.fits(previous[0].start, last[-1].end, limits.maximum):
        groups[-2:] = [previous + last]


def _section(blocks: Sequence[Block]) -> Block:
    """Build the block of a heading with its text and the sections of deeper headings."""
    heading, rest = blocks[:1], blocks[1:]
    if heading[0].kind is not BlockKind.HEADING:
        heading, rest = (), blocks
    children = [*heading, *_nested(rest)]
    if len(children) > 1 and heading:
        # The first block stays with its heading.
        children[:2] = [_joined(children[:2])]
    return children[0] if len(children) == 1 else _joined(children)


def _nested(blocks: Sequence[Block]) -> list[Block]:
    levels = [block.level for block in blocks if block.kind is BlockKind.HEADING]
    if not levels:
        return list(blocks)
    highest = min(levels)
    first = next(i for i, block in enumerate(blocks) if block.level == highest)
    below = [_section(part) for part in _parted(blocks[first:], highest)]
    return _nested(blocks[:first]) + below


def _parted(blocks: Sequence[Block], level: int) -> list[Sequence[Block]]:
    """Split before each heading of this level or a higher one."""
    starts = [
        i
        for i, block in enumerate(blocks)
        if block.kind is BlockKind.HEADING and block.level <= level
    ]
    bounds = sorted({0, *starts, len(blocks)})
    return [blocks[start:end] for start, end in pairwise(bounds)]


def _joined(blocks: Sequence[Block]) -> Block:
    return Block(BlockKind.SECTION, blocks[0].start, blocks[-1].end, tuple(blocks))
