"""What is measured of an answer: the time of each stage, and how it ended, once."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from sourcebook.answering.answer_clock import AnswerClock, outcome_of
from sourcebook.core.answers import AnswerFacts
from sourcebook.core.errors import AgentTimeout, InvalidInput
from sourcebook.core.meters import AnswerOutcome, AnswerStage, AnswerSurface, NoMeter
from tests.fakes import FakeClock


class NotingMeter(NoMeter):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.answers: list[tuple[AnswerSurface, AnswerOutcome, dict[AnswerStage, float]]] = []

    def answer(
        self,
        surface: AnswerSurface,
        outcome: AnswerOutcome,
        seconds: Mapping[AnswerStage, float],
    ) -> None:
        self.answers.append((surface, outcome, dict(seconds)))


@pytest.fixture
def meter() -> NotingMeter:
    return NotingMeter()


@pytest.fixture
def measured(meter: NotingMeter, clock: FakeClock) -> AnswerClock:
    return AnswerClock(meter, "chat", clock)


def test_a_stage_inside_another_counts_for_itself_alone(
    measured: AnswerClock, meter: NotingMeter, clock: FakeClock
) -> None:
    with measured.stage("retrieval"):
        clock.now_s += 1
    for _ in range(2):
        with measured.stage("checks"):
            clock.now_s += 2
            with measured.stage("generation"):
                clock.now_s += 4
            clock.now_s += 8
    clock.now_s += 16
    measured.end("answered")

    stages = {"retrieval": 1, "checks": 20, "generation": 8, "total": 45}
    assert meter.answers == [("chat", "answered", stages)]


async def test_only_the_wait_for_pieces_counts_not_what_is_done_with_them(
    measured: AnswerClock, meter: NotingMeter, clock: FakeClock
) -> None:
    async def write() -> AsyncGenerator[str]:
        for piece in ("a", "b"):
            clock.now_s += 1
            yield piece
        clock.now_s += 1

    async with aclosing(measured.awaited("generation", write())) as pieces:
        async for _ in pieces:
            clock.now_s += 10
    measured.end("answered")

    assert meter.answers[0][2] == {"generation": 3, "total": 23}


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        (AgentTimeout("too late"), "error"),
        (ValueError("a bug"), "error"),
        (asyncio.CancelledError(), "cancelled"),
        (GeneratorExit(), "cancelled"),
    ],
)
def test_however_an_answer_fails_it_is_counted(
    measured: AnswerClock, meter: NotingMeter, failure: BaseException, outcome: str
) -> None:
    with pytest.raises(type(failure)), measured.counting_failures():
        raise failure

    assert [ended for _, ended, _ in meter.answers] == [outcome]


def test_a_question_that_cannot_be_asked_is_no_answer(
    measured: AnswerClock, meter: NotingMeter
) -> None:
    with pytest.raises(InvalidInput), measured.counting_failures():
        raise InvalidInput("no such field")

    assert meter.answers == []


def test_an_answer_counts_once(measured: AnswerClock, meter: NotingMeter) -> None:
    measured.end("refused")
    with pytest.raises(GeneratorExit), measured.counting_failures():
        raise GeneratorExit

    assert [ended for _, ended, _ in meter.answers] == ["refused"]


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({}, "answered"),
        ({"answered": False}, "refused"),
        ({"fallback": "extractive"}, "fallback"),
        ({"fallback": "extractive", "answered": False}, "fallback"),
    ],
)
def test_the_facts_of_an_answer_say_how_it_ended(changed: dict[str, Any], outcome: str) -> None:
    facts = AnswerFacts("general", "extractive", 1.0, chunks_retrieved=1, answered=True)

    assert outcome_of(replace(facts, **changed)) == outcome
