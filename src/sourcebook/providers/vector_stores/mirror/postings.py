"""Postings: which chunks have a term, and how much it weighs there."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sourcebook.core.vectors import SparseVector

# As stored in the ledger: half precision keeps three digits of a weight.
_ENTRY = np.dtype([("term", "<u4"), ("weight", "<f2")])
# A segment is merged with the one before unless that is so many times larger.
MERGE_FACTOR = 2

Slots: TypeAlias = NDArray[np.int32]
Weights: TypeAlias = NDArray[np.float32]
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
    weights: NDArray[np.float16]

    @property
    def size(self) -> int:
        return len(self.slots)

    def of(self, term: int) -> tuple[Slots, Weights]:
        place = int(np.searchsorted(self.terms, np.uint32(term)))
        known = place < len(self.terms) and self.terms[place] == term
        start, end = (self.starts[place], self.starts[place + 1]) if known else (0, 0)
        return self.slots[start:end], self.weights[start:end].astype(np.float32)

    def by_term(self) -> NDArray[np.uint32]:
        """The term of each posting."""
        return np.repeat(self.terms, np.diff(self.starts))


@dataclass(frozen=True, slots=True)
class Postings:
    """The terms of all chunks, in a few segments; adding gives new postings beside the old ones."""

    segments: tuple[_Segment, ...] = ()

    def of(self, term: int, live: Mask | None) -> Iterator[tuple[Slots, Weights]]:
        """The slots of the live chunks that have a term, each once, with its weights there."""
        for segment in self.segments:
            slots, weights = segment.of(term)
            if live is not None:
                keep = live[slots]
                slots, weights = slots[keep], weights[keep]
            yield slots, weights

    def known(self, wanted: Set[int]) -> list[int]:
        """Those of some terms that any chunk has."""
        terms = np.array([*wanted], np.uint32)
        found = np.zeros(len(terms), np.bool_)
        for segment in self.segments:
            found |= (
                np.take(segment.terms, np.searchsorted(segment.terms, terms), mode="clip") == terms
            )
        return [int(term) for term in terms[found]]

    def plus(self, first_slot: int, packed: Sequence[bytes]) -> "Postings":
        """With the terms of further chunks, whose slots follow one another."""
        entries = np.frombuffer(b"".join(packed), _ENTRY)
        counts = [len(one) // _ENTRY.itemsize for one in packed]
        slots = np.repeat(np.arange(first_slot, first_slot + len(packed), dtype=np.int32), counts)
        segments = [*self.segments, _sorted(entries["term"], slots, entries["weight"])]
        while len(segments) > 1 and segments[-2].size < MERGE_FACTOR * segments[-1].size:
            last, before = segments.pop(), segments.pop()
            segments.append(_merged(before, last))
        return Postings(tuple(segments))

    def kept(self, keep: Mask) -> "Postings":
        """Of the chunks to keep alone, whose slots are counted anew."""
        if not self.segments:
            return self
        moved = (np.cumsum(keep) - 1).astype(np.int32)
        terms = np.concatenate([segment.by_term() for segment in self.segments])
        slots = np.concatenate([segment.slots for segment in self.segments])
        weights = np.concatenate([segment.weights for segment in self.segments])
        stays = keep[slots]
        return Postings((_sorted(terms[stays], moved[slots[stays]], weights[stays]),))


def _merged(one: _Segment, other: _Segment) -> _Segment:
    """Put the postings of a later segment behind those of the same term in an earlier one."""
    terms = np.union1d(one.terms, other.terms)
    places, other_places = np.searchsorted(terms, one.terms), np.searchsorted(terms, other.terms)
    lengths = np.zeros(len(terms), np.int64)
    lengths[places] = np.diff(one.starts)
    before = lengths[other_places]
    lengths[other_places] += np.diff(other.starts)
    starts = np.append(0, np.cumsum(lengths))
    slots = np.empty(starts[-1], np.int32)
    weights = np.empty(starts[-1], np.float16)
    for segment, first in ((one, starts[places]), (other, starts[other_places] + before)):
        moved = np.repeat(first - segment.starts[:-1], np.diff(segment.starts))
        moved += np.arange(segment.size)
        slots[moved], weights[moved] = segment.slots, segment.weights
    return _Segment(terms, starts, slots, weights)


def _sorted(terms: NDArray[np.uint32], slots: Slots, weights: NDArray[np.float16]) -> _Segment:
    """Order postings by term, those of a term as they came."""
    # One number for term and place: sorting numbers is what NumPy does fastest.
    keys = terms.astype(np.uint64) << np.uint64(32)
    keys |= np.arange(len(keys), dtype=np.uint64)
    keys.sort()
    order = keys.astype(np.uint32)
    terms = (keys >> np.uint64(32)).astype(np.uint32)
    is_first = np.append(True, terms[1:] != terms[:-1])[: len(terms)]
    starts = np.append(np.flatnonzero(is_first), len(terms))
    return _Segment(terms[is_first], starts, slots[order], weights[order])
