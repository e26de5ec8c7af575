"""Answers from hits in their own words, for contract 003, when there is no language model."""

from collections.abc import Sequence
from contextlib import aclosing

from sourcebook.answering.composing import Case, Composition
from sourcebook.answering.evidence import Passage
from sourcebook.answering.extractive import MODEL, ExtractiveWriter
from sourcebook.answering.markers import marked, without_last_marker
from sourcebook.answering.meaning import Meaning
from sourcebook.answering.shelves import Shelf
from sourcebook.answering.small_talk import reply_to_small_talk
from sourcebook.core.answers import NOTHING_FOUND, Citation, Question
from sourcebook.core.documents import Hit
from sourcebook.core.models import EmbeddingModels


class Quoter:
    """Quotes what answers best, or refuses. A marker [2] points to the second hit."""

    model = MODEL

    def __init__(self, shelf: Shelf, models: EmbeddingModels) -> None:
        self._shelf = shelf
        self._models = models

    async def answer(self, question: str, hits: Sequence[Hit]) -> str:
        """The sentences of the hits that answer the question."""
        reply = reply_to_small_talk(question)
        if reply is not None:
            return reply
        # Whatever was found, a model had embedded the question.
        embedder = next(iter(self._models), None)
        if not hits or embedder is None:
            return NOTHING_FOUND
        case = Case(Question(question, top_k=len(hits)), question, self._passages(hits))
        composition = Composition(case, ExtractiveWriter(), Meaning(embedder))
        async with aclosing(composition.pieces()) as pieces:
            sentences = [piece async for piece in pieces]
        places = _places(composition.citations, hits)
        return "".join(_renumbered(sentence, places) for sentence in sentences).strip()

    def _passages(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        return tuple(
            Passage(
                number, hit.chunk.text, self._shelf.source(hit.chunk), hit.score, hit.chunk.extent
            )
            for number, hit in enumerate(hits, 1)
        )


def _places(citations: Sequence[Citation], hits: Sequence[Hit]) -> dict[int, int]:
    """The number of a citation, and which hit it cites."""
    by_chunk = {hit.chunk.id: place for place, hit in enumerate(hits, 1)}
    return {one.number: by_chunk[one.chunk_id] for one in citations if one.chunk_id is not None}


def _renumbered(sentence: str, places: dict[int, int]) -> str:
    """The markers at its end with the numbers of hits; others are the source's own."""
    cited: list[int] = []
    claim, number = without_last_marker(sentence)
    while number in places:
        cited.insert(0, places[number])
        sentence = claim
        claim, number = without_last_marker(sentence)
    return marked(sentence, tuple(dict.fromkeys(cited))) if cited else sentence
