"""Mirror: the vectors, terms and lifetimes of a collection's chunks, in arrays.

One thread at a time adds to a mirror. Searches read a view, without a lock: what is added later
stands after its end, and a chunk that dies later was live at its revision.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sourcebook.core.metadata import Metadata
from sourcebook.core.mirrors import MirroredChunk
from sourcebook.core.vectors import PointRef
from sourcebook.providers.vector_stores.mirror.columns import Columns
from sourcebook.providers.vector_stores.mirror.postings import Mask, Postings, Slots

NEVER = np.iinfo(np.int64).max
# Dead chunks are dropped once they are so many, and this share of all.
MIN_DROPPED, DROPPED_SHARE = 1_000, 0.25
# So many points are remembered.
MAX_POINTS = 50_000
# Squares of lengths that single precision computes well; models give one.
MIN_ORDINARY = 1e-12
# Room that is not used yet takes no memory.
GROWTH = 1.5

Vectors: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
_Kind = TypeVar("_Kind", np.float32, np.int64, np.int32, np.bool_)


@dataclass(frozen=True, slots=True)
class Selection:
    """The chunks that were live, and those of them that pass a filter; None if all.

    `rows` are the vectors of these, if they are few.
    """

    live: Mask | None
    allowed: Mask | None
    rows: Integers | None


@dataclass(frozen=True, slots=True)
class View:
    """A collection's chunks up to a revision. A row is a vector, a slot is a chunk.

    The rows of a slot follow one another, from `first_rows[slot]` to before `first_rows[slot + 1]`.
    """

    revision: int
    vectors: Vectors
    owners: Slots
    first_rows: Integers
    keys: Integers
    born: Integers
    died: Integers
    has_terms: Mask
    refs: Sequence[tuple[str, str, str]]
    postings: Postings
    columns: Columns
    # The points of rows that were found, which are mostly found again.
    points: dict[int, PointRef] = field(default_factory=dict)
    # What filters select, so that the next question with the same one need not ask again.
    selections: dict[tuple[str, int], Selection] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many chunks it has, dead ones included."""
        return len(self.keys)

    def live_at(self, revision: int) -> Mask | None:
        """The chunks that were live at a revision; None if all were."""
        live = (self.born <= revision) & (self.died > revision)
        return None if live.all() else live

    def point(self, row: int) -> PointRef:
        """The point of a row, under a short name of its own."""
        known = self.points.get(row)
        if known is not None:
            return known
        if len(self.points) >= MAX_POINTS:
            self.points.clear()
        slot = int(self.owners[row])
        ordinal = row - int(self.first_rows[slot])
        key = int(self.keys[slot])
        id_ = point_name(key, ordinal)
        point = PointRef(id_, *self.refs[slot], "", ordinal=ordinal, key=key)
        self.points[row] = point
        return point

    def count_of(self, slot: int) -> int:
        """How many vectors a chunk has."""
        return int(self.first_rows[slot + 1] - self.first_rows[slot])


def point_name(key: int, ordinal: int) -> str:
    """Name a vector by the key of its chunk: a search makes a hundred names, and shows none."""
    return f"{key}.{ordinal}"


class _Growing(Generic[_Kind]):
    """An array that grows at its end; slices that were given out stay as they are."""

    def __init__(self, first: NDArray[_Kind]) -> None:
        self._room: NDArray[_Kind] = first
        self._size = len(first)

    @property
    def array(self) -> NDArray[_Kind]:
        """What it has now."""
        return self._room[: self._size]

    def extend(self, more: NDArray[_Kind]) -> None:
        size = self._size + len(more)
        if size > len(self._room):
            room = np.empty((int(size * GROWTH), *self._room.shape[1:]), self._room.dtype)
            room[: self._size] = self.array
            self._room = room
        self._room[self._size : size] = more
        self._size = size


