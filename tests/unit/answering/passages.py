"""Passages of a made-up source, and a checker for what is said about them."""

from collections.abc import AsyncGenerator, Iterable, Sequence

from sourcebook.answering.answer_checker import AnswerChecker
from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.statements import read_statements
from sourcebook.core.documents import Extent, Span

ROS = (
    "ROS 2 is a set of software libraries for building robots. "
    "A node is a process that performs computation. "
    "Nodes exchange messages over topics."
)
GAZEBO = "Gazebo simulates worlds with physics. It does not need a real robot."


def passage(
    number: int,
    text: str,
    *,
    start: int = 0,
    first_line: int = 1,
    document: str | None = None,
    score: float = 0.8,
) -> Passage:
    """A passage that stands in one piece in its source."""
    document = document or f"document-{number}"
    source = Source(
        f"/docs/{document}", f"Title {number}", f"Heading {number}", f"{document}.md",
        f"chunk-{number}", document,
    )  # fmt: skip
    lines = len(text.splitlines()) or 1
    extent = Extent((Span(start, start + len(text)),), first_line, first_line + lines - 1)
    return Passage(number, text, source, score, extent)


def checker(passages: Sequence[Passage]) -> AnswerChecker:
    """A checker of answers from these passages."""
    return AnswerChecker(passages, read_statements(passages))


async def saying(*pieces: str) -> AsyncGenerator[str]:
    """A text that arrives in these pieces."""
    for piece in pieces:
        yield piece


async def released(checking: AnswerChecker, pieces: Iterable[str]) -> list[str]:
    """What of a text passes."""
    return [sentence async for sentence in checking.released(saying(*pieces))]
