"""Measures one answer: how long its stages took, and how it ended."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager

from sourcebook.answering.writers import Brief, Writer
from sourcebook.core.answers import AnswerFacts
from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.core.meters import AnswerOutcome, AnswerStage, AnswerSurface, Meter


class AnswerClock:
    """Adds up the time of each stage, and counts the answer once, when it has ended."""

    def __init__(
        self,
        meter: Meter,
        surface: AnswerSurface,
        now_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._meter = meter
        self._surface = surface
        self._now_s = now_s
        self._started_s = now_s()
        self._seconds: dict[AnswerStage, float] = {}
        # The time of stages that ran inside the current one.
        self._inside_s = 0.0
        self._ended = False

    @contextmanager
    def stage(self, stage: AnswerStage) -> Iterator[None]:
        """Add the time of the block to a stage. A stage inside another counts for itself alone."""
        started_s, around_s = self._now_s(), self._inside_s
        self._inside_s = 0.0
        try:
            yield
        finally:
            took_s = self._now_s() - started_s
            own_s = max(0.0, took_s - self._inside_s)
            self._seconds[stage] = self._seconds.get(stage, 0.0) + own_s
            self._inside_s = around_s + took_s

    async def awaited(self, stage: AnswerStage, pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """Pass pieces on, and add the time that each of them takes to come."""
        async with aclosing(pieces):
            while True:
                with self.stage(stage):
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                yield piece

    @contextmanager
    def counting_failures(self) -> Iterator[None]:
        """Count the answer if the block fails. A question that cannot be asked is none."""
        try:
            yield
        except (InvalidInput, NotFound):
            raise
        except (asyncio.CancelledError, GeneratorExit):
            self.end("cancelled")
            raise
        except Exception:
            self.end("error")
            raise

    def end(self, outcome: AnswerOutcome) -> None:
        """Count the answer, unless it was counted before."""
        if self._ended:
            return
        self._ended = True
        total_s = self._now_s() - self._started_s
        self._meter.answer(self._surface, outcome, {**self._seconds, "total": total_s})


class TimedWriter:
    """Wraps a writer, and measures how long it writes."""

    def __init__(self, inner: Writer, clock: AnswerClock) -> None:
        self._inner = inner
        self._clock = clock

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def refuses(self) -> bool:
        return self._inner.refuses

    @property
    def quotes(self) -> bool:
        return self._inner.quotes

    def write(self, brief: Brief) -> AsyncGenerator[str]:
        return self._clock.awaited("generation", self._inner.write(brief))


def outcome_of(facts: AnswerFacts) -> AnswerOutcome:
    """How an answer with these facts ended."""
    if facts.fallback is not None:
        return "fallback"
    return "answered" if facts.answered else "refused"