class Mirror:
    """Keeps up with a collection; `view` is what it has now."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._view = _empty(dimensions)
        self._fill(self._view)

    def _fill(self, view: View) -> None:
        self._vectors, self._owners = _Growing(view.vectors), _Growing(view.owners)
        self._first_rows, self._keys = _Growing(view.first_rows), _Growing(view.keys)
        self._born, self._died = _Growing(view.born), _Growing(view.died)
        self._has_terms = _Growing(view.has_terms)
        self._refs: list[tuple[str, str, str]] = [*view.refs]
        self._postings = view.postings
        self._columns = view.columns
        self._points = view.points
        self._view = view

    @property
    def view(self) -> View:
        """What searches read."""
        return self._view

    def unknown(self, born: Sequence[MirroredChunk]) -> list[MirroredChunk]:
        """Return those that it does not have: they come in order, and it has the first ones."""
        view = self._view
        last = (view.born[-1], view.keys[-1]) if view.size else (0, 0)
        return [chunk for chunk in born if (chunk.born, chunk.key) > last]

    def add(self, born: Sequence[MirroredChunk], metadata: Sequence[Metadata]) -> None:
        """Add chunks. Those of which no vectors are remembered are found by their terms alone.

        `metadata` are theirs, needed only where there are columns.
        """
        if not born:
            return
        rows, counts = _unit_rows([chunk.vectors for chunk in born], self._dimensions)
        first = self._view.size
        self._vectors.extend(rows)
        slots = np.arange(first, first + len(born), dtype=np.int32)
        self._owners.extend(np.repeat(slots, counts))
        ends = self._view.first_rows[-1] + np.cumsum(counts, dtype=np.int64)
        self._first_rows.extend(ends)
        self._keys.extend(_integers(chunk.key for chunk in born))
        self._born.extend(_integers(chunk.born for chunk in born))
        self._died.extend(_integers(NEVER if chunk.died is None else chunk.died for chunk in born))
        self._has_terms.extend(np.array([bool(chunk.terms) for chunk in born], np.bool_))
        # The chunks of a document share what names it.
        shared = {text: text for chunk in born for text in (chunk.document_id, chunk.version)}
        self._refs.extend(
            (chunk.chunk_id, shared[chunk.document_id], shared[chunk.version]) for chunk in born
        )
        self._postings = self._postings.plus(first, [chunk.terms or b"" for chunk in born])
        self._columns.extend(metadata)
        self._publish(self._view.revision)

    def bury(self, died: Sequence[tuple[int, int]]) -> None:
        """Note when chunks died, by their keys; unknown ones are ignored."""
        if not died:
            return
        keys, at = np.array(sorted(died), np.int64).T
        view = self._view
        places = np.minimum(np.searchsorted(keys, view.keys), len(keys) - 1)
        known = keys[places] == view.keys
        view.died[known] = at[places[known]]

    def bury_all_but(self, live: Sequence[int], at: int) -> None:
        """Note that all chunks died but those with these keys."""
        view = self._view
        gone = ~np.isin(view.keys, np.array(live, np.int64)) & (view.died == NEVER)
        view.died[gone] = at

    def reach(self, revision: int) -> None:
        """Say that everything up to this revision is known."""
        self._postings = self._postings.merged()
        self._publish(revision)

    def drop_dead(self, died_before: int) -> None:
        """Drop the chunks that no reader can ask for any more, if they are many."""
        view = self._view
        keep = view.died >= died_before
        dropped = view.size - int(np.count_nonzero(keep))
        if dropped < max(MIN_DROPPED, DROPPED_SHARE * view.size):
            return
        rows = keep[view.owners]
        moved = (np.cumsum(keep) - 1).astype(np.int32)
        counts = np.diff(view.first_rows)[keep]
        self._fill(
            View(
                revision=view.revision,
                vectors=view.vectors[rows],
                owners=moved[view.owners[rows]],
                first_rows=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
                keys=view.keys[keep],
                born=view.born[keep],
                died=view.died[keep],
                has_terms=view.has_terms[keep],
                refs=[view.refs[slot] for slot in np.flatnonzero(keep).tolist()],
                postings=view.postings.kept(keep),
                columns=view.columns.kept(keep),
            )
        )

    def _publish(self, revision: int) -> None:
        self._view = View(
            revision,
            self._vectors.array,
            self._owners.array,
            self._first_rows.array,
            self._keys.array,
            self._born.array,
            self._died.array,
            self._has_terms.array,
            self._refs,
            self._postings,
            self._columns,
            self._points,
        )


def _empty(dimensions: int) -> View:
    none = np.zeros(0, np.int64)
    return View(
        0,
        _no_rows(dimensions),
        none.astype(np.int32),
        np.zeros(1, np.int64),
        none,
        none,
        none.copy(),
        none.astype(np.bool_),
        [],
        Postings(),
        Columns(),
    )


def _unit_rows(packed: Sequence[bytes], dimensions: int) -> tuple[Vectors, list[int]]:
    """Return vectors of length one, and how many each chunk has.

    A chunk whose vectors are of another length, or no directions, has none.
    """
    size = dimensions * 4
    counts = [len(one) // size if len(one) % size == 0 else 0 for one in packed]
    whole = (one for one, count in zip(packed, counts, strict=True) if count)
    found = np.frombuffer(b"".join(whole), "<f4").reshape(-1, dimensions)
    squares = np.einsum("ij,ij->i", found, found)
    if np.all((squares > MIN_ORDINARY) & (squares < 1 / MIN_ORDINARY)):
        return found / np.sqrt(squares)[:, np.newaxis], counts
    # In double precision: tiny and huge ones would vanish in single.
    rows = found.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    sound = (np.isfinite(lengths) & (lengths > 0)).ravel()
    if not sound.all():
        owners = np.repeat(np.arange(len(counts)), counts)
        bad = set(owners[~sound].tolist())
        keep = ~np.isin(owners, [*bad])
        rows, lengths = rows[keep], lengths[keep]
        counts = [0 if place in bad else count for place, count in enumerate(counts)]
    return (rows / lengths).astype(np.float32), counts


def _no_rows(dimensions: int) -> Vectors:
    return np.zeros((0, dimensions), np.float32)


def _integers(values: Iterable[int]) -> Integers:
    return np.fromiter(values, np.int64)
