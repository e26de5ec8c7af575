"""The statements of the evidence: every sentence of every passage, some with their meaning."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sourcebook.answering.evidence import Passage
from sourcebook.answering.grounding import Statement
from sourcebook.answering.meaning import Meaning
from sourcebook.answering.prose import Kind, pieces_of
from sourcebook.answering.words import content_words
from sourcebook.core.vectors import Vector

# So many sentences are embedded for one answer; those that share no word with the question go
# first. Of 60 questions with five passages each, all get the same answer as with every sentence
# embedded, and of those with twenty passages 51; but ten readers at once would wait twice as long.
EMBEDDED_AT_MOST = 32


@dataclass(frozen=True, slots=True)
class Quotable:
    """A statement, and what kind of text it is."""

    statement: Statement
    kind: Kind


def read_statements(passages: Sequence[Passage]) -> tuple[Quotable, ...]:
    """Everything that the passages say, in order."""
    return tuple(
        Quotable(
            Statement(
                passage.number, piece.start, piece.end, passage.text[piece.start : piece.end], None
            ),
            piece.kind,
        )
        for passage in passages
        for piece in pieces_of(passage.text)
    )


async def with_meaning(
    question: str, quotable: Sequence[Quotable], meaning: Meaning
) -> tuple[Vector, tuple[Quotable, ...]]:
    """The question's vector, and the statements with theirs, as far as they are worth it."""
    asked = frozenset(content_words(question))
    prose = [place for place, one in enumerate(quotable) if one.kind not in {"heading", "code"}]
    # Stable: among equals the nearer passage and the earlier sentence come first.
    prose.sort(key=lambda place: -len(asked & quotable[place].statement.content))
    chosen = prose[:EMBEDDED_AT_MOST]
    vector, *vectors = await meaning.of([question, *(_text(quotable[place]) for place in chosen)])
    known = dict(zip(chosen, vectors, strict=True))
    return vector, tuple(
        replace(one, statement=replace(one.statement, vector=known.get(place)))
        for place, one in enumerate(quotable)
    )


def _text(one: Quotable) -> str:
    return one.statement.text
