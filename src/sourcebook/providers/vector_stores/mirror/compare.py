"""Compares questions with a view: the nearest vectors and the chunks with their terms, exactly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sourcebook.core.vectors import SparseVector
from sourcebook.providers.vector_stores.mirror.arrays import Integers, Vectors, View
from sourcebook.providers.vector_stores.mirror.postings import Mask

# Comparing some rows alone costs copying them, which is worth it up to this share.
MAX_COPIED_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for in a view: chunks that were live, and of those the ones that pass.

    Both are None if all do. `limit` counts for vectors and for chunks with the terms.
    """

    dense: Vectors
    limit: int
    live: Mask | None = None
    passing: Mask | None = None
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
    cosines = [*_cosines(view, questions)]
    return [_found(view, one, some) for one, some in zip(questions, cosines, strict=True)]


def _cosines(
    view: View, questions: Sequence[Question]
) -> Iterator[tuple[Integers | None, Vectors]]:
    """For each question the rows to look at (None: all) and their cosines."""
    selected = [None if one.by_terms_alone else _selected(view, one) for one in questions]
    wide = [
        number
        for number, (one, rows) in enumerate(zip(questions, selected, strict=True))
        if rows is None and not one.by_terms_alone
    ]
    products: NDArray[np.float32] = np.zeros((0, 0), np.float32)
    if wide:
        products = np.stack([questions[number].dense for number in wide]) @ view.vectors.T
    for number, (one, rows) in enumerate(zip(questions, selected, strict=True)):
        if one.by_terms_alone:
            yield np.zeros(0, np.int64), np.zeros(0, np.float32)
        elif rows is None:
            yield None, products[wide.index(number)]
        else:
            yield rows, view.vectors[rows] @ one.dense


def _allowed(question: Question) -> Mask | None:
    live, passing = question.live, question.passing
    if live is None or passing is None:
        return passing if live is None else live
    return live & passing


def _selected(view: View, question: Question) -> Integers | None:
    """The rows to look at, if they are few."""
    allowed = _allowed(question)
    if allowed is None or np.count_nonzero(allowed) > MAX_COPIED_SHARE * view.size:
        return None
    return np.flatnonzero(allowed[view.owners])


def _found(view: View, question: Question, compared: tuple[Integers | None, Vectors]) -> Found:
    rows, cosines = compared
    allowed = _allowed(question)
    if rows is None and allowed is not None:
        cosines = np.where(allowed[view.owners], cosines, -np.inf)
    best = _best(cosines, question.limit)
    best = best[np.isfinite(cosines[best])]
    near = best if rows is None else rows[best]
    scores = _by_terms(view, question, allowed)
    others = _other_rows(view, scores, near)
    ours = np.concatenate([near, others])
    return Found(
        ours,
        np.clip(np.concatenate([cosines[best], view.vectors[others] @ question.dense]), -1, 1),
        scores,
        len(near) < question.limit and len(scores) < question.limit,
    )


def _by_terms(view: View, question: Question, allowed: Mask | None) -> dict[int, float]:
    """The best BM25 scores by slot; how rare a term is, all live chunks say."""
    if question.sparse is None or not question.sparse.indices:
        return {}
    live = question.live
    total = np.count_nonzero(view.has_terms if live is None else view.has_terms & live)
    scores = np.zeros(view.size, np.float32)
    for term, factor in zip(question.sparse.indices, question.sparse.values, strict=True):
        postings = [*view.postings.of(term, live)]
        holders = sum(len(slots) for slots, _ in postings)
        rarity = np.log(1 + (total - holders + 0.5) / (holders + 0.5))
        for slots, weights in postings:
            scores[slots] += np.float32(factor * rarity) * weights
    if allowed is not None:
        scores[~allowed] = 0.0
    holding = np.flatnonzero(scores > 0)
    best = holding[_best(scores[holding], question.limit)]
    return {int(slot): float(scores[slot]) for slot in best}


def _other_rows(view: View, scores: dict[int, float], near: Integers) -> Integers:
    """The rows of the chunks that have the terms, but for those that are near anyway."""
    if not scores:
        return np.zeros(0, np.int64)
    starts = view.first_rows
    rows = [row for slot in scores for row in range(starts[slot], starts[slot + 1])]
    return np.setdiff1d(np.array(rows, np.int64), near)


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
