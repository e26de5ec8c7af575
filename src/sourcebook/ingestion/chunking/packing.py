"""Packs the blocks of a section that is too long for one chunk into several."""

from collections.abc import Sequence

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.chunking.measure import Measure
from sourcebook.ingestion.chunking.split_points import split_block
from sourcebook.text.blocks import Block, BlockKind


def pack(
    text: str,
    blocks: Sequence[Block],
    measure: Measure,
    limits: ChunkLimits,
    *,
    reserved: int = 0,
) -> list[Span]:
    """Return the spans of the chunks, without overlaps; each is within the maximum.

    In all but the first, `reserved` tokens are left free for the overlap, unless a block of code or
    a table needs them.
    """
    if measure.fits(blocks[0].start, blocks[-1].end, limits.maximum):
        return [Span(blocks[0].start, blocks[-1].end)]
    return _Packer(text, blocks, measure, limits, reserved).pack()


class _Packer:
    """Adds blocks while they fit, and descends into a block only if it does not fit whole."""

    def __init__(
        self,
        text: str,
        blocks: Sequence[Block],
        measure: Measure,
        limits: ChunkLimits,
        reserved: int,
    ) -> None:
        self._text = text
        self._measure = measure
        self._limits = limits
        self._reserved = reserved
        self._waiting = list(reversed(blocks))
        self._end = blocks[-1].end
        self._current: list[Block] = []
        self._aim = limits.target
        self._chunks: list[list[Block]] = []

    def pack(self) -> list[Span]:
        while self._waiting:
            if not self._current:
                self._begin()
            self._place(self._waiting.pop())
        self._emit()
        self._fill_last_chunk()
        return [Span(chunk[0].start, chunk[-1].end) for chunk in self._chunks]

    def _begin(self) -> None:
        left = self._measure.tokens(self._waiting[-1].start, self._end)
        # Two halves rather than a full chunk and a tiny one.
        halve = left < self._limits.target + self._limits.minimum
        self._aim = (left + 1) // 2 if halve else self._limits.target

    def _place(self, block: Block) -> None:
        start = self._current[0].start if self._current else block.start
        if self._measure.fits(start, self._end, self._limits.maximum - self._reserved):
            self._current += [block, *reversed(self._waiting)]
            self._waiting.clear()
        elif self._fits_in(start, block):
            self._current.append(block)
        elif self._may_descend(block):
            self._waiting += reversed(block.children)
        elif self._fits_alone(block) and not self._may_split(block):
            self._place_alone(block)
        else:
            self._place_part(block)

    def _fits_in(self, start: int, block: Block) -> bool:
        if self._measure.fits(start, block.end, self._aim):
            return True
        return self._is_too_small() and self._measure.fits(start, block.end, self._limits.maximum)

    def _may_descend(self, block: Block) -> bool:
        if not block.children:
            return False
        return block.kind is BlockKind.LIST or self._is_too_small() or not self._fits_alone(block)

    def _may_split(self, block: Block) -> bool:
        # A split paragraph is better than a heading or a lead-in alone; split code is not.
        return block.kind is BlockKind.TEXT and self._is_too_small()

    def _place_alone(self, block: Block) -> None:
        if self._current:
            self._emit()
            self._waiting.append(block)
        else:
            self._current.append(block)

    def _place_part(self, block: Block) -> None:
        room = self._aim - self._size(self._current)
        if self._current and room < self._limits.minimum:
            self._emit()
            self._waiting.append(block)
            return
        part, rest = split_block(self._text, block, max(1, room), self._measure)
        if self._current and not self._is_one_chunk([*self._current, part]):
            # Few tokens, very many characters: it begins a chunk of its own.
            self._emit()
            self._waiting.append(block)
            return
        self._current.append(part)
        self._emit()
        if rest is not None:
            self._waiting.append(rest)

    def _is_too_small(self) -> bool:
        return bool(self._current) and self._size(self._current) < self._limits.minimum

    def _fits_alone(self, block: Block) -> bool:
        is_first = not self._chunks and not self._current
        free = 0 if is_first or block.kind is BlockKind.SOLID else self._reserved
        return self._measure.fits(block.start, block.end, self._limits.maximum - free)

    def _emit(self) -> None:
        if not self._current:
            return
        if (
            self._chunks
            and self._is_too_small()
            and self._is_one_chunk(self._chunks[-1] + self._current)
        ):
            self._chunks[-1] += self._current
        else:
            self._chunks.append(self._current)
        self._current = []

    def _fill_last_chunk(self) -> None:
        """Move blocks to a last chunk that is too small, if the previous one stays large enough."""
        if len(self._chunks) < 2:
            return
        previous, last = self._chunks[-2:]
        while (
            len(previous) > 1
            and self._size(last) < self._limits.minimum <= self._size(previous[:-1])
            and self._is_one_chunk([previous[-1], *last])
        ):
            last.insert(0, previous.pop())

    def _size(self, blocks: Sequence[Block]) -> int:
        return self._measure.tokens(blocks[0].start, blocks[-1].end) if blocks else 0

    def _is_one_chunk(self, blocks: Sequence[Block]) -> bool:
        return self._measure.fits(blocks[0].start, blocks[-1].end, self._limits.maximum)
