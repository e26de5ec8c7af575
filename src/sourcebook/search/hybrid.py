"""Joins similarity and terms into one score, and spreads the first hits over documents.

The score is absolute: a hit's does not depend on the other hits, so thresholds keep their meaning.
Terms can only raise it above the similarity, and so does the context of a conversation. Decisions
0032 and 0036 have the measurements.
"""

import math
from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from sourcebook.core.documents import TermMatch
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.vectors import PointRef, TermMatches

# How much BM25 counts. It grows with the number of words that are asked for, hence the root.
TERM_WEIGHT = 0.1
# How much it counts that a follow-up's hit is near what the question before it found.
CONTEXT_WEIGHT = 0.3
# One document gets at most this share of the places, as long as others have something to offer.
MAX_SHARE = 0.5
_score = attrgetter("score")
_relevance = attrgetter("relevance")


class Candidate(NamedTuple):
    """A chunk that the index found, by its nearest point, and how well it fits.

    A tuple: a search makes a hundred of them and shows five.
    """

    ref: PointRef
    cosine: float
    relevance: float
    bm25: float
    dense_rank: int
    keyword_rank: int | None
    context: float | None

    @property
    def key(self) -> tuple[str, str]:
        """The id of the chunk and its version."""
        return self.ref.chunk_id, self.ref.version

    @property
    def terms(self) -> TermMatch:
        """How well its terms fit."""
        return TermMatch(
            self.relevance, self.bm25, self.dense_rank, self.keyword_rank, self.context
        )


def rank(found: TermMatches, words: int, mode: SearchMode) -> list[Candidate]:
    """The chunks that were found, best first; by keywords, only those with some of the terms.

    `words` counts the words that were asked for.
    """
    bm25, context = _bm25_of_chunks(found), _context_of_chunks(found)
    keyword_ranks = {key: place for place, key in enumerate(bm25, 1)}
    weight = TERM_WEIGHT / math.sqrt(max(1, words))
    candidates: dict[tuple[str, str], Candidate] = {}
    # Best first, so a chunk stands where its nearest point does.
    for ref, nearest in sorted(found.nearest, key=_score, reverse=True):
        key = ref.chunk_id, ref.version
        if key in candidates or (mode == "keyword" and key not in bm25):
            continue
        score, nearness = bm25.get(key, 0.0), context.get(key)
        cosine = 0.0 if mode == "keyword" else nearest
        relevance = 0.0 if cosine < 0.0 else 1.0 if cosine > 1.0 else cosine
        if score > 0.0 or nearness:
            # Terms and context can only take away from what is missing.
            fit = weight * max(0.0, score) + CONTEXT_WEIGHT * (nearness or 0.0)
            relevance = 1.0 - (1.0 - relevance) * math.exp(-fit)
        candidates[key] = Candidate(
            ref,
            nearest,
            relevance,
            score,
            len(candidates) + 1,
            keyword_ranks.get(key),
            nearness,
        )
    # Stable: of equals, the nearest comes first.
    return sorted(candidates.values(), key=_relevance, reverse=True)


def spread(candidates: Iterable[Candidate], limit: int) -> list[Candidate]:
    """The same candidates, so that no document fills the first `limit` places alone."""
    most = math.ceil(limit * MAX_SHARE)
    taken: Counter[str] = Counter()
    first: list[Candidate] = []
    rest: list[Candidate] = []
    for one in candidates:
        taken[one.ref.document_id] += 1
        (first if taken[one.ref.document_id] <= most else rest).append(one)
    return first + rest


def _bm25_of_chunks(found: TermMatches) -> dict[tuple[str, str], float]:
    """BM25 scores by chunk, best first."""
    refs = {point.ref.id: point.ref for point in found.nearest}
    return {
        (refs[id_].chunk_id, refs[id_].version): score
        for id_, score in found.scores.items()
        if id_ in refs
    }


def _context_of_chunks(found: TermMatches) -> dict[tuple[str, str], float]:
    """Return how near each chunk is to the context, from 0 to 1, by its nearest point."""
    nearness: dict[tuple[str, str], float] = {}
    if not found.context:
        return nearness
    for point in found.nearest:
        key = point.ref.chunk_id, point.ref.version
        cosine = found.context.get(point.ref.id)
        if cosine is not None:
            nearness[key] = max(min(1.0, cosine), nearness.get(key, 0.0))
    return nearness
