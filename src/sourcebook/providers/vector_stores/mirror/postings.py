"""Postings: which chunks have a term, and how much it weighs there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sourcebook.core.vectors import SparseVector

# As stored in the ledger: half precision keeps three digits of a weight.
_ENTRY = np.dtype([("term", "<u4"), ("weight", "<f2")])
# Segments are merged with the one before unless that is so many times larger than all of them.
MERGE_FACTOR = 4
# A place among so many and a weight fit into 32 bits.
CHUNKS_AT_ONCE = 2**16

Slots: TypeAlias = NDArray[np.int32]
HalfWeights: TypeAlias = NDArray[np.float16]
Mask: TypeAlias = NDArray[np.bool_]


def pack_terms(terms: SparseVector) -> bytes:
    """Encode the terms of a chunk as one blob."""
    packed = np.empty(len(terms.indices), _ENTRY)
    packed["term"], packed["weight"] = terms.indices, terms.values
    return packed.tobytes()


@dataclass(frozen=True, slots=True)
class _Segment:
    """Postings in the order of their terms: those of `terms[n]` begin at `starts[n]`."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    slots: Slots
    weights: HalfWeights

    @property
    def size(self) -> int:
        return len(self.slots)

    def of(self, terms: NDArray[np.uint32]) -> Iterator[tuple[int, Slots, HalfWeights]]:
        """The postings of those of some terms that any chunk here has."""
        places = np.minimum(np.searchsorted(self.terms, terms), len(self.terms) - 1)
        places = places[self.terms[places] == terms]
        bounds = zip(
            self.terms[places].tolist(),
            self.starts[places].tolist(),
            self.starts[places + 1].tolist(),
            strict=True,
        )
        for term, start, end in bounds:
            yield term, self.slots[start:end], self.weights[start:end]

    def kept(self, keep: Mask, moved: Slots) -> "_Segment":
        stays = keep[self.slots]
        starts = np.append(0, np.cumsum(stays))[self.starts]
        has_any = np.diff(starts) > 0
        slots = moved[self.slots[stays]]
        return _Segment(
            self.terms[has_any],
            np.append(starts[:-1][has_any], starts[-1]),
            slots,
            self.weights[stays],
        )


@dataclass(frozen=True, slots=True)
class Postings:
    """The terms of all chunks, in a few segments; adding gives new postings beside the old ones."""

    segments: tuple[_Segment, ...] = ()

    def of(
        self, terms: Sequence[int], live: Mask | None
    ) -> dict[int, list[tuple[Slots, HalfWeights]]]:
        """Of each term that is known: the slots of the live chunks that have it, and its weights.

        Each slot comes once, in one of several parts.
        """
        wanted = np.array(terms, np.uint32)
        found: dict[int, list[tuple[Slots, HalfWeights]]] = {}
        for segment in self.segments:
            for term, slots, weights in segment.of(wanted):
                keep = None if live is None else live[slots]
                part = (slots, weights) if keep is None else (slots[keep], weights[keep])
                found.setdefault(term, []).append(part)
        return found

    def plus(self, first_slot: int, packed: Sequence[bytes]) -> "Postings":
        """With the terms of further chunks, whose slots follow one another."""
        more = [
            _sorted(first_slot + start, packed[start : start + CHUNKS_AT_ONCE])
            for start in range(0, len(packed), CHUNKS_AT_ONCE)
        ]
        return _filled([*self.segments, *more])

    def merged(self) -> "Postings":
        """In fewer segments, if the last ones are not much smaller than those before them."""
        first, size = len(self.segments), 0
        while first and (self.segments[first - 1].size < MERGE_FACTOR * size or not size):
            first -= 1
            size += self.segments[first].size
        if len(self.segments) - first < 2:
            return self
        return Postings((*self.segments[:first], _merged(self.segments[first:])))

    def kept(self, keep: Mask) -> "Postings":
        """Of the chunks to keep alone, whose slots are counted anew."""
        moved = (np.cumsum(keep) - 1).astype(np.int32)
        return _filled([segment.kept(keep, moved) for segment in self.segments])


def _filled(segments: Sequence[_Segment]) -> Postings:
    return Postings(tuple(segment for segment in segments if segment.size))


def _merged(segments: Sequence[_Segment]) -> _Segment:
    """Put the postings of each segment behind those of the same term in the ones before."""
    terms = np.unique(np.concatenate([segment.terms for segment in segments]))
    places = [np.searchsorted(terms, segment.terms) for segment in segments]
    lengths = np.zeros(len(terms), np.int64)
    for segment, place in zip(segments, places, strict=True):
        lengths[place] += np.diff(segment.starts)
    starts = np.append(0, np.cumsum(lengths))
    slots = np.empty(starts[-1], np.int32)
    weights = np.empty(starts[-1], np.float16)
    ends = starts[:-1].copy()
    for segment, place in zip(segments, places, strict=True):
        counts = np.diff(segment.starts)
        moved = np.repeat(ends[place] - segment.starts[:-1], counts)
        moved += np.arange(segment.size)
        slots[moved], weights[moved] = segment.slots, segment.weights
        ends[place] += counts
    return _Segment(terms, starts, slots, weights)


def _sorted(first_slot: int, packed: Sequence[bytes]) -> _Segment:
    """Order the postings of chunks by term, those of a term by chunk."""
    entries = np.frombuffer(b"".join(packed), _ENTRY)
    counts = [len(one) // _ENTRY.itemsize for one in packed]
    # One number for term, chunk and weight: sorting numbers is what NumPy does fastest.
    keys = entries["term"].astype(np.uint64) << np.uint64(32)
    keys |= np.repeat(np.arange(len(packed), dtype=np.uint64) << np.uint64(16), counts)
    keys |= entries["weight"].view(np.uint16)
    keys.sort()
    terms = (keys >> np.uint64(32)).astype(np.uint32)
    is_first = np.append(True, terms[1:] != terms[:-1])[: len(terms)]
    starts = np.append(np.flatnonzero(is_first), len(terms))
    slots = first_slot + (keys.astype(np.uint32) >> np.uint32(16)).astype(np.int32)
    return _Segment(terms[is_first], starts, slots, keys.astype(np.uint16).view(np.float16))
