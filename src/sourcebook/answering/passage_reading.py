"""Has passages read: each of their sections under its own heading, as the reader learned it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sourcebook.answering.evidence import Passage, Section
from sourcebook.answering.statements import Quotable
from sourcebook.core.answers import SELECTION_URL
from sourcebook.core.documents import Span
from sourcebook.core.ports import Reader
from sourcebook.core.readings import ReadablePassage, Reading


@dataclass(frozen=True, slots=True)
class PassageReading:
    """The best relevance of a passage's sections, and the scores of its statements by place.

    What comes after a passage's readable beginning has no score.
    """

    relevance: float
    scores: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class _Part:
    """A section of a passage for the reader, and the places of the statements in it."""

    text: ReadablePassage
    places: tuple[int, ...]


async def read_passages(
    reader: Reader, question: str, passages: Sequence[Passage], quotable: Sequence[Quotable]
) -> list[PassageReading]:
    """A reading of each passage, in order."""
    parts = [_parts(passage, quotable) for passage in passages]
    wanted = [one.text for one in chain.from_iterable(parts)]
    readings = iter(await reader.read(question, wanted))
    return [_joined(of_passage, [next(readings) for _ in of_passage]) for of_passage in parts]


def _parts(passage: Passage, quotable: Sequence[Quotable]) -> list[_Part]:
    places = [
        place for place, one in enumerate(quotable) if one.statement.passage == passage.number
    ]
    parts = [
        _part(passage, section, span, quotable, places) for section, span in passage.sections()
    ]
    return [one for one in parts if one.places] or parts[:1]


def _part(
    passage: Passage,
    section: Section,
    span: Span,
    quotable: Sequence[Quotable],
    places: Sequence[int],
) -> _Part:
    within = tuple(
        place for place in places if span.start <= quotable[place].statement.start < span.end
    )
    statements = (quotable[place].statement for place in within)
    spans = (
        Span(one.start - span.start, min(one.end, span.end) - span.start) for one in statements
    )
    # What a selection is called says nothing about it.
    is_selection = passage.source.url == SELECTION_URL
    named = () if is_selection else (passage.source.title, section.heading)
    heading = " > ".join(dict.fromkeys(name for name in named if name))
    text = passage.text[span.start : span.end]
    return _Part(ReadablePassage(heading, text, tuple(spans)), within)


def _joined(parts: Sequence[_Part], readings: Sequence[Reading]) -> PassageReading:
    scores = {
        place: score
        for part, reading in zip(parts, readings, strict=True)
        for place, score in zip(part.places, reading.answers, strict=True)
        if score is not None
    }
    return PassageReading(max(one.relevance for one in readings), scores)
