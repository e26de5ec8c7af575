"""The port of answer writers. They cite statements by id, and code checks what they write."""

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sourcebook.answering.evidence import Passage
from sourcebook.answering.statements import Quotable
from sourcebook.core.answers import Mode, SourceField, Turn

Found: TypeAlias = tuple[tuple[Passage, ...], tuple[Quotable, ...]]
# Searches on, for other words and at narrower sources, within what the question may see. Gives
# the passages that are new, numbered on from the last, and their statements.
Search: TypeAlias = Callable[
    [str, int | None, Mapping[SourceField, tuple[str, ...]]], Awaitable[Found]
]


@dataclass(frozen=True, slots=True)
class Brief:
    """What a writer gets: the question as it is understood and as it was put, and the evidence.

    `ranks` says how well each statement answers, from 0 to 1, for a writer who cannot judge that by
    itself, and `probability` how likely the evidence answers the question, if a reader has read it.
    `earlier` is what was said before in the conversation. Without `search` there is no more
    evidence than this. Nothing is read after `deadline_s`, by the event loop's clock.
    With `on_page`, the passages are those of the page that the question was asked on.
    """

    question: str
    mode: Mode
    passages: tuple[Passage, ...]
    quotable: tuple[Quotable, ...]
    ranks: tuple[float, ...] = ()
    asked: str = ""
    earlier: tuple[Turn, ...] = ()
    search: Search | None = None
    deadline_s: float = math.inf
    on_page: bool = False
    probability: float | None = None


class Writer(Protocol):
    """Writes an answer piece by piece. It may say anything: what it says is checked."""

    @property
    def model(self) -> str:
        """The name that answers carry."""
        ...

    @property
    def refuses(self) -> bool:
        """Whether it notices by itself that the evidence does not hold the answer.

        If not, it is only asked when the evidence looks sufficient, also where no reader can say.
        """
        ...

    @property
    def quotes(self) -> bool:
        """Whether it only ever says what stands in the evidence, word for word."""
        ...

    def write(self, brief: Brief) -> AsyncGenerator[str]:
        """The answer's text in pieces, with markers like [2.3] for the statements it stands on."""
        ...
