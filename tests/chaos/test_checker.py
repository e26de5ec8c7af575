"""The checks themselves: each must fail on what it is there to find."""

from dataclasses import replace

import pytest

from tests.chaos.checker import Observed, Seen, check_versions, contradictions

A = Seen("a", "a version 1", {"version": 1})
B = Seen("b", "b version 1", {"version": 1})
NEWER_A = Seen("a", "a version 2", {"version": 2})
SOUND = Observed("robotics", count=2, total=2, documents=(A, B), hits=(B, A))


def test_a_sound_collection_has_no_contradictions() -> None:
    assert contradictions(SOUND) == []


@pytest.mark.parametrize(
    "observed",
    [
        replace(SOUND, count=3),
        replace(SOUND, total=1),
        replace(SOUND, hits=(A,)),
        replace(SOUND, hits=(A, B, NEWER_A)),
        replace(SOUND, hits=(A, A, B)),
        replace(SOUND, hits=(NEWER_A, B)),
        replace(SOUND, hits=(replace(A, metadata={"version": 2}), B)),
        Observed("robotics", count=2, total=2, documents=(A, A), hits=(A, A)),
    ],
    ids=[
        "a wrong count",
        "a wrong total",
        "one not found",
        "two versions found",
        "one found twice",
        "another version found",
        "other metadata found",
        "one listed twice",
    ],
)
def test_a_contradiction_is_told(observed: Observed) -> None:
    assert contradictions(observed)


def test_one_version_between_the_oldest_and_the_newest_is_right() -> None:
    check_versions("a", [A], oldest=1, newest=2)
    check_versions("a", [NEWER_A], oldest=1, newest=2)


@pytest.mark.parametrize(
    "versions",
    [
        [],
        [A, NEWER_A],
        [A],
        [Seen("a", "a version 4", {"version": 4})],
        [replace(A, metadata={"version": 2})],
    ],
    ids=["none", "two", "one that was replaced", "one that nobody wrote", "a mixed one"],
)
def test_a_reader_tells_what_it_must_not_see(versions: list[Seen]) -> None:
    with pytest.raises(AssertionError):
        check_versions("a", versions, oldest=2, newest=3)
