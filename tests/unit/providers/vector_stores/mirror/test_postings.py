"""Postings: however chunks were added, merged and dropped, each term has those that have it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.vectors import SparseVector
from sourcebook.providers.vector_stores.mirror.postings import Postings, pack_terms

TERMS = st.sets(st.integers(0, 5) | st.just(2**32 - 1))
# How many chunks were added at once, and whether that was merged with what was there.
ADDED = st.lists(st.tuples(st.lists(TERMS, max_size=4), st.booleans()), max_size=6)


def _held(postings: Postings, term: int) -> dict[int, float]:
    found = [
        pair
        for slots, weights in postings.of([term], None).get(term, [])
        for pair in zip(slots, weights, strict=True)
    ]
    assert [slot for slot, _ in found] == sorted({slot for slot, _ in found})
    return {int(slot): float(weight) for slot, weight in found}


@given(ADDED, st.data())
def test_postings_tell_who_has_a_term(
    added: list[tuple[list[set[int]], bool]], data: st.DataObject
) -> None:
    postings, chunks = Postings(), list[set[int]]()
    for some, merges in added:
        sparse = [SparseVector((*one,), (float(len(one)),) * len(one)) for one in some]
        postings = postings.plus(len(chunks), [pack_terms(one) for one in sparse])
        chunks += some
        postings = postings.merged() if merges else postings
    keep = data.draw(st.lists(st.booleans(), min_size=len(chunks), max_size=len(chunks)))
    kept = [one for one, stays in zip(chunks, keep, strict=True) if stays]
    left = postings.kept(np.array(keep, np.bool_))

    for of_all, held in ((chunks, postings), (kept, left)):
        for term in set().union(*of_all, {0}):
            expected = {slot: len(one) for slot, one in enumerate(of_all) if term in one}
            assert _held(held, term) == expected
        assert {*held.of([0, 1, 2**32 - 1], None)} == set().union(*of_all) & {0, 1, 2**32 - 1}
