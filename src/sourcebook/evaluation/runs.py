"""Asks every question of a set, and keeps what was found and answered, and how fast."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sourcebook.core.errors import SourcebookError
from sourcebook.evaluation.questions import FileLines, JudgedQuestion


class EvaluationFailed(SourcebookError):
    """A question could not be asked, so that nothing can be said of the set."""

    code = "evaluation_failed"


@dataclass(frozen=True, slots=True)
class FoundHit:
    """A chunk that a search found: where it comes from, and all names that a set may know it by."""

    document: str
    names: tuple[str, ...]
    title: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """What an answer cites, and where it stands; None if that is not known."""

    text: str
    lines: FileLines | None = None


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer or a refusal, and the quotes that it cites."""

    answered: bool
    text: str
    quotes: tuple[CitedQuote, ...] = ()


class Target(Protocol):
    """What is measured: something that searches and answers."""

    async def search(self, question: JudgedQuestion) -> Sequence[FoundHit]:
        """Return what is found, best first."""
        ...

    async def ask(self, question: JudgedQuestion) -> GivenAnswer:
        """Return the answer, or the refusal."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question. `answer` is None if it was only searched for."""

    question: JudgedQuestion
    hits: tuple[FoundHit, ...]
    search_ms: float
    answer: GivenAnswer | None = None

    @property
    def ranking(self) -> list[str]:
        """The ids that were found, each once, at the place of the best chunk.

        An id of the set if it knows the hit by one of its names; else the hit's document.
        """
        wanted = self.question.relevant
        ids = (next((n for n in hit.names if n in wanted), hit.document) for hit in self.hits)
        return list(dict.fromkeys(ids))

    @property
    def rank(self) -> int | None:
        """The place of the first relevant id, from 1; None if none was found."""
        wanted = self.question.relevant
        places = (place for place, id_ in enumerate(self.ranking, 1) if wanted.get(id_, 0) > 0)
        return next(places, None)


async def ask_all(
    targets: Sequence[Target],
    questions: Sequence[JudgedQuestion],
    on_asked: Callable[[int], None] = lambda _: None,
) -> list[list[Outcome]]:
    """Return the outcomes of each target. They take turns, so that neither always goes first."""
    outcomes: list[list[Outcome]] = [[] for _ in targets]
    for number, question in enumerate(questions, 1):
        places = range(len(targets))
        # The second to embed the same question may find it in a cache.
        for place in places if number % 2 else reversed(places):
            outcomes[place].append(await _asked(targets[place], question))
        on_asked(number)
    return outcomes


async def _asked(target: Target, question: JudgedQuestion) -> Outcome:
    try:
        started_s = time.perf_counter()
        hits = await target.search(question)
        search_ms = (time.perf_counter() - started_s) * 1000
        # An answer can be judged only if the set says whether there is one.
        answer = None if question.has_answer is None else await target.ask(question)
    except SourcebookError as error:
        raise EvaluationFailed(f"Question {question.id!r}: {error.message}") from error
    return Outcome(question, tuple(hits), search_ms, answer)
