"""The chain of a document: one head, one tail, no gaps, whatever order the chunks come in."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.chunk_links import link_chunks, misplaced_chunks
from sourcebook.core.documents import Chunk, Extent, Links, Span


def chunk(id_: str, ordinal: int, start: int | None = None) -> Chunk:
    extent = None if start is None else Extent((Span(start, start + 1),), 1, 1)
    return Chunk(id_, "document", ordinal, "text", {}, extent)


def test_no_chunks_make_no_chain() -> None:
    assert link_chunks([]) == []


def test_a_single_chunk_is_head_and_tail() -> None:
    assert link_chunks([chunk("a", 5)]) == [replace(chunk("a", 0), links=Links(None, None, 1))]


def test_the_place_in_the_text_decides_the_order() -> None:
    chain = link_chunks([chunk("a", 0, start=9), chunk("b", 1, start=4), chunk("c", 2, start=6)])

    assert [(c.id, c.ordinal) for c in chain] == [("b", 0), ("c", 1), ("a", 2)]


def test_the_ordinals_decide_if_one_place_is_unknown() -> None:
    chain = link_chunks([chunk("a", 7, start=0), chunk("b", 3), chunk("c", 7)])

    assert [c.id for c in chain] == ["b", "a", "c"]


@given(st.lists(st.integers(0, 1_000), min_size=1, max_size=30, unique=True), st.randoms())
def test_a_chain_can_be_walked_both_ways(starts: list[int], chance: random.Random) -> None:
    chunks = [chunk(f"c{start}", chance.randrange(9), start) for start in starts]
    by_id = {c.id: c for c in link_chunks(chunks)}
    (head,) = [c for c in by_id.values() if c.links.previous is None]
    (tail,) = [c for c in by_id.values() if c.links.next is None]

    forth = [head]
    while (following := forth[-1].links.next) is not None:
        forth.append(by_id[following])
    back = [tail]
    while (before := back[-1].links.previous) is not None:
        back.append(by_id[before])

    assert [c.id for c in forth] == [f"c{start}" for start in sorted(starts)]
    assert forth == back[::-1]
    assert {c.links.total for c in forth} == {len(starts)}
    assert misplaced_chunks(forth) == []


def test_misplaced_chunks_are_given_as_they_should_be() -> None:
    a, b, c = link_chunks([chunk("a", 0, 0), chunk("b", 1, 1), chunk("c", 2, 2)])

    assert misplaced_chunks([a, replace(b, ordinal=9, links=Links()), c]) == [b]
