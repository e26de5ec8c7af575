"""The citations of an answer, numbered in the order of their first use, each with a quote."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sourcebook.answering.evidence import Passage
from sourcebook.core.answers import SELECTION_URL, Citation
from sourcebook.core.documents import Location, Span
from sourcebook.core.lesson_links import is_room_link, room_link_at
from sourcebook.core.locations import locate, location_fields, url_at
from sourcebook.core.metadata import JsonValue
from sourcebook.text.markup import mask_markup

MAX_QUOTE_LENGTH = 500
# Of what is in more parts, the longest is quoted.
MAX_PARTS = 3
_WORD = re.compile(r"\w")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}\s", re.MULTILINE)


@dataclass(slots=True)
class _Used:
    """A passage that was used, and the stretch of its text that is quoted."""

    passage: Passage
    quoted: Span
    statement: Span | None = None
    statement_text: str = ""

    @property
    def there(self) -> Span | None:
        """Where the quote stands in the source."""
        return _there(self.passage, self.quoted)

    def holds(self, other: "_Used") -> bool:
        """Whether this quote contains the other; neighbouring chunks share sentences."""
        if self.passage.number == other.passage.number:
            return _is_within(other.quoted, self.quoted)
        mine, theirs = self.passage.source, other.passage.source
        if mine.document_id is None or mine.document_id != theirs.document_id:
            return False
        if mine.collection != theirs.collection:
            # Each collection has document ids of its own.
            return False
        there = other.there
        return there is not None and self.there is not None and _is_within(there, self.there)


class CitationList:
    """Numbers the sources that an answer uses; a number once given never changes."""

    def __init__(self) -> None:
        self._used: list[_Used] = []

    def number(self, passage: Passage, span: Span) -> int:
        """The number of the source for a span of a passage.

        A quote grows as long as it stays short; what lies too far apart, or under another heading,
        is another source.
        """
        span = _quotable(passage, span)
        new = _Used(passage, span)
        for place, used in enumerate(self._used, 1):
            if used.holds(new):
                return place
        for place, used in enumerate(self._used, 1):
            if used.passage.number != passage.number or _is_headed(passage, used.quoted, span):
                continue
            wider = Span(min(used.quoted.start, span.start), max(used.quoted.end, span.end))
            if _quotable(passage, wider) == wider:
                used.quoted = wider
                return place
        self._used.append(new)
        return len(self._used)

    def numbers(self, passage: Passage, span: Span) -> tuple[int, ...]:
        """The numbers of what a span of a passage quotes.

        Where a comment was left out of a row or a sentence, what stands before it is a source, and
        what stands after it.
        """
        parts = parts_of(passage, span)
        if not 0 < len(parts) <= MAX_PARTS:
            parts = (span,)
        numbers = [self.number(passage, part) for part in parts]
        return tuple(dict.fromkeys(numbers))

    def mark(self, passage: Passage, statement: Span, text: str) -> None:
        """Mark the statement that a quote is there for; `text` is what is read there."""
        for used in self._used:
            if used.passage.number == passage.number and _is_within(statement, used.quoted):
                used.statement, used.statement_text = statement, text
                return

    def citations(self) -> tuple[Citation, ...]:
        """All citations, by number."""
        return tuple(_citation(number, used) for number, used in enumerate(self._used, 1))


def parts_of(passage: Passage, span: Span) -> tuple[Span, ...]:
    """What a span of a passage quotes, where comments were left out between; each has words."""
    together = (here for here, _ in passage.stretch(span))
    return tuple(one for one in together if _WORD.search(passage.text, one.start, one.end))


def citation_json(citation: Citation) -> Mapping[str, JsonValue]:
    """A citation in the words of specification 004, as clients see it and history keeps it."""
    return {
        "number": citation.number,
        "source_url": citation.url,
        "page_title": citation.title,
        "section_heading": citation.heading,
        "chunk_text": citation.quote,
        "plain_text": citation.plain,
        "relevance_score": citation.score,
        "char_start": citation.start,
        "char_end": citation.end,
        "line_start": citation.first_line,
        "line_end": citation.last_line,
        "source_file": citation.file,
        "lesson_url": None if citation.url == SELECTION_URL else citation.url,
        "chunk_id": citation.chunk_id,
        "document_id": citation.document_id,
        "collection": citation.collection,
        "statement_start": None if citation.statement is None else citation.statement.start,
        "statement_end": None if citation.statement is None else citation.statement.end,
        "statement_text": citation.statement_text,
        "book_id": citation.book_id,
        **location_fields(citation.location),
    }


def address_of(passage: Passage, span: Span) -> str:
    """Where a span of a passage can be read: at its heading, in our room at the very words."""
    url = passage.source.section_at(span.start).url
    if not is_room_link(url):
        return url_at(url, _location(passage, span))
    there = _there(passage, span)
    return url if there is None else room_link_at(url, there.start, there.end)


def _location(passage: Passage, span: Span) -> Location | None:
    there = _there(passage, span)
    return locate(passage.extent.locations, there) if passage.extent and there else None


def _there(passage: Passage, span: Span) -> Span | None:
    """Where a span of a passage stands in the source."""
    return next((there for _, there in passage.stretch(span)), None)


def _quotable(passage: Passage, span: Span) -> Span:
    """As much of the span as is short enough and stands together in the source."""
    together = [here for here, _ in passage.stretch(span)] or [span]
    longest = max(together, key=lambda here: here.end - here.start)
    return Span(longest.start, _cut(passage.text, longest))


def _is_headed(passage: Passage, one: Span, other: Span) -> bool:
    """Whether a heading stands between two spans."""
    between = passage.text[min(one.end, other.end) : max(one.start, other.start)]
    return _HEADING.search(between) is not None


def _is_within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _cut(text: str, span: Span) -> int:
    """Where a quote of the span ends: at the end of a word, if it must be cut."""
    if span.end - span.start <= MAX_QUOTE_LENGTH:
        return span.end
    end = span.start + MAX_QUOTE_LENGTH
    for place in range(end, span.start + MAX_QUOTE_LENGTH // 2, -1):
        if text[place].isspace():
            return span.start + len(text[span.start : place].rstrip())
    return end


def _citation(number: int, used: _Used) -> Citation:
    passage, quoted = used.passage, used.quoted
    source, there = passage.source, used.there
    lines = passage.lines(quoted)
    return Citation(
        number=number,
        url=address_of(passage, quoted),
        title=source.title,
        heading=source.section_at(quoted.start).heading,
        quote=passage.text[quoted.start : quoted.end],
        score=passage.score,
        start=there.start if there else None,
        end=there.end if there else None,
        first_line=lines[0] if lines else None,
        last_line=lines[1] if lines else None,
        file=source.file,
        chunk_id=source.chunk_id,
        document_id=source.document_id,
        collection=source.collection,
        book_id=source.book_id,
        plain=mask_markup(passage.text).plain_blocks(quoted.start, quoted.end),
        location=_location(passage, quoted),
        statement=None if used.statement is None else _there(passage, used.statement),
        statement_text=used.statement_text,
    )
