"""The last real call counts, until one succeeds or it is long ago."""

import asyncio

import pytest

from sourcebook.core.call_outcomes import OUTCOME_TTL_S, CallOutcomes
from sourcebook.core.errors import (
    EmbeddingFailed,
    InvalidInput,
    Overloaded,
    PoisonText,
    RateLimited,
    RetrievalUnavailable,
)
from sourcebook.core.health import ServiceHealth
from tests.fakes import FakeClock

UP = ServiceHealth("up", latency_ms=3.0)


def end(outcomes: CallOutcomes, error: BaseException | None) -> None:
    """A call that ends so."""
    if error is None:
        with outcomes.noting():
            return
    with pytest.raises(type(error)), outcomes.noting():
        raise error


@pytest.fixture
def outcomes(clock: FakeClock) -> CallOutcomes:
    return CallOutcomes(EmbeddingFailed, clock)


@pytest.mark.parametrize("error", [EmbeddingFailed("No"), RateLimited("No")])
def test_a_failed_call_degrades_a_part_whose_probe_succeeds(
    outcomes: CallOutcomes, error: Exception
) -> None:
    end(outcomes, error)

    assert outcomes.applied_to(UP) == ServiceHealth("degraded", 3.0, "the last call failed. No")


def test_what_the_probe_found_is_worse_or_as_good(outcomes: CallOutcomes) -> None:
    down = ServiceHealth("down", message="away")
    assert outcomes.applied_to(UP) == UP

    end(outcomes, EmbeddingFailed("No"))

    assert outcomes.applied_to(down) == down


def test_a_call_that_succeeds_makes_up_for_it(outcomes: CallOutcomes) -> None:
    end(outcomes, EmbeddingFailed("No"))
    end(outcomes, None)

    assert outcomes.applied_to(UP) == UP


def test_a_trusted_success_outweighs_a_degraded_probe_for_a_while(clock: FakeClock) -> None:
    outcomes = CallOutcomes(EmbeddingFailed, clock, trusted=True)
    degraded, down = ServiceHealth("degraded", 3.0, "refused"), ServiceHealth("down")
    before = outcomes.applied_to(degraded)

    end(outcomes, None)
    after, of_one_away = outcomes.applied_to(degraded), outcomes.applied_to(down)
    clock.now_s += OUTCOME_TTL_S

    assert (before, after, of_one_away) == (degraded, UP, down)
    assert outcomes.applied_to(degraded) == degraded


def test_any_other_success_leaves_a_degraded_probe_alone(outcomes: CallOutcomes) -> None:
    degraded = ServiceHealth("degraded", message="given up")
    end(outcomes, None)

    assert outcomes.applied_to(degraded) == degraded


def test_two_successful_probes_in_a_row_end_the_effect_of_a_failed_call(
    outcomes: CallOutcomes,
) -> None:
    end(outcomes, EmbeddingFailed("No"))
    down = ServiceHealth("down")
    probes = [UP, down, UP, UP, UP]

    assert [outcomes.applied_to(found).status for found in probes] == [
        "degraded",
        "down",
        "degraded",
        "up",
        "up",
    ]
    end(outcomes, EmbeddingFailed("No"))
    assert outcomes.applied_to(UP).status == "degraded"


def test_what_was_long_ago_says_nothing_about_now(outcomes: CallOutcomes, clock: FakeClock) -> None:
    end(outcomes, EmbeddingFailed("No"))
    clock.now_s += OUTCOME_TTL_S

    assert outcomes.applied_to(UP) == UP


@pytest.mark.parametrize(
    "error",
    [
        PoisonText("Not this text", [0]),
        Overloaded("Busy"),
        InvalidInput("Too long"),
        RetrievalUnavailable("Another part is away"),
        asyncio.CancelledError(),
        GeneratorExit(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_is_not_the_parts_fault_changes_nothing(
    outcomes: CallOutcomes, error: BaseException
) -> None:
    end(outcomes, error)
    assert outcomes.applied_to(UP) == UP

    end(outcomes, EmbeddingFailed("No"))
    end(outcomes, error)
    assert outcomes.applied_to(UP).status == "degraded"
