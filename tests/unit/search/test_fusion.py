"""Rankings that cannot be compared, as one."""

from sourcebook.search.fusion import fuse


def test_what_stands_high_in_many_rankings_comes_first() -> None:
    assert fuse([["a", "b", "c"], ["b", "d"], ["d", "b"]]) == ["b", "d", "a", "c"]


def test_rankings_with_nothing_in_common_take_turns() -> None:
    assert fuse([["a1", "a2", "a3"], ["b1"], ["c1", "c2"]]) == ["a1", "b1", "c1", "a2", "c2", "a3"]


def test_one_ranking_stays_as_it_is() -> None:
    assert fuse([[3, 1, 2], []]) == [3, 1, 2]
    assert fuse([]) == []
