"""Who writes answers: a writer says sentences and cites passages by number; code checks both."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from sourcebook.answering.evidence import Passage
from sourcebook.answering.statements import Quotable
from sourcebook.core.answers import Mode
from sourcebook.core.vectors import Vector


@dataclass(frozen=True, slots=True)
class Brief:
    """What a writer gets: the question as it is understood, and the evidence."""

    question: str
    question_vector: Vector | None
    mode: Mode
    passages: tuple[Passage, ...]
    quotable: tuple[Quotable, ...]


class Writer(Protocol):
    """Writes an answer piece by piece. It may say anything: what it says is checked."""

    @property
    def model(self) -> str:
        """The name that answers carry."""
        ...

    def write(self, brief: Brief) -> AsyncGenerator[str]:
        """The answer's text in pieces, with markers like [2] for the passages it stands on."""
        ...
