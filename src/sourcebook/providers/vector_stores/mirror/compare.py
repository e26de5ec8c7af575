"""Compares questions with a view: the nearest vectors and the chunks with their terms, exactly."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sourcebook.core.filters import Filter
from sourcebook.core.vectors import SparseVector
from sourcebook.providers.vector_stores.mirror.arrays import Integers, Selection, Vectors, View

# Comparing some rows alone costs copying them, which is worth it up to this share.
MAX_COPIED_SHARE = 0.25
MAX_SELECTIONS = 16
# So many multiplications at once: a larger product OpenBLAS first copies, which takes 3 times as
# long as multiplying by two to eight questions.
SMALL_PRODUCT = 400_000


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for in a view: chunks that were live at a revision and pass the filter.

    `limit` counts for vectors and for chunks with the terms.
    """

    dense: Vectors
    limit: int
    revision: int
    filter: Filter
    sparse: SparseVector | None = None
    by_terms_alone: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Rows with their cosines, the nearest first; BM25 scores by slot, best first.

    After the nearest rows come the others of the slots that were found by their terms.
    """

    rows: Integers
    cosines: Vectors
    scores: dict[int, float]
    is_everything: bool


def compare(view: View, questions: Sequence[Question]) -> list[Found]:
    """Answer questions that came together: their vectors are compared in one product."""
    selected = [_selected(view, one.filter, one.revision) for one in questions]
    cosines = _cosines(view, questions, selected)
    return [
        _found(view, one, chosen, some)
        for one, chosen, some in zip(questions, selected, cosines, strict=True)
    ]


def count_terms(view: View, wanted: Set[int], filter_: Filter, revision: int) -> dict[int, int]:
    """In how many of the chunks that may be found each term stands; those in none are left out."""
    allowed = _selected(view, filter_, revision).allowed
    counts = {
        term: sum(len(slots) for slots, _ in postings)
        for term, postings in view.postings.of([*wanted], allowed).items()
    }
    return {term: count for term, count in counts.items() if count}


def _selected(view: View, filter_: Filter, revision: int) -> Selection:
    """The chunks that may be found. People ask many questions with the same filter."""
    # Not by the filter itself: Python calls 1 and true equal.
    key = repr(filter_), revision
    found = view.selections.get(key)
    if found is None:
        if len(view.selections) >= MAX_SELECTIONS:
            view.selections.clear()
        found = view.selections[key] = _select(view, filter_, revision)
    return found


def _select(view: View, filter_: Filter, revision: int) -> Selection:
    live, passing = view.live_at(revision), view.columns.mask(filter_, view.size)
    allowed = passing if live is None else live if passing is None else live & passing
    rows = None
    if allowed is not None and np.count_nonzero(allowed) <= MAX_COPIED_SHARE * view.size:
        rows = np.flatnonzero(allowed[view.owners])
    return Selection(live, allowed, rows)


def _cosines(
    view: View, questions: Sequence[Question], selected: Sequence[Selection]
) -> Iterator[Vectors]:
    """For each question the cosines of the rows to look at."""
    wide = [
        number
        for number, (one, chosen) in enumerate(zip(questions, selected, strict=True))
        if chosen.rows is None and not one.by_terms_alone
    ]
    products: NDArray[np.float32] = np.zeros((0, 0), np.float32)
    if wide:
        products = _products(view.vectors, np.stack([questions[number].dense for number in wide]))
    for number, (one, chosen) in enumerate(zip(questions, selected, strict=True)):
        if one.by_terms_alone:
            yield np.zeros(0, np.float32)
        elif chosen.rows is None:
            yield products[wide.index(number)]
        else:
            yield view.vectors[chosen.rows] @ one.dense


def _products(vectors: Vectors, questions: Vectors) -> Vectors:
    """The products of all vectors with each question, in one call, which frees Python's lock."""
    count, dimensions = questions.shape
    rows = max(1, SMALL_PRODUCT // questions.size)
    whole = len(vectors) - len(vectors) % rows
    blocks = vectors[:whole].reshape(-1, rows, dimensions)
    products = np.empty((count, len(vectors)), np.float32)
    products[:, :whole] = (blocks @ questions.T).reshape(-1, count).T
    products[:, whole:] = (vectors[whole:] @ questions.T).T
    return products


def _found(view: View, question: Question, selected: Selection, cosines: Vectors) -> Found:
    rows, allowed = selected.rows, selected.allowed
    if rows is None and allowed is not None and len(cosines):
        cosines = np.where(allowed[view.owners], cosines, -np.inf)
    best = _best(cosines, question.limit)
    best = best[np.isfinite(cosines[best])]
    near = best if rows is None else rows[best]
    scores = _by_terms(view, question, selected)
    others = _other_rows(view, scores, near)
    ours = np.concatenate([near, others])
    return Found(
        ours,
        np.clip(np.concatenate([cosines[best], view.vectors[others] @ question.dense]), -1, 1),
        scores,
        len(near) < question.limit and len(scores) < question.limit,
    )


def _by_terms(view: View, question: Question, selected: Selection) -> dict[int, float]:
    """The best BM25 scores by slot; how rare a term is, all live chunks say."""
    if question.sparse is None or not question.sparse.indices:
        return {}
    live, allowed = selected.live, selected.allowed
    total = np.count_nonzero(view.has_terms if live is None else view.has_terms & live)
    scores = np.zeros(view.size, np.float32)
    factors = dict(zip(question.sparse.indices, question.sparse.values, strict=True))
    for term, postings in view.postings.of(question.sparse.indices, live).items():
        factor, holders = factors[term], sum(len(slots) for slots, _ in postings)
        rarity = np.log(1 + (total - holders + 0.5) / (holders + 0.5))
        for slots, weights in postings:
            scores[slots] += np.float32(factor * rarity) * weights.astype(np.float32)
    if allowed is not None:
        scores[~allowed] = 0.0
    holding = np.flatnonzero(scores > 0)
    best = holding[_best(scores[holding], question.limit)]
    return dict(zip(best.tolist(), scores[best].tolist(), strict=True))


def _other_rows(view: View, scores: dict[int, float], near: Integers) -> Integers:
    """The rows of the chunks that have the terms, but for those that are near anyway."""
    if not scores:
        return np.zeros(0, np.int64)
    slots = np.sort(np.fromiter(scores, np.int64))
    first = view.first_rows[slots]
    counts = view.first_rows[slots + 1] - first
    rows = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
    return np.setdiff1d(rows, near, assume_unique=True)


def _best(scores: Vectors, limit: int) -> Integers:
    """The places of the highest scores, best first; of equals, the first."""
    if 0 < limit < len(scores):
        # All that are as good as the last, so that equals do not depend on the others.
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores)) if limit > 0 else np.zeros(0, np.int64)
    order = np.argsort(-scores[places], kind="stable")
    return places[order][:limit]
