"""The model that judges crashes: it must call right what may be and wrong what may not."""

import pytest

from tests.chaos.history import DocumentId, History, Operation, State

A, B = ("robotics", "a"), ("robotics", "b")


@pytest.fixture
def history() -> History:
    history = History()
    history.settle({A: "old", B: "old"})
    return history


def done(history: History, effects: dict[DocumentId, State]) -> Operation:
    operation = history.begin(effects)
    history.confirm(operation)
    return operation


def holds(history: History, a: State, b: State) -> bool:
    return not history.violations({A: a, B: b})


def test_a_confirmed_write_is_there(history: History) -> None:
    done(history, {A: "new"})

    assert holds(history, "new", "old")
    assert not holds(history, "old", "old")
    assert not holds(history, None, "old")


def test_a_confirmed_delete_is_gone(history: History) -> None:
    done(history, {A: None})

    assert holds(history, None, "old")
    assert not holds(history, "old", "old")


def test_a_write_in_flight_happened_or_not(history: History) -> None:
    done(history, {A: "first"})
    history.begin({A: "second"})

    assert holds(history, "first", "old")
    assert holds(history, "second", "old")
    assert not holds(history, "old", "old")
    assert not holds(history, None, "old")


def test_what_nobody_wrote_is_not_there(history: History) -> None:
    assert not holds(history, "invented", "old")
    assert history.violations({A: "old", B: "old", ("robotics", "phantom"): "text"})


def test_a_batch_in_flight_happened_whole_or_not_at_all(history: History) -> None:
    history.begin({A: "new", B: "new"})

    assert holds(history, "old", "old")
    assert holds(history, "new", "new")
    assert not holds(history, "new", "old")
    assert not holds(history, "old", "new")


def test_a_delete_of_two_in_flight_happened_whole_or_not_at_all(history: History) -> None:
    history.begin({A: None, B: None})

    assert holds(history, "old", "old")
    assert holds(history, None, None)
    assert not holds(history, None, "old")


def test_of_two_writes_at_the_same_time_either_may_be_last(history: History) -> None:
    one = history.begin({A: "one", B: "one"})
    other = history.begin({A: "other"})
    history.confirm(one)
    history.confirm(other)

    assert holds(history, "one", "one")
    assert holds(history, "other", "one")
    assert not holds(history, "old", "one")
    assert not holds(history, "other", "old")


def test_what_was_seen_after_a_restart_stays(history: History) -> None:
    history.begin({A: "new", B: "new"})
    history.settle({A: "old", B: "old"})

    assert holds(history, "old", "old")
    assert not holds(history, "new", "new")
