"""A gate lets callers through until it closes, and closing waits for them."""

import threading

import pytest

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.vector_stores.qdrant_edge.index import Gate

WAIT_S = 10.0


def test_several_callers_may_be_inside_at_once() -> None:
    gate = Gate("closing")
    with gate.pass_through(), gate.pass_through():
        pass
    gate.close()


def test_a_closed_gate_refuses_with_its_reason() -> None:
    gate = Gate("Index 'x' is being closed")
    gate.close()
    with (
        pytest.raises(RetrievalUnavailable, match="Index 'x' is being closed"),
        gate.pass_through(),
    ):
        pass


def test_closing_waits_until_the_last_has_left() -> None:
    gate = Gate("closing")
    inside, leave = threading.Event(), threading.Event()
    order: list[str] = []

    def stay() -> None:
        with gate.pass_through():
            inside.set()
            leave.wait(WAIT_S)
            order.append("left")

    def close() -> None:
        gate.close(WAIT_S)
        order.append("closed")

    threads = [threading.Thread(target=stay), threading.Thread(target=close)]
    threads[0].start()
    assert inside.wait(WAIT_S)
    threads[1].start()
    leave.set()
    for thread in threads:
        thread.join(WAIT_S)
    assert order == ["left", "closed"]


def test_closing_gives_up_on_a_caller_that_does_not_leave() -> None:
    gate = Gate("closing")
    with gate.pass_through(), pytest.raises(RetrievalUnavailable, match="still running"):
        gate.close(timeout_s=0.0)


def test_a_caller_that_fails_has_left() -> None:
    gate = Gate("closing")
    with pytest.raises(ValueError, match="inside"), gate.pass_through():
        raise ValueError("inside")
    gate.close(timeout_s=0.0)
